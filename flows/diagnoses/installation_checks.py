"""This module looks at what paperlake runs on: Python, packages, the locale, the clock, memory, room for temporary files."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from flows.commands.amounts import size_in_words
from flows.diagnoses.diagnosis import Finding, fail, ok, warn
from flows.settings import PROJECT_DIR
from flows.versions import LIBRARIES

_LEAST_MEMORY_BYTES = 1_500_000_000
"""A run over 116,763 records, all of them made anew, was seen to take 1.45 GB at most."""

_LEAST_TEMPORARY_BYTES = 100_000_000

_FIRST_YEAR = 2026
"""No run of this code can be of an earlier year."""


def check_python() -> Iterator[Finding]:
    """The Python that runs this, against the one that the project asks for."""
    from packaging.specifiers import SpecifierSet

    wanted = importlib.metadata.metadata("paperlake")["Requires-Python"]
    version = platform.python_version()
    if version in SpecifierSet(wanted or "", prereleases=True):
        yield ok("python", f"{version} ({sys.executable})")
    else:
        yield fail(
            "python", f"{version}, and paperlake needs {wanted}", "make a .venv with a newer Python: `make run PYTHON=…`"
        )


def check_packages() -> Iterator[Finding]:
    """Every package that is installed, against what the project asks for and what its lock file pins; none is imported."""
    from packaging.requirements import Requirement

    installed = {_key(each.name): each.version for each in importlib.metadata.distributions()}
    amiss = False
    for requirement in map(Requirement, importlib.metadata.requires("paperlake") or ()):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        version = installed.get(_key(requirement.name))
        if version is None or not requirement.specifier.contains(version, prereleases=True):
            amiss = True
            found = f"{requirement.name} {'is missing' if version is None else version}"
            yield fail("packages", f"{found}, and paperlake needs {requirement.name}{requirement.specifier}", _INSTALL)
    lock = PROJECT_DIR / "requirements.lock"
    if not lock.is_file():
        yield warn("packages", f"there is no {lock.name} beside the code to compare with", "none is needed to run")
        return
    pins = [
        Requirement(pin) for pin in re.findall(r"^([^\s#][^\\\n]*?)\s*\\?$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    pins = [pin for pin in pins if pin.marker is None or pin.marker.evaluate()]
    others = {pin.name: installed.get(_key(pin.name)) for pin in pins if not _is_pinned(pin.specifier, installed, pin.name)}
    weighty = sorted(others.keys() & LIBRARIES)
    if others:
        listed = ", ".join(f"{name} {version or 'missing'}" for name, version in sorted(others.items()))
        of_tables = f"; {', '.join(weighty)} can change the tables" if weighty else ""
        yield warn("packages", f"other than {lock.name} pins: {listed}{of_tables}", _INSTALL)
    elif not amiss:
        yield ok("packages", f"the {len(pins)} that {lock.name} pins")


_INSTALL = "`make run` in the project's folder installs what the lock file pins"


def _is_pinned(specifier: object, installed: dict[str, str], name: str) -> bool:
    from packaging.specifiers import SpecifierSet

    version = installed.get(_key(name))
    return version is not None and isinstance(specifier, SpecifierSet) and specifier.contains(version, prereleases=True)


def _key(name: str) -> str:
    """A package's name as it is compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def check_encoding() -> Iterator[Finding]:
    """How names of files are read, and text is written where it goes to no terminal."""
    names = sys.getfilesystemencoding()
    if names.lower().replace("-", "") == "utf8":
        yield ok("encoding", f"names of files are {names}")
    else:
        yield warn("encoding", f"names of files are taken for {names}", "set LANG to a UTF-8 locale, or PYTHONUTF8=1")


def check_clock(newest: float | None) -> Iterator[Finding]:
    """The clock, against the newest file of the lake (seconds since 1970), and the time zone that the environment names."""
    now = datetime.now().astimezone()
    said = f"{now:%Y-%m-%d %H:%M} {now.tzname()} (UTC{now:%z})"
    if now.year < _FIRST_YEAR:
        yield fail("clock", f"{said} cannot be", "set the clock, or start its time service")
    elif newest is not None and newest - now.timestamp() > 300:
        when = datetime.fromtimestamp(newest).astimezone()
        yield warn("clock", f"{said}, and the lake has a file of {when:%Y-%m-%d %H:%M}", "set the clock, or wait until then")
    else:
        yield ok("clock", said)
    zone = os.environ.get("TZ", "").removeprefix(":")
    if zone and not zone.startswith("/") and not _is_zone(zone):
        yield warn("time zone", f"TZ is {zone!r}, which is no known zone: times are UTC", "set TZ to a name as Europe/Berlin")


def _is_zone(name: str) -> bool:
    """Whether a time zone of this name is known; a rule as `CET-1CEST` is none, and does without."""
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return re.fullmatch(r"[A-Za-z]{3,}[-+]?\d.*", name) is not None
    return True


def check_memory(query_bytes: int) -> Iterator[Finding]:
    """The memory there is, for this process too, against what a run was seen to take and what a query may."""
    total, available = _memory()
    if total is None or available is None:
        yield ok("memory", "not told by this system")
        return
    said = f"{size_in_words(available)} free of {size_in_words(total)}, {os.cpu_count()} processors"
    if available < _LEAST_MEMORY_BYTES:
        yield warn(
            "memory", f"{said}; a run over 100,000 records takes about 1.4 GB", "free some, or run when less else is running"
        )
    elif total < query_bytes:
        yield warn("memory", f"{said}; [query] memory_bytes allows {size_in_words(query_bytes)}", "lower it in pipeline.toml")
    else:
        yield ok("memory", said)


def _memory() -> tuple[int | None, int | None]:
    """All memory and what is free of it, both no more than the container's limit, where there is one."""
    try:
        rows = dict(re.findall(r"^(\w+): +(\d+) kB$", Path("/proc/meminfo").read_text(encoding="utf-8"), re.MULTILINE))
        total, available = int(rows["MemTotal"]) * 1024, int(rows["MemAvailable"]) * 1024
    except (OSError, KeyError):
        return None, None
    try:
        cap = int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="utf-8"))
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        return total, available
    return min(total, cap), min(available, max(cap - used, 0))


def check_temporary() -> Iterator[Finding]:
    """The folder for temporary files."""
    try:
        folder = tempfile.gettempdir()
    except OSError as error:
        yield fail("temporary files", str(error), "let TMPDIR name a folder that one may write to")
        return
    free = shutil.disk_usage(folder).free
    if free < _LEAST_TEMPORARY_BYTES:
        yield warn(
            "temporary files", f"{folder} has {size_in_words(free)} left", "free some, or let TMPDIR name another folder"
        )
    else:
        yield ok("temporary files", f"{folder} has {size_in_words(free)} left")
