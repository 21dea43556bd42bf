"""This module turns the author names of records into authors, in order, with their names taken apart."""

from __future__ import annotations

import polars as pl

from transforms.author_lists import split_author_lists
from transforms.name_order import double_families, given_name_first
from transforms.person_names import PersonName, is_group, person_name
from transforms.placeholders import without_placeholder
from transforms.text import plain_text

AUTHOR_STRUCT = pl.Struct({"name": pl.String, "name_raw": pl.String, "given": pl.String, "family": pl.String})

# A simple name, given name first: the nine in ten that need no rule. Capitalised words, the last no initials.
_SIMPLE_NAME = r"^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)* \p{Lu}[\p{Ll}'’-][\p{L}'’-]*$"
# A simple name the other way round: "Lee, Ann B.", "O'Brien-Day, A.-B.", "Lee, AB".
_SIMPLE_INVERTED = (
    r"^(\p{Lu}['’]?\p{L}?\p{Ll}+(?:[-'’]\p{L}+)*), ((?:(?:\p{Lu}\p{Ll}+(?:['’-]\p{L}+)*|(?:\p{Lu}\.-?){1,3}|\p{Lu}{1,2}) ?)+)$"
)
_NEEDS_RULES = (
    r"(?i: (?:jr|sr|ii|iii|iv|phd|md|van|von|der|den|de|del|della|di|da|das|dos|du|le|la|el|al|bin|ibn|ben|ter|ten|san|santa|"
    r"vander|vande|st|abu|mac|des|te|zu|af|av|vom|dela)\.?(?: |$))|"
    r"^(?i:dr|prof|mr|mrs|ms|sir)\.? |"
    r"^(?i:anonymous|unknown|no|not|none|to|and|by|paper|under|corporate|author|authors|various|multiple|several|additional) |"
    r", (?i:dr|prof|professor|mr|mrs|ms|miss|sir|dame)\.?(?: |$)|^\p{Lu}{2,} |"
    r"^(?i:van|von|de|di|du|del|la|le) (?:van|von|der|den|de|la) |"
    r"(?i: (?:on behalf|study|trial|trialists|registry|groups?|team|cohort|prof|dphil|msc|rn|mph|mbbs|dds|pharmd)\b)|"
    r"(?:Group|Team|Collaboration|Consortium|Committee|Initiative|Network|Society|"
    r"Association|University|Institute|Organi[sz]ation|Foundation|Investigators|Force|Working|Project|Council|Cent(?:er|re)|Department|"
    r"Laboratory|Inc|Ltd|LLC|GmbH|Community|Alliance|Authors|Editors|Federation|Agency|Ministry)\b"
)
_NO_NAME = (
    r"anonymous(?: (?:authors?|submission|acl submission))?|anon|withdrawn|unknown authors?|no authors?.*|author\(?s?\)?|"
    r"(?:various|multiple|several|additional) authors?|authors? (?:unknown|anonymous|not \p{L}+)|"
    r"(?:and |\+ ?)?(?:\d+ )?(?:many )?(?:others?|more)(?: authors)?|(?:et\.?|and) al|etc|"
    r"(?:paper )?under (?:double[- ]blind )?review|(?:this )?(?:paper|submission) withdrawn(?: by .*)?|[^\p{L}]*"
)
_CUT = r"(?i)(?:\bet\.?\s*al\b\.?|\band others|^others|…|\.\.\.|\betc\.|\+ ?\d+ more)[\s\])}'\";,]*$"
_ON_BEHALF = r"(?i)[,;(]?\s*\b(?:and )?on behalf of\s+(?:all\s+)?(?:the\s+)?"
_ADDRESS = (
    r"(?i)\s*[<(\[]?(?:e-?mail:?\s*|mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>)\]]?|\s*[<(\[]?https?://\S+|"
    r"\s*\(?(?:orcid:?\s*)?\d{4}-\d{4}-\d{4}-\d{3}[\dx]\)?"
)
_OFTEN = 0.3
"""Share of a file's names that end in initials, from which on they are its style."""

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
        "file_sha256",
        pl.coalesce(
            pl.when(pl.col("author_names_raw").list.len() > 0).then("author_names_raw"),
            _split_by_file(staged),
        ).alias("name_raw"),
    )
    names = _groups_apart(_once(lists).explode("name_raw").drop_nulls("name_raw"))
    names = names.with_columns(pl.col("name_raw").str.strip_chars(" \t\r\n,;"))
    authors = (
        double_families(given_name_first(_taken_apart(names.with_columns(ends_in_initials=_ends_in_initials()))))
        .group_by("row", maintain_order=True)
        .agg(pl.struct("name", "name_raw", "given", "family").alias("authors"))
    )
    return (
        lists.select("row")
        .join(authors, on="row", how="left", maintain_order="left")
        .select(pl.coalesce("authors", pl.lit([], dtype=pl.List(AUTHOR_STRUCT))))
        .to_series()
    )


def is_cut_list(staged: pl.DataFrame) -> pl.Series:
    """Whether the source says that it names not all authors ("et al.", "and others", "…").

    >>> names = pl.Series([["Lee, Ann", "others"], None, None], dtype=pl.List(pl.String))
    >>> texts = pl.Series([None, "Ann Lee et al.", "Al Day, Bo Metal"])
    >>> is_cut_list(pl.DataFrame({"author_names_raw": names, "authors_raw": texts})).to_list()
    [True, True, False]
    """
    end = pl.coalesce(pl.col("author_names_raw").list.last(), "authors_raw")
    return staged.select(end.str.contains(_CUT).fill_null(False)).to_series()


