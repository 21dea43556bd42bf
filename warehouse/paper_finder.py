"""This module finds the papers of a release that a person means: by id, record, identifier, address or title."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

MOST_FOUND = 20
"""How many papers are listed where several are meant."""

NEAR_RATIO = 0.9
"""From which likeness on a title is taken for the one that is meant: a slip of the pen, such as 5 letters of 50."""

_PAPER_ID = re.compile(r"p[0-9a-f]{3,16}")
_RECORD_KEY = re.compile(r"(k[0-9a-f]{3,24})(#[0-9]+)?")
_RECORD_ID = re.compile(r"([0-9a-f]{4,64}):([0-9]+)")
_SCHEME_AND_VALUE = re.compile(r"([A-Za-z]+)\s*[:\s]\s*(\S+)")

# The words of a title, for comparison only: its letters and digits in lower case, without accents.
_WORDS = r"regexp_extract_all(lower(strip_accents({text})), '[\p{{L}}\p{{N}}]+')"

_BY_PAPER_ID = """
    select paper_id from papers where starts_with(paper_id, $start)
    union
    select coalesce(current_paper_id, paper_id) from paper_aliases where starts_with(paper_id, $start)
    order by paper_id
"""

_BY_RECORD_KEY = """
    select distinct paper_id
    from records
    where
        starts_with(record_key, $start)
        and regexp_replace(record_key, '^[^#]*', '') = $suffix
    order by paper_id
"""

_BY_RECORD_ID = """
    select distinct paper_id
    from records
    where
        starts_with(file_sha256, $start)
        and ordinal = $ordinal
    order by paper_id
"""

_BY_IDENTIFIER = """
    select distinct paper_id
    from identifiers
    where
        ($scheme is null or scheme = $scheme)
        and value in ($value, lower($value), upper($value))
    order by paper_id
"""

_BARE_ADDRESS = r"regexp_replace({text}, '^(?i:https?://)?(?i:www\.)?|[/#]+$', '', 'g')"

# Of a host the case of letters does not count, of what follows it does: an id of OpenReview, for one.
_BEHIND_HOST = f"regexp_extract({_BARE_ADDRESS}, '[/?#].*$')"

_BY_ADDRESS = f"""
    with addresses as (
        select paper_id, url from papers where url is not null
        union all
        select paper_id, pdf_url as url from papers where pdf_url is not null
        union all
        select paper_id, url from links
    )
    select distinct paper_id
    from addresses
    where
        lower({_BARE_ADDRESS.format(text="url")}) = lower({_BARE_ADDRESS.format(text="$url")})
        and {_BEHIND_HOST.format(text="url")} = {_BEHIND_HOST.format(text="$url")}
    order by paper_id
"""

_BY_TITLE = f"""
    with
        asked as materialized (
            select
                {_WORDS.format(text="$title")} as words,
                array_to_string({_WORDS.format(text="$title")}, ' ') as title_key
        ),
        keyed as materialized (
            select
                paper_id,
                {_WORDS.format(text="title")} as words,
                array_to_string({_WORDS.format(text="title")}, ' ') as title_key
            from papers
            where title is not null
        ),
        compared as materialized (
            select
                k.paper_id,
                k.title_key,
                a.title_key as asked_key,
                k.title_key = a.title_key as is_equal,
                -- A script without spaces has no words to look for: there a part of the title does.
                list_has_all(k.words, a.words)
                    or (not regexp_matches(a.title_key, '[a-z0-9]') and contains(k.title_key, a.title_key)) as has_all_words,
                len(list_intersect(k.words, a.words)) as shared_count,
                jaro_winkler_similarity(k.title_key, a.title_key) as begins_alike
            from keyed as k
            cross join asked as a
            where a.title_key <> ''
        ),
        -- The likeness that counts takes 5 µs a title: it is worked out for those that may be nearest.
        likely as (
            (select * from compared order by is_equal desc, has_all_words desc, shared_count desc, paper_id limit 200)
            union
            (select * from compared order by begins_alike desc, paper_id limit 200)
        )
    select
        paper_id,
        is_equal,
        has_all_words,
        1 - levenshtein(title_key, asked_key) / greatest(length(title_key), length(asked_key)) as near_ratio
    from likely
    order by
        is_equal desc,
        has_all_words desc,
        near_ratio desc,
        paper_id
