"""This module is the last steps: the checks of the built tables, and their publication."""

from __future__ import annotations

from flows.handovers import Building, Checked, Landing, Matching, RunOrder, Stage, Told
from flows.versions import code_version, rules_by_stage
from warehouse.gates import held_outputs, read_gates
from warehouse.layout import LakeError
from warehouse.release import Published
from warehouse.work import collect_garbage


def check(order: RunOrder, building: Building, run_id: str) -> Checked:
    """Runs the checks over the built tables, keeps the rows that fail, and adds the table `checks`."""
    import polars as pl

    from transforms.schemas import CHECKS
    from warehouse.checks import check_rows, read_checks, run_checks
    from warehouse.parquet import write_table

    kept_in = order.lake.runs_dir / run_id
    results = run_checks(
        building.folder,
        keep_failing_in=kept_in,
        checks=read_checks(order.settings.own_checks_dir),
        spill_dir=order.lake.spill_dir,
        expectations=order.settings.expectations,
        limits=order.settings.query_limits(),
    )
    rows = check_rows(results)
    write_table(pl.DataFrame(rows), CHECKS, building.folder)
    failed = {
        severity: {r.name: r.failing_rows for r in results if r.failing_rows and r.severity == severity}
        for severity in ("error", "warn")
    }
    return Checked(
        building.folder,
        {**building.row_counts, "checks": len(rows)},
        failed["error"],
        failed["warn"],
        kept_in if any(failed.values()) else None,
        {r.name: r.files for r in results if r.files},
    )


def publish(order: RunOrder, landing: Landing, checked: Checked, cleaning: Stage, matching: Matching, told: Told) -> Published:
    """Makes the built tables the current release unless it is pinned, notes what they were built from, and tidies up."""
    from warehouse.catalog import build_catalog
    from warehouse.dictionary import release_readme
    from warehouse.release import note_build, publish_release

    published = publish_release(
        order.lake,
        checked.folder,
        checked.row_counts,
        _facts(order, landing, told.run_id),
        lambda release_id: release_readme(release_id, checked.row_counts),
    )
    if published.pin is None:
        build_catalog(order.lake.path, order.lake.releases_dir / published.release_id)
    note_build(order.lake, landing.inputs_key, published.release_id, told.summary)
    used = {made.folder for entry in cleaning.outputs for made in (entry.staged, entry.cleaned) if made}
    used |= {made.folder for made in (matching.output, *matching.features)}
    collect_garbage(order.lake, used | held_outputs(order.lake))
    return published


def _facts(order: RunOrder, landing: Landing, run_id: str) -> dict[str, object]:
    """What a release is made from, for its `release.json`, and why it is not the one that is current."""
    from warehouse.inputs import Inputs, input_changes, read_inputs

    facts: dict[str, object] = {
        "run_id": run_id,
        "inputs_key": landing.inputs_key,
        "code_version": code_version(),
        "rules": rules_by_stage(),
        "settings_key": order.settings.tables_key,
        "without_identifiers": order.without_identifiers,
        "decisions": landing.verdicts,
        "held_sources": _held_sources(order, landing),
    }
    current = order.lake.current_release()
    files = {file.sha256: (file.source, file.source_path) for file in landing.files}
    try:
        because = input_changes(read_inputs(current), Inputs.of(files, facts)).described() if current else "the first release"
    except LakeError as error:  # a damaged release is no reason not to publish the next
        because = f"not known: {error}"
    if again := len(order.again & files.keys()):
        because = f"{again} raw file{'' if again == 1 else 's'} read again; {because}"
    return {**facts, "because": because}


def _held_sources(order: RunOrder, landing: Landing) -> dict[str, object]:
    """Of the sources that are held back why, and since when their files in the release are the last good ones."""
    states = read_gates(order.lake)
    return {
        source: {"reasons": reasons, "last_good_at": states[source].passed_at if source in states else None}
        for source, reasons in sorted(landing.arrivals.held.items())
    }