def _split_by_file(staged: pl.DataFrame) -> pl.Series:
    files = staged.select("file_sha256", "authors_raw").partition_by("file_sha256", maintain_order=True)
    empty = pl.Series("split", [], pl.List(pl.String))
    return pl.concat([empty, *(split_author_lists(file["authors_raw"]).alias("split") for file in files)])


def _groups_apart(names: pl.DataFrame) -> pl.DataFrame:
    """Names with the group that a person writes on behalf of as a name of its own."""
    raw = pl.col("name_raw")
    if not names.select(raw.str.contains(_ON_BEHALF).any()).item():
        return names
    return names.with_columns(raw.str.replace_all(_ON_BEHALF, "\x02").str.split("\x02")).explode("name_raw")


def _ends_in_initials() -> pl.Expr:
    """Whether names of a file end in bare initials ("Smith MA"), so that one that looks like a family name is none."""
    name = pl.col("name_raw")
    # Two patterns, of which the first is looked for from the end: one for both takes three times as long.
    ends = name.str.contains(r" \p{Lu}{1,3}$") & ~name.str.contains(",", literal=True)
    return (ends.mean() >= _OFTEN).over("file_sha256")


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
    """`names` (file_sha256, row, name_raw, ends_in_initials) with name, given and family, in order, without what is no name.

    Nine names in ten are simple and taken apart by an expression; the rules see each other distinct name once.
    """
    raw = pl.col("name_raw")
    needs_rules, given_first = raw.str.contains(_NEEDS_RULES), raw.str.contains(_SIMPLE_NAME)
    names = names.with_row_index("place").with_columns(
        is_simple=given_first & ~needs_rules, is_inverted=raw.str.contains(_SIMPLE_INVERTED) & ~needs_rules
    )
    # Split at the space and the comma: to extract the groups of a pattern takes four times as long.
    simple = names.filter("is_simple").with_columns(name=raw, family=raw.str.split(" ").list.last())
    simple = simple.with_columns(given=raw.str.strip_suffix(pl.col("family")).str.strip_chars_end(" "))
    pieces = raw.str.split_exact(", ", 1).struct.rename_fields(["family", "given"])
    inverted = names.filter("is_inverted").with_columns(pieces.alias("pieces")).unnest("pieces")
    inverted = inverted.with_columns(name=pl.concat_str("given", pl.lit(" "), "family"))
    odd = names.filter(~pl.col("is_simple") & ~pl.col("is_inverted"))
    odd = odd.join(_by_rules(odd), on=["name_raw", "ends_in_initials"], how="inner")
    columns = ("place", "file_sha256", "row", "name_raw", "name", "given", "family")
    return pl.concat([part.select(columns) for part in (simple, inverted, odd)]).sort("place").drop("place")


def _by_rules(names: pl.DataFrame) -> pl.DataFrame:
    """Each distinct name_raw and ends_in_initials of `names` with name, given and family, without what is no name."""
    raw = pl.col("name_raw")
    odd = names.select(raw, "ends_in_initials").unique(maintain_order=True).with_columns(plain=_plain_name(raw))
    odd = odd.with_columns(without_placeholder(pl.col("plain"), _NO_NAME)).drop_nulls("plain")
    is_whole, is_inverted = raw.str.contains(_WHOLE_NAME), raw.str.contains(_INVERTED_PERSON)
    columns = odd.select("plain", is_whole.alias("whole"), is_inverted.alias("inverted"), "ends_in_initials")
    parts = [
        PersonName(name, None, None)
        if whole and " " in name and (not inverted or is_group(name))
        else person_name(name, ends_in_initials=ends)
        for name, whole, inverted, ends in columns.rows()
    ]
    return odd.select(
        "name_raw",
        "ends_in_initials",
        pl.Series("name", [part.name for part in parts], pl.String),
        pl.Series("given", [part.given for part in parts], pl.String),
        pl.Series("family", [part.family for part in parts], pl.String),
    )


def _plain_name(name: pl.Expr) -> pl.Expr:
    """A name without mark-up, footnote marks, addresses, DBLP's number of a namesake, and "et al." behind it."""
    return (
        plain_text(name.str.replace(_BRACED_FAMILY, "$2, $1"))
        .str.replace_all(r"[{}]", "")
        .str.replace_all(_ADDRESS, "")
        .str.replace(r"(?i),?\s+(?:et(?:\.? |\.)al\.?|\.\.\.|…|etc\.?)$", "")
        .str.replace(r"^(?i:and|&|by|authors?:)\s+", "")
        .str.replace(r"\s*\((?i:eds?\.?|editors?|corresponding author|\d+|[\s,;<>]*)\)", "")
        .str.replace_all(r"[*∗†‡§¶‖⁎#]+|[¹²³⁰⁴-⁹]+|\s0\d{3}$|(\p{L}{2,})\d+(?:,\d+)*$|\(\s*\)", "$1")
        .str.replace(r",+\s*,", ",")
        .str.strip_chars(" ,;")
    )
