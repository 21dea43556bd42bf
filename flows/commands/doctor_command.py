"""This module is `paperlake doctor`: looks at all that a run needs, and says what to do about what is amiss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from flows.commands.cli_options import LakeOption

if TYPE_CHECKING:
    from pathlib import Path

    from flows.diagnoses.diagnosis import Finding


def doctor(
    *,
    lake: LakeOption = None,
    format: Annotated[Literal["text", "json"], Parameter(help="how it is printed")] = "text",
) -> int:
    """Look at what a run needs: packages, settings, the lake and its disk, Prefect, clock and memory; say what to do.

    It works without a lake, with settings that are broken, and for a user who may only read. Where one may write to the
    lake, it tries what the disk can in a folder that it removes again. The server that PREFECT_API_URL names is asked how
    it does. Exit code 1 if something is found that stops a run.

    Example: paperlake doctor
    """
    import json
    from dataclasses import asdict

    findings = list(_findings(lake))
    if format == "json":
        print(json.dumps([asdict(each) for each in findings], indent=2))
    else:
        for line in _lines(findings):
            print(line)
    return 1 if any(each.state == "fail" for each in findings) else 0


def _findings(lake_path: Path | None) -> Iterator[Finding]:
    from flows.diagnoses import installation_checks as installation
    from flows.diagnoses.config_checks import look_at_config
    from flows.diagnoses.diagnosis import found
    from flows.diagnoses.lake_checks import check_lake
    from flows.diagnoses.prefect_checks import check_prefect
    from warehouse.lake_probe import newest_time
    from warehouse.layout import Lake

    yield from found("python", installation.check_python)
    yield from found("packages", installation.check_packages)
    config = look_at_config()
    yield from config.findings
    lake = Lake(config.settings.lake_path(lake_path))
    yield from found("lake", lambda: check_lake(lake))
    yield from found("prefect", check_prefect)
    yield from found("clock", lambda: installation.check_clock(newest_time(lake)))
    yield from found("encoding", installation.check_encoding)
    yield from found("memory", lambda: installation.check_memory(config.settings.query.memory_bytes))
    yield from found("temporary files", installation.check_temporary)


def _lines(findings: list[Finding]) -> Iterator[str]:
    from flows.run_log import shown

    width = max(len(each.subject) for each in findings)
    for each in findings:
        yield f"{each.state:4}  {each.subject:{width}}  {shown(each.message)}"
        if each.do:
            yield f"{'':4}  {'':{width}}  -> {shown(each.do)}"
    counts = {state: sum(each.state == state for each in findings) for state in ("fail", "warn", "ok")}
    yield ", ".join(f"{count} {state}" for state, count in counts.items())
