"""This module holds one plain function a stage: paths and settings in, paths and counts out; never a frame.

The steps before and after those of this module stand in `landing_step` and `publishing_steps`.

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
from typing import TYPE_CHECKING

from flows.file_lines import log_cleaned, log_read
from flows.handovers import Building, FileOutput, Landing, Matching, RunOrder, Stage
from flows.landing_step import matching_key
from flows.settings import load_venue_aliases
from flows.versions import cleaning_version, matching_version, reading_version
from warehouse.landing import hash_file
from warehouse.layout import Lake, LakeError
from warehouse.live import LiveFile
from warehouse.publications import not_taken_in
from warehouse.work import Output, output, work_key

if TYPE_CHECKING:
    import polars as pl

    from transforms.tables import PreviousRelease


def stage(order: RunOrder, landing: Landing) -> Stage:
    """Reads every live file that was not read before by this code and these settings, and those that are to be read again."""
    _drop_outputs(order, landing)
    outputs, made_count, counts, reasons, notes, unread = [], 0, Counter[str](), Counter[str](), [], []
    for file in landing.files:
        target = _staged_output(order, file)
        start = None if target.is_whole() else time.perf_counter()
        if start is not None:
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
    cleaned = [_cleaned(entry).folder for entry in _with_clean_outputs(order, staged)]
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
    from flows.cleaning import alias_frame, each_side_by_side, source_defaults
    from transforms.clean import SourceDefaults, clean_files
    from warehouse.work_writer import write_output

    aliases = alias_frame(load_venue_aliases(order.settings))
    outputs = _with_clean_outputs(order, staging.outputs)
    missing: dict[SourceDefaults, list[FileOutput]] = {}
    for entry in outputs:
        if not _cleaned(entry).is_whole():
            missing.setdefault(source_defaults(order.settings.source(entry.file.source)), []).append(entry)

    def clean_batch(defaults: SourceDefaults, batch: list[FileOutput]) -> None:
        staged = {entry.file.sha256: entry.staged.read("records") for entry in batch}
        cleaned = clean_files(staged, source=defaults, venue_aliases=aliases)
        for entry in batch:
            file = cleaned[entry.file.sha256]
            tally = {"records": file.records.height, "reasons": Counter(file.rejects["reason"].to_list())}
            frames = {"records": file.records, "rejects": file.rejects, "notes": file.notes}
            write_output(_cleaned(entry), frames, tally)

    work = ((defaults, batch) for defaults, entries in missing.items() for batch in _batches(entries, _BATCH_RECORDS))
    each_side_by_side(clean_batch, work)
    for entry in chain.from_iterable(missing.values()):
        log_cleaned(entry.file, _cleaned(entry).facts())
    facts = [_cleaned(entry).facts() for entry in outputs]
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


def match(order: RunOrder, landing: Landing, cleaning: Stage) -> Matching:
    """Compares the clean records of all files, and finds which describe the same paper; people's verdicts win."""
    from transforms.match.matching import match_features
    from transforms.match.verdicts import verdicts_frame, verdicts_in_effect
    from warehouse.work_writer import write_output

    files = [_cleaned(entry).folder.name for entry in cleaning.outputs]
    key = work_key(files, matching_version(), *matching_key(order, landing.verdicts))
    target = output(order.lake, "match", key)
    verdicts = verdicts_frame(landing.verdicts)
    if not target.is_whole():
        matched = match_features(_own_features(order, cleaning), verdicts)
        reasons = Counter(f"{row[0]}: {row[1]}" for row in matched.pairs.select("status", "reason").iter_rows())
        idle_count = verdicts.height - verdicts_in_effect(verdicts, matched.clusters["record_key"]).height
        tally = {"reasons": reasons, "idle_verdicts": idle_count}
        write_output(target, {"pairs": matched.pairs, "clusters": matched.clusters}, tally)
    facts = target.facts()
    return Matching(target, facts["reasons"], verdicts.height, facts["idle_verdicts"])


