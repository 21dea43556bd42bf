"""This module splits author lists into names; what separates them is decided on the column as a whole."""

from __future__ import annotations

import ast
import json
import re

import polars as pl

from transforms.author_commas import TURNS, mostly_take_turns, names_by_commas, paired_names, two_names_are_likely
from transforms.author_separators import evened_lists
from transforms.person_names import is_initials
from transforms.readers.field_values import author_text

_SEPARATOR_SAMPLE = 5_000
"""How many author lists the separator is decided on; a file that mixes separators shows it in far fewer."""

_AND = r"\s+(?:and|AND|und|&)\s+"
_COMMA = rf"\s*,(?:\s*and\s+|\s*&\s+|\s*)|{_AND}"
_SEPARATORS = {";": r"\s*;\s*", "\n": r"\s*\n\s*", "|": r"\s*\|\s*", "and": rf"(?:,?{_AND})", ",": _COMMA}

# "Adeli K.Lewis G. F.": a family name right behind the full stop of initials.
_GLUED = r"\p{Lu}\.\p{Lu}[\p{Ll}'’]"
_GLUE = re.compile(r"(?<=[\s.-][^\W\d_a-z]\.)(?=[^\W\d_a-z](?:[^\W\d_A-Z]|['’])|[a-z]{2,4} [A-Z][a-z])")

_MOSTLY = 0.5
"""Share of lists that begin with a name of several words, from which on one word between commas is but half a name."""

_ONE_NAME = r"^\s*[^\s,;|{}&\[]+\s*,\s*[^,;|\n{}&]+$"

_MAX_DEPTH = 20
"""Deepest nesting of a list printed as source; real ones go three deep. Python's own limit depends on its call stack."""

_STRING = re.compile(r"[uUrRbB]?(?:'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")", re.DOTALL)
_LITERAL_REST = re.compile(r"(?:[\[\]{}(),:\s]|\d+(?:\.\d+)?|None|True|False|null|true|false)*+")
_CALL = re.compile(r"[\])}]\s*[\[(]")  # also an index: each one more is one level deeper
_CURLY_QUOTED = re.compile(r"[‘“]([^‘“]*)[’”](?=\s*[,\]])")
_SIDE_BY_SIDE = re.compile(r"\x02\s*\x02")
_HAN = re.compile(r"[\u3400-\u9fff]")
_AUTHOR_OBJECT = re.compile(r"\b(?:[a-z]{1,20}\.){0,2}(?:Result\.)?Author\(((?:'[^'\\]{0,200}'|\"[^\"\\]{0,200}\"))\)")
"""How the package arxiv prints an author."""

_BRACKET = re.compile(r"[\[\](){}]")


def split_author_lists(lists: pl.Series) -> pl.Series:
    """The names in each author list, as given; null stays null.

    A list that lacks what separates the others is read by its own pattern ("Ann Lee, Bo Li, Cy Day" among "Di Fox; Ed Gay").

    >>> split_author_lists(pl.Series(["Ann Lee,Bo Li", "Cy Day"])).to_list()
    [['Ann Lee', 'Bo Li'], ['Cy Day']]
    >>> split_author_lists(pl.Series(["Lee, Ann and Li, Bo", "Day, Cy"])).to_list()
    [['Lee, Ann', 'Li, Bo'], ['Day, Cy']]
    """
    lists = evened_lists(lists)
    separator = separator_of(lists)
    text = pl.col("list")
    rows = pl.DataFrame({"list": lists}, schema={"list": pl.String}).with_row_index("row")
    rows = rows.with_columns(is_odd=_is_odd(text, separator, lists).fill_null(False))
    plain = rows.filter(~pl.col("is_odd")).select("row", _split(text, separator).alias("names"))
    odd = rows.filter("is_odd")
    commas_separate = separator in _SEPARATORS and two_names_are_likely(
        lists.filter(~lists.str.contains(_SEPARATORS[separator]))
    )
    split = [_split_oddly(value, separator, commas_separate=commas_separate) for value in odd["list"]]
    names = pl.Series("names", split, pl.List(pl.String))
    return pl.concat([plain, odd.select("row", names)]).sort("row").get_column("names")


