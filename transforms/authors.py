"""This module splits author lists into authors, in order, with their names taken apart."""

from __future__ import annotations

import ast
import re

import polars as pl

from transforms.person_names import is_initials, person_name
from transforms.text import plain_text

AUTHOR_STRUCT = pl.Struct({"name": pl.String, "name_raw": pl.String, "given": pl.String, "family": pl.String})

_SEPARATOR_SAMPLE = 5_000
"""How many author lists the separator is decided on; a file that mixes separators shows it in far fewer."""

_AND = r"\s+(?:and|AND|&)\s+"
_STRONG_SEPARATORS = {";": r"\s*;\s*", "\n": r"\s*\n\s*", "|": r"\s*\|\s*", "and": rf"(?:,?{_AND})"}
_COMMA = rf"\s*,(?:\s*and\s+|\s*&\s+|\s*)|{_AND}"

# A simple name, given name first: the nine in ten that need no rule. Capitalised words, the last no initials.
_SIMPLE_NAME = r"^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)* \p{Lu}[\p{Ll}'’-][\p{L}'’-]*$"
_NEEDS_RULES = (
    r"(?i: (?:jr|sr|ii|iii|iv|phd|md|van|von|der|den|de|del|della|di|da|das|dos|du|le|la|el|al|bin|ibn|ben|ter|ten|san|santa|"
    r"vander|st)\.?(?: |$))|"
    r"^(?i:dr|prof|mr|mrs|ms|sir)\.? |(?:Group|Team|Collaboration|Consortium|Committee|Initiative|Network|Society|"
    r"Association|University|Institute|Organi[sz]ation|Foundation|Investigators|Force|Working|Project|Council|Cent(?:er|re)|Department|"
    r"Laboratory|Inc|Ltd|LLC|GmbH|Community|Alliance|Authors|Editors|Federation|Agency|Ministry)\b"
)
_NO_NAME = (
    r"(?i)^(?:anonymous(?: (?:authors?|submission|acl submission))?|anon\.?|n\s*/\s*a|none|null|nan|unknown(?: authors?)?|"
    r"no authors?.*|\[?no author.*|author\(?s?\)?|(?:and )?others?|(?:et|and) al\.?|not available|"
    r"under (?:double[- ]blind )?review|"
    r"paper under double-blind review|tba|tbd|[^\p{L}]*)$"
)


def clean_authors(staged: pl.DataFrame) -> pl.Series:
    """The authors of each record, in order: `list<struct<name, name_raw, given, family>>`, empty where there are none.

    Reads `author_names_raw` (which wins) and `authors_raw`. The separator of `authors_raw` is decided on the whole column.
    "et al.", "others" and placeholders ("Anonymous", "N/A") are no authors; a list that is given twice counts once.
    """
    names = staged.select(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("row"),
        pl.coalesce(
            pl.when(pl.col("author_names_raw").list.len() > 0).then("author_names_raw"),
            split_author_lists(staged["authors_raw"]).alias("split"),
        ).alias("name_raw"),
    )
    pairs = _clean_names(names.explode("name_raw").drop_nulls("name_raw"))
    authors = (
        pairs.group_by("row", maintain_order=True)
        .agg(pl.struct(pl.col(field).alias(field) for field in ("name", "name_raw", "given", "family")).alias("authors"))
        .with_columns(_once("authors"))
    )
    empty = pl.lit([], dtype=pl.List(AUTHOR_STRUCT))
    return (
        names.select("row")
        .join(authors, on="row", how="left", maintain_order="left")
        .select(pl.coalesce(pl.col("authors"), empty).alias("authors"))
        .to_series()
    )


def split_author_lists(lists: pl.Series) -> pl.Series:
    """The names in each author list, as given; null stays null.

    >>> split_author_lists(pl.Series(["Ann Lee,Bo Li", "Cy Day"])).to_list()
    [['Ann Lee', 'Bo Li'], ['Cy Day']]
    >>> split_author_lists(pl.Series(["Lee, Ann and Li, Bo", "Day, Cy"])).to_list()
    [['Lee, Ann', 'Li, Bo'], ['Day, Cy']]
    """
    separator = separator_of(lists)
    frame = pl.DataFrame({"list": lists.str.strip_chars()}, schema={"list": pl.String})
    if separator == ";":
        # an entity's semicolon separates nothing
        frame = frame.with_columns(pl.col("list").str.replace_all(r"&(#?[a-zA-Z0-9]{2,8});", "&$1\x01"))
    text = pl.col("list")
    kind = (
        pl.when(text.str.contains(r"^\[.*\]$") & text.str.contains(r"['\"{]"))
        .then(pl.lit("literal"))
        .when(text.str.contains(r"\{[^}]*\b(?:and|;|,)\b[^}]*\}"))
        .then(pl.lit("braced"))
        .when(text.str.contains(r"\p{Ll}\s+(?:\p{Lu}\.?[ -]?){1,4}\.\p{Lu}\p{Ll}"))
        .then(pl.lit("glued"))
        .when(text.str.contains(_STRONG_SEPARATORS.get(separator, _COMMA)))
        .then(pl.lit(separator))
    )
    for fallback in (";", "\n", "|", "and"):
        kind = kind.when(text.str.contains(_STRONG_SEPARATORS[fallback])).then(pl.lit(fallback)) if separator != "," else kind
    marked = frame.with_columns(kind=kind.otherwise(pl.lit(None, pl.String)))
    split = _split_by_kind(marked)
    if separator != ";":
        return split
    restored = pl.col("names").list.eval(pl.element().str.replace_all("\x01", ";", literal=True))
    return split.to_frame().select(restored).to_series()