def _own_features(order: RunOrder, cleaning: Stage) -> pl.DataFrame:
    """What matching derives of each clean record, some files at a time: the records take much more room than that."""
    import polars as pl

    from transforms.frames import polars_schema
    from transforms.match.features import RECORD_COLUMNS, own_features
    from transforms.match.hidden import without_identifiers
    from transforms.staged_schemas import CLEAN_RECORDS

    empty = polars_schema(CLEAN_RECORDS.columns).to_frame().select(RECORD_COLUMNS)
    batches = [
        own_features(pl.concat([empty, *(_cleaned(entry).read("records", RECORD_COLUMNS) for entry in batch)]))
        for batch in _batches(list(cleaning.outputs), _MATCHED_RECORDS) or [[]]
    ]
    own = pl.concat(batches)
    return without_identifiers(own) if order.without_identifiers else own


def merge(order: RunOrder, cleaning: Stage, matching: Matching) -> Building:
    """Merges each cluster into a paper, and writes every table into a folder that is not published yet."""
    from transforms.schemas import TABLES
    from transforms.tables import FileFrames, build_tables
    from warehouse.parquet import write_table
    from warehouse.release import begin_release

    files = []
    for entry in cleaning.outputs:
        cleaned = _cleaned(entry)
        files.append(
            FileFrames(
                entry.file.sha256,
                {**entry.staged.facts(), **_names(entry.file)},
                staged=entry.staged.read("records"),
                stage_rejects=entry.staged.read("rejects"),
                furniture=entry.staged.read("furniture"),
                control_totals=entry.staged.read("control_totals"),
                column_map=entry.staged.read("column_map"),
                clean=cleaned.read("records"),
                clean_rejects=cleaned.read("rejects"),
                clean_notes=cleaned.read("notes"),
            )
        )
    precedence = {entry.file.sha256: order.settings.source(entry.file.source).precedence for entry in cleaning.outputs}
    tables = build_tables(
        files,
        matching.output.read("pairs"),
        matching.output.read("clusters"),
        precedence=precedence,
        previous=_previous(order.lake),
    )
    folder = begin_release(order.lake)
    for name, frame in tables.items():
        write_table(frame, TABLES[name], folder)
    return Building(folder, {name: frame.height for name, frame in tables.items()})


def _intact_raw(lake: Lake, file: LiveFile) -> Path:
    """Where the raw file lies; it is read once more for its hash, as all that follows is told of that hash.

    Raises:
        LakeError: it is missing, or no longer what was landed.
    """
    path = lake.raw_path(file.sha256)
    if not path.is_file() or hash_file(path) != file.sha256:
        raise LakeError(
            f"the lake's copy of {file.file_name} ({path}) is {'damaged' if path.exists() else 'missing'}: run again with "
            f"--rehash and the original file, or take it out with `paperlake forget {file.sha256[:12]}`"
        )
    return path


def _batches(entries: list[FileOutput], size: int) -> list[list[FileOutput]]:
    """The files in batches of about `size` staged records; a larger file is a batch of its own."""
    batches: list[list[FileOutput]] = []
    filled = 0
    for entry in entries:
        record_count = entry.staged.facts()["records"]
        if not batches or filled + record_count > size:
            batches.append([])
            filled = 0
        batches[-1].append(entry)
        filled += record_count
    return batches


_BATCH_RECORDS = 50_000
"""Records cleaned at once: enough that what an expression costs by itself does not count, some 300 MB with abstracts."""

_MATCHED_RECORDS = 125_000
"""Records whose own features are made at once."""


def _cleaned(entry: FileOutput) -> Output:
    assert entry.cleaned is not None, "only the cleaning step's outputs come here"
    return entry.cleaned


def _names(file: LiveFile) -> dict[str, object]:
    """The columns of `raw_files` that landing knows."""
    return {"source": file.source, "file_name": file.file_name, "source_path": file.source_path, "size_bytes": file.size_bytes}


def _previous(lake: Lake) -> list[PreviousRelease]:
    """What the current release says of ids, and after a rollback those published since; nothing before the first."""
    import polars as pl

    from transforms.tables import PreviousRelease

    current = lake.current_release()
    later = [lake.releases_dir / name for name in not_taken_in(lake)]
    return [
        PreviousRelease(
            pl.read_parquet(release / "records" / "*.parquet", columns=["record_key", "paper_id"]),
            pl.read_parquet(release / "paper_aliases" / "*.parquet"),
        )
        for release in (*([current] if current else []), *later)
        if (release / "release.json").is_file()
    ]
