"""This module is what all tests share: where real data may lie, and that no test skips for want of it when it does."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's folder."""
    return PROJECT


@pytest.fixture(scope="session")
def samples() -> Path:
    """The fabricated sample files."""
    return PROJECT / "config" / "samples"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the project; the test skips where there is none."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared")
    return SHARED


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails a test that skips for want of ../shared although it is there."""
    report = yield
    if report.skipped and SHARED.is_dir() and "../shared" in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skipped for want of ../shared, which exists"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the flag that writes golden files anew."""
    parser.addoption(
        "--regenerate", action="store_true", help="write the golden files anew; read the diff before you commit it"
    )