def separator_of(lists: pl.Series) -> str:
    r"""What separates the authors in a column of author lists: ";", newline, "|", "and", ",", "pairs" or "" (nothing).

    "pairs" is a comma after each family name and each set of initials ("Lee, A., Li, B.").

    >>> separator_of(pl.Series(["Ann Lee, Bo Li and Cy Day", "Di Fox, Ed Gay"]))
    ','
    >>> separator_of(pl.Series(["Lee, Ann", "Li, Bo"]))
    ''
    """
    sample = lists.drop_nulls().head(_SEPARATOR_SAMPLE)
    if sample.is_empty():
        return ""
    frame = pl.DataFrame({"list": sample.str.replace_all(r"&#?[a-zA-Z0-9]{2,8};", "")})
    text = pl.col("list")
    commas, ands = text.str.count_matches(","), text.str.count_matches(_AND)
    last = text.str.extract(rf"(?s)^.*{_AND}(.*)$")
    counts = frame.select(
        semicolon=text.str.contains(";", literal=True).sum(),
        newline=text.str.contains(r"\S\s*\n\s*\S").sum(),
        bar=text.str.contains("|", literal=True).sum(),
        ands=(ands > 0).sum(),
        many_ands=(ands > 1).sum(),
        comma_after_and=last.str.contains(",", literal=True).sum(),
        ands_without_comma=((ands > 0) & (commas == 0)).sum(),
        commas=(commas > 0).sum(),
        many_commas=(commas > 1).sum(),
        lone_family=text.str.contains(r"^[^\s,]+, *[^,]+$").sum(),
    ).row(0, named=True)
    strong = max(("semicolon", "newline", "bar"), key=lambda name: counts[name])
    if (
        counts[strong]
        and counts[strong] >= counts["many_ands"]
        and counts[strong] >= 0.1 * max(counts["commas"], counts["ands"])
    ):
        return {"semicolon": ";", "newline": "\n", "bar": "|"}[strong]
    is_and_list = counts["many_ands"] or counts["comma_after_and"] or counts["ands_without_comma"] > counts["many_commas"]
    if counts["ands"] and is_and_list and counts["many_ands"] + counts["comma_after_and"] >= 0.1 * counts["many_commas"]:
        return "and"
    return _comma_meaning(frame, counts) if counts["commas"] else ("and" if counts["ands"] else "")


def _comma_meaning(frame: pl.DataFrame, counts: dict[str, int]) -> str:
    """What commas mean where nothing else separates: authors, alternating parts, or one inverted name a list."""
    pieces = (
        frame.filter(pl.col("list").str.contains(",", literal=True)).select(pl.col("list").str.split(","))["list"].head(500)
    )
    seconds = [parts[1::2] for parts in pieces.to_list()]
    initials = [is_initials(part.strip()) for parts in seconds for part in parts]
    if initials and sum(initials) > 0.7 * len(initials):
        return "pairs"
    return "" if not counts["many_commas"] and counts["lone_family"] >= 0.8 * counts["commas"] else ","


def _split_by_kind(marked: pl.DataFrame) -> pl.Series:
    """The lists split, each by its kind, in the order of the rows."""
    marked = marked.with_row_index("row")
    parts = []
    for (kind,), rows in marked.group_by("kind", maintain_order=True):
        text = pl.col("list")
        if kind is None:
            split = pl.concat_list(text)
        elif kind in ("literal", "braced", "glued", "pairs"):
            oddly = [_split_oddly(str(kind), value) for value in rows["list"]]
            split = pl.lit(pl.Series(oddly, dtype=pl.List(pl.String)))
        else:
            pattern = _STRONG_SEPARATORS.get(str(kind), _COMMA)
            split = text.str.replace_all(pattern, "\x02").str.split("\x02")
        parts.append(rows.select("row", split.alias("names"), (text.is_null()).alias("is_null")))
    if not parts:
        return pl.Series("names", [], pl.List(pl.String))
    names = pl.concat(parts).sort("row")
    return names.select(pl.when(~pl.col("is_null")).then("names")).to_series()


