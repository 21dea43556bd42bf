"""This module looks at the files in `config/` for `paperlake doctor`, each by itself, so that one fault hides no other."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from flows.diagnoses.diagnosis import Finding, fail, found, ok, warn
from flows.settings import PROJECT_DIR, Settings, load_deployments, load_settings, load_venue_aliases

_SETTINGS = ("pipeline.toml", "sources.toml", "expected.toml")


@dataclass
class ConfigLook:
    """What was found of the settings: themselves, or, where they cannot be loaded, those that there are without a file."""

    settings: Settings
    findings: list[Finding]


def look_at_config() -> ConfigLook:
    """The settings, and a finding for each file of them."""
    folder = Path(os.environ.get("PAPERLAKE_CONFIG") or PROJECT_DIR / "config")
    if not folder.is_dir():
        missing = fail(
            "config", f"there is no folder {folder}", "let PAPERLAKE_CONFIG name the folder that holds pipeline.toml"
        )
        return ConfigLook(Settings(folder), [missing])
    try:
        settings = load_settings(folder)
        findings = [ok("config", f"{folder}: {', '.join(name for name in _SETTINGS if (folder / name).is_file())}")]
    except Exception:  # noqa: BLE001 - which file it is, and why, is found out below
        settings = Settings(folder)
        findings = [each for name in _SETTINGS for each in found(f"config {name}", partial(_check_alone, folder, name))]
        findings = _without_echoes(findings)
        if all(each.state == "ok" for each in findings):  # it is how they agree with each other, or a folder they name
            findings = list(found("config", lambda: _check_together(folder)))
    findings += found("config variables", lambda: _check_variables(settings))
    findings += found("config venues.csv", lambda: _check_venues(settings))
    findings += found("config prefect.yaml", lambda: _check_deployments(settings))
    return ConfigLook(settings, findings)


def _check_alone(folder: Path, name: str) -> Iterator[Finding]:
    """Whether a file can be loaded with no other beside it; what it says of other files or folders is not looked at here."""
    if not (folder / name).exists():
        return
    with tempfile.TemporaryDirectory(prefix="paperlake-doctor-") as alone:
        for copied in {name, *(("sources.toml",) if name == "expected.toml" else ())}:
            if (folder / copied).is_file():
                shutil.copyfile(folder / copied, Path(alone, copied))
        try:
            load_settings(Path(alone))
        except Exception as error:
            if alone in str(error):  # it names the copy
                raise type(error)(str(error).replace(alone, str(folder))) from error
            raise
    yield ok(f"config {name}", "can be read")


def _without_echoes(findings: list[Finding]) -> list[Finding]:
    """The findings, the first of several that say the same: what is wrong in sources.toml stops expected.toml, too."""
    kept: list[Finding] = []
    for each in findings:
        if each.state == "ok" or each.message not in (before.message for before in kept):
            kept.append(each)
    return kept


def _check_together(folder: Path) -> Iterator[Finding]:
    load_settings(folder)
    yield ok("config", str(folder))


def _check_variables(settings: Settings) -> Iterator[Finding]:
    """Whether the variables of the environment that sources.toml names are set here; what they hold is not told."""
    from flows.sources.fetch_secrets import unset_variables

    for source in settings.sources:
        for name in unset_variables((*source.addresses, *source.headers.values())):
            yield warn(
                "config variables",
                f"${{{name}}}, which [sources.{source.name}] names, is not set or is empty here: the source cannot be fetched",
                f"set {name} where paperlake runs",
            )


def _check_venues(settings: Settings) -> Iterator[Finding]:
    yield ok("config venues.csv", f"{len(load_venue_aliases(settings)):,} aliases")


def _check_deployments(settings: Settings) -> Iterator[Finding]:
    if (settings.config_dir / "prefect.yaml").exists():
        _, written = load_deployments(settings)
        names = [str(each.get("name")) for each in (written or {}).get("deployments") or ()]
        yield ok("config prefect.yaml", f"deployments: {', '.join(names) or 'none'}")
