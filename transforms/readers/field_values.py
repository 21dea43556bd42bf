"""This module turns the values of a source's columns into what fields hold: a text, or a list of texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from transforms.staged_schemas import FIELDS


def map_fields(raw: Mapping[str, object], column_map: Mapping[str, str]) -> dict[str, object]:
    """The fields that a record's mapped columns fill, each as text or list of texts; empty values are left out.

    The first column that fills a text field wins; list fields collect. `authors_raw` given as a list goes to
    `author_names_raw`, objects in it as `Family, Given`.

    >>> map_fields({"t": "A", "by": ["Ann Lee", {"given": "Bo", "family": "Li"}]}, {"t": "title_raw", "by": "authors_raw"})
    {'title_raw': 'A', 'author_names_raw': ['Ann Lee', 'Li, Bo']}
    """
    fields: dict[str, object] = {}
    for column, name in column_map.items():
        value = raw.get(column)
        if value is None or value == "" or value == []:
            continue
        if isinstance(value, str) and name not in _LIST_FIELDS:
            if name not in fields:
                fields[name] = without_surrogates(value)
        elif name == "authors_raw" and isinstance(value, (list, Mapping)):
            authors = value if isinstance(value, list) else [value]
            names = [author for author in map(author_text, authors) if author]
            if names:
                fields.setdefault("author_names_raw", names)
        elif name in _LIST_FIELDS:
            values = value if isinstance(value, list) else [value]
            known = fields.setdefault(name, [])
            assert isinstance(known, list)
            known.extend(text for text in map(as_text, values) if text)
        else:
            text = as_text(value)
            if text:
                fields.setdefault(name, text)
    return fields


def author_text(author: object) -> str:
    """One author of a list as text, an object as `Family, Given`; empty where it names none.

    >>> author_text({"firstName": "Ann", "lastName": "Lee"}), author_text("Bo Li"), author_text({"name": "Cy Day"})
    ('Lee, Ann', 'Bo Li', 'Cy Day')
    >>> author_text({"given": "Sam", "family": "Hill", "suffix": "Jr."})
    'Hill, Jr., Sam'
    >>> author_text({"given": "Dee", "prefix": "van der", "family": "Hill"}), author_text({"prefix": "Dr.", "family": "Hill"})
    ('van der Hill, Dee', 'Hill')
    """
    if isinstance(author, str) or not isinstance(author, Mapping):
        return as_text(author)
    family, given, particle = (_first_text(author, keys) for keys in (_FAMILY_KEYS, _GIVEN_KEYS, _PARTICLE_KEYS))
    if family and particle[:1].islower():  # not "Dr."
        family = f"{particle} {family}"
    if family and (suffix := as_text(author.get("suffix"))):  # of CSL, Crossref and PubMed
        family = f"{family}, {suffix}"
    return f"{family}, {given}" if family and given else family or given or _first_text(author, _NAME_KEYS)


def as_text(value: object) -> str:
    """A value as one text: the values of a list joined by "; ", of an object its name; empty where it has none.

    >>> as_text(2024.0), as_text(["a", None, "b"]), as_text({"name": "ICLR"}), as_text(True)
    ('2024', 'a; b', 'ICLR', '')
    """
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool) or value is None:
        return ""
    elif isinstance(value, Sequence):
        text = "; ".join(filter(None, map(as_text, value)))
    elif isinstance(value, float) and value.is_integer():
        text = str(int(value))
    elif isinstance(value, Mapping):
        return as_text(value.get("name") or value.get("value") or value.get("title"))
    else:
        text = str(value)
    return without_surrogates(text)


def without_surrogates(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate, so that it can be written as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


_SURROGATE = re.compile("[\ud800-\udfff]")
_LIST_FIELDS = frozenset(column.name for column in FIELDS if column.dtype.startswith("list<"))
_FAMILY_KEYS = ("family", "family_name", "last_name", "lastname", "lastName", "familyName", "LastName", "last", "surname")
_GIVEN_KEYS = (
    "given",
    "given_name",
    "first_name",
    "firstname",
    "firstName",
    "givenName",
    "ForeName",
    "first",
    "forename",
    "given-name",
)
_PARTICLE_KEYS = ("non-dropping-particle", "particle", "prefix")  # of CSL, and of PMLR's posts
_NAME_KEYS = (
    "name",
    "fullname",
    "full_name",
    "fullName",
    "FullName",
    "full",
    "literal",
    "display_name",
    "displayName",
    "text",
    "author_name",
    "authorName",
    "author",
    "preferred_name",
    "creator",
    "CollectiveName",
    "collectiveName",
    "value",
)


def _first_text(values: Mapping[str, object], keys: Sequence[str]) -> str:
    """The first filled value among `keys`, as text."""
    return next(filter(None, (as_text(values.get(key)) for key in keys)), "")