def _split_oddly(kind: str, text: str) -> list[str]:
    """The names of a list that no single separator splits."""
    if kind == "literal":
        return _literal_names(text)
    if kind == "glued":
        return re.sub(r"((?:^|[\s.-])[^\W\d_a-z]\.)(?=[^\W\d_a-z][^\W\d_A-Z]|[a-z]{2,4} [A-Z][a-z])", "\\1\x02", text).split(
            "\x02"
        )
    if kind == "pairs":
        pieces = re.split(r"\s*,\s*(?:and\s+|&\s*)?|\s+(?:and|&)\s+", text)
        names: list[str] = []
        for piece in pieces:
            is_given = is_initials(piece) and names and "," not in names[-1]
            if is_given or (names and re.fullmatch(r"(?:Jr|Sr)\.?|I{2,3}|IV", piece)):
                names[-1] += f", {piece}"
            else:
                names.append(piece)
        return names
    depth, start, found = 0, 0, []
    for match in re.finditer(r"[{}]|\s+and\s+|\s*;\s*", text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] not in "{}":
            found.append(text[start : match.start()])
            start = match.end()
    return [*found, text[start:]]


def _literal_names(text: str) -> list[str]:
    """The names in a list printed as Python or JSON source; the text itself where it is no such list."""
    try:
        values = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return [text]
    names = []
    for value in values if isinstance(values, list) else [text]:
        if isinstance(value, dict):
            family = value.get("family") or value.get("family_name") or value.get("last_name")
            given = value.get("given") or value.get("given_name") or value.get("first_name")
            names.append(f"{family}, {given}" if family and given else str(family or given or value.get("name") or ""))
        else:
            names.append(str(value))
    return names


def _clean_names(pairs: pl.DataFrame) -> pl.DataFrame:
    """Rows (row, name_raw, name, given, family) of the names that are names; each distinct name is taken apart once."""
    pairs = pairs.with_columns(pl.col("name_raw").str.strip_chars(" \t\r\n,;"))
    distinct = pairs.select(pl.col("name_raw").unique(maintain_order=True)).with_columns(clean=_plain_name(pl.col("name_raw")))
    distinct = distinct.filter(pl.col("clean").is_not_null() & ~pl.col("clean").str.contains(_NO_NAME))
    is_simple = pl.col("clean").str.contains(_SIMPLE_NAME) & ~pl.col("clean").str.contains(_NEEDS_RULES)
    simple = distinct.filter(is_simple).select(
        "name_raw",
        name=pl.col("clean"),
        given=pl.col("clean").str.extract(r"^(.*) [^ ]+$"),
        family=pl.col("clean").str.extract(r" ([^ ]+)$"),
    )
    odd = distinct.filter(~is_simple)
    taken_apart = [person_name(name) for name in odd["clean"]]
    rules = pl.DataFrame(
        {
            "name_raw": odd["name_raw"],
            "name": [name.name for name in taken_apart],
            "given": [name.given for name in taken_apart],
            "family": [name.family for name in taken_apart],
        },
        schema={"name_raw": pl.String, "name": pl.String, "given": pl.String, "family": pl.String},
    )
    return pairs.join(pl.concat([simple, rules]), on="name_raw", how="inner", maintain_order="left")


def _plain_name(name: pl.Expr) -> pl.Expr:
    """A name without mark-up, footnote marks, DBLP's number of a namesake, and "et al." behind it."""
    return (
        plain_text(name)
        .str.replace(r"(?i),?\s+et\.? al\.?$", "")
        .str.replace(r"^(?i:and|&)\s+", "")
        .str.replace_all(r"[*∗†‡§¶‖⁎#]+|[¹²³⁰⁴-⁹]+|\s0\d{3}$|(\p{L}{2,})\d+(?:,\d+)*$|\(\s*\)", "$1")
        .str.replace(r",+\s*,", ",")
        .str.strip_chars(" ,;")
    )


def _once(column: str) -> pl.Expr:
    """A list that is its own first half given twice, as some proceedings list the authors, cut to that half."""
    authors = pl.col(column)
    half = authors.list.len() // 2
    is_twice = (authors.list.len() % 2 == 0) & (half > 0) & (authors.list.head(half) == authors.list.tail(half))
    return pl.when(is_twice).then(authors.list.head(half)).otherwise(authors).alias(column)