"""

_LISTED = """
    select
        p.paper_id,
        p.title,
        p.venue,
        p.year,
        p.record_count
    from (select unnest($ids) as paper_id, generate_subscripts($ids, 1) as place) as i
    join papers as p using (paper_id)
    order by i.place
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The papers that are meant, by id: one, several, or none; and in a word by what they were found.

    Of none, `nearest` are the papers whose titles are most like the text.
    """

    paper_ids: tuple[str, ...] = ()
    by: str = ""
    nearest: tuple[str, ...] = ()


def find_by_name(connection: duckdb.DuckDBPyConnection, text: str) -> Found:
    """The papers with this id, record, identifier or address, which stands there just so; an id's start is enough.

    An alias leads to its paper now, or, where that is gone, to itself.
    """
    lower = text.lower()  # as it comes out of a spreadsheet
    if _PAPER_ID.fullmatch(lower) and (ids := _ids(connection, _BY_PAPER_ID, {"start": lower})):
        return Found(ids, "paper id")
    if key := _RECORD_KEY.fullmatch(lower):
        ids = _ids(connection, _BY_RECORD_KEY, {"start": key[1], "suffix": key[2] or ""})
        if ids:
            return Found(ids, "record key")
    if record_id := _RECORD_ID.fullmatch(lower):
        ids = _ids(connection, _BY_RECORD_ID, {"start": record_id[1], "ordinal": int(record_id[2][:18])})
        if ids:
            return Found(ids, "record id")
    if ids := find_by_identifiers(connection, [(None, text)]):
        return Found(ids, "identifier")
    if (named := _SCHEME_AND_VALUE.fullmatch(text)) and (
        ids := find_by_identifiers(connection, [(named[1].lower(), named[2])])
    ):
        return Found(ids, "identifier")
    if "/" in text and (ids := _ids(connection, _BY_ADDRESS, {"url": text})):
        return Found(ids, "address")
    return Found()


def find_by_identifiers(
    connection: duckdb.DuckDBPyConnection, identifiers: Sequence[tuple[str | None, str]]
) -> tuple[str, ...]:
    """The papers with the first of some identifiers that any paper has; without a scheme it may be of any."""
    for scheme, value in identifiers:
        if ids := _ids(connection, _BY_IDENTIFIER, {"scheme": scheme, "value": value}):
            return ids
    return ()


def find_by_title(connection: duckdb.DuckDBPyConnection, text: str) -> Found:
    """The papers with this title; else those whose titles have all its words; else the one that is nearest, if it is near.

    Letter case, accents and punctuation do not count.
    """
    rows = connection.execute(_BY_TITLE, {"title": text}).fetchall()
    if equal := tuple(str(row[0]) for row in rows if row[1]):
        return Found(equal, "title")
    if having := tuple(str(row[0]) for row in rows if row[2]):
        return Found(having, "words of the title")
    if rows and rows[0][3] >= NEAR_RATIO and (len(rows) == 1 or rows[1][3] < rows[0][3]):
        return Found((str(rows[0][0]),), "nearest title")
    return Found(nearest=tuple(str(row[0]) for row in rows[:5]))


def listed(connection: duckdb.DuckDBPyConnection, paper_ids: Sequence[str]) -> list[tuple[object, ...]]:
    """paper_id, title, venue, year and record_count of papers, in the order given."""
    rows: list[tuple[object, ...]] = connection.execute(_LISTED, {"ids": list(paper_ids)}).fetchall()
    return rows


def _ids(connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in connection.execute(query, parameters).fetchall())
