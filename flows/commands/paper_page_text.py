"""This module prints all that a release holds on one paper, on a screen or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flows.commands.field_differences import Difference, field_differences, page_values
from flows.commands.record_references import short_key
from flows.commands.record_values import record_values
from warehouse.row_formats import plain_value

if TYPE_CHECKING:
    from rich.table import Table

    from warehouse.decisions import Decision
    from warehouse.paper_pages import PaperPage

_RECORDS_SHOWN = 40
_DIFFERENCE_CHARACTERS = 300
_VALUE_CHARACTERS = 6_000
"""Longer than any abstract but those that are a whole text; the page stays one of a few screens."""


def print_page(page: PaperPage, decisions: Sequence[Decision], said: str | None) -> None:
    """Prints the page for people; `said` is what there is to say of how the paper was found. Records are named by number."""
    from rich.text import Text

    from warehouse.row_tables import plain_console, printable

    console = plain_console(sys.stdout)
    with console.capture() as capture:
        console.print(
            Text(printable(f"{page.paper['paper_id']}  {_shortened(page.paper['title'] or 'without a title')}"), style="bold")
        )
        if said:
            console.print(Text(printable(said), style="italic"))
        for heading, table in _sections(page, decisions):
            console.print()
            console.print(Text(printable(heading), style="bold"))
            console.print(table)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def print_json(page: PaperPage, decisions: Sequence[Decision], said: str | None) -> None:
    """Prints the page as one JSON object, with what each record says of each field."""
    records = [
        {
            **{name: value for name, value in record.items() if name != "raw"},
            "given": {name: text for name, text in _given(page, record).items() if text},
            "raw": json.loads(record["raw"]),
        }
        for record in page.records
    ]
    content = {
        "paper_id": page.paper["paper_id"],
        "found": said,
        "paper": page.paper,
        "fields": _described_fields(page),
        "identifiers": page.identifiers,
        "links": page.links,
        "records": records,
        "notes": page.notes,
        "pairs": page.pairs,
        "decisions": [
            {"line": each.line, "verdict": each.verdict, "record_keys": list(each.pair), "because": each.because}
            for each in decisions
        ],
        "pairs_with_other_papers": page.other_pairs,
        "pairs_with_other_papers_count": page.other_pair_count,
        "versions": page.versions,
        "aliases": page.aliases,
    }
    print(json.dumps(plain_value(content), indent=2, ensure_ascii=False))


def _described_fields(page: PaperPage) -> dict[str, dict[str, Any]]:
    """Each field with its value, the record it came from, and what other records say of it."""
    differences = field_differences(page)
    ids = [record["record_id"] for record in page.records]
    return {
        name: {
            "value": page.paper[name],
            "record_id": page.origins.get(name),
            "otherwise": [
                {"given": each.given, "record_ids": [ids[place] for place in each.records]}
                for each in differences.get(name, [])
            ],
        }
        for name in dict.fromkeys([*page.origins, *page_values(page), *differences])
    }


def _given(page: PaperPage, record: Mapping[str, Any]) -> dict[str, str]:
    return record_values(record["raw"], page.columns.get(record["file_sha256"], ()))


def _sections(page: PaperPage, decisions: Sequence[Decision]) -> Iterator[tuple[str, Table]]:
    """The parts of the page, each with its heading."""
    numbers = {record["record_id"]: number for number, record in enumerate(page.records, start=1)}
    yield "Fields", _rows(_fields(page, numbers))
    if page.identifiers:
        yield "Identifiers", _rows((row["scheme"], row["value"], "") for row in page.identifiers)
    if page.links:
        yield "Links", _rows((row["kind"], row["url"], "") for row in page.links)
    count = len(page.records)
    yield f"Records ({count})" if count > 1 else "Record", _rows(_records(page))
    if page.pairs or decisions:
        yield "Joined by", _rows(_pairs(page, decisions))
    if page.other_pairs:
        shown = len(page.other_pairs)
        of = f", the first {shown} of {page.other_pair_count:,}" if shown < page.other_pair_count else ""
        yield f"Compared with other papers{of}", _rows(_other_pairs(page))
    if page.versions:
        yield f"Of the same work {page.paper['work_id']}, with what this paper is to each", _rows(_versions(page))
    if page.aliases:
        yield "Earlier ids that lead here", _rows((row["paper_id"], row["reason"], "") for row in page.aliases)


def _fields(page: PaperPage, numbers: Mapping[str, int]) -> Iterator[tuple[str, str, str]]:
    """Each field with its value and the number of its record; below it what other records say of it."""
    values, differences = page_values(page), field_differences(page)
    for field in dict.fromkeys([*values, *differences]):
        origin = numbers.get(page.origins.get(field, ""))
        yield field, _cut(values.get(field, "-")), "" if origin is None else f"[{origin}]"
        for each in differences.get(field, []):
            yield "", f"otherwise: {_shortened(each.given)}", _numbers(each)


def _numbers(difference: Difference) -> str:
    return "".join(f"[{place + 1}]" for place in difference.records[:5]) + ("…" if len(difference.records) > 5 else "")


def _records(page: PaperPage) -> Iterator[tuple[str, str, str]]:
    notes: dict[str, list[str]] = {}
    for row in page.notes:
        notes.setdefault(row["record_id"], []).append(f"{row['field']} {row['note']}")
    for number, record in enumerate(page.records[:_RECORDS_SHOWN], start=1):
        source = "" if record["source"] == "command_line" else f" of {record['source']}"
        own_key = f", its id {record['source_key']}" if record["source_key"] else ""
        noted = f"; {', '.join(notes[record['record_id']])}" if record["record_id"] in notes else ""
        yield (
            f"[{number}]",
            f"{record['file_name']}{source}, {record['locator']}{own_key}{noted}",
            short_key(record["record_key"]),
        )
    if len(page.records) > _RECORDS_SHOWN:
        yield "…", f"and {len(page.records) - _RECORDS_SHOWN:,} more (--format json has all)", ""


def _pairs(page: PaperPage, decisions: Sequence[Decision]) -> Iterator[tuple[str, str, str]]:
    """The pairs among the paper's records with the rule that joined them, then what people decided on them."""
    places: dict[str, list[int]] = {}
    for number, record in enumerate(page.records, start=1):
        places.setdefault(record["record_key"], []).append(number)
    told = [(sorted((pair["record_key_l"], pair["record_key_r"]), key=lambda key: places[key]), pair) for pair in page.pairs]
    told.sort(key=lambda each: [places[key] for key in each[0]])
    for (left, right), pair in told[:_RECORDS_SHOWN]:
        yield f"{_place(places, left)} {_place(places, right)}", f"{pair['status']}: {pair['reason']}{_figures(pair)}", ""
    for each in decisions:
        left, right = (_place(places, key) for key in each.pair)
        yield f"{left} {right}", f"decided {each.verdict}: {each.because} (line {each.line} of decisions.csv)", ""
    for key, of_key in places.items():
        if len(of_key) > 1:
            yield _place(places, key), "one record seen again: equal record keys", ""


