"""This module tests `paperlake sources` of sources that are addresses: listed without secrets, and tried without landing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import Shelf

TIDES = b"title,author,year\nA ledger of small tides,Peder Lund,2015\n"
SECRET = "s3cret-and-long"


@pytest.fixture
def shelf(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
    (tmp_path / "config" / "pipeline.toml").write_text("[fetch]\nattempts = 1\nrequests_per_minute = 0\nbytes = 1000\n")
    monkeypatch.setenv("CLUB_TOKEN", SECRET)
    return Shelf(tmp_path)


def describe(shelf: Shelf, address: str, block: str = "") -> None:
    (shelf.folder / "config" / "sources.toml").write_text(f'[sources.club]\nlocation = "{address}"\n{block}\n')


@pytest.mark.parametrize(
    ("answer", "is_ok", "size_bytes", "message"),
    [
        (("serves", TIDES), True, len(TIDES), None),
        (("says", 200, TIDES), True, len(TIDES), "it is fetched every time (no resuming)"),
        (("says", 200, TIDES, {"Content-Type": "text/csv", "ETag": '"1"'}), True, len(TIDES), "text/csv (no resuming)"),
        (("says", 200, TIDES, {"length": None}), True, None, "it is fetched every time"),
        (("says", 404, b"no"), False, None, "404"),
        (("says", 500, b"no"), False, None, "500"),
        (("says", 302, b"", {"Location": "/list.csv"}), False, None, "its redirects go in a circle"),
        (("says", 200, b"x" * 1001), False, None, "it has 1001 bytes, and at most 1000"),
    ],
)
def test_an_address_is_asked_once_and_nothing_lands(
    shelf: Shelf, server: Any, answers: Any, answer: tuple[Any, ...], is_ok: bool, size_bytes: int | None, message: str | None
) -> None:
    kind, *words = answer
    named = words.pop() if isinstance(words[-1], dict) else {}
    address = server.at("/list.csv", getattr(answers, kind)(*words, **named))
    describe(shelf, address)
    (row,) = shelf.rows("sources", "check", code=0 if is_ok else 1)
    assert (row["location"], row["is_ok"], row["size_bytes"]) == (address, is_ok, size_bytes)
    assert row["message"] is None if message is None else message in row["message"]
    assert len(server.requests) == 1
    assert not shelf.lake.exists()


def test_a_secret_goes_to_the_server_and_is_not_shown(
    shelf: Shelf, server: Any, answers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.at("/list.csv", answers.says(200, TIDES), answers.says(403, SECRET.encode()))
    describe(shelf, f"{address}?key=${{CLUB_TOKEN}}", 'headers = {Authorization = "Bearer ${CLUB_TOKEN}"}')
    told = shelf.call("sources", "check", "--format", "csv")
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    assert server.requests[0].path == f"/list.csv?key={SECRET}"
    told += shelf.call("sources", "check", "--format", "csv", code=1)
    told += shelf.call("sources", "--format", "csv")
    assert SECRET not in told
    assert told.count(f"{address}?key=${{CLUB_TOKEN}}") == 3
    monkeypatch.delenv("CLUB_TOKEN")
    (row,) = shelf.rows("sources", "check", code=1)
    assert "the environment variable CLUB_TOKEN, which its block names, is not set" in row["message"]


def test_the_doctor_names_variables_that_are_not_set_and_shows_no_value(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    describe(
        shelf,
        "https://lists.example.org/a.csv?key=${CLUB_KEY}",
        'headers = {Authorization = "Bearer ${CLUB_TOKEN}", X-Key = "${block:club}"}\n'
        '[sources.zoo]\nlocation = "https://lists.example.org/b.csv?key=${ZOO_KEY}"',
    )
    monkeypatch.delenv("PREFECT_API_URL", raising=False)  # a server that is named is asked how it does
    monkeypatch.delenv("CLUB_KEY", raising=False)
    monkeypatch.setenv("ZOO_KEY", " ")

    def told() -> list[tuple[str, str]]:
        rows = [row for row in shelf.rows("doctor") if row["subject"] == "config variables"]
        return [(row["state"], row["message"].partition(" names, ")[0]) for row in rows]

    assert told() == [("warn", "${CLUB_KEY}, which [sources.club]"), ("warn", "${ZOO_KEY}, which [sources.zoo]")]
    assert SECRET not in shelf.call("doctor")
    monkeypatch.setenv("CLUB_KEY", SECRET)
    monkeypatch.setenv("ZOO_KEY", SECRET)
    assert told() == []


def test_an_address_that_failed_is_listed_with_why_and_its_last_success_stays(shelf: Shelf, server: Any, answers: Any) -> None:
    describe(shelf, server.at("/list.csv", answers.serves(TIDES), answers.says(503, b"later"), answers.serves(TIDES)))
    shelf.call("run", "--direct")
    (before,) = shelf.rows("sources")
    assert (before["state"], before["files"], before["size_bytes"], before["records"]) == ("ok", 1, len(TIDES), 1)
    shelf.call("run", "--direct", code=3)
    (row,) = shelf.rows("sources")
    assert row["state"] == "failed"
    assert "503" in row["why"]
    assert {**row, "state": "ok", "why": None} == before
    shelf.call("run", "--direct")
    (after,) = shelf.rows("sources")
    assert (after["state"], after["last_success"] >= before["last_success"]) == ("ok", True)
