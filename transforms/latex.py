"""This module turns the LaTeX of running text into plain Unicode: its macros, accents and formulas.

A formula that `transforms.maths` calls hard stays verbatim between dollars. What is no LaTeX stays as it is: an amount of
money, a lone backslash, a macro that only its authors know.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from transforms.maths import MAX_FORMULA_CHARACTERS, is_maths_macro, lowered, plain_maths, raised, symbols
from transforms.word_sets import word_set

HOLD = "\x01"
"""Stands around the number of a piece that later steps must not touch; cleaned text holds no control characters."""

_MAX_DEPTH = 40
"""How deep macros may stand in each other's arguments; real texts go four deep, a hostile one must not end the run."""

_MATHS_ENVIRONMENT = re.compile(
    r"\\begin\{(equation|align|gather|math|displaymath|eqnarray)(\*?)\}(.{1,1500}?)\\end\{\1\2\}", re.DOTALL
)
_DISPLAYED_MATHS = re.compile(r"\\\[(.{1,1500}?)\\\]", re.DOTALL)
_DELIMITED_MATHS = re.compile(r"\\\((.{1,800}?)\\\)|(?<!\\)\$\$([^$]+)\$\$", re.DOTALL)
_LATEX_SIGN = re.compile(r"\\[a-zA-Z|{]|[\^_]|[{}]")
_PROSE = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2,}|[a-z]{3,}[.,;:] ")

_FORMATS = word_set(
    "emph textbf textit texttt textsc textrm textsf textsl textmd textup textnormal text underline uline ul mbox hbox fbox "
    "textsuperscript textsubscript centerline lowercase uppercase MakeUppercase "
    "MakeLowercase so hl sout st enquote textquote section subsection paragraph caption"
)
_SWITCHES = word_set(
    "em bf it tt sc rm sf sl bfseries itshape ttfamily scshape rmfamily sffamily normalfont tiny scriptsize footnotesize small "
    "normalsize large Large LARGE huge Huge centering noindent maketitle protect relax xspace left right displaystyle "
    "selectfont raggedright hfill vfill null ignorespaces unskip bgroup egroup urlstyle sloppy"
)
_BREAKS = word_set("par newline linebreak newpage clearpage item smallskip medskip bigskip quad qquad hline space")
_ADDRESSES = word_set("url path nolinkurl href")
_FOOTNOTES = frozenset(("footnote", "footnotetext"))
_TWO_ARGUMENTS = word_set("textcolor colorbox color foreignlanguage bibinfo bibfield")
_CITATION = re.compile(r"(?:no|auto|paren|foot|text|full|super|smart)?[cC]ite[a-zA-Z]*")
_REFERENCE = re.compile(
    r"[a-zA-Z]{0,4}ref|label|index|bibliography|bibliographystyle|footnotemark|thanks|[vh]space|includegraphics|begin|end"
)
_WORDS = {
    "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "XeTeX": "XeTeX", "textbackslash": "\\", "textasciitilde": "~",
    "textasciicircum": "^", "textunderscore": "_", "textdollar": "$", "textquotesingle": "'", "textquotedbl": '"',
    "textbraceleft": "{", "textbraceright": "}", "slash": "/", "eg": "e.g.", "ie": "i.e.", "etal": "et al.", "and": "and",
}  # fmt: skip
_JOINED_LETTERS = word_set("ss o O l L ae AE oe OE aa AA i j dh DH dj DJ th TH ng NG")

