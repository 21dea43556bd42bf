"""This module makes what lists of authors are compared by: keys of their family names, and the names as texts.

Keys are hashes of the names: two that fall together count one too many. Of the lists themselves nothing is kept: a text of a
line a name takes a third of their room, and words and initials are asked of a few only.
"""

from __future__ import annotations

import polars as pl

from transforms.selective import on_rows
from transforms.text import folded_letters


def author_keys(authors: pl.Series) -> pl.DataFrame:
    """The columns families, first_family, first_author_key, author_names and author_initials of lists of authors, row by row.

    families: the family names folded, in order; a group author counts with its whole name. first_family: the last word of the
    first, as "Bachelet Jeria" may be another source's "Jeria". first_author_key: of the first one's family name and initial,
    null where one of them is not known or a family name was left out. author_names, author_initials: texts, for
    `author_words` and `author_texts`, and for `family_initials`.

    >>> names = [{"name": "Ana Le Roy", "family": "Le Roy", "given": "Ana"}, {"name": "ICE Group", "family": None}]
    >>> keys = author_keys(pl.Series([names, []]))
    >>> keys["first_family"].to_list(), keys["families"].list.len().to_list()
    (['roy', None], [2, 0])
    >>> keys["author_names"].to_list(), keys["author_initials"].to_list()
    (['Ana Le Roy\\nICE Group', ''], ['Le RoyA', ''])
    """
    lines = _lines(authors, _known_name())
    keys = _keys(lines)
    first = authors.alias("first").to_frame().select(pl.col("first").list.first()).unnest("first")
    # Nine in ten are one word, whose key is there already, unless a name without letters has none.
    is_long = first.select(pl.coalesce("family", "name").str.contains(r"\s")).to_series()
    is_odd = is_long | (keys.list.len() != authors.list.len())
    last_words = lines.filter(is_odd).str.extract(r"^[^\n]*?([^\s\n]+)\s*(?:\n|$)")
    families = _hashes(keys)
    initial = first["given"].str.slice(0, 1).alias("initial")
    is_known = (keys.list.len() == authors.list.len()) & (initial.str.len_bytes() > 0)
    first_author = pl.DataFrame([families.list.first().alias("family"), initial]).hash_rows(seed=0)
    return pl.DataFrame(
        {
            "families": families,
            "first_family": on_rows(keys.list.first(), is_odd, lambda _: _keys(last_words).list.first()),
            "first_author_key": first_author.set(~is_known.fill_null(False), None),
            "author_names": _lines(authors, _field("name")),
            "author_initials": _lines(authors, _initialed()),
        }
    )


def author_words(names: pl.Series) -> pl.Series:
    """All words of two letters or more in `author_names`: they find names that a source has glued or split otherwise.

    >>> author_words(pl.Series(["Ana Le Roy\\nICE Group", ""])).list.len().to_list()
    [5, 0]
    """
    return _hashes(_words(names))


def family_initials(initials: pl.Series) -> pl.Series:
    """The family names with the first letter of the given name, for those that have one, from `author_initials`; hashes.

    >>> family_initials(pl.Series(["WangY\\nLeeA", ""])).list.len().to_list()
    [2, 0]
    """
    return _hashes(_keys(initials))


def name_count(names: pl.Series) -> pl.Series:
    """How many names `author_names` has."""
    return names.str.count_matches("\n", literal=True) + (names != "").cast(pl.UInt32)


_GROUP_WORDS = (
    r"(?i)\b(?:collaborations?|consortium|groups?|study|studies|investigators|committee|society|association|network|team|"
    r"project|initiative|institute|university|ministry|department|council|working|task force)\b"
)
"""What most groups call themselves tells none of them from another."""


def author_texts(names: pl.Series) -> pl.Series:
    """The words of `author_names`, for comparing letter by letter what shares too few words.

    >>> author_texts(pl.Series(["Daniel Barbará"])).to_list()
    ['daniel barbara']
    """
    return _words(names.str.replace_all(_GROUP_WORDS, " ")).list.join(" ")


def _field(name: str) -> pl.Expr:
    return pl.element().struct.field(name)


def _known_name() -> pl.Expr:
    return pl.coalesce(_field("family"), _field("name"))


def _initialed() -> pl.Expr:
    given = _field("given")
    return pl.when(given.is_not_null()).then(pl.concat_str(_known_name(), given.str.slice(0, 1)))


def _lines(authors: pl.Series, name: pl.Expr) -> pl.Series:
    """What `name` gives of each author, a line each: texts are folded ten times faster than lists of texts."""
    lists = authors.alias("authors").to_frame().select(pl.col("authors").list.eval(name).list.join("\n", ignore_nulls=True))
    return lists.to_series()


def _keys(lines: pl.Series) -> pl.Series:
    """Of each line its letters and digits, as `transforms.text.letters_key` has them; lines without any are left out."""
    is_rich = _is_rich(lines)
    plain = on_rows(lines.str.to_lowercase(), is_rich, folded_letters)
    # Few are rich still.
    is_rich = _is_rich(plain)
    letters = on_rows(plain.str.replace_all(r"[^0-9a-z\n]+", ""), is_rich, lambda _: _letters(plain.filter(is_rich)))
    # Split, not extracted by a pattern, which costs five times as much; but then no name may be empty.
    has_gap = letters.str.contains("\n\n", literal=True) | letters.str.starts_with("\n") | letters.str.ends_with("\n")
    letters = on_rows(letters, has_gap, lambda rows: rows.str.replace_all(r"\n+", "\n").str.strip_chars("\n"))
    is_empty = (letters == "").fill_null(False)
    names = letters.alias("names").str.split("\n").to_frame()
    return names.select(pl.when(is_empty).then(pl.lit([], pl.List(pl.String))).otherwise("names").alias("names")).to_series()


def _letters(folded: pl.Series) -> pl.Series:
    return folded.str.replace_all(r"[^\p{L}\p{N}\p{M}\n]+", "")


def _words(lines: pl.Series) -> pl.Series:
    return on_rows(lines.str.to_lowercase(), _is_rich(lines), folded_letters).str.extract_all(r"\p{L}{2,}")


def _is_rich(lines: pl.Series) -> pl.Series:
    """Whether a text has letters beyond ASCII."""
    return (lines.str.len_bytes() != lines.str.len_chars()).fill_null(False)


def _hashes(texts: pl.Series) -> pl.Series:
    return texts.to_frame("texts").select(pl.col("texts").list.eval(pl.element().hash(0))).to_series()
