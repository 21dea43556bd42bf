"""This module finds the values of a record at the paths that a shape names, and turns them into what fields hold.

A path is names joined by dots, through lists too (`authorships.author.display_name`). A name that has dots itself is found as
it stands. Two paths make one value: `first - last` a range of pages, `host + place` an address. `|word` behind a path is a
conversion in `CONVERSIONS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

from transforms.readers.field_values import as_text, author_text

_MAX_PATHS = 4_096
"""How many paths are remembered taken apart; the shapes have a tenth of them."""


def value_at(record: Mapping[str, object], path: str) -> object:
    """The value at a path in a record; of a list on the way the list of what its objects have there.

    >>> value_at({"by": [{"author": {"name": "Ann Lee"}}, {"author": {"name": "Bo Li"}}]}, "by.author.name")
    ['Ann Lee', 'Bo Li']
    >>> value_at({"index": {"A": [0, 2], "rose": [1]}}, "index|inverted_index")
    'A rose A'
    >>> value_at({"Page start": "12", "Page end": 19, "Art. No.": "7"}, "Page start - Page end")
    '12-19'
    """
    if path in record:
        return record[path]
    convert, joined, steps = _taken_apart(path)
    if joined is not None:
        join, left, right = joined
        return convert(join(value_at(record, left), value_at(record, right)))
    value: object = record
    for name, rest in steps:
        if isinstance(value, dict):
            if rest in value:
                return convert(value[rest])
            value = value.get(name)
        elif isinstance(value, list):
            value = [inner.get(name) for inner in value if isinstance(inner, dict)]
        else:
            return None
        if value is None:
            return None
    return convert(value)


def heads(path: str) -> list[str]:
    """The names at the top level of a record that a path begins with.

    >>> heads("biblio.first_page - biblio.last_page"), heads("index|inverted_index")
    (['biblio', 'biblio'], ['index'])
    """
    place = path.partition("|")[0]
    for mark in _JOINTS:
        left, found, right = place.partition(mark)
        if found:
            return [*heads(left), *heads(right)]
    return [place.partition(".")[0]]


def prefixed(path: str, name: str) -> str:
    """The path of what stands at `path` in the object called `name`.

    >>> prefixed("first - last", "row")
    'row.first - row.last'
    """
    for mark in _JOINTS:
        left, found, right = path.partition(mark)
        if found:
            return f"{prefixed(left, name)}{mark}{prefixed(right, name)}"
    return f"{name}.{path}"


def _same(value: object) -> object:
    return value


def _page_range(first: object, last: object) -> str:
    begin, end = as_text(_first(first)).strip(), as_text(_first(last)).strip()
    return f"{begin}-{end}" if begin and end and begin != end else begin


def _address(host: object, place: object) -> str:
    """An address that a source gives in two parts; the second may be a whole one."""
    first, second = as_text(host).strip(), as_text(place).strip()
    return second if not second or "://" in second or not first else f"{first.rstrip('/')}/{second.lstrip('/')}"


_JOINTS: dict[str, Callable[[object, object], str]] = {" - ": _page_range, " + ": _address}


_Step = tuple[str, str]
_Joined = tuple[Callable[[object, object], str], str, str]


@lru_cache(_MAX_PATHS)
def _taken_apart(path: str) -> tuple[Callable[[object], object], _Joined | None, tuple[_Step, ...]]:
    """The conversion of a path, its two paths where it joins two, and else each name with what follows from it on."""
    place, _, word = path.partition("|")
    convert = CONVERSIONS.get(word, _same)
    for mark, join in _JOINTS.items():
        left, found, right = place.partition(mark)
        if found:
            return convert, (join, left, right), ()
    names = place.split(".")
    return convert, None, tuple((name, ".".join(names[index:])) for index, name in enumerate(names))


def _value(value: object) -> object:
    """The value of an OpenReview note, which version 2 of its API wraps in an object."""
    return value.get("value") if isinstance(value, dict) and "value" in value else value


def _first(value: object) -> object:
    """The first filled value of a list, with the wrapping of OpenReview taken off; another value as it is."""
    values = value if isinstance(value, list) else [value]
    return next((inner for inner in map(_value, values) if inner not in (None, "", [])), None)


def _inverted_index(value: object) -> object:
    """A text from the places of each of its words; the places are from 0, and a list of lists is none."""
    if not isinstance(value, dict):
        return None
    words = [
        (place, word)
        for word, places in value.items()
        if isinstance(places, list)
        for place in places
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(words))


def _date(value: object) -> object:
    """A date of CSL or Crossref: `{"date-parts": [[2024, 5, 1]]}`, `{"raw": …}` or a text."""
    if not isinstance(value, dict):
        return value
    parts = value.get("date-parts")
    if isinstance(parts, list) and parts:
        first = parts[0] if isinstance(parts[0], list) else parts
        numbers = [as_text(part) for part in first[:3]]
        if numbers and numbers[0]:
            return "-".join(number.zfill(2) for number in numbers if number)
    return value.get("raw") or value.get("literal") or value.get("date-time")


def _words(value: object) -> object:
    """The words of a text, as arXiv lists its categories."""
    return value.split() if isinstance(value, str) else value


def _parsed_names(value: object) -> object:
    """The names of arXiv's `authors_parsed`: family name, given names, suffix."""
    if not isinstance(value, list):
        return None
    names = [[as_text(part).strip() for part in name] for name in value if isinstance(name, list)]
    return [", ".join(filter(None, (name[0], *name[2:3], *name[1:2]))) for name in names if name]


