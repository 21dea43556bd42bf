"""This module makes a citation key for each paper: family name, year and first word of the title, such as `lee2024sorting`.

Keys are unique whatever case they are compared in: they have small letters and digits only, and where several papers would
have the same one, each gets a hyphen and a letter by its paper_id (`lee2024sorting-a`, beyond z a number). They are made of
all papers of a release, so that a paper has the same key in every export of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_SMALL_WORDS = (
    "a an the on in of for to and or with by from at as is are do does can how what why when where towards toward via using "
    "der die das ein eine le la les un une de du des el los las il lo over under into its"
)
_SPELLINGS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ı": "i"}
"""Letters that have no accent to strip."""

_LONGEST_PIECE = 24
"""Characters of a family name or word: a group's name may have hundreds."""


def make_citation_keys(connection: duckdb.DuckDBPyConnection, condition: str = "true") -> str:
    """The query for paper_id and key, by paper_id, of the papers (`t`) that a condition holds for; makes the keys at first."""
    small_words = ", ".join(f"'{word}'" for word in _SMALL_WORDS.split())
    connection.execute(f"""
        create table if not exists citation_keys as
        with first_authors as (
            select
                paper_id,
                {_folded("coalesce(family, name)")} as family
            from authorships
            where position = 1
        ),
        words as (
            select
                p.paper_id,
                coalesce(left(regexp_replace(a.family, '[^a-z0-9]+', '', 'g'), {_LONGEST_PIECE}), '') as family,
                coalesce(cast(p.year as varchar), '') as year,
                coalesce(left(list_filter(
                    regexp_extract_all({_folded("p.title")}, '[a-z0-9]+'),
                    lambda word: len(word) > 1 and word not in ({small_words})
                )[1], {_LONGEST_PIECE}), '') as word
            from papers p
            left join first_authors a on a.paper_id = p.paper_id
        ),
        bases as (
            select
                paper_id,
                case
                    when family = '' and word = '' then paper_id
                    when family = '' then 'anon' || year || word
                    else family || year || word
                end as base
            from words
        ),
        places as (
            select
                paper_id,
                base,
                row_number() over (partition by base order by paper_id) as place,
                count(*) over (partition by base) as papers
            from bases
        )
        select
            paper_id,
            case
                when papers = 1 then base
                when place <= 26 then base || '-' || chr(cast(96 + place as integer))
                else base || '-' || place
            end as key
        from places
    """)
    return f"select t.paper_id, t.key from citation_keys t where {condition} order by t.paper_id"


def _folded(sql: str) -> str:
    """SQL for a text in small letters without accents."""
    for letter, spelling in _SPELLINGS.items():
        sql = f"replace({sql}, '{letter}', '{spelling}')" if letter != "ß" else f"replace(lower({sql}), 'ß', 'ss')"
    return f"strip_accents({sql})"