def _place(places: Mapping[str, Sequence[int]], record_key: str) -> str:
    """The numbers of a record's appearances; of another paper's record its key."""
    numbers = places.get(record_key)
    return "".join(f"[{number}]" for number in numbers[:3]) if numbers else short_key(record_key)


def _other_pairs(page: PaperPage) -> Iterator[tuple[str, str, str]]:
    """The pairs with records of other papers, those of one paper and reason together."""
    told: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for pair in page.other_pairs:
        told.setdefault((str(pair["other_paper_id"]), pair["status"], pair["reason"]), []).append(pair)
    for (paper_id, status, reason), pairs in told.items():
        times = f", {len(pairs)} pairs" if len(pairs) > 1 else ""
        yield paper_id, f"{pairs[0]['other_title'] or 'without a title'}: {status}: {reason}{_figures(pairs[0])}{times}", ""


def _figures(pair: Mapping[str, Any]) -> str:
    figures = [
        f"{what} {pair[name]:.2f}"
        for what, name in (("titles", "title_ratio"), ("abstracts", "abstract_ratio"))
        if pair[name] is not None
    ]
    return f" ({', '.join(figures)})" if figures else ""


def _versions(page: PaperPage) -> Iterator[tuple[str, str, str]]:
    for row in page.versions:
        place = ", ".join(str(value) for value in (row["venue"], row["year"]) if value is not None)
        yield row["paper_id"], f"{row['title'] or 'without a title'}{f' ({place})' if place else ''}", row["relation"] or "-"


def _rows(rows: Iterable[tuple[str, str, str]]) -> Table:
    """Names, texts and marks beside each other; a text too long goes on below."""
    from rich.table import Table
    from rich.text import Text

    from warehouse.row_tables import printable

    table = Table(show_header=False, box=None, pad_edge=False, expand=True)
    table.add_column(style="dim", no_wrap=True, min_width=11)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(style="dim", no_wrap=True, justify="right")
    for name, text, mark in rows:
        table.add_row(Text(printable(f"  {name}")), Text(printable(text)), Text(printable(mark)))
    return table


def _cut(text: str) -> str:
    """A value of a field, not longer than a page is to be."""
    if len(text) <= _VALUE_CHARACTERS:
        return text
    return f"{text[:_VALUE_CHARACTERS]}… ({len(text):,} characters; --format json has all)"


def _shortened(text: str) -> str:
    return text if len(text) <= _DIFFERENCE_CHARACTERS else f"{text[: _DIFFERENCE_CHARACTERS - 1]}…"
