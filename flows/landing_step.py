"""This module is the first step: landing, which copies what is new into the lake and says what is live."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Container

from flows.file_lines import log_landed
from flows.handovers import Landing, RunOrder
from flows.incoming import Found, find_incoming
from flows.versions import code_version
from warehouse.decisions import Verdict, read_decisions, verdicts_of
from warehouse.landing import land_files
from warehouse.live import LiveName, add_names, earlier_contents, live_files, read_live, write_live
from warehouse.work import work_key


def inputs_key(order: RunOrder, live: frozenset[LiveName], verdicts: tuple[Verdict, ...]) -> str:
    """A hash of all that a release is made from: the live set, people's verdicts, the settings and the code."""
    names = sorted(dataclasses.astuple(name) for name in live)
    return work_key(names, order.settings.tables_key, code_version(), *matching_key(order, verdicts))


def matching_key(order: RunOrder, verdicts: tuple[Verdict, ...]) -> tuple[object, ...]:
    """What has a say in matching beside the records and the code."""
    return verdicts, order.without_identifiers


def land(order: RunOrder) -> Landing:
    """Copies what is new into the lake and adds it to the live set; first it reads people's decisions, which may be amiss."""
    verdicts = verdicts_of(read_decisions(order.lake))
    found = Found() if order.again else find_incoming(order.settings, order.paths, order.lake)
    landed = land_files(
        order.lake,
        found.files,
        max_bytes=order.settings.limits.file_bytes,
        limits=order.settings.unpack_limits(),
        rehash=order.rehash,
    )
    before = read_live(order.lake)
    live = add_names(before, landed.names, landed.given)
    earlier = earlier_contents(before, landed.names, landed.given)
    if live != before:
        write_live(order.lake, live)
        log_landed(live - before)
    files = live_files(live, lambda name: order.settings.source(name).precedence)
    return Landing(
        tuple(files),
        len(landed.names),
        landed.copied_count,
        landed.unopened_count,
        inputs_key(order, live, verdicts),
        (*found.notes, *landed.notes, *_earlier_notes(earlier, dict.fromkeys(path for _, path in landed.given))),
        verdicts,
    )


def _earlier_notes(earlier: list[LiveName], given: Container[str]) -> list[str]:
    """What to say of files of the command line that are live with another content than now: one note a file or archive."""
    notes, of_archives = [], Counter[str]()
    for name in earlier:
        archive = next((path for path in name.paths()[1:] if path in given), None)
        if archive is None:
            notes.append(
                f"{name.source_path}: an earlier content is live too; `paperlake forget {name.sha256[:12]}` takes it out"
            )
        else:
            of_archives[archive] += 1
    return notes + [
        f"{archive}: {count} of its earlier files are live too; `paperlake forget {shlex.quote(archive)}` takes all of it out, "
        "then run again with it"
        for archive, count in of_archives.items()
    ]