def _creators(value: object) -> object:
    """Of Zotero's creators those who wrote or made the work: no editors, translators or contributors."""
    if not isinstance(value, list):
        return value
    people = [creator for creator in value if isinstance(creator, dict)]
    return [author_text(person) for person in people if person.get("creatorType") in _AUTHOR_TYPES]


_AUTHOR_TYPES = ("author", "presenter", "inventor", "programmer", "artist", None)


def _openreview_address(value: object) -> object:
    """An address of OpenReview, whose notes give it without the host."""
    text = _value(value)
    return f"https://openreview.net{text}" if isinstance(text, str) and text.startswith("/") else text


def _github_address(value: object) -> object:
    """An address of a repository that is given as owner/name."""
    is_name = isinstance(value, str) and _REPOSITORY.fullmatch(value)
    return f"https://github.com/{value}" if is_name else value


def _only_address(value: object, *, wanted: bool) -> object:
    """A value that is an address, or (not `wanted`) that is none."""
    return value if ("://" in as_text(value)) is wanted else None


def _year(value: object) -> object:
    """The year in a venue's text or address (`ICLR 2024 poster`, `/virtual/2023/`); several are none."""
    years = set(_YEAR.findall(as_text(_value(value))))
    return years.pop() if len(years) == 1 else None


def _line_of(name: str, value: object) -> object:
    """What a line `name: …` of a text says; Zotero's `extra` holds what its forms have no place for."""
    lines = value if isinstance(value, list) else as_text(value).split("\n")
    for line in lines:
        head, colon, rest = as_text(line).partition(":")
        if colon and head.strip().casefold() == name:
            return rest.strip()
    return None


def _article_id(kind: str, value: object) -> object:
    """One identifier of PubMed's `articleids`, a list of objects with their kind."""
    ids = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    return next((entry.get("value") for entry in ids if entry.get("idtype") == kind), None)


def _bibtex(name: str, value: object) -> object:
    """A field of a BibTeX entry that stands in a column; it must begin a line or follow a comma."""
    if not isinstance(value, str) or not value.lstrip().startswith("@"):
        return None
    found = _BIBTEX_FIELDS[name].search(value)
    return " ".join(next(filter(None, found.groups()), "").split()) if found else None


def _without_numbers(value: object) -> object:
    """Authors without the numbers in brackets that Scopus gives each."""
    return _NUMBER_IN_BRACKETS.sub("", value) if isinstance(value, str) else value


def _family_first(value: object) -> object:
    """Authors as Web of Science and R's bibliometrix write them, `LEE A;LI BO`, with a comma behind the family name."""
    return _FAMILY_AND_INITIALS.sub(r"\1, \2", value) if isinstance(value, str) else value


def _authors_before_citation(value: object) -> object:
    """Authors without the conference that one list writes behind them."""
    return _CITATION.sub("", value) if isinstance(value, str) else value


def _citation(name: str, value: object) -> object:
    found = _CITATION.search(value) if isinstance(value, str) else None
    return found[name] if found else None


_NUMBER_IN_BRACKETS = re.compile(r" ?\(\d{5,20}\)")
_FAMILY_AND_INITIALS = re.compile(r"(?:(?<=;)|^)([^;,]{1,80}?) ([A-Z]{1,4})(?=;|$)")
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Every repetition has a bound: what has none could be made to take quadratic time.
_BRACED = r"\{([^{}]{0,300}(?:\{[^{}]{0,300}\}[^{}]{0,300}){0,20})\}"
_BIBTEX_FIELDS = {
    name: re.compile(
        rf'[,\n][ \t]{{0,40}}{name}[ \t]{{0,40}}=[ \t]{{0,40}}(?:{_BRACED}|"([^"]{{0,500}})"|(\d{{1,9}}))', re.IGNORECASE
    )
    for name in ("year", "booktitle", "journal", "pages", "volume", "publisher", "doi")
}
# "…, Tong Zhang The European Conference on Computer Vision (ECCV), 2018, pp. 484-500"
_CITATION = re.compile(r"\s(?P<venue>The [\w ]{5,60}Conference on [\w ]{5,60}\(\w+\), \d{4})(?:, pp\. (?P<pages>[\d-]+))?\s*$")

CONVERSIONS: dict[str, Callable[[object], object]] = {
    "value": _value,
    "first": _first,
    "inverted_index": _inverted_index,
    "date": _date,
    "words": _words,
    "parsed_names": _parsed_names,
    "creators": _creators,
    "openreview_address": _openreview_address,
    "github_address": _github_address,
    "address": partial(_only_address, wanted=True),
    "no_address": partial(_only_address, wanted=False),
    "year": _year,
    "line_doi": partial(_line_of, "doi"),
    "line_arxiv": partial(_line_of, "arxiv"),
    "line_pmid": partial(_line_of, "pmid"),
    "doi_entry": partial(_article_id, "doi"),
    "pubmed_entry": partial(_article_id, "pubmed"),
    "without_numbers": _without_numbers,
    "family_first": _family_first,
    "before_citation": _authors_before_citation,
    "citation_venue": partial(_citation, "venue"),
    "citation_pages": partial(_citation, "pages"),
    **{f"bibtex_{name}": partial(_bibtex, name) for name in _BIBTEX_FIELDS},
}
"""What may stand behind a path: how the value there becomes one that a field holds."""
