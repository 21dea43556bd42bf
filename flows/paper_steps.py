"""This module holds the steps that see the records of all files together: they find and make the papers.

As in `steps`, what computes is imported inside the step that needs it.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from flows.handovers import Building, FileOutput, Landing, Matching, RunOrder, Stage
from flows.sources.settling import matching_key
from flows.versions import features_version, matching_version
from warehouse.layout import Lake
from warehouse.live import LiveFile
from warehouse.work import DamagedOutputError, Output, output, read_outputs, work_key

if TYPE_CHECKING:
    import polars as pl

    from transforms.tables import FileTables


def match(order: RunOrder, landing: Landing, cleaning: Stage) -> Matching:
    """Compares the clean records of all files, and finds which describe the same paper; people's verdicts win."""
    from transforms.match.matching import match_features
    from transforms.match.verdicts import verdicts_frame, verdicts_in_effect
    from warehouse.work_writer import write_output

    files = [entry.clean_output.folder.name for entry in cleaning.outputs]
    key = work_key(files, matching_version(), *matching_key(order, landing.verdicts))
    target = output(order.lake, "match", key)
    verdicts = verdicts_frame(landing.verdicts)
    features = [_features_output(order.lake, entry) for entry in cleaning.outputs]
    if not target.is_whole():
        matched = match_features(_own_features(order, cleaning), verdicts, _judged_before(order.lake))
        reasons = Counter(f"{row[0]}: {row[1]}" for row in matched.pairs.select("status", "reason").iter_rows())
        idle_count = verdicts.height - verdicts_in_effect(verdicts, matched.clusters["record_key"]).height
        tally = {"reasons": reasons, "idle_verdicts": idle_count, "rules": matching_version()}
        assert matched.judged is not None, "there is a frame to begin with, so all that is judged is given"
        write_output(target, {"pairs": matched.pairs, "clusters": matched.clusters, "judged": matched.judged}, tally)
    facts = target.facts()
    return Matching(target, tuple(features), facts["reasons"], verdicts.height, facts["idle_verdicts"])


def _judged_before(lake: Lake) -> pl.DataFrame:
    """The pairs that an earlier match by the same rules has judged; none if there was no such match, or it is damaged."""
    from transforms.match.remembered import KNOWN_SCHEMA

    for folder in sorted((lake.work_dir / "match").glob("*")):
        before = Output(folder)
        if before.is_whole() and before.facts().get("rules") == matching_version():
            with suppress(DamagedOutputError):  # then all pairs are judged again
                return before.read("judged")
    return KNOWN_SCHEMA.to_frame()


def _features_output(lake: Lake, entry: FileOutput) -> Output:
    """Where what matching derives of the records of a file lies."""
    return output(lake, "features", work_key(entry.clean_output.folder.name, features_version()))


def _own_features(order: RunOrder, cleaning: Stage) -> pl.DataFrame:
    """What matching derives of each clean record: as an earlier run kept it, or made now and kept for the next."""
    import polars as pl

    from flows.cleaning import batches_of
    from transforms.frames import polars_schema
    from transforms.match.features import own_features
    from transforms.match.hidden import without_identifiers
    from transforms.staged_schemas import CLEAN_RECORDS

    outputs = {entry.file.sha256: _features_output(order.lake, entry) for entry in cleaning.outputs}
    missing = [entry for entry in cleaning.outputs if not outputs[entry.file.sha256].is_whole()]
    made = [_make_features(batch, outputs) for batch in batches_of(missing, _MATCHED_RECORDS)]
    unmade = {entry.file.sha256 for entry in missing}
    kept = {sha256: each for sha256, each in outputs.items() if sha256 not in unmade}
    known = [read_outputs(kept, "features").drop("of")] if kept else []
    empty = own_features(polars_schema(CLEAN_RECORDS.columns).to_frame())
    own = pl.concat([empty, *known, *made], rechunk=True)
    return without_identifiers(own) if order.without_identifiers else own