_SIGN_ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_LETTER_ACCENTS = {
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323", "b": "\u0331",
    "k": "\u0328", "r": "\u030a", "t": "\u0361",
}  # fmt: skip
_ACCENTED = re.compile(
    r"(?:\{\s*(?:\\([ij])(?![a-zA-Z])|([^\W\d_]))\s*(?:\{\})?\s*\}|\\([ij])(?![a-zA-Z])\s*(?:\{\})?|([^\W\d_]))"
)
# "\\'{\\^e}", a letter with two accents, as Vietnamese has them.
_ACCENTED_TWICE = re.compile(
    r"(\{\s*)?\\(?:(['`^\"~=.])|([uvHcdbkr])(?![a-zA-Z]))\s*(?:\{\s*([^\W\d_])\s*\}|([^\W\d_]))\s*(?(1)\})"
)
_ENGLISH_ENDING = re.compile(r"(?:s|t|re|ve|ll|d|m)\b")
_CLOSING_ESCAPED_QUOTE = re.compile(r'(?<!\{)\\"(?=[\s,.;:!?)\]]|$)')
_ESCAPED_LINE_BREAK = re.compile(r"(?:\\r)?\\n(?![a-z])")
_MACRO = re.compile(r"\\(?:([a-zA-Z]+)\*?|(.)|$)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_LINE_SKIP = re.compile(r"\[\d[^\]]*\]")
_SCRIPTS = re.compile(r"(?:[_^](?:\{[^{}]{1,12}\}|\w))+")
_OPTION = re.compile(r"\s*\[[^\]]*\]")


def hold_maths(text: str, hold: Callable[[str], str]) -> str:
    r"""`text` with its simple formulas in plain Unicode and each hard one, in single dollars, given to `hold`.

    >>> hold_maths(r"a $10\times$ speed-up at \(x^{2/p}\) for $5 and $6", hold=lambda piece: f"<{len(piece)}>")
    'a 10× speed-up at <9> for $5 and $6'
    """

    def settled(formula: str) -> str:
        plain = plain_maths(formula)
        if plain is not None:
            return plain
        return hold(f"${' '.join(formula.split())}$")

    if "\\" in text:
        text = _MATHS_ENVIRONMENT.sub(lambda match: f" {settled(match[3])} ", text)
    if "\\(" in text or "\\[" in text or "$$" in text:
        text = _DISPLAYED_MATHS.sub(lambda match: f" {settled(match[1])} ", text)
        text = _DELIMITED_MATHS.sub(lambda match: settled(match[1] or match[2]), text)
    pieces: list[str] = []
    start = 0
    while True:
        opening = _dollar(text, start)
        closing = _dollar(text, opening + 1) if opening >= 0 else -1
        if closing < 0:
            pieces.append(text[start:])
            return "".join(pieces)
        formula = text[opening + 1 : closing]
        if _is_maths(formula, text[closing + 1 : closing + 2]):
            pieces += (text[start:opening], settled(formula))
            start = closing + 1
        else:
            pieces.append(text[start:closing])
            start = closing


def plain_latex(text: str, hold: Callable[[str], str]) -> str:
    r"""`text` with its macros and escapes in plain Unicode. Its formulas must have been taken out before.

    Formatting is dropped, addresses and the texts of links stay, citations become their keys in brackets, labels
    go. A macro nobody but its authors knows stays as it is; a bare formula that is hard does too, and is given to `hold`.

    >>> plain_latex(r"\emph{trade-off} of 50\% in G\"odel's na\"{\i}ve \textbf{Stra\ss e}~\cite{a} with \ours{}", hold=str)
    "trade-off of 50% in Gödel's naïve Straße~[a] with \\ours"
    """
    if '\\"' in text and _CLOSING_ESCAPED_QUOTE.search(text):
        text = text.replace('\\"', '"')  # JSON or SQL escapes, no umlauts: an umlaut's letter follows at once
    if "\\n" in text:
        text = _ESCAPED_LINE_BREAK.sub(" ", text)
    return _RunningText(text, hold).plain()


def script_digits(text: str, *, is_raised: bool) -> str:
    """A raised or lowered piece of running text: digits and signs in Unicode, letters ("19th", "TM") as they are.

    >>> script_digits("2", is_raised=False), script_digits("th", is_raised=True)
    ('₂', 'th')
    """
    if any(character.isalpha() for character in text):
        return text
    return (raised(text) if is_raised else lowered(text)) or text


def _dollar(text: str, start: int) -> int:
    """Where the next dollar sign without a backslash before it stands; -1 where there is none."""
    place = text.find("$", start)
    while place > 0 and text[place - 1] == "\\":
        place = text.find("$", place + 1)
    return place


