"""This module takes the mark-up out of one running text: HTML, LaTeX, Markdown, and the traces of PDF extraction.

It works text by text; `transforms.text` finds with expressions the rows that need it.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable

from transforms.latex import HOLD, hold_maths, plain_latex, script_digits
from transforms.maths import WORDS_IN_BRACES, lowered, raised

_MAX_ROUNDS = 6
"""How often a text is gone over until it stays the same. Real texts need two; more only where mark-up is escaped several
times over, such as `&amp;amp;lt;`."""

_SIGNS = ("&", "<", "\\", "$", "*", "_", "`", "{", "~", "#", "--", "](")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u2060\ufeff]")
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}

# "\\textit{", "\\emph{", "\\beta", … that some program read as a tab, an escape character, a backspace, …; also where the
# tab is a space by now, and "extit{" is left.
_SWALLOWED_ESCAPE = re.compile(
    r"\t(?=ext(?:it|bf|tt|rm|sc|sf)\{|imes\b|heta\b|au\b)|\x1b(?=mph\{)|\x08(?=eta\b|ar\{|m\{|oldsymbol)|"
    r"\x0c(?=rac\{)|\x0b(?=arepsilon\b|ec\{|arphi\b)|\x07(?=lpha\b|pprox\b|st\b)"
)
_ESCAPE_LETTERS = {"\t": "t", "\x1b": "e", "\x08": "b", "\x0c": "f", "\x0b": "v", "\x07": "a"}
_BARE_EXT = re.compile(r"ext(?<![\w\\]ext)(?=(?:it|bf|tt|rm|sc|sf)\{)")

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_COMMENT = re.compile(r"<!--.{0,2000}?-->|<!\[CDATA\[|\]\]>", re.DOTALL)
_ABSTRACT_HEADING = re.compile(r"^\s*<(?:jats:)?title>\s*(?:abstract|summary)\s*:?\s*</(?:jats:)?title>", re.IGNORECASE)
_SCRIPT_TAG = re.compile(r"<(?:jats:)?(sub|sup)\b[^<>]{0,60}>([^<>]{0,200})</(?:jats:)?\1\s*>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:(?:jats|mml|xhtml|ce|oasis):[a-z-]{1,30}|(?P<block>p|br|div|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|sec|title|abstract|"
    r"blockquote|section|hr|list-item)|i|b|em|strong|sub|sup|u|tt|a|span|font|small|big|code|pre|strike|img|cite|"
    r"italic|bold|sc|inf|scp|math|mi|mn|mo|mrow|msub|msup|msubsup|mfrac|msqrt|mtext|mover|munder|mstyle|mspace|semantics|"
    r"annotation|inline-formula|tex-math|alternatives|ext-link|xref|monospace|underline|roman|sans-serif)"
    r"(?:\s+[a-zA-Z:-]+\s*=[^<>]{0,300})?\s*/?>",
    re.IGNORECASE,
)
_BLOCK_NAMES = ("jats:p", "jats:sec", "jats:title", "jats:list", "jats:break", "jats:abstract")

_ADDRESS = re.compile(r"(?:https?|ftp)://(?:\\[_%#&~]|[!#%-;=?-Z\[\]_a-z~]){3,}")
_ADDRESS_END = re.compile(r"(?:[.,;:!?'*_]|\*\*|\]\(.*|[)\]]+)+$")
_ESCAPED_SIGN = re.compile(r"\\([_%#&~])")

_MARKDOWN_LINK = re.compile(
    r"!?\[([^\[\]]{1,300})\]\(\s*(?=[^()\s]*[/.#@])(?:[^()\s]|\([^()\s]*\)){1,500}(?:\s+\"[^\"]*\")?\s*\)"
)
# A lookbehind stands behind the sign it is about: so the search for the sign is one for a literal, ten times as fast.
_BOLD = re.compile(r"\*\*(?<![\d\\]\*\*)(?=[^\s*])((?:[^*]|\*(?!\*)){1,500}?)(?<=[^\s])\*\*(?!\*)")
_BOLD_ITALIC = re.compile(r"\*\*\*(?<![\w*]\*\*\*)(?=[^\s*])([^*]{1,400}?)(?<=[^\s*])\*\*\*(?![\w*])")
_ITALIC = re.compile(r"\*(?<![\w*\\)\]]\*)(?=[^\s*])([^*]{1,400}?)(?<=[^\s*])\*(?![\w*])")
_UNDERSCORE_BOLD = re.compile(r"__(?<![\w_]__)(?=[^\s_])([^_]*[\s.,:;!?][^_]*|[A-Z][^_]*)(?<=[^\s_])__(?![\w_])")
_UNDERSCORE = re.compile(r"_(?<![\w_\\/]_)(?=[^\s_])([^_]{1,400}?)(?<=[^\s_])_(?![\w_])")
_HEADING = re.compile(r"^#{1,6} +(?=\S)", re.MULTILINE)
_CODE = re.compile(r"`(?<![`\w]`)([^`'\n]{1,120})`(?![`\w])")

_DOUBLE_QUOTED = re.compile(r"``([^`]{1,400}?)(?:''|\"|´´)")
_SINGLE_QUOTED = re.compile(r"`(?<![\w`]`)(?=[^\s`])([^`]{1,120}?)(?<=[^\s`])'(?![\w'])")
_EM_DASH = re.compile(r"---(?<!----)(?!-)")
_EN_DASH = re.compile(r"--(?:(?<=[^\s-]--)(?=[^-])|(?<=\s--)(?=\s))")
_TIE = re.compile(r"~(?<=[A-Za-z.,)]~)(?=[\w(\[$\x01])")
_SCRIPT = re.compile(r"(?<=[\w)])(\^|_)\{([^{}]{1,4})\}")
# "Pre{-}Training", "R{\\&}D": DBLP, Zotero and Mendeley write signs so; no set is made of one.
_SIGN_IN_BRACES = re.compile(r"(?<![\^_])\{([-–—&%#$@_:;,./!?'\"“”‘’`]{1,3})\}")
_MATHS_GROUP = re.compile(r"\{(?:(\$[^$]{1,300}\$)|(\\\((?:[^\\]|\\[^()]){1,300}+\\\)))\}")
_ANGLE_BRACKET = re.compile(r"\{\\text(less|greater)\}")
"""How Mendeley writes the tags of an abstract in BibTeX."""

_LETTER = r"[^\W\d_]"
_APART = re.compile("[\u0300-\u036f´¨ˇ˜¸˘˙]")
_SPACED_ACCENT = re.compile(f"({_LETTER}) ([\u0300-\u036f])({_LETTER})?")
_SPACING_ACCENTS = {"´": "\u0301", "¨": "\u0308", "ˇ": "\u030c", "˜": "\u0303", "¸": "\u0327", "˘": "\u0306", "˙": "\u0307"}
# The letters that carry an accent in the languages names are written in; "ŕ" and "ḿ" exist, but "Pe´rez" is Pérez.
_ACCENTED_LETTERS = {
    "\u0301": "aeiouycnsz", "\u0308": "aeiouy", "\u030c": "cdenrstzg", "\u0303": "anoui", "\u0327": "cst",
    "\u0306": "agu", "\u0307": "zceg", "\u0328": "ae", "\u030b": "ou", "\u030a": "au", "\u0304": "aeiou",
}  # fmt: skip
_GLUED_ACCENT = re.compile(f"(?<!´)({_LETTER})([´¨ˇ˜¸˘˙])(?!(?:s|t|re|ve|ll|d|m)\\b)({_LETTER})")


def plain(text: str) -> str:
    r"""`text` without mark-up, in NFC, with single spaces; what is no mark-up stays.

    >>> plain(r"We *prove* that \emph{all} &lt; 5\% of **K**nown CO<sub>2</sub> models ($k^2$) use snake_case and A$^*$.")
    'We prove that all < 5% of Known CO₂ models (k²) use snake_case and A*.'
    """
    for _ in range(_MAX_ROUNDS):
        before, text = text, _without_markup(text)
        if text == before or not _has_sign(text):
            break
    return text


def _has_sign(text: str) -> bool:
    """Whether a text holds what may be mark-up; sign by sign, as that is ten times faster than one pattern."""
    for sign in _SIGNS:
        if sign in text:
            return True
    return not text.isascii() and _APART.search(text) is not None


def _without_markup(text: str) -> str:
    text = unescaped(text)
    # One control or space of a thousand characters is told so in a tenth of the time that a pattern needs.
    has_controls = not text.isprintable()
    if has_controls:
        text = _SWALLOWED_ESCAPE.sub(_with_backslash, text)
    # Of two signs the rarer alone is looked for first: it takes a twentieth of the time.
    if "{" in text:
        text = _BARE_EXT.sub(r"\\text", text)
    if "\\" in text and "\\text" in text:
        text = _ANGLE_BRACKET.sub(lambda sign: "<" if sign[1] == "less" else ">", text)
    if "<" in text:
        text = _without_tags(text)
    if has_controls:
        text = _CONTROLS.sub("", text)
    held: list[str] = []

    def hold(piece: str) -> str:
        held.append(piece)
        return f"{HOLD}{len(held) - 1}{HOLD}"

    if "[" in text and "](" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    if "/" in text and "://" in text:
        text = _ADDRESS.sub(lambda match: _held_address(match[0], hold), text)
    if "{" in text and ("{$" in text or "{\\(" in text):
        text = _MATHS_GROUP.sub(lambda group: group[1] or group[2], text)
    if "$" in text or "\\" in text:
        text = hold_maths(text, hold)
    if "\\" in text:
        text = plain_latex(text, hold)
    text = _without_markdown(text)
    text = _typeset(text)
    if not text.isascii():
        text = _composed(text)
    for number, piece in reversed(list(enumerate(held))):
        text = text.replace(f"{HOLD}{number}{HOLD}", piece)
    # No step makes a control of ASCII where there was none.
    is_printable = not has_controls and (text.isascii() or text.isprintable())
    text = text.strip() if is_printable and "  " not in text else " ".join(text.split())
    return unicodedata.normalize("NFC", text)


def unescaped(text: str) -> str:
    """`text` with its HTML entities as characters, also where they are escaped twice.

    >>> unescaped("A &amp;lt; B &#x3b1; AT&T; R&D")
    'A < B α AT&T; R&D'
    """
    for _ in range(_MAX_ROUNDS):
        if "&" not in text:
            break
        before, text = text, _ENTITY.sub(lambda match: html.unescape(match[0]), text)
        if text == before:
            break
    return text


def _with_backslash(swallowed: re.Match[str]) -> str:
    return "\\" + _ESCAPE_LETTERS[swallowed[0]]


def _without_tags(text: str) -> str:
    text = _ABSTRACT_HEADING.sub("", _COMMENT.sub("", text))
    text = _SCRIPT_TAG.sub(lambda match: script_digits(match[2], is_raised=match[1].lower() == "sup"), text)
    return _TAG.sub(_tag_space, text)


def _tag_space(tag: re.Match[str]) -> str:
    name = tag[0].strip("</>").lower()
    return " " if tag["block"] or name.startswith(_BLOCK_NAMES) else ""


def _held_address(address: str, hold: Callable[[str], str]) -> str:
    """An address whole, safe from the steps that follow; the punctuation and brackets behind it stay outside."""
    end = _ADDRESS_END.search(address)
    body, rest = (address[: end.start()], end[0]) if end else (address, "")
    while rest.startswith(")") and body.count("(") > body.count(")"):
        body, rest = body + ")", rest[1:]
    return hold(_ESCAPED_SIGN.sub(r"\1", body)) + rest


def _without_markdown(text: str) -> str:
    if "*" in text:
        if "***" in text:
            text = _BOLD_ITALIC.sub(r"\1", text)
        if "**" in text:
            text = _BOLD.sub(r"\1", text)
        text = _ITALIC.sub(r"\1", text)
    if "_" in text:
        text = _UNDERSCORE.sub(r"\1", _UNDERSCORE_BOLD.sub(r"\1", text))
    if "#" in text:
        text = _HEADING.sub("", text)
    return text


def _typeset(text: str) -> str:
    """`text` with the quotes, dashes, ties and groups of LaTeX as they are printed."""
    if "`" in text:
        text = _CODE.sub(r"\1", _DOUBLE_QUOTED.sub(r"“\1”", text))
        text = _SINGLE_QUOTED.sub(r"‘\1’", text)
    if "-" in text and "--" in text:
        text = _EN_DASH.sub("–", _EM_DASH.sub("—", text))
    if "~" in text:
        text = _TIE.sub(" ", text)
    if "{" in text:
        text = _SCRIPT.sub(_bare_script, text)
        text = WORDS_IN_BRACES.sub(r"\1", text)
        text = _SIGN_IN_BRACES.sub(r"\1", text)
    return text


def _bare_script(script: re.Match[str]) -> str:
    """A script outside of a formula ("10^{-3}") in Unicode; as it is where it has no such form ("n^{2D}")."""
    return (raised(script[2]) if script[1] == "^" else lowered(script[2])) or script[0]


def _composed(text: str) -> str:
    """`text` in NFC, with ligatures taken apart, and with the accents that a PDF gave apart set on their letters."""
    text = unicodedata.normalize("NFC", _LIGATURE.sub(lambda match: _LIGATURES[match[0]], text))
    if _APART.search(text) is None:
        return text
    text = _SPACED_ACCENT.sub(lambda match: _set_accent(match[1], " ", match[2], match[3] or ""), text)
    return _GLUED_ACCENT.sub(lambda match: _set_accent(match[1], match[2], _SPACING_ACCENTS[match[2]], match[3]), text)


def _set_accent(before: str, apart: str, accent: str, after: str) -> str:
    """The accent on the letter after it (TeX sets it first: "Ruszczy ́nski"), else on the one before it ("Mu¨ller")."""
    if after.isupper():  # a word of its own: "the ́Etale"
        composed = unicodedata.normalize("NFC", after + accent)
        return (
            f"{before} {composed}" if apart == " " and len(composed) == 1 else before + apart + accent * (apart == " ") + after
        )
    base = {"ı": "i", "ȷ": "j"}.get(after, after)
    over_after, over_before = (unicodedata.normalize("NFC", letter + accent) for letter in (base, before))
    usual = _ACCENTED_LETTERS.get(accent, "aeiouy")
    if base and base in usual and len(over_after) == 1 and not (accent == "\u0327" and before in usual):
        return before + over_after
    if len(over_before) == 1 and (apart == " " or before.lower() in usual):
        return over_before + after
    return before + apart + (accent if apart == " " else "") + after
