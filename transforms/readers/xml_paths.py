"""This module finds the fields of a record among the objects that an XML element became."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

import polars as pl

from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.field_values import map_fields
from transforms.readers.mapping import COLUMN_SCHEMA, Mapper
from transforms.readers.shapes_paths import value_at
from transforms.readers.xml_places import places_of

Fields = tuple[tuple[str, str], ...]
"""Paths (`xml_places`) and the field each fills, the preferred path of a field first; `|word` behind one is a conversion."""

_LISTS = ("author_names_raw", "urls_raw", "link_urls_raw")
_JOINED = {"keywords_raw": "; ", "abstract_raw": "\n", "tags_raw": "; "}
_HEAD = re.compile(r"[^.\[\]|]*")
_FIXED_CASE = re.compile(r"</?fixed-case\s*/?>")
_TEX_MATH = re.compile(r"</?tex-math[^<>]{0,200}>")

_FAMILY = ("last", "LastName", "surname", "Last", "keyname", "family", "familyName", "familyname", "lastName")
_GIVEN = (
    "first",
    "ForeName",
    "given-names",
    "given_name",
    "First",
    "forenames",
    "given",
    "givenName",
    "givenname",
    "firstName",
    "Initials",
)
_WHOLE = (
    "CollectiveName",
    "collectiveName",
    "fullName",
    "collab",
    "name",
    "organization",
    "Corporate",
    "displayForm",
    "literal",
    "#text",
)


def find_fields(value: Mapping[str, object], fields: Fields) -> dict[str, object]:
    """The fields that an object fills: the first path with a text for a field of one text, all texts of it for a list.

    >>> pubmed = {"Article": {"Author": [{"LastName": "Lee", "ForeName": "Ann"}], "Id": [{"@type": "doi", "#text": "10.1/x"}]}}
    >>> find_fields(pubmed, (("Article.Author|person", "author_names_raw"), ("Article.Id[type=doi]", "doi_raw")))
    {'author_names_raw': ['Lee, Ann'], 'doi_raw': '10.1/x'}
    """
    found: dict[str, object] = {}
    if not fields:
        return found
    places = places_of(tuple(path for path, _ in fields))
    there = places.values(value)
    for number, (path, field) in zip(places.numbers, fields, strict=True):
        if number in there:
            _fill(found, field, path, there[number])
    return found


def find_texts(value: object, path: str) -> list[str]:
    """The texts at a path, without space around them; "" where what stands there has none."""
    places = places_of((path,))
    return _texts(places.values(value).get(places.numbers[0], []), path)


class XmlMapper(Mapper):
    """Maps records by the paths of their dialect, and keeps account of them; what `sources.toml` says comes first."""

    def __init__(self, dialect: Fields, given: Mapping[str, str]) -> None:
        super().__init__({}, given)
        self._ignored = {path for path, field in given.items() if field == IGNORED_COLUMN}
        self._wanted = {path: field for path, field in given.items() if field != IGNORED_COLUMN}
        self._fields = tuple(pair for pair in dialect if pair[0] not in given)
        self._places = places_of(tuple(path for path, _ in self._fields))
        paths = (*self._wanted, *(path for path, _ in self._fields))
        self._heads = {_HEAD.match(path)[0] for path in paths}  # type: ignore[index]
        self._counts: Counter[tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...]]] = Counter()

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a record fills; the record is counted."""
        found: dict[str, object] = {}
        there = self._places.values(raw)
        filled = tuple([place for place, number in enumerate(self._places.numbers) if number in there])
        for place in filled:
            path, field = self._fields[place]
            _fill(found, field, path, there[self._places.numbers[place]])
        others = () if "*" in self._heads else tuple([name for name in raw if name not in self._heads])
        given = {path: at for path in self._wanted if (at := value_at(raw, path)) is not None} if self._wanted else {}
        self._counts[filled, others, tuple(given)] += 1
        return found | map_fields(given, self._wanted) if given else found

    def take(self) -> pl.DataFrame:
        """The paths seen since the last time (`COLUMN_SCHEMA`)."""
        counts: Counter[tuple[str, str | None, str]] = Counter()
        for (filled, others, given), count in self._counts.items():
            keys: list[tuple[str, str | None, str]] = [(*self._fields[place], "format") for place in filled]
            keys += [(name, None, "config" if name in self._ignored else "unknown") for name in others]
            keys += [(path, self._wanted[path], "config") for path in given]
            for key in keys:
                counts[key] += count
        self._counts.clear()
        return pl.DataFrame([(*key, count, None) for key, count in counts.items()], schema=COLUMN_SCHEMA, orient="row")


def _texts(values: list[object], path: str) -> list[str]:
    convert = CONVERSIONS.get(path.partition("|")[2], text_of)
    texts = [convert(found).strip() for found in values]
    return [_TEX_MATH.sub("$", _FIXED_CASE.sub("", text)) if "<" in text else text for text in texts]


