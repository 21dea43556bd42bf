"""This module writes simple LaTeX formulas in plain Unicode, and says of the others that they are hard.

A formula is simple when all of it has a plain Unicode form that reads as well: `O(n^2)` is "O(n²)", `x \\in \\mathbb{R}^d`
is "x ∈ ℝᵈ". A fraction, a root over more than one symbol, or a script with no Unicode form (`k^{2/p}`) makes the whole
formula hard: half a formula is never converted.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from transforms.word_sets import word_set

MAX_FORMULA_CHARACTERS = 400
"""A longer formula is hard, whatever it holds; and what stands between two dollars farther apart is none."""

_MAX_SCRIPT_CHARACTERS = 4
"""Longest super- or subscript written in Unicode: "10⁻¹²" and "xₘₐₓ" read well, "xᵥₐₗᵢdₐₜᵢₒₙ" does not."""

_RAISED = dict(zip("0123456789+-=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾", strict=True))
_LOWERED = dict(zip("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", strict=True))
_RAISED_LETTERS = dict(
    zip(
        "abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ*∗⋆′'∘⊤†‡",
        "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ***′′°ᵀ†‡",
        strict=True,
    )
)
_LOWERED_LETTERS = dict(zip("aehijklmnoprstuvxβγρφχ", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))

_WORDS = word_set(
    "log ln lg exp min max argmin argmax arg sin cos tan cot sinh cosh tanh arcsin arccos arctan inf sup lim liminf limsup "
    "det dim ker deg gcd hom Pr mod bmod polylog poly"
)
_PLAIN_STYLES = word_set(
    "mathrm mathsf mathbf mathit mathtt mathnormal boldsymbol bm pmb text textrm textit textbf textsf texttt textsc textnormal "
    "emph mbox hbox operatorname mathop mathbin mathrel ensuremath"
)
_LETTER_STYLES = {
    "mathbb": (0x1D538, 0x1D552, dict(zip("CHNPQRZ1", "ℂℍℕℙℚℝℤ𝟙", strict=True))),
    "mathcal": (0x1D49C, None, dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True))),
    "mathfrak": (0x1D504, 0x1D51E, dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True))),
}
_LETTER_STYLES |= {
    "mathscr": _LETTER_STYLES["mathcal"],
    "Bbb": _LETTER_STYLES["mathbb"],
    "mathds": _LETTER_STYLES["mathbb"],
    "mathbbm": _LETTER_STYLES["mathbb"],
}
_FRACTIONS = word_set("frac tfrac dfrac nicefrac sfrac")
_SWITCHES = {"cal": "mathcal", "rm": "mathrm", "bf": "mathbf", "it": "mathit", "sf": "mathsf", "tt": "mathtt"}
_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304", "overline": "\u0304",
    "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "check": "\u030c", "breve": "\u0306", "acute": "\u0301",
    "grave": "\u0300", "mathring": "\u030a",
}  # fmt: skip
_DELIMITER_SIZES = word_set("left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr")
_SILENT = word_set("displaystyle textstyle scriptstyle limits nolimits nonumber")
_SPACES = {
    ",": " ",
    ";": " ",
    ":": " ",
    ">": " ",
    " ": " ",
    "!": "",
    "quad": " ",
    "qquad": " ",
    "enspace": " ",
    "thinspace": " ",
}
_RELATION_CHARACTERS = frozenset("=<>+-/:|")
_MATHS_MACROS = (
    _WORDS | _FRACTIONS | set(_LETTER_STYLES) | set(_ACCENTS)| _DELIMITER_SIZES
    | {"sqrt", "binom", "operatorname", "ensuremath"}
    | {style for style in _PLAIN_STYLES if style.startswith(("math", "b", "p"))}
) - {"left", "right"}  # fmt: skip
_DECIMALS = re.compile(r"\.\d")
_LOST_BACKSLASH = re.compile(r"(?<![\\a-zA-Z])(?:math[a-z]+|[td]?frac|sqrt|text[a-z]*|operatorname)\{")
_PLAIN_CHARACTERS = frozenset("+-=<>/,.()[]|!?:;*'`\"@")


WORDS_IN_BRACES = re.compile(
    r"(?<![\^_])\{(?![^\w{}]*+\d*+[^\w{}]*+\}|\s*+[\w.+-]*+(?:\s*+,\s*+[\w.…+-]*+)++\s*+\})([A-Za-z0-9\u00c0-\u024f\u0370-\u04ff\u1e00-\u1eff\u3040-\u9fff"
    r"°²³¹\u2070-\u209c\x01\s.,:;'’‘“”\"()&/+*!?–—-]*)\}"
)
"""A group that only protects its words ("{BERT}"). A set ("{0, 1}"), a number, and what else reads as mathematics is none."""


_MAX_DEPTH = 40
"""How deep atoms may stand in each other (a script in braces is two deep); real formulas go ten deep. Python's own limit
depends on its call stack, which would make the result depend on who calls."""


class _Hard(Exception):
    """The formula has no plain form."""


@lru_cache(maxsize=50_000)
def plain_maths(formula: str) -> str | None:
    """The formula (without its dollars) in plain Unicode; None where it is hard and must stay as it is.

    >>> plain_maths(r"6.97\\times 10^3"), plain_maths(r"\\tilde{O}(k+d)"), plain_maths(r"k^{2/p}")
    ('6.97×10³', 'Õ(k+d)', None)
    """
    if len(formula) > MAX_FORMULA_CHARACTERS or _LOST_BACKSLASH.search(formula):
        return None
    try:
        parser = _Formula(formula)
        plain = parser.row()
        if parser.position < len(formula):
            return None
    except _Hard:
        return None
    if WORDS_IN_BRACES.search(plain):
        return None  # "E{x}" in running text would be taken for words in braces
    return unicodedata.normalize("NFC", " ".join(plain.split())) or None


def is_maths_macro(name: str) -> bool:
    """Whether a macro only makes sense in a formula.

    >>> is_maths_macro("frac"), is_maths_macro("emph")
    (True, False)
    """
    return name in _MATHS_MACROS


def raised(text: str) -> str | None:
    """`text` in Unicode superscripts; None where one of its characters has none, or it is long.

    >>> raised("-12"), raised("2/p")
    ('⁻¹²', None)
    """
    return _script(text, _RAISED | _RAISED_LETTERS)


def lowered(text: str) -> str | None:
    """`text` in Unicode subscripts; None where one of its characters has none, or it is long.

    >>> lowered("i+1"), lowered("F")
    ('ᵢ₊₁', None)
    """
    return _script(text, _LOWERED | _LOWERED_LETTERS)


@cache
def symbols() -> dict[str, str]:
    """The one character each LaTeX symbol macro stands for, by its name: pylatexenc's tables, with a few choices of ours.

    >>> symbols()["leq"], symbols()["ss"], symbols()["epsilon"]
    ('≤', 'ß', 'ε')
    """
    # Loaded on first need: most files hold no LaTeX, and the import costs 0.08 s.
    from pylatexenc.latex2text import get_default_latex_context_db

    tables = get_default_latex_context_db()
    found: dict[str, str] = {}
    for spec in tables.iter_macro_specs(["latex-base", "advanced-symbols"]):
        plain = spec.simplify_repl
        if isinstance(plain, str) and len(plain) == 1 and not plain.isascii():
            found.setdefault(spec.macroname, plain)
    return found | {
        "epsilon": "ε", "phi": "φ", "star": "⋆", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "S": "§", "P": "¶",
        "checkmark": "✓", "Re": "ℜ", "Im": "ℑ", "prime": "′", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉",
        "langle": "⟨", "rangle": "⟩", "diamond": "⋄", "Box": "□", "square": "□", "triangle": "△", "models": "⊨", "colon": ":",
        "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "land": "∧", "lor": "∨", "neg": "¬", "lnot": "¬",
        "gets": "←", "iff": "⟺", "implies": "⟹", "longrightarrow": "⟶", "ne": "≠", "lt": "<", "gt": ">", "div": "÷",
        "cdotp": "·", "bigcup": "⋃", "bigcap": "⋂", "bigvee": "⋁", "bigwedge": "⋀", "ddagger": "‡",
        "textless": "<", "textgreater": ">", "textbar": "|", "copyright": "©", "pounds": "£", "euro": "€", "degree": "°",
        "lesssim": "≲", "gtrsim": "≳", "triangleq": "≜", "coloneqq": "≔", "bot": "⊥", "jmath": "ȷ", "imath": "ı", "dotsc": "…",
    }  # fmt: skip


def _script(text: str, table: dict[str, str]) -> str | None:
    if not text or len(text) > _MAX_SCRIPT_CHARACTERS:
        return None
    characters = [table.get(character) for character in text]
    return None if None in characters else "".join(filter(None, characters))


class _Formula:
    """A formula being read from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.position = 0
        self.depth = 0

    def row(self) -> str:
        """The plain form of what stands up to the end of the formula or of its group."""
        plain = ""
        pending_space = False  # a space that TeX swallows after a macro: shown again before a relation
        while self.position < len(self.source) and self.source[self.position] != "}":
            character = self.source[self.position]
            if character.isspace() or character == "~":
                self.position += 1
                if not pending_space:
                    plain += " "
                continue
            piece, is_relation, swallows, is_word = self._atom(plain)
            if pending_space and is_relation:
                plain += " "
            if is_word and plain and (plain[-1].isalnum() or plain[-1] == ")"):
                plain += " "
            had_space = plain.endswith(" ")
            plain += piece
            pending_space = False
            if is_word and (self._next().isalnum() or self._next() == "{"):
                plain += " "
            elif swallows and self._next().isspace():
                if is_word or (is_relation and had_space):
                    plain += " "
                else:
                    pending_space = True
                self._skip_spaces()
                pending_space = pending_space and self._next() != ""
        return plain

    def _next(self) -> str:
        return self.source[self.position] if self.position < len(self.source) else ""

    def _skip_spaces(self) -> None:
        while self._next().isspace():
            self.position += 1

    def _atom(self, before: str) -> tuple[str, bool, bool, bool]:
        """The next symbol, group or script: its plain form, and whether it is a relation, swallows spaces, is a word."""
        self.depth += 1  # all recursion passes here
        if self.depth > _MAX_DEPTH:
            raise _Hard
        atom = self._read_atom(before)
        self.depth -= 1
        return atom

    def _read_atom(self, before: str) -> tuple[str, bool, bool, bool]:
        character = self.source[self.position]
        if character in "^_":
            return self._scripted(character, before), False, False, False
        if character == "\\":
            return self._macro(before)
        self.position += 1
        if character == "{":
            return self._group_rest(), False, False, False
        if character in _RELATION_CHARACTERS:
            return character, True, False, False
        if character in _PLAIN_CHARACTERS or character.isalnum() or not character.isascii():
            return "′" if character == "'" else character, not character.isalnum(), False, False
        raise _Hard

    def _group_rest(self) -> str:
        """The plain form of a group whose brace is open; `{\\cal O}` is `\\mathcal{O}`."""
        start = self.position
        if self._next() == "\\":
            name = self._macro_name()
            if name in _SWITCHES:
                self._skip_spaces()
                inner = self.row()
                self._close()
                return _styled(_SWITCHES[name], inner)
            self.position = start
        inner = self.row()
        self._close()
        return inner

    def _close(self) -> None:
        if self._next() != "}":
            raise _Hard
        self.position += 1

    def _macro_name(self) -> str:
        """The name of the macro here, and steps behind it."""
        start = self.position = self.position + 1
        while self._next().isascii() and self._next().isalpha():
            self.position += 1
        if self.position == start:
            if start >= len(self.source):
                raise _Hard
            self.position += 1
        return self.source[start : self.position]

    def _argument(self) -> str:
        """The plain form of a macro's or a script's argument: a group, a macro or one character."""
        self._skip_spaces()
        if not self._next() or self._next() in "}^_":
            raise _Hard
        if self._next() in "{\\":
            return self._atom("")[0]
        self.position += 1
        character = self.source[self.position - 1]
        if not (character.isalnum() or character in _PLAIN_CHARACTERS or not character.isascii()):
            raise _Hard
        return character

    def _scripted(self, sign: str, before: str) -> str:
        self.position += 1
        is_bare = self._next() not in ("{", "\\")
        text = "".join(self._argument().split())
        behind = self.source[self.position : self.position + 2]
        if is_bare and ((text in "+-" and behind[:1].isalnum()) or behind[:1].isdigit() or _DECIMALS.match(behind)):
            raise _Hard  # "ε^-7/4", "x^23", "x^3.5": what is meant is not what TeX reads
        if text in ("st", "nd", "rd", "th") and (not before or before[-1].isdigit()):
            return text
        plain = raised(text) if sign == "^" else lowered(text)
        if plain is None:
            raise _Hard
        return plain

    def _macro(self, before: str) -> tuple[str, bool, bool, bool]:
        name = self._macro_name()
        if name in _SPACES:
            return _SPACES[name], False, True, False
        if name in ("%", "&", "_", "#", "$", "{", "}"):
            return name, False, False, False
        if name in ("|", "Vert", "lVert", "rVert", "parallel"):
            return "‖", False, True, False
        if name in _DELIMITER_SIZES:
            self._skip_spaces()
            if self._next() == ".":
                self.position += 1
            return "", False, False, False
        if name in _SILENT:
            return "", False, True, False
        if name in _WORDS:
            return name, False, True, True
        if name in _FRACTIONS:
            return self._fraction(before), False, False, False
        if name == "sqrt":
            return self._root(), False, False, False
        if name in _ACCENTS:
            return self._accented(_ACCENTS[name]), False, False, False
        if name in _PLAIN_STYLES or name in _LETTER_STYLES:
            self.position += self._next() == "*"
            return _styled(name, self._argument()), False, False, False
        symbol = symbols().get(name)
        if symbol is None:
            raise _Hard
        return symbol, not (symbol.isalnum() or symbol in "∞∂∇∀∃¬√"), True, False

    def _fraction(self, before: str) -> str:
        over, under = self._argument(), self._argument()
        short = all(part.isalnum() and len(part) <= 3 for part in (over, under))
        if not short or before[-1:].isalnum() or self._next().isalnum() or self._next() in tuple("\\({^_"):
            raise _Hard
        return f"{over}/{under}"

    def _root(self) -> str:
        under = self._argument()
        if not (under.isdigit() or (len(under) == 1 and under.isalpha())) or self._next().isalnum():
            raise _Hard
        return "√" + under

    def _accented(self, accent: str) -> str:
        letter = self._argument()
        if len(letter) != 1 or not letter.isalpha():
            raise _Hard
        return letter + accent


def _styled(style: str, text: str) -> str:
    """`text` in a style of letters: one letter in the Unicode letters of that style, where there are any; else plain."""
    if style not in _LETTER_STYLES or len(text) != 1 or not text.isascii():
        return text
    capitals, small, exceptions = _LETTER_STYLES[style]
    if text in exceptions:
        return exceptions[text]
    if text.isupper():
        return chr(capitals + ord(text) - ord("A"))
    if text.islower() and small is not None:
        return chr(small + ord(text) - ord("a"))
    return text
