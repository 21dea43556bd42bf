"""This module finds the fields of a record among the objects that an XML element became."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import polars as pl

from transforms.readers.columns import IGNORED_COLUMN
from transforms.readers.field_values import map_fields
from transforms.readers.mapping import COLUMN_SCHEMA, Mapper
from transforms.readers.shapes import value_at

Fields = tuple[tuple[str, str], ...]
"""Paths and the field each fills, the preferred path of a field first.

A path is names joined by dots, through lists too; `*` is any child. `name[key=value]` wants the attribute `key` to be that,
`name[!key]` wants there to be none, `name[key~a,b]` none of these. `|word` behind it is a conversion.
"""

_LISTS = ("author_names_raw", "urls_raw", "link_urls_raw")
_JOINED = {"keywords_raw": "; ", "abstract_raw": "\n", "tags_raw": "; "}
_STEP = re.compile(r"([^.\[\]|]+)(?:\[(!?)([\w-]+)(?:([=~])([^\]]*))?\])?")
_FIXED_CASE = re.compile(r"</?fixed-case\s*/?>")
_TEX_MATH = re.compile(r"</?tex-math[^<>]{0,200}>")

_FAMILY = ("last", "LastName", "surname", "Last", "keyname", "family", "familyName", "familyname")
_GIVEN = ("first", "ForeName", "given-names", "given_name", "First", "forenames", "given", "givenName", "givenname", "Initials")
_WHOLE = ("CollectiveName", "collab", "name", "organization", "Corporate", "displayForm", "literal", "#text")


def find_fields(value: Mapping[str, object], fields: Fields) -> dict[str, object]:
    """The fields that an object fills: the first path with a text for a field of one text, all texts of it for a list.

    >>> pubmed = {"Article": {"Author": [{"LastName": "Lee", "ForeName": "Ann"}], "Id": [{"@type": "doi", "#text": "10.1/x"}]}}
    >>> find_fields(pubmed, (("Article.Author|person", "author_names_raw"), ("Article.Id[type=doi]", "doi_raw")))
    {'author_names_raw': ['Lee, Ann'], 'doi_raw': '10.1/x'}
    """
    found: dict[str, object] = {}
    for path, field in fields:
        if field in found and field not in _LISTS:
            continue
        texts = [text for text in find_texts(value, path) if text]
        if texts and field in _LISTS:
            known = found.setdefault(field, [])
            assert isinstance(known, list)
            if field != "author_names_raw" or not known:
                known.extend(texts)
        elif texts:
            found[field] = _JOINED[field].join(dict.fromkeys(texts)) if field in _JOINED else texts[0]
    return found


def find_texts(value: object, path: str) -> list[str]:
    """The texts at a path, without space around them; "" where what stands there has none."""
    steps, conversion = _steps(path)
    values = [value]
    for step in steps:
        values = [inner for outer in values for inner in step.of(outer)]
    convert = CONVERSIONS[conversion] if conversion else text_of
    return [_TEX_MATH.sub("$", _FIXED_CASE.sub("", convert(found))).strip() for found in values]


class XmlMapper(Mapper):
    """Maps records by the paths of their dialect, and keeps account of them; what `sources.toml` says comes first."""

    def __init__(self, dialect: Fields, given: Mapping[str, str]) -> None:
        super().__init__({}, given)
        self._ignored = {path for path, field in given.items() if field == IGNORED_COLUMN}
        self._wanted = {path: field for path, field in given.items() if field != IGNORED_COLUMN}
        self._fields = tuple(pair for pair in dialect if pair[0] not in given)
        self._counts: Counter[tuple[str, str | None, str]] = Counter()

    def fields(self, raw: Mapping[str, object]) -> dict[str, object]:
        """The fields that a record fills; the record is counted."""
        heads = {path.partition("|")[0].partition(".")[0].partition("[")[0] for path in self._wanted}
        for path, field in self._fields:
            if any(find_texts(raw, path)):
                self._counts[path, field, "format"] += 1
            heads.add(path.partition("|")[0].partition(".")[0].partition("[")[0])
        for name in raw:
            if name not in heads and "*" not in heads:
                self._counts[name, None, "config" if name in self._ignored else "unknown"] += 1
        given = {path: found for path in self._wanted if (found := value_at(raw, path)) is not None}
        self._counts.update((path, self._wanted[path], "config") for path in given)
        return find_fields(raw, self._fields) | map_fields(given, self._wanted)

    def take(self) -> pl.DataFrame:
        """The paths seen since the last time (`COLUMN_SCHEMA`)."""
        rows = [(*key, count, None) for key, count in self._counts.items()]
        self._counts.clear()
        return pl.DataFrame(rows, schema=COLUMN_SCHEMA, orient="row")


def text_of(value: object) -> str:
    """The text of a value, of an object the texts in it one after the other, attributes left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " ".join(filter(None, (text_of(inner).strip() for inner in value)))
    if isinstance(value, Mapping):
        if "#text" in value:
            return text_of(value["#text"])
        return text_of([inner for name, inner in value.items() if not name.startswith("@")])
    return ""


