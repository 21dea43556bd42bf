"""This module cleans running text and makes keys by which cleaned texts are compared."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from transforms.markup import plain
from transforms.placeholders import without_placeholder
from transforms.selective import on_rows

# Letters with no Unicode decomposition, and Greek letters, which one source prints and another spells out
# ("TNF-α" / "TNF-alpha", "$\alpha$-divergence" / "alpha-divergence").
_LETTER_SPELLINGS = {
    "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i", "ŋ": "ng",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "&": "and",
}  # fmt: skip

# In mathematics left verbatim, what only formats a symbol, or stands for one that is no letter, says nothing here: the
# same formula may stand elsewhere in plain Unicode.
_FORMATTING_MACRO = (
    r"\\(?:math(?:cal|bb|bf|rm|sf|it|scr|frak|tt)|operatorname|text[a-z]*|emph|boldsymbol|bm|left|right|[bB]igg?[lr]?|"
    r"ensuremath|(?:wide)?tilde|(?:wide)?hat|bar|overline|vec|leq?|geq?|neq?|times|cdot|sim|approx|in|to|rightarrow|infty|"
    r"pm|lVert|rVert|lfloor|rfloor|lceil|rceil)\b|\\var"
)

# All but letters, digits and the vowel signs that Indic and South-East Asian scripts write as marks; of marks, the
# accents of Latin, Greek and Cyrillic (U+0300–036F) and the points of Hebrew and Arabic go too.
_MARKS = r"[\x{0300}-\x{036F}\x{0591}-\x{05C7}\x{064B}-\x{065F}\x{0670}\x{06D6}-\x{06ED}]+"
_NOT_KEY = rf"[^\p{{L}}\p{{N}}\p{{M}}]+|{_MARKS}"


_ASCII_SIGNS = [chr(code) for code in range(128) if not chr(code).isalnum()]

_HAS_MARKUP = (
    r"&#?[a-zA-Z0-9]+;|<[a-zA-Z/!]|[\\$`{]|\*\*|(?:^|[^\w*])\*\S|(?:^|[^\w_])_|[A-Za-z.,)]~|(?:^|\n)#|--|\]\(|"
    r"[\x00-\x08\x0E-\x1F\x7F\x{AD}\x{200B}\x{2060}\x{FEFF}\x{FB00}-\x{FB06}´¨ˇ˜¸˘˙]|\s[\x{0300}-\x{036F}]"
)
"""Rows that `transforms.markup.plain` would change; it works text by text, so the others are kept from it."""

_MAY_COMPOSE = (
    r"[\p{M}\x{1160}-\x{11FF}\x{0374}\x{037E}\x{0387}\x{0958}-\x{0F69}\x{1F71}-\x{1FFD}\x{2000}\x{2001}\x{2126}-\x{212B}\x{2329}\x{232A}"
    r"\x{2ADC}\x{F900}-\x{FAFF}\x{FB1D}-\x{FB4E}\x{1D15E}-\x{1D1C0}\x{2F800}-\x{2FA1D}]"
)
"""What NFC may change: marks, vowels and finals of Hangul, and characters that are another one. A test asks of all Unicode."""

_ABSTRACT_HEADING = r"^(?:(?i:abstract)\s*[:.—–-]\s*|A(?:bstract|BSTRACT)\s+(\p{Lu}))"
_NO_ABSTRACT = (
    r"na|abstract(?: (?:not available|unavailable))?|no abstract(?: is)?(?: available| provided)?|"
    r"(?:(?:this |the )?(?:paper|submission) (?:has been |was |is )?)?withdrawn"
)
_HAS_MOJIBAKE = r"Ã[\x{80}-\x{BF}‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€|â\x{80}|Â[\x{A0}-\x{BF}]|Ä[\x{80}-\x{BF}]|ï¬"
"""UTF-8 once read as Windows-1252 or Latin-1 ("Ã©" for "é")."""

_HAS_SPACES = r"\s\s|[^\S ]"
"""White space that is not single spaces."""

_NEEDS_CLEANING = "|".join(f"(?:{pattern})" for pattern in (_HAS_MOJIBAKE, _HAS_MARKUP, _HAS_SPACES, _MAY_COMPOSE))
"""Of the rows without any of these there is nothing to do but to strip them: one pass tells, which costs as much as each."""


def plain_text(text: pl.Expr) -> pl.Expr:
    r"""Running text without HTML, Markdown and LaTeX mark-up, in NFC, with single spaces; null where nothing is left.

    Simple mathematics becomes plain Unicode, hard mathematics stays verbatim in `$…$`.

    >>> pl.select(plain_text(pl.lit(r"  We  show \emph{that} $x \in \mathbb{R}^d$ is &lt; 5\%  "))).item()
    'We show that x ∈ ℝᵈ is < 5%'
    """
    return text.map_batches(plain_texts, return_dtype=pl.String, is_elementwise=True)


def clean_abstract(abstract: pl.Expr) -> pl.Expr:
    """An abstract as plain text, without the heading "Abstract"; null for a placeholder.

    >>> abstracts = pl.Series(["Abstract: We  try.", "N/A", "No abstract available."])
    >>> pl.select(clean_abstract(pl.lit(abstracts))).to_series().to_list()
    ['We try.', None, None]
    """
    return abstract.map_batches(_clean_abstracts, return_dtype=pl.String, is_elementwise=True)


def is_cut(text: pl.Expr) -> pl.Expr:
    """Whether a text ends in an ellipsis: its source has cut it short. False for null.

    >>> pl.select(is_cut(pl.lit(pl.Series(["We show th...", "We show that it …", "We show it.", None])))).to_series().to_list()
    [True, True, False, False]
    """
    return text.str.contains(r"(?:\.\.\.|…)[\s\])]*$").fill_null(False)


LOST_LETTERS = ["?", "\ufffd"]
LOST_LETTER = r"(\p{L})[?\x{FFFD}](\p{L})"
"""What an export leaves of a letter that its encoding lacks, "fran?ais": a slip of the pen, not the end of a word."""


def letters_key(text: pl.Expr) -> pl.Expr:
    """The letters and digits of a text, whatever the script: lower-case, accents stripped (NFKD), Greek spelled out.

    For comparison only. No spaces: white space, punctuation, Markdown and most LaTeX mark-up make no difference.
    A text without letters and digits, and null, give null.

    >>> pl.select(letters_key(pl.lit("Über die α–Divergenz & mehr"))).item()
    'uberdiealphadivergenzandmehr'
    """
    return text.map_batches(_letters_keys, return_dtype=pl.String, is_elementwise=True)


def words_key(text: pl.Expr) -> pl.Expr:
    """The words of a text as `letters_key` has its letters, with single spaces between them; null where there are none.

    >>> pl.select(words_key(pl.lit("Naïve Bayes: α-Stable & Robust!"))).item()
    'naive bayes alpha stable and robust'
    >>> pl.select(words_key(pl.lit("Le groupe fran?ais? Non"))).item()
    'le groupe franais non'
    """
    return text.map_batches(_words_keys, return_dtype=pl.String, is_elementwise=True)


def abstract_key(abstract: pl.Expr) -> pl.Expr:
    """The letters and digits of a cleaned abstract, as in `letters_key`; null for an abstract that is missing.

    >>> pl.select(abstract_key(pl.lit("We show that **A*** needs $O(n)$ steps."))).item()
    'weshowthataneedsonsteps'
    """
    return letters_key(abstract)


def _clean_abstracts(abstracts: pl.Series) -> pl.Series:
    # Columns, not expressions: Polars would run the Python function of `plain_text` for each mention of it.
    plain_abstracts = plain_texts(abstracts).to_frame("plain")
    bare = without_placeholder(pl.col("plain"), _NO_ABSTRACT)
    return plain_abstracts.select(bare.str.replace(_ABSTRACT_HEADING, "$1")).to_series()


def plain_texts(texts: pl.Series) -> pl.Series:
    """The plain forms of a column, as in `plain_text`.

    Every step runs only on the rows that need it: NFC alone takes 2.8 s for 100,000 abstracts.
    """
    texts = texts.str.strip_chars()
    texts = on_rows(texts, texts.str.contains(_NEEDS_CLEANING), _clean_texts)
    return _null_where_empty(texts)


def _clean_texts(texts: pl.Series) -> pl.Series:
    texts = on_rows(texts, texts.str.contains(_HAS_MOJIBAKE), _repaired_texts)
    texts = on_rows(texts, texts.str.contains(_HAS_MARKUP), _unmarked_texts)
    texts = on_rows(texts, texts.str.contains(_HAS_SPACES), lambda rows: rows.str.replace_all(r"\s+", " ").str.strip_chars())
    return on_rows(texts, texts.str.contains(_MAY_COMPOSE), lambda rows: rows.str.normalize("NFC"))


def _repaired_texts(texts: pl.Series) -> pl.Series:
    # Loaded on first need: few files hold mojibake, and the import costs 0.16 s.
    from ftfy import fix_encoding

    return pl.Series(texts.name, [fix_encoding(text) for text in texts], pl.String)


def _unmarked_texts(texts: pl.Series) -> pl.Series:
    return pl.Series(texts.name, [plain(text) for text in texts], pl.String)


def _letters_keys(texts: pl.Series) -> pl.Series:
    """Keys of a column: the costly steps (NFKD: 1.9 s for 100,000 abstracts) only where they can matter.

    Series, not expressions: for "null where empty" Polars would make each key twice.
    """
    is_rich = _is_rich(texts)
    return _null_where_empty(on_rows(_plain_keys(texts), is_rich, lambda _: _rich_keys(texts.filter(is_rich))))


def _words_keys(texts: pl.Series) -> pl.Series:
    texts = on_rows(texts, texts.str.contains_any(LOST_LETTERS), lambda rows: rows.str.replace_all(LOST_LETTER, "${1}${2}"))
    is_rich = _is_rich(texts)
    return _null_where_empty(on_rows(_plain_words(texts), is_rich, lambda _: _rich_words(texts.filter(is_rich))))


def _is_rich(texts: pl.Series) -> pl.Series:
    """Whether a text has letters beyond ASCII or signs that mean more; bytes are counted four times as fast as found."""
    is_foreign = texts.str.len_bytes() != texts.str.len_chars()
    return (is_foreign | texts.str.contains_any(["&", "\\"])).fill_null(False)


def _plain_words(texts: pl.Series) -> pl.Series:
    # Spaces stay where they are: four times faster than to write each anew.
    spaced = texts.str.to_lowercase().str.replace_all(r"[^0-9a-z ]+", " ")
    single = on_rows(spaced, spaced.str.contains("  ", literal=True), lambda rows: rows.str.replace_all(r" {2,}", " "))
    return single.str.strip_chars(" ")


def _rich_words(texts: pl.Series) -> pl.Series:
    letters = texts.str.replace_all(_FORMATTING_MACRO, "").str.replace_all("&", " and ", literal=True)
    return folded_letters(letters).str.replace_all(r"[^\p{L}\p{N}\p{M}]+", " ").str.strip_chars(" ")


def _plain_keys(texts: pl.Series) -> pl.Series:
    # Sign by sign: in a third of the time of a pattern.
    return texts.str.to_lowercase().str.replace_many(_ASCII_SIGNS, [""])


def _rich_keys(texts: pl.Series) -> pl.Series:
    letters = texts.str.replace_all(_FORMATTING_MACRO, "").str.normalize("NFKD").str.to_lowercase()
    return _without_spaces(letters).str.replace_many(_LETTER_SPELLINGS).str.replace_all(_NOT_KEY, "")


def folded_letters(texts: pl.Series) -> pl.Series:
    """Texts in lower case without accents (NFKD), with letters that have no decomposition, and Greek ones, spelled out.

    >>> folded_letters(pl.Series(["Łukasz Müller, Ö. β-Straße"])).to_list()
    ['lukasz muller, o. beta-strasse']
    """
    # Nine in ten rich texts have Latin letters only, which a table folds in a third of the time that NFKD takes.
    latin = texts.str.to_lowercase().str.replace_many(_latin_letters())
    is_other = latin.str.len_bytes() != latin.str.len_chars()
    return on_rows(latin, is_other, lambda _: _folded_by_nfkd(texts.filter(is_other)))


def _folded_by_nfkd(texts: pl.Series) -> pl.Series:
    return texts.str.normalize("NFKD").str.to_lowercase().str.replace_many(_LETTER_SPELLINGS).str.replace_all(_MARKS, "")


@lru_cache(maxsize=1)
def _latin_letters() -> dict[str, str]:
    """The lower-case Latin letters of two bytes, and "&", with what they become; letters without ASCII form are left out."""
    letters = pl.Series(["&", *(chr(code) for code in range(0xC0, 0x250) if chr(code).islower())])
    return {letter: key for letter, key in zip(letters, _folded_by_nfkd(letters), strict=True) if key.isascii()}


def _without_spaces(texts: pl.Series) -> pl.Series:
    """Literal spaces first: most of what a key lacks, and three times faster than by the pattern that finds the rest."""
    return texts.str.replace_all(" ", "", literal=True)


def _null_where_empty(texts: pl.Series) -> pl.Series:
    return on_rows(texts, texts == "", lambda rows: pl.Series(rows.name, [None] * len(rows), pl.String))