def _fill(found: dict[str, object], field: str, path: str, values: list[object]) -> None:
    """Fills a field from what stands at a path, where it is not filled yet; a list of addresses goes on."""
    if field in found and field not in ("urls_raw", "link_urls_raw"):
        return
    texts = [text for text in _texts(values, path) if text]
    if texts and field in _LISTS:
        known = found.setdefault(field, [])
        assert isinstance(known, list)
        known.extend(texts)
    elif texts:
        found[field] = _JOINED[field].join(dict.fromkeys(texts)) if field in _JOINED else texts[0]


def text_of(value: object) -> str:
    """The text of a value, of an object the texts in it one after the other, attributes left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(filter(None, (text_of(inner).strip() for inner in value)))
    if isinstance(value, dict):
        if "#text" in value:
            return text_of(value["#text"])
        return text_of([inner for name, inner in value.items() if not name.startswith("@")])
    return ""


def _person(value: object) -> str:
    """A person as `Family, Given`, a group as its name."""
    if not isinstance(value, dict):
        return text_of(value).strip()
    family, given = _first(value, _FAMILY), _first(value, _GIVEN)
    if given and (middle := _first(value, ("Middle", "MiddleName"))):
        given = f"{given} {middle}"
    if family and (suffix := _first(value, ("Suffix", "suffix"))):
        given = f"{given}, {suffix}" if given else suffix
    if family or given:
        return f"{family}, {given}" if family and given else family or given
    for name in _WHOLE:
        if inner := value.get(name):
            return _person(inner) if isinstance(inner, dict) else text_of(inner).strip()
    inner = next((inner for name, inner in value.items() if not name.startswith("@")), "")
    return _person(inner) if isinstance(inner, dict) else text_of(inner).strip()


def _first(value: Mapping[str, object], names: tuple[str, ...]) -> str:
    for name in names:
        if (inner := value.get(name)) and (text := text_of(inner).strip()):
            return text
    return ""


def _mods_name(value: object) -> str:
    """A name of MODS as `Family, Given`: its parts say which they are; no name where its role is not the author's."""
    roles = {role.lower() for role in find_texts(value, "role.roleTerm") if role}
    if roles and not roles & {"author", "aut", "creator", "cre"}:
        return ""
    family, given, whole = (
        " ".join(filter(None, find_texts(value, path)))
        for path in ("namePart[type=family]", "namePart[type=given]", "namePart[!type]")
    )
    return f"{family}, {given}" if family and given else family or given or whole.rstrip(",")


def _library_name(value: object) -> str:
    """A name of MARC or PICA: subfield a with the family name or all of it, d with the given name in PICA."""
    roles = {role for role in find_texts(value, "subfield[code=4]") if role}
    if roles and not roles & {"aut", "cre"}:
        return ""
    family, given = (next(iter(find_texts(value, f"subfield[code={code}]")), "") for code in "ad")
    is_pica = isinstance(value, dict) and str(value.get("@tag", "")).startswith("028")
    return f"{family}, {given}" if is_pica and family and given else family.rstrip(",")


def _range(value: object) -> str:
    """Pages from a first and a last one."""
    if not isinstance(value, dict):
        return ""
    first, last = (_first(value, names) for names in (("first_page", "start", "fpage"), ("last_page", "end", "lpage")))
    return f"{first}-{last}" if first and last else first or _first(value, ("elocation-id",))


def _labelled(value: object) -> str:
    """A part of an abstract with its label before it."""
    label = str(value.get("@Label", "")) if isinstance(value, dict) else ""
    return f"{label}: {text_of(value)}" if label and label != "UNLABELLED" else text_of(value)


def _plain(value: object) -> str:
    """A text that stands there as one, not as objects."""
    return text_of(value) if isinstance(value, str) or (isinstance(value, dict) and "#text" in value) else ""


def _doi(value: object) -> str:
    text = text_of(value).strip()
    return text if re.match(r"(?i)(?:doi:?\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/", text) else ""


def _address(value: object) -> str:
    text = text_of(value).strip()
    return text if re.match(r"https?://", text) else ""


def _date(value: object) -> str:
    """A date of its parts; what stands there as text else."""
    if not isinstance(value, dict):
        return text_of(value)
    parts = (_first(value, (name.capitalize(), name)) for name in ("year", "month", "day"))
    return "-".join(filter(None, parts)) or text_of(value.get("#text"))


def _child_name(value: object) -> str:
    return next((name for name in value if name[:1] not in "@#"), "") if isinstance(value, dict) else ""


def _without_number(value: object) -> str:
    """A name of DBLP without the number that tells people of one name apart."""
    return re.sub(r"\s+\d{4}$", "", text_of(value).strip())


def _words(value: object) -> str:
    """The words of a text apart, as arXiv lists its categories."""
    return "; ".join(text_of(value).split())


def _unmarked(value: object) -> str:
    """A title of PICA, whose `@` says where sorting begins."""
    return re.sub(r"(?<!\S)@", "", text_of(value))


CONVERSIONS: dict[str, Callable[[object], str]] = {
    "person": _person,
    "mods_name": _mods_name,
    "library_name": _library_name,
    "range": _range,
    "labelled": _labelled,
    "plain": _plain,
    "doi": _doi,
    "address": _address,
    "date": _date,
    "child_name": _child_name,
    "without_number": _without_number,
    "words": _words,
    "unmarked": _unmarked,
}
"""What may stand behind a path."""
