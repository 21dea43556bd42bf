"""This module is `paperlake decide` and `paperlake decisions`: people's verdicts on pairs, written and listed."""

from __future__ import annotations

from pathlib import Path

from flows.commands.read_commands import answer, print_rows
from flows.commands.record_references import Meant, find_record, short_key
from flows.progress import progress
from flows.settings import ConfigError, load_settings
from warehouse.decisions import Decision, add_decision, new_decision, read_decisions
from warehouse.layout import Lake
from warehouse.lock import hold_lock
from warehouse.row_formats import Format
from warehouse.row_tables import printable

_COLUMNS = ("line", "verdict", "record_key_l", "record_key_r", "because", "title_l", "title_r")


def decide(
    first: str, second: str, verdict: str, because: str, lake_path: Path | None, *, wait_seconds: float | None = None
) -> int:
    """Writes a person's verdict on two records, and prints what the next run will make of it.

    Raises:
        ConfigError: the reason is empty, or the two are one record.
        DecisionError: the decision contradicts others.
        LockError: a run held the lake's lock for too long.
        PaperlakeError: a record is not in the current release.
    """
    if not because.strip():
        raise ConfigError("--because: give a reason; who reads the decision later will want to know it")
    settings = load_settings()
    lake = Lake(settings.lake_path(lake_path))
    lake.require_release()
    left, right = find_record(first, lake_path), find_record(second, lake_path)
    _refuse_one_record(left, right, verdict)
    given = new_decision(left.record_key, right.record_key, verdict, because)
    wait_seconds = settings.run.wait_seconds if wait_seconds is None else wait_seconds
    with progress() as say, hold_lock(lake, wait_seconds=wait_seconds, on_wait=say, command="paperlake decide"):
        decision, is_new = add_decision(lake, given)
    for side in (left, right):
        print(f"{short_key(side.record_key)}  {printable(side.title or 'without a title')}  (paper {side.paper_id})")
    stands = "decided" if is_new else "decided before; nothing is written"
    print(f"{stands}: {verdict}, line {decision.line} of {lake.decisions_path}")
    print(_what_follows(left, right, verdict))
    return 0


def print_decisions(lake_path: Path | None, format: Format, *, at: str | None = None) -> int:
    """Prints the decisions in the order of their file, with the titles of the papers of a release that the records are in."""
    lake = Lake(load_settings().lake_path(lake_path))
    lake.require_lake()
    decisions = read_decisions(lake)
    titles = _titles(decisions, lake_path, at) if decisions and lake.current_release() else {}
    rows = [
        (
            decision.line,
            decision.verdict,
            *decision.pair,
            decision.because,
            *(titles.get(key, "not in the lake" if format == "table" else None) for key in decision.pair),
        )
        for decision in decisions
    ]
    print_rows(_COLUMNS, rows, format)
    return 0


def _titles(decisions: tuple[Decision, ...], lake_path: Path | None, at: str | None) -> dict[str, object]:
    query = """
        select distinct
            r.record_key,
            coalesce(p.title, '')
        from records as r
        join papers as p using (paper_id)
        where list_contains($keys, r.record_key)
    """
    keys = sorted({key for decision in decisions for key in decision.pair})
    with answer(query, lake_path, at=at, parameters={"keys": keys}) as result:
        return {str(key): title for key, title in result.rows()}


def _refuse_one_record(left: Meant, right: Meant, verdict: str) -> None:
    """Refuses a pair of one record, or of one paper by its id, of which a person must say which records are meant."""
    if left.paper_id == right.paper_id and (left.is_paper or right.is_paper):
        way = f"`paperlake sql \"select record_key, raw from records where paper_id = '{left.paper_id}'\"` lists its records"
        if verdict == "different":
            raise ConfigError(f"both are of paper {left.paper_id}: give the keys of the two records that differ; {way}")
        raise ConfigError(f"both are paper {left.paper_id} already; to keep two of its records together give their keys; {way}")
    if left.record_key == right.record_key:
        raise ConfigError(f"both are the record {left.record_key}: a decision is on two")


def _what_follows(left: Meant, right: Meant, verdict: str) -> str:
    is_one = left.paper_id == right.paper_id
    if verdict == "same" and is_one:
        return f"both are paper {left.paper_id} now: every run keeps them together, whatever the rules come to say"
    if verdict == "same":
        papers = " and ".join(f"{side.paper_id} ({_records(side.record_count)})" for side in (left, right))
        return f"the next `paperlake run` joins papers {papers} into one"
    if is_one:
        return f"the next `paperlake run` takes paper {left.paper_id} ({_records(left.record_count)}) apart between the two"
    return "the two are of two papers now: every run keeps them apart, whatever the rules come to say"


def _records(count: int) -> str:
    return f"{count} record{'' if count == 1 else 's'}"