_MATCHED_RECORDS = 125_000
"""Records whose own features are made at once: the records take much more room than what is derived of them."""


def _make_features(batch: list[FileOutput], outputs: dict[str, Output]) -> pl.DataFrame:
    """What matching derives of the clean records of some files; each file's is kept as an output of its own."""
    from transforms.match.features import RECORD_COLUMNS, own_features
    from warehouse.work_writer import write_output

    records = read_outputs({entry.file.sha256: entry.clean_output for entry in batch}, "records", RECORD_COLUMNS)
    own = own_features(records)
    start = 0
    for entry in batch:
        record_count = entry.clean_output.facts()["records"]
        write_output(outputs[entry.file.sha256], {"features": own.slice(start, record_count)}, {})
        start += record_count
    return own


def merge(order: RunOrder, cleaning: Stage, matching: Matching) -> Building:
    """Merges each cluster into a paper, and writes every table into a folder that is not published yet."""
    from flows.previous_releases import previous_releases
    from transforms.schemas import TABLES
    from transforms.tables import build_tables
    from warehouse.parquet import write_table
    from warehouse.release import begin_release

    tables = build_tables(
        _file_tables(cleaning),
        matching.output.read("pairs"),
        matching.output.read("clusters"),
        precedence={entry.file.sha256: order.settings.source(entry.file.source).precedence for entry in cleaning.outputs},
        previous=previous_releases(order.lake),
    )
    folder = begin_release(order.lake)
    with ThreadPoolExecutor(_WRITTEN_AT_ONCE) as pool:  # the largest first, so that none is waited for at the end
        largest_first = sorted(tables, key=lambda name: -tables[name].estimated_size())
        for written in [pool.submit(write_table, tables[name], TABLES[name], folder) for name in largest_first]:
            written.result()
    return Building(folder, {name: frame.height for name, frame in tables.items()})


_WRITTEN_AT_ONCE = 2
"""Tables written at a time: one takes one core, but for its sorting."""


def _file_tables(cleaning: Stage) -> FileTables:
    """What staging and cleaning made of all files."""
    import polars as pl

    from flows.cleaning import alias_frame
    from transforms.clean import SourceDefaults, clean_records
    from transforms.staging import STAGED_SCHEMAS
    from transforms.tables import FileTables

    facts = {entry.file.sha256: {**entry.staged.facts(), **_names(entry.file)} for entry in cleaning.outputs}
    staged = {entry.file.sha256: entry.staged for entry in cleaning.outputs}
    cleaned = {entry.file.sha256: entry.clean_output for entry in cleaning.outputs}
    if facts:
        of_stage = {name: read_outputs(staged, name).rename({"of": "file_sha256"}) for name in STAGED_SCHEMAS}
        of_clean = {name: read_outputs(cleaned, name).drop("of") for name in ("records", "rejects", "notes")}
    else:
        of_stage = {name: schema.to_frame().with_columns(file_sha256=pl.lit("")) for name, schema in STAGED_SCHEMAS.items()}
        nothing = clean_records(of_stage["records"], source=SourceDefaults(""), venue_aliases=alias_frame([]))
        of_clean = {"records": nothing.records, "rejects": nothing.rejects, "notes": nothing.notes}
    return FileTables(
        facts,
        staged=of_stage["records"],
        stage_rejects=of_stage["rejects"],
        furniture=of_stage["furniture"],
        control_totals=of_stage["control_totals"],
        column_map=of_stage["column_map"],
        clean=of_clean["records"],
        clean_rejects=of_clean["rejects"],
        clean_notes=of_clean["notes"],
    )


def _names(file: LiveFile) -> dict[str, object]:
    """The columns of `raw_files` that landing knows."""
    return {"source": file.source, "file_name": file.file_name, "source_path": file.source_path, "size_bytes": file.size_bytes}