def _person(value: object) -> str:
    """A person as `Family, Given`, a group as its name."""
    if not isinstance(value, Mapping):
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
            return _person(inner) if isinstance(inner, Mapping) else text_of(inner).strip()
    inner = next((inner for name, inner in value.items() if not name.startswith("@")), "")
    return _person(inner) if isinstance(inner, Mapping) else text_of(inner).strip()


def _first(value: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := text_of(value.get(name)).strip())), "")


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
    is_pica = isinstance(value, Mapping) and str(value.get("@tag", "")).startswith("028")
    return f"{family}, {given}" if is_pica and family and given else family.rstrip(",")


def _range(value: object) -> str:
    """Pages from a first and a last one."""
    if not isinstance(value, Mapping):
        return ""
    first, last = (_first(value, names) for names in (("first_page", "start", "fpage"), ("last_page", "end", "lpage")))
    return f"{first}-{last}" if first and last else first or _first(value, ("elocation-id",))


def _labelled(value: object) -> str:
    """A part of an abstract with its label before it."""
    label = str(value.get("@Label", "")) if isinstance(value, Mapping) else ""
    return f"{label}: {text_of(value)}" if label and label != "UNLABELLED" else text_of(value)


def _plain(value: object) -> str:
    """A text that stands there as one, not as objects."""
    return text_of(value) if isinstance(value, str) or (isinstance(value, Mapping) and "#text" in value) else ""


def _doi(value: object) -> str:
    text = text_of(value).strip()
    return text if re.match(r"(?i)(?:doi:?\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/", text) else ""


def _address(value: object) -> str:
    text = text_of(value).strip()
    return text if re.match(r"https?://", text) else ""


def _date(value: object) -> str:
    """A date of its parts; what stands there as text else."""
    if not isinstance(value, Mapping):
        return text_of(value)
    parts = (_first(value, (name.capitalize(), name)) for name in ("year", "month", "day"))
    return "-".join(filter(None, parts)) or text_of(value.get("#text"))


def _child_name(value: object) -> str:
    return next((name for name in value if name[:1] not in "@#"), "") if isinstance(value, Mapping) else ""


def _without_number(value: object) -> str:
    """A name of DBLP without the number that tells people of one name apart."""
    return re.sub(r"\s+\d{4}$", "", text_of(value).strip())


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
    "unmarked": _unmarked,
}
"""What may stand behind a path."""


@dataclass(frozen=True, slots=True)
class _Step:
    name: str
    wants_none: bool
    key: str
    sign: str
    values: tuple[str, ...]

    def of(self, outer: object) -> Iterator[object]:
        """What an object has under this name, one by one."""
        if not isinstance(outer, Mapping):
            return
        inner = (
            (value for name, value in outer.items() if name[:1] not in "@#") if self.name == "*" else (outer.get(self.name),)
        )
        for value in inner:
            for one in value if isinstance(value, list) else (value,):
                if one is not None and self._fits(one):
                    yield one

    def _fits(self, value: object) -> bool:
        if not self.key:
            return True
        attribute = value.get(f"@{self.key}") if isinstance(value, Mapping) else None
        if self.wants_none:
            return attribute is None
        if self.sign == "~":
            return attribute not in self.values
        return attribute is not None and (not self.sign or attribute in self.values)


@cache
def _steps(path: str) -> tuple[tuple[_Step, ...], str]:
    names, _, conversion = path.partition("|")
    return tuple(
        _Step(match[1], bool(match[2]), match[3] or "", match[4] or "", tuple((match[5] or "").split(",")))
        for match in _STEP.finditer(names)
    ), conversion