def separator_of(lists: pl.Series) -> str:
    r"""What separates the authors in a column of author lists: ";", newline, "|", "and", ",", "pairs", "turns" or "" (nothing).

    "pairs" is a comma after each family name and each set of initials ("Lee, A., Li, B."); "turns" the same with given names
    ("Lee, Ann, Li, Bo").

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
        lone_family=(text.str.contains(r"^[^\s,]+, *[^,]+$") & ~text.str.contains(r"\p{Han}")).sum(),
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
        return _and_meaning(frame)
    return _comma_meaning(frame, counts) if counts["commas"] else ("and" if counts["ands"] else "")


def _and_meaning(frame: pl.DataFrame) -> str:
    """What commas between two "and"s mean: parts of one inverted name ("and"), authors (","), or both ("pairs", "turns")."""
    lists = frame.filter(pl.col("list").str.contains(",", literal=True))["list"].head(500).to_list()
    pieces = [piece for text in lists for piece in re.split(rf",?{_AND}", text) if "," in piece]
    parts = [part.strip() for piece in pieces for part in piece.split(",") if part.strip()]
    if sum(piece.count(",") > 1 for piece in pieces) >= 0.1 * len(pieces):
        seconds = [part for piece in pieces for part in piece.split(",")[1::2]]
        if sum(is_initials(part.strip()) for part in seconds) > 0.7 * len(seconds):
            return "pairs"
        if pieces and mostly_take_turns([piece.split(",") for piece in pieces]):
            return "turns"
    # A family name of several words is rare, so that parts of several words are names of their own.
    return "," if parts and sum(" " in part for part in parts) >= 0.9 * len(parts) else "and"


def _comma_meaning(frame: pl.DataFrame, counts: dict[str, int]) -> str:
    """What commas mean where nothing else separates: authors, parts that take turns, or one inverted name a list."""
    with_comma = frame.filter(pl.col("list").str.contains(",", literal=True))["list"].head(500)
    pieces = [re.split(_COMMA, text.strip(" ,.")) for text in with_comma]
    seconds = [parts[1::2] for parts in with_comma.str.split(",").to_list()]
    initials = [is_initials(part.strip()) and not _HAN.search(part) for parts in seconds for part in parts]
    if initials and sum(initials) > 0.7 * len(initials):
        return "pairs"
    if not counts["many_commas"] and counts["lone_family"] >= 0.8 * counts["commas"]:
        return ""
    return "turns" if mostly_take_turns(pieces) else ","


def _is_odd(text: pl.Expr, separator: str, lists: pl.Series) -> pl.Expr:
    """Whether a list needs more than its column's separator: printed source, braces, entities, names glued together."""
    lacks = ~text.str.contains(_SEPARATORS[separator]) if separator in _SEPARATORS else pl.lit(True)
    # One inverted name, which most lists without separator are; all others are looked at one by one.
    is_one_name = text.str.contains(_ONE_NAME) & ~text.str.contains(rf"{_GLUED}|\s(?:and|AND|und)\s")
    # A sign that never stands in a name separates authors in the one list that has it, too.
    has_stronger = text.str.contains("[;|\n]") if separator in (",", "and") else pl.lit(False)
    have_given_names = separator == "," and lists.str.contains(r"^[^,]+\s[^,]").sum() > _MOSTLY * lists.count()
    has_turns = text.str.contains(TURNS) if have_given_names else pl.lit(False)
    is_comma_list = text.str.contains(r"^[^,]+\s[^,]+,.+\s(?:and|&)\s+[^,]+$") if separator == "and" else pl.lit(False)
    return (
        text.str.contains(r"(?s)^\s*\[.*['\"{‘“].*\]\s*$|[{}]|&#?[a-zA-Z0-9]{2,8};")
        | (lacks & ~is_one_name & text.str.contains(rf"{_GLUED}|[;|\n,]|\s(?:and|AND|und|&)\s"))
        | has_stronger
        | has_turns
        | is_comma_list
    )


