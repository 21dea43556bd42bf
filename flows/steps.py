"""This module holds one plain function a stage: paths and settings in, paths and counts out; never a frame.

The steps before and after those of this module stand in `landing_step`, `paper_steps` and `publishing_steps`.

What reads or computes is imported inside the step that needs it, so that a run with nothing new pays for none of it.
"""

from __future__ import annotations

import dataclasses
import shutil
import time
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from flows.file_lines import log_cleaned, log_read
from flows.handovers import FileOutput, Landing, RunOrder, Stage
from flows.run_log import log_fields
from flows.settings import load_venue_aliases
from flows.versions import cleaning_version, reading_version
from warehouse.landing import hash_file
from warehouse.layout import Lake, LakeError
from warehouse.live import LiveFile
from warehouse.stat_cache import doubt_content
from warehouse.work import Output, output, work_key


def stage(order: RunOrder, landing: Landing) -> Stage:
    """Reads every live file that was not read before by this code and these settings, and those that are to be read again."""
    _drop_outputs(order, landing)
    outputs, made_count, counts, reasons, notes, unread = [], 0, Counter[str](), Counter[str](), [], []
    for file in landing.files:
        target = _staged_output(order, file)
        start = None if target.is_whole() else time.perf_counter()
        if start is not None:
            with log_fields(source=file.source, file=file.source_path):
                _stage_file(order, file, target)
            made_count += 1
        facts = target.facts()
        if start is not None:
            log_read(file, facts, time.perf_counter() - start)
        outputs.append(FileOutput(file, target))
        counts["records"] += facts["records"]
        reasons.update(facts["reasons"])
        if facts["message"]:
            notes.append(f"{file.file_name}: {facts['message']}")
        if facts["verdict"] != "read":
            unread.append(f"{file.file_name}: {facts['verdict']}: {facts['message']}")
    return Stage(tuple(outputs), made_count, dict(counts), dict(reasons), tuple(notes), tuple(unread))


def _drop_outputs(order: RunOrder, landing: Landing) -> None:
    """Removes what was made of the files that are to be read again, so that it is made anew.

    What follows from an output goes before it: a run killed in between leaves nothing made of an earlier reading. Nothing is
    removed unless every raw file is whole, as without its outputs a damaged one would stop the runs that could do without it.
    """
    files = [file for file in landing.files if file.sha256 in order.again]
    if not files:
        return
    for file in files:
        _intact_raw(order.lake, file)
    staged = [FileOutput(file, _staged_output(order, file)) for file in files]
    cleaned = [entry.clean_output.folder for entry in _with_clean_outputs(order, staged)]
    of_all = [folder for folder in order.lake.work_dir.glob("*/*") if folder.parent.name not in ("stage", "clean")]
    for folder in (*of_all, *cleaned, *(entry.staged.folder for entry in staged)):
        shutil.rmtree(folder, ignore_errors=True)


def _staged_output(order: RunOrder, file: LiveFile) -> Output:
    """Where a file lies as this code reads it under these settings."""
    source = order.settings.source(file.source)
    return output(order.lake, "stage", work_key(file.sha256, reading_version(), *order.settings.reading_key(source)))


def _stage_file(order: RunOrder, file: LiveFile, target: Output) -> None:
    """Reads one raw file, or what is compressed in it, into a stage output."""
    from flows.reading import read_raw_file
    from transforms.staging import STAGED_SCHEMAS
    from warehouse.work_writer import writing_output

    path, facts = _intact_raw(order.lake, file), dict[str, object]()
    with writing_output(target, STAGED_SCHEMAS, facts) as sink:
        read = read_raw_file(path, order.settings, order.settings.source(file.source), sink, target.folder.parent)
        facts.update(dataclasses.asdict(read.facts), compression=read.compression)


def clean(order: RunOrder, staging: Stage) -> Stage:
    """Cleans the records of every file that were not cleaned before by this code and these settings."""
    from flows.cleaning import alias_frame, batches_of, each_side_by_side, source_defaults
    from transforms.clean import SourceDefaults, clean_files
    from warehouse.work_writer import write_output

    aliases = alias_frame(load_venue_aliases(order.settings))
    outputs = _with_clean_outputs(order, staging.outputs)
    missing: dict[SourceDefaults, list[FileOutput]] = {}
    for entry in outputs:
        if not entry.clean_output.is_whole():
            missing.setdefault(source_defaults(order.settings.source(entry.file.source)), []).append(entry)

    def clean_batch(defaults: SourceDefaults, batch: list[FileOutput]) -> None:
        staged = {entry.file.sha256: entry.staged.read("records") for entry in batch}
        cleaned = clean_files(staged, source=defaults, venue_aliases=aliases)
        for entry in batch:
            file = cleaned[entry.file.sha256]
            tally = {"records": file.records.height, "reasons": Counter(file.rejects["reason"].to_list())}
            frames = {"records": file.records, "rejects": file.rejects, "notes": file.notes}
            write_output(entry.clean_output, frames, tally)

    work = ((defaults, batch) for defaults, entries in missing.items() for batch in batches_of(entries, _BATCH_RECORDS))
    each_side_by_side(clean_batch, work)
    for entry in chain.from_iterable(missing.values()):
        log_cleaned(entry.file, entry.clean_output.facts())
    facts = [entry.clean_output.facts() for entry in outputs]
    reasons = sum((Counter(fact["reasons"]) for fact in facts), Counter[str]())
    made_count = sum(map(len, missing.values()))
    return Stage(tuple(outputs), made_count, {"records": sum(fact["records"] for fact in facts)}, dict(reasons))


def _with_clean_outputs(order: RunOrder, entries: Iterable[FileOutput]) -> list[FileOutput]:
    """The entries with where the records of each lie as this code cleans them under these settings."""
    from flows.cleaning import source_defaults

    aliases_key, outputs = work_key(load_venue_aliases(order.settings)), []
    for entry in entries:
        defaults = dataclasses.asdict(source_defaults(order.settings.source(entry.file.source)))
        key = work_key(entry.file.sha256, entry.staged.folder.name, cleaning_version(), defaults, aliases_key)
        outputs.append(dataclasses.replace(entry, cleaned=output(order.lake, "clean", key)))
    return outputs


def _intact_raw(lake: Lake, file: LiveFile) -> Path:
    """Where the raw file lies; it is read once more for its hash, as all that follows is told of that hash.

    Raises:
        LakeError: it is missing, or no longer what was landed; the next run lands it again where its source still has it.
    """
    path = lake.raw_path(file.sha256)
    if not path.is_file() or hash_file(path) != file.sha256:
        doubt_content(lake, file.sha256)
        raise LakeError(
            f"the lake's copy of {file.file_name} ({path}) is {'damaged' if path.exists() else 'missing'}: run again with "
            f"--rehash and the original file, or take it out with `paperlake forget {file.sha256[:12]}`"
        )
    return path


_BATCH_RECORDS = 50_000
"""Records cleaned at once: enough that what an expression costs by itself does not count, some 300 MB with abstracts."""