def _is_maths(formula: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula, and not the text between two amounts of money.

    As in Pandoc: no space inside the dollars, no digit behind them. With a LaTeX sign in it, spaces may be there, but
    "$5 for model_a and $6" is none.
    """
    if not formula.strip() or len(formula) > MAX_FORMULA_CHARACTERS or HOLD in formula:
        return False
    if formula[0].isdigit() and (after.isdigit() or formula[-1].isspace()):
        return False
    if _LATEX_SIGN.search(formula):
        return "\\" in formula or _PROSE.search(formula) is None
    return not (formula[0].isspace() or formula[-1].isspace() or after.isdigit()) and _PROSE.search(formula) is None


def _closings(text: str) -> dict[int, int]:
    """Where each brace that opens a group is closed, by its place; found once, in one go."""
    found: dict[int, int] = {}
    open_places: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            open_places.append(match.start())
        elif match[0] == "}" and open_places:
            found[open_places.pop()] = match.start()
    return found


class _RunningText:
    """A text being read from left to right, and what is written of it."""

    def __init__(self, text: str, hold: Callable[[str], str], depth: int = 0) -> None:
        self.text = text
        self.hold = hold
        self.depth = depth
        self.closings: dict[int, int] | None = None
        self.position = 0
        self.written: list[str] = []

    def plain(self) -> str:
        """The plain form of the text."""
        while match := _MACRO.search(self.text, self.position):
            self.written.append(self.text[self.position : match.start()])
            self.position = match.end()
            if match[1] is not None:
                self._macro(match[1], match.start())
            elif match[2] is not None:
                self._escape(match[2])
            else:
                self.written.append("\\")
        self.written.append(self.text[self.position :])
        return "".join(self.written)

    def _macro(self, name: str, start: int) -> None:
        if name in _LETTER_ACCENTS and self._accented(_LETTER_ACCENTS[name], may_be_apart=True):
            return
        if name in _FORMATS:
            self._format(name)
        elif name in _SWITCHES:
            self._skip_spaces()
        elif name in _ADDRESSES:
            self._address(name)
        elif name in _FOOTNOTES:
            self._footnote()
        elif name in _BREAKS:
            self.written.append(" ")
        elif _CITATION.fullmatch(name):
            self._cite(self.text[start : self.position])
        elif _REFERENCE.fullmatch(name):
            self._drop_reference()
        elif name in ("SI", "qty", "SIrange"):
            self._quantity()
        elif name in _WORDS or name in symbols():
            self._symbol(name)
        elif is_maths_macro(name):
            self._bare_maths(start)
        else:
            if name in _TWO_ARGUMENTS:
                self._group()
            self._unknown(self.text[start : self.position])

    def _group(self) -> str | None:
        """The content of the group that begins here, past which it steps; None where none does."""
        start = self.position
        while self.text.startswith(" ", start):
            start += 1
        if not self.text.startswith("{", start):
            return None
        if self.closings is None:
            self.closings = _closings(self.text)
        end = self.closings.get(start)
        if end is None:
            return None
        self.position = end + 1
        return self.text[start + 1 : end]

    def _inner(self, text: str) -> str:
        return _RunningText(text, self.hold, self.depth + 1).plain() if self.depth < _MAX_DEPTH else text

    def _skip_spaces(self) -> None:
        while self.text.startswith(" ", self.position):
            self.position += 1

    def _format(self, name: str) -> None:
        group = self._group()
        if group is None:
            self._skip_spaces()
        elif name in ("textsuperscript", "textsubscript"):
            self.written.append(script_digits(self._inner(group), is_raised=name == "textsuperscript"))
        else:
            self.written.append(self._inner(group))

    def _address(self, name: str) -> None:
        content = self._group()
        if name == "href" and content is not None:
            content = self._group() or content
        self.written.append(self._inner(content or ""))

    def _footnote(self) -> None:
        group = self._group()
        if group is None:
            return
        self._strip_end()
        content = self._inner(group).strip().removesuffix(".")
        self.written.append(f" ({content})" if content else "")

    def _cite(self, shown: str) -> None:
        """A citation as its keys in brackets, as it is printed: sentences are built on it ("improves the bound of [AB21]")."""
        start = self.position
        while option := _OPTION.match(self.text, self.position):
            self.position = option.end()
        keys = self._group()
        if keys is None:
            self.position = start
            self.written.append(shown)
        else:
            self.written.append(f"[{', '.join(key.strip() for key in keys.split(','))}]")

    def _quantity(self) -> None:
        r"""A number and its unit: `\SI{105}{\micro\metre}` is "105 micrometre"."""
        parts = [part for part in (self._group(), self._group(), self._group()) if part is not None]
        *numbers, unit = parts or [""]
        self.written.append(f"{'–'.join(numbers)} {unit.replace(chr(92), '')}".strip())

    def _drop_reference(self) -> None:
        """Leaves a label or what refers to one out, with the tie or space before it."""
        start = self.position
        while option := _OPTION.match(self.text, self.position):
            self.position = option.end()
        if self._group() is None:
            self.position = start
        elif not self.text[self.position : self.position + 1].isalnum():
            self._strip_end()

    def _strip_end(self) -> None:
        while self.written:
            self.written[-1] = self.written[-1].rstrip(" ~\n")
            if self.written[-1]:
                return
            self.written.pop()

    def _symbol(self, name: str) -> None:
        if name not in _WORDS and (scripts := _SCRIPTS.match(self.text, self.position)):
            formula = plain_maths(f"\\{name}{scripts[0]}")
            if formula is not None:
                self.written.append(formula)
                self.position = scripts.end()
                return
        self.written.append(_WORDS.get(name) or symbols()[name])
        if self.text.startswith("{}", self.position):
            self.position += 2
        elif name in _JOINED_LETTERS:
            self._skip_spaces()

    def _bare_maths(self, start: int) -> None:
        r"""A formula without dollars, such as `\mathbb{R}`: the macro and the groups behind it."""
        while self.text.startswith(("{", "["), self.position):
            option = _OPTION.match(self.text, self.position)
            if option:
                self.position = option.end()
            elif self._group() is None:
                break
        formula = self.text[start : self.position]
        self.written.append(plain_maths(formula) or self.hold(formula))

    def _unknown(self, shown: str) -> None:
        """An author's own macro: its argument is text for the reader; without one its name is all there is."""
        group = self._group() if self.text.startswith("{", self.position) else None
        content = self._inner(group) if group else ""
        self.written.append(content if content.strip() else shown)

    def _escape(self, sign: str) -> None:
        """A backslash and a sign."""
        before = self.written[-1][-1:] if self.written else ""
        if sign in _SIGN_ACCENTS:
            is_apostrophe = sign == "'" and before.isalpha() and _ENGLISH_ENDING.match(self.text, self.position)
            # "{\\' c}" is a letter in a group of its own; in running text a space ends the matter.
            begins_group = self.position > 2 and self.text[self.position - 3] == "{"
            if is_apostrophe or not self._accented(_SIGN_ACCENTS[sign], may_be_apart=begins_group):
                self.written.append(sign)
        elif sign == "\\":
            self.written.append(" ")
            if option := _LINE_SKIP.match(self.text, self.position):
                self.position = option.end()
        elif sign == "/":  # JSON's escape of a slash; in TeX a correction of space, after slanted letters
            self.written.append("/" if before and (before.isalnum() or before in ":/") else "")
        elif sign.isspace() or sign in ",;:":
            self.written.append(" ")
        elif sign.isalnum() or not sign.isascii():
            self.written.append("\\" + sign)
        elif sign not in "-!@":
            self.written.append(sign)

    def _accented(self, accent: str, *, may_be_apart: bool) -> bool:
        """Writes the letter here with its accent, as one character; False where no letter takes it."""
        start = self.position
        if may_be_apart:
            self._skip_spaces()
        if (twice := _ACCENTED_TWICE.match(self.text, self.position)) and (letter := twice[4] or twice[5]):
            inner = _SIGN_ACCENTS[twice[2]] if twice[2] else _LETTER_ACCENTS[twice[3]]
            composed = unicodedata.normalize("NFC", letter + inner + accent)
            if len(composed) == 1:
                self.written.append(composed)
                self.position = twice.end()
                return True
        match = _ACCENTED.match(self.text, self.position)
        if match and (letter := match[1] or match[2] or match[3] or match[4]):
            composed = unicodedata.normalize("NFC", letter + accent)
            if len(composed) == 1 or match[2]:
                self.written.append(composed)
                self.position = match.end()
                return True
        self.position = start
        return False
