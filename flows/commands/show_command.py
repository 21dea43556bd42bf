"""This module is `paperlake show`: one paper on a screen, found by whatever a person has of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from flows.commands.cli_options import AtOption, LakeOption

if TYPE_CHECKING:
    import duckdb

    from warehouse.decisions import Decision
    from warehouse.layout import Lake
    from warehouse.paper_finder import Found
    from warehouse.paper_pages import PaperPage

_LONGEST_TEXT = 1_000
"""Characters of what is looked for; a title in the wild has 300 at most."""

_LONGEST_TITLE = 100
"""Characters of a title among those that are nearest."""

_COLUMNS = ("paper_id", "title", "venue", "year", "record_count")


def show(
    paper: Annotated[
        str,
        Parameter(
            help="paper id (or its start), record key or id, DOI, arXiv, OpenReview, PubMed or ACL id, address, or title"
        ),
    ],
    /,
    *,
    lake: LakeOption = None,
    at: AtOption = None,
    format: Annotated[Literal["text", "json"], Parameter(help="how it is printed")] = "text",
) -> int:
    """Show one paper: its fields and where each came from, what other records say, what joined them, its versions and ids.

    A title need not be whole: one with the same words is taken first, then those that have all of the words, then the nearest.
    Where several papers are meant they are listed, and the exit code is 1.

    Example: paperlake show 10.1145/2835487
    """
    from flows.settings import load_settings
    from warehouse.history import find_release
    from warehouse.layout import Lake
    from warehouse.paper_finder import MOST_FOUND, listed
    from warehouse.paper_pages import paper_page
    from warehouse.sandbox import open_release
    from warehouse.views import add_absent_tables

    settings = load_settings()
    found_lake = Lake(settings.lake_path(lake))
    release = find_release(found_lake, at)
    text = " ".join(_utf8(paper).split())[:_LONGEST_TEXT]
    with open_release(release, spill_dir=found_lake.spill_dir, limits=settings.query_limits()) as connection:
        add_absent_tables(connection)
        found = _find(connection, text)
        if len(found.paper_ids) > 1:
            _print_choice(text, found, listed(connection, found.paper_ids[:MOST_FOUND]), format)
            return 1
        page = paper_page(connection, found.paper_ids[0])
    _print_page(page, _decisions(found_lake, page), _said(text, found), format)
    return 0


def _find(connection: duckdb.DuckDBPyConnection, text: str) -> Found:
    """The papers that are meant, at least one.

    Raises:
        PaperlakeError: there is none, or its paper is gone; the message has the nearest titles.
    """
    from transforms.schemas import PaperlakeError
    from warehouse.paper_finder import Found, find_by_identifiers, find_by_name, find_by_title, listed
    from warehouse.paper_pages import is_gone

    found = find_by_name(connection, text)
    if len(found.paper_ids) == 1 and is_gone(connection, found.paper_ids[0]):
        raise PaperlakeError(f"the paper {found.paper_ids[0]} is gone: none of its records is in this release")
    if found.paper_ids:
        return found
    named: list[tuple[str, str]] = []
    if _may_name(text):
        from flows.commands.identifiers_given import identifiers_in

        named = identifiers_in(text)
        if ids := find_by_identifiers(connection, named):
            return Found(ids, "identifier")
    found = find_by_title(connection, text)
    if found.paper_ids:
        return found
    looked = f" (looked for {', '.join(f'{scheme} {value}' for scheme, value in named)})" if named else ""
    near = [f"{paper_id} {_cut(str(title))}" for paper_id, title, *_ in listed(connection, found.nearest)]
    hint = f"; the nearest titles are: {'; '.join(near)}" if near and not named and "://" not in text else ""
    raise PaperlakeError(f"no paper is found by '{_printable(text)}'{looked}{_printable(hint)}")


def _may_name(text: str) -> bool:
    """Whether a text may be an identifier or address with something around it, for which the rules of cleaning are needed.

    >>> [_may_name(text) for text in ("doi: 10.1/a", "2301.12345v2", "PMID 123", "Warm ice: a study", "Whales")]
    [True, True, True, False, False]
    """
    return "/" in text or (any(character.isdigit() for character in text) and len(text.split()) <= 2)


def _said(text: str, found: Found) -> str | None:
    """What there is to say of how the paper was found, where it is not by its own name."""
    paper_id = found.paper_ids[0]
    if found.by == "paper id" and not paper_id.startswith(text.lower()):
        return f"'{text}' was an earlier id of this paper, and leads to it"
    if found.by == "nearest title":
        return f"no title is '{text}'; this is the nearest"
    return None


def _decisions(lake: Lake, page: PaperPage) -> list[Decision]:
    """What people decided on the paper's records."""
    from warehouse.decisions import read_decisions

    keys = {record["record_key"] for record in page.records}
    return [decision for decision in read_decisions(lake) if keys & set(decision.pair)]


def _print_page(page: PaperPage, decisions: Sequence[Decision], said: str | None, format: str) -> None:
    from flows.commands.paper_page_text import print_json, print_page

    if format == "json":
        print_json(page, decisions, said)
    else:
        print_page(page, decisions, said)


def _print_choice(text: str, found: Found, rows: Sequence[tuple[object, ...]], format: str) -> None:
    """Prints the papers that are meant, to choose from."""
    from warehouse.row_formats import write_rows

    count = len(found.paper_ids)
    if format == "json":
        write_rows(_COLUMNS, ["VARCHAR"] * len(_COLUMNS), [rows], "json", sys.stdout)
    else:
        write_rows(_COLUMNS, ("VARCHAR", "VARCHAR", "VARCHAR", "SMALLINT", "INTEGER"), [rows], "table", sys.stdout)
    of = f", the first {len(rows)} are listed" if count > len(rows) else ""
    print(f"paperlake: '{_printable(text)}' means {count} papers by its {found.by}{of}; name one by its id", file=sys.stderr)


def _utf8(text: str) -> str:
    """The text, if it is one.

    Raises:
        ConfigError: it holds bytes that are not UTF-8.
    """
    from flows.settings import ConfigError

    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ConfigError(f"'{_printable(text)}': expected text in UTF-8")
    return text


def _cut(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"


def _printable(text: str) -> str:
    from warehouse.row_tables import printable

    return printable(text)