def _split(text: pl.Expr, separator: str) -> pl.Expr:
    if separator in (";", "|", "\n"):
        return text.str.split(separator)
    if separator in ("and", ","):
        return text.str.replace_all(_SEPARATORS[separator], "\x02").str.split("\x02")
    return text.str.split("\x02")


def _split_oddly(text: str, separator: str, *, commas_separate: bool) -> list[str]:
    """The names of a list that its column's separator alone does not split."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return _literal_names(text)
    if separator == "pairs" and not re.search("[;|\n]", text):
        return paired_names(re.split(_COMMA, text))
    for name in dict.fromkeys((";", "\n", "|", separator, "and")):
        if name in _SEPARATORS and name != "," and not (name == "and" and separator == "turns"):
            names = _split_outside_groups(text, rf"{_SEPARATORS[name]}(?:and\s+)?" if name == ";" else _SEPARATORS[name])
            if name == "and" and len(names) == 2:
                return _before_and(names, commas_separate=commas_separate)
            if len(names) > 1:
                return names
    names = _split_outside_groups(text, _SEPARATORS[","])
    if separator != "," or re.search(TURNS, text):
        names = names_by_commas(names, text, two_are_names=commas_separate)
    return names if len(names) > 1 else _GLUE.sub("\x02", text).split("\x02")


def _before_and(names: list[str], *, commas_separate: bool) -> list[str]:
    """The names of "Ann Lee, Bo Li and Cy Day", given as what stands on both sides of the "and"."""
    if "," in names[1] or len(names[1].split()) < 2:
        return names
    pieces = _split_outside_groups(names[0], _SEPARATORS[","])
    return [*names_by_commas(pieces, names[0], two_are_names=commas_separate), names[1]]


def _split_outside_groups(text: str, separator: str) -> list[str]:
    """The pieces between separators that stand neither in braces ("{Barnes and Noble}") nor in an entity ("&uuml;")."""
    depth, start, pieces = 0, 0, []
    for match in re.finditer(rf"&#?[a-zA-Z0-9]{{2,8}};|[{{}}]|{separator}", text):
        if match[0] in ("{", "}"):
            depth += 1 if match[0] == "{" else -1
        elif depth <= 0 and not match[0].startswith("&"):
            pieces.append(text[start : match.start()])
            start = match.end()
    return [*pieces, text[start:]]


def _literal_names(text: str) -> list[str]:
    """The names in a list printed as JSON or Python source; the text itself where it is no such list."""
    text = _AUTHOR_OBJECT.sub(r"\1", text)
    if curly := _CURLY_QUOTED.findall(text):
        return curly
    if not _is_shallow_literal(text):
        return [text]
    if _SIDE_BY_SIDE.search(_STRING.sub("\x02", text)):
        # As numpy prints them; Python would join the strings.
        return [str(ast.literal_eval(name[0])) for name in _STRING.finditer(text)]
    try:
        values = _literal_value(text)
    except (ValueError, SyntaxError):
        return [text]
    return [name for name in map(author_text, values) if name] if isinstance(values, list) else [text]


def _literal_value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return ast.literal_eval(text)


def _is_shallow_literal(text: str) -> bool:
    """Whether a text holds nothing but values, brackets and what separates them, at most `_MAX_DEPTH` deep.

    All else that Python would parse (calls, sums, "a.b.c") is no list of authors, and its depth has no bound here.
    """
    bare = _STRING.sub("", text)
    if not _LITERAL_REST.fullmatch(bare) or _CALL.search(bare):
        return False
    depth = 0
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in "[{(" else -1
        if depth > _MAX_DEPTH:
            return False
    return True
