"""This module is the first step: landing, which copies what is new into the lake and says what is live."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Container

from flows.handovers import Landing, RunOrder
from flows.sources.arrivals import files_to_read, find_arrivals
from flows.sources.incoming import Found, find_incoming
from flows.sources.settling import settle
from warehouse.decisions import read_decisions, verdicts_of
from warehouse.landing import land_files
from warehouse.live import LiveName, earlier_contents, read_live


def land(order: RunOrder) -> Landing:
    """Copies what is new into the lake; first it reads people's decisions, which may be amiss.

    It is live from now on, unless a source brought something else than before, which the gate is to judge first.
    """
    verdicts = verdicts_of(read_decisions(order.lake))
    found = Found() if order.again else find_incoming(order.settings, order.paths, order.lake, rehash=order.rehash)
    landed = land_files(
        order.lake,
        found.files,
        max_bytes=order.settings.limits.file_bytes,
        limits=order.settings.unpack_limits(),
        rehash=order.rehash,
    )
    if found.fetched:
        from flows.sources.fetching import note_fetched

        note_fetched(order.lake, found.fetched)
    names, before = (*landed.names, *found.unchanged), read_live(order.lake)
    failed = {**found.failed, **landed.failed}
    arrivals = find_arrivals(order, before, names, (*landed.given, *found.unchanged_given), failed)
    earlier = earlier_contents(before, landed.names, landed.given)
    landing = Landing(
        files_to_read(order, arrivals),
        len(names),
        landed.copied_count,
        landed.unopened_count,
        "",
        (*found.notes, *landed.notes, *_earlier_notes(earlier, dict.fromkeys(path for _, path in landed.given))),
        verdicts,
        arrivals,
    )
    return landing if arrivals.cases else settle(order, landing, {}, {})


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
