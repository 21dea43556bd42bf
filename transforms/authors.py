"""This module turns the author names of records into authors, in order, with their names taken apart."""

from __future__ import annotations

import polars as pl

from transforms.author_lists import split_author_lists
from transforms.person_names import PersonName, is_group, person_name
from transforms.placeholders import without_placeholder
from transforms.text import plain_text

AUTHOR_STRUCT = pl.Struct({"name": pl.String, "name_raw": pl.String, "given": pl.String, "family": pl.String})

# A simple name, given name first: the nine in ten that need no rule. Capitalised words, the last no initials.
_SIMPLE_NAME = r"^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)* \p{Lu}[\p{Ll}'’-][\p{L}'’-]*$"
_NEEDS_RULES = (
    r"(?i: (?:jr|sr|ii|iii|iv|phd|md|van|von|der|den|de|del|della|di|da|das|dos|du|le|la|el|al|bin|ibn|ben|ter|ten|san|santa|"
    r"vander|st)\.?(?: |$))|"
    r"^(?i:dr|prof|mr|mrs|ms|sir)\.? |"
    r"^(?i:anonymous|unknown|no|not|none|to|and|paper|under) |"  # how placeholders of several words begin
    r"(?:Group|Team|Collaboration|Consortium|Committee|Initiative|Network|Society|"
    r"Association|University|Institute|Organi[sz]ation|Foundation|Investigators|Force|Working|Project|Council|Cent(?:er|re)|Department|"
    r"Laboratory|Inc|Ltd|LLC|GmbH|Community|Alliance|Authors|Editors|Federation|Agency|Ministry)\b"
)
_NO_NAME = (
    r"anonymous(?: (?:authors?|submission|acl submission))?|anon|withdrawn|unknown authors?|no authors?.*|author\(?s?\)?|"
    r"(?:and )?others?|(?:et\.?|and) al|(?:paper )?under (?:double[- ]blind )?review|[^\p{L}]*"
)
# BibTeX writes braces around a name that is not to be taken apart ("{Ash and Elm}"), and around a family name of several words.
_IN_BRACES = r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*"
_WHOLE_NAME = rf"^\{{{_IN_BRACES}\s{_IN_BRACES}\}}$"
_INVERTED_PERSON = r"^\{[^\s,{}]+, [^\s,{}]+(?: [^\s,{}]+){0,2}\}$"
_BRACED_FAMILY = rf"^((?:[^{{}},]|\{{[^{{}}]*\}})+?)\s+\{{({_IN_BRACES}\s{_IN_BRACES})\}}$"


def clean_authors(staged: pl.DataFrame) -> pl.Series:
    """The authors of each record, in order: `list<struct<name, name_raw, given, family>>`, empty where there are none.

    Reads `author_names_raw` (which wins) and `authors_raw`. The separator of `authors_raw` is decided for each
    file (`file_sha256`, whose rows stand together) as a whole.
    "et al.", "others" and placeholders ("Anonymous", "N/A") are no authors; a list that is given twice counts once.
    """
    lists = staged.select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("row"),
        pl.coalesce(
            pl.when(pl.col("author_names_raw").list.len() > 0).then("author_names_raw"),
            _split_by_file(staged),
        ).alias("name_raw"),
    )
    names = _once(lists).explode("name_raw").drop_nulls("name_raw")
    authors = (
        _taken_apart(names.with_columns(pl.col("name_raw").str.strip_chars(" \t\r\n,;")))
        .group_by("row", maintain_order=True)
        .agg(pl.struct("name", "name_raw", "given", "family").alias("authors"))
    )
    return (
        lists.select("row")
        .join(authors, on="row", how="left", maintain_order="left")
        .select(pl.coalesce("authors", pl.lit([], dtype=pl.List(AUTHOR_STRUCT))))
        .to_series()
    )


def _split_by_file(staged: pl.DataFrame) -> pl.Series:
    files = staged.select("file_sha256", "authors_raw").partition_by("file_sha256", maintain_order=True)
    empty = pl.Series("split", [], pl.List(pl.String))
    return pl.concat([empty, *(split_author_lists(file["authors_raw"]).alias("split") for file in files)])


def _once(lists: pl.DataFrame) -> pl.DataFrame:
    """Lists that are their own first half given twice, as some proceedings list the authors, cut to that half."""
    names, half = pl.col("name_raw"), pl.col("name_raw").list.len() // 2
    may_be_twice = (half > 0) & (names.list.len() % 2 == 0) & (names.list.first() == names.list.get(half, null_on_oob=True))
    twice = lists.filter(may_be_twice).filter(names.list.head(half) == names.list.tail(half))
    if twice.is_empty():
        return lists
    return (
        lists.join(twice.select("row", half=half), on="row", how="left", maintain_order="left")
        .with_columns(names.list.head(pl.coalesce("half", names.list.len())))
        .drop("half")
    )


def _taken_apart(names: pl.DataFrame) -> pl.DataFrame:
    """`names` (row, name_raw) with name, given and family, in order, without what is no name.

    Nine names in ten are simple and taken apart by an expression; the rules see each other distinct name once.
    """
    raw = pl.col("name_raw")
    names = names.with_columns(is_simple=raw.str.contains(_SIMPLE_NAME) & ~raw.str.contains(_NEEDS_RULES))
    odd = names.filter(~pl.col("is_simple")).select(raw.unique(maintain_order=True)).with_columns(plain=_plain_name(raw))
    odd = odd.with_columns(without_placeholder(pl.col("plain"), _NO_NAME)).drop_nulls("plain")
    is_whole, is_inverted = raw.str.contains(_WHOLE_NAME), raw.str.contains(_INVERTED_PERSON)
    parts = [
        PersonName(name, None, None) if whole and " " in name and (not inverted or is_group(name)) else person_name(name)
        for name, whole, inverted in odd.select("plain", is_whole.alias("whole"), is_inverted.alias("inverted")).rows()
    ]
    rules = odd.select(
        "name_raw",
        pl.Series("name", [part.name for part in parts], pl.String),
        pl.Series("given", [part.given for part in parts], pl.String),
        pl.Series("family", [part.family for part in parts], pl.String),
    )
    simple = pl.when("is_simple")
    return (
        names.join(rules, on="name_raw", how="left", maintain_order="left")
        .select(
            "row",
            "name_raw",
            name=simple.then(raw).otherwise("name"),
            given=simple.then(raw.str.extract(r"^(.*) [^ ]+$")).otherwise("given"),
            family=simple.then(raw.str.extract(r" ([^ ]+)$")).otherwise("family"),
        )
        .drop_nulls("name")
    )


def _plain_name(name: pl.Expr) -> pl.Expr:
    """A name without mark-up, footnote marks, DBLP's number of a namesake, and "et al." behind it."""
    return (
        plain_text(name.str.replace(_BRACED_FAMILY, "$2, $1"))
        .str.replace_all(r"[{}]", "")
        .str.replace(r"(?i),?\s+et(?:\.? |\.)al\.?$", "")
        .str.replace(r"^(?i:and|&)\s+", "")
        .str.replace_all(r"[*∗†‡§¶‖⁎#]+|[¹²³⁰⁴-⁹]+|\s0\d{3}$|(\p{L}{2,})\d+(?:,\d+)*$|\(\s*\)", "$1")
        .str.replace(r",+\s*,", ",")
        .str.strip_chars(" ,;")
    )
