"""This module builds the ids of papers in the XML of the ACL Anthology from the places they stand in."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TWO_DIGIT_VOLUMES = re.compile(r"W\d\d|C69")
"""Collections of workshops: two digits for the volume, two for the paper; in all others it is one and three."""

_ID = re.compile(r"(?:[A-Z]\d\d-\d{4}|\d{4}\.[a-z0-9]+-[a-z0-9]+\.\d+)")


def acl_fields(raw: Mapping[str, object], context: Mapping[str, object]) -> dict[str, object]:
    """The Anthology's id of a paper, which is its key too, and the year in it where the volume names none."""
    found = acl_id(_id(context.get("collection")), _id(context.get("volume")), _id(raw), _text(raw.get("url")))
    if not found:
        return {}
    fields: dict[str, object] = {"acl_id_raw": found, "source_key": found}
    meta = context.get("meta")
    if not (isinstance(meta, Mapping) and meta.get("year")):
        fields["year_raw"] = year_in_id(found)
    return fields


def year_in_id(identifier: str) -> str:
    """The year that an id of the Anthology begins with; its first papers are of 1965.

    >>> year_in_id("C65-1001"), year_in_id("P19-1007"), year_in_id("2023.acl-long.7")
    ('1965', '2019', '2023')
    """
    if identifier[:4].isdecimal():
        return identifier[:4]
    return f"{19 if identifier[1:3] >= '60' else 20}{identifier[1:3]}"


def acl_id(collection: str, volume: str, paper: str, url: str = "") -> str:
    """The id of a paper: what its `url` says where that is an id, else built of its places; empty where they are none.

    >>> acl_id("P19", "1", "7"), acl_id("W18", "1", "7"), acl_id("2023.acl", "long", "7"), acl_id("", "W08", "0107")
    ('P19-1007', 'W18-0107', '2023.acl-long.7', 'W08-0107')
    """
    if _ID.fullmatch(url.strip()):
        return url.strip()
    if not collection and re.fullmatch(r"[A-Z]\d\d", volume) and re.fullmatch(r"\d{4}", paper):
        return f"{volume}-{paper}"  # until 2019 a file was one volume of the old kind
    if re.fullmatch(r"\d{4}\.\w+", collection) and volume and paper:
        return f"{collection}-{volume}.{paper}"
    if not (re.fullmatch(r"[A-Z]\d\d", collection) and volume.isdecimal() and paper.isdecimal()):
        return ""
    is_workshop = _TWO_DIGIT_VOLUMES.fullmatch(collection) or (collection == "D19" and int(volume) >= 5)
    return f"{collection}-{int(volume):02}{int(paper):02}" if is_workshop else f"{collection}-{int(volume)}{int(paper):03}"


def _id(holder: object) -> str:
    return str(holder.get("@id", "")) if isinstance(holder, Mapping) else ""


def _text(value: object) -> str:
    return str(value.get("#text", "")) if isinstance(value, Mapping) else value if isinstance(value, str) else ""
