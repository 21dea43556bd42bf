"""Runs whose sources are addresses: nothing after landing knows of it, and nobody but the server sees a secret."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from flows.cli import call

SECRET = "s3cret+/=token"
HEADER = "id,title,author,year,abstract\n"
ROWS = [f'{n},On the tides of the {n}th inland sea,"Lund, Peder",{1990 + n},Water rises and falls.\n' for n in range(20)]
LIST = (HEADER + "".join(ROWS)).encode()
WHALES = (HEADER + 'w,The dry bones of old whales,"Sato, Hana",2011,Bones are dry.\n').encode()


class Port:
    """A project whose sources may be addresses, and the words to try on it."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.folder, self.lake, self.said = folder, folder / "lake", ""
        (folder / "config").mkdir(parents=True)
        (folder / "lists").mkdir()
        (folder / "config" / "venues.csv").write_bytes((project / "config" / "venues.csv").read_bytes())
        limits = "requests_per_minute = 0\nattempts = 2\nbackoff_seconds = 0.01\nmax_backoff_seconds = 0.02\n"
        (folder / "config" / "pipeline.toml").write_text(f"[fetch]\n{limits}")

    def sources(self, **blocks: str) -> None:
        text = "".join(f"[sources.{name}]\n{block}\n" for name, block in blocks.items())
        (self.folder / "config" / "sources.toml").write_text(text)

    def call(self, *words: object, code: int = 0) -> str:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setenv("PAPERLAKE_CONFIG", str(self.folder / "config"))
            patch.setenv("CLUB_TOKEN", SECRET)
            found = call([*map(str, words), "--lake", str(self.lake)])
        self.said += out.getvalue() + err.getvalue()
        assert found == code, (words, out.getvalue(), err.getvalue())
        return out.getvalue() if code in (0, 3) else err.getvalue()

    def run(self, *words: object, code: int = 0) -> dict[str, Any]:
        return json.loads(self.call("run", "--direct", *words, "--format", "json", code=code))

    def titles(self) -> list[str]:
        rows = json.loads(self.call("sql", "select title from papers order by title", "--format", "json"))
        return [row["title"] for row in rows]

    def tables(self) -> dict[str, str]:
        release = (self.lake / "current").resolve()
        return {
            str(path.relative_to(release)): hashlib.sha256(path.read_bytes()).hexdigest() for path in release.rglob("*.parquet")
        }


@pytest.fixture
def port(tmp_path: Path, project: Path) -> Port:
    return Port(tmp_path / "port", project)


def test_a_fetched_list_gives_the_same_release_as_one_that_lies_here_and_shows_no_secret(
    port: Port, tmp_path: Path, project: Path, server: Any, answers: Any
) -> None:
    address = server.at("/list.csv", answers.serves(LIST))
    port.sources(club=f'location = "{address}?key=${{CLUB_TOKEN}}"\nheaders = {{Authorization = "Bearer ${{CLUB_TOKEN}}"}}')
    assert port.run()["outcome"] == "published"
    assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    here = Port(tmp_path / "here", project)
    here.sources(club='location = "../lists/*.csv"')
    (here.folder / "lists" / "list.csv").write_bytes(LIST)
    here.run()
    assert port.tables() == here.tables()

    again = port.run()
    assert (again["outcome"], again["files_copied"], again["files_live"]) == ("nothing new", 0, 1)
    assert server.asked("if-none-match") == [None, '"1"']
    server.at("/list.csv", answers.says(403, SECRET.encode()))
    assert "status 403" in json.dumps(port.run(code=3)["held_sources"])
    port.call("sources")
    port.call("sources", "check", code=1)
    kept = [path for path in port.lake.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(kept) > 20
    for form in (SECRET, "s3cret%2B%2F%3Dtoken"):
        assert form not in port.said
        assert not [path for path in kept if form.encode() in path.read_bytes()]


def test_a_source_that_fails_is_held_back_the_others_go_on_and_later_it_is_had(port: Port, server: Any, answers: Any) -> None:
    address = server.at("/list.csv", answers.says(500))
    (port.folder / "lists" / "whales.csv").write_bytes(WHALES)
    port.sources(club=f'location = "{address}"', whales='location = "../lists/*.csv"')
    report = port.run(code=3)
    assert report["held_sources"] == {
        "club": [f"{address}: status 500 (Internal Server Error), after 2 attempts; the next run tries again"]
    }
    assert port.titles() == ["The dry bones of old whales"]
    server.at("/list.csv", answers.serves(LIST))
    assert port.run()["held_sources"] == {}
    assert len(port.titles()) == 21
    server.at("/list.csv", answers.says(404))
    port.run(code=3)
    assert len(port.titles()) == 21


def test_nothing_had_at_all_is_a_failed_run_that_says_why(port: Port, server: Any, answers: Any) -> None:
    port.sources(club=f'location = "{server.at("/list.csv", answers.says(404))}"')
    assert "status 404 (Not Found): look whether the list has moved" in port.call("run", "--direct", code=1)


def test_what_the_gate_holds_back_is_held_while_its_server_says_unchanged_until_it_is_accepted(
    port: Port, server: Any, answers: Any
) -> None:
    address = server.at("/list.csv", answers.serves(LIST))
    port.sources(club=f'location = "{address}"')
    port.run()
    server.at("/list.csv", answers.serves((HEADER + "".join(ROWS[:4])).encode(), etag='"2"'))
    for _ in range(2):
        assert "club" in port.run(code=3)["held_sources"]
        assert len(port.titles()) == 20
    assert server.asked("if-none-match") == [None, '"1"', '"2"']
    assert port.run("--accept", "club")["held_sources"] == {}
    assert len(port.titles()) == 4


def test_of_an_archive_that_was_held_back_and_is_accepted_later_nothing_older_stays_live(
    port: Port, server: Any, answers: Any
) -> None:
    def packed(**files: bytes) -> bytes:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for name, text in files.items():
                archive.writestr(f"{name}.csv", text)
        return content.getvalue()

    port.sources(club=f'location = "{server.at("/lists.zip", answers.serves(packed(tides=LIST, whales=WHALES)))}"')
    port.run()
    assert len(port.titles()) == 21
    server.at("/lists.zip", answers.serves(packed(whales=WHALES), etag='"2"'))
    assert "club" in port.run(code=3)["held_sources"]
    port.run("--accept", "club")
    assert server.asked("if-none-match")[-1] == '"2"'
    assert port.titles() == ["The dry bones of old whales"]


def test_a_dry_run_asks_no_server_and_writes_nothing(port: Port, server: Any, answers: Any) -> None:
    port.sources(club=f'location = "{server.at("/list.csv", answers.serves(LIST))}"')
    port.call("run", "--dry-run")
    assert server.requests == []
    assert not port.lake.exists()


def test_an_address_on_the_command_line_is_sent_to_sources_toml(port: Port) -> None:
    told = port.call("run", "--direct", "https://example.org/a.csv", code=1)
    assert "an address is fetched as a source: give it a block in sources.toml" in told


def test_a_file_and_an_address_of_one_name_are_held_back(port: Port, server: Any, answers: Any) -> None:
    (port.folder / "lists" / "list.csv").write_bytes(WHALES)
    (port.folder / "lists" / "other.csv").write_bytes(WHALES)
    address = server.at("/list.csv", answers.serves(LIST))
    port.sources(club=f'location = ["../lists/*.csv", "{address}"]', other='location = "../lists/other.csv"')
    assert "two of its files are called list.csv" in port.run(code=3)["held_sources"]["club"][0]
    (port.folder / "lists" / "list.csv").unlink()
    port.run()
    assert len(port.titles()) == 21


def test_only_a_run_with_addresses_imports_what_asks_servers_and_with_nothing_new_no_more(
    port: Port, server: Any, answers: Any
) -> None:
    (port.folder / "lists" / "whales.csv").write_bytes(WHALES)
    script = (
        "import sys; from flows.cli import call; code = call(sys.argv[1:]); "
        "print(code, [name for name in ('prefect', 'polars', 'duckdb', 'httpx') if name in sys.modules], file=sys.stderr)"
    )
    address = server.at("/list.csv", answers.serves(LIST))
    for location, imported in (("../lists/*.csv", "[]"), (address, "['httpx']")):
        port.sources(club=f'location = "{location}"')
        port.run("--accept", "club")
        done = subprocess.run(
            [sys.executable, "-c", script, "run", "--direct", "--lake", str(port.lake)],
            env=os.environ | {"PAPERLAKE_CONFIG": str(port.folder / "config")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.splitlines()[-1] == f"0 {imported}", done.stderr


def test_the_tries_of_a_source_say_size_kind_and_what_it_lacks(port: Port, server: Any, answers: Any) -> None:
    good = server.at("/good.csv", answers.serves(LIST, Content_Type="text/csv"))
    plain = server.at("/plain.csv", answers.says(200, LIST))
    gone = server.at("/gone.csv", answers.says(410))
    empty = server.at("/empty.csv", answers.says(416, Content_Range="bytes */0", ETag='"0"'))
    port.sources(club=f"location = {[good, plain, gone, empty]!r}")
    rows = _rows(port)
    assert [(row["is_ok"], row["size_bytes"], row["message"]) for row in rows] == [
        (True, len(LIST), "text/csv"),
        (
            True,
            len(LIST),
            "its server never says that nothing changed: it is fetched every time (no resuming)",
        ),
        (False, None, "status 410 (Gone): the list is gone for good"),
        (True, 0, None),
    ]
    assert server.asked("range") == ["bytes=0-1023"] * 4
    assert not port.lake.exists()


def _rows(port: Port) -> list[dict[str, Any]]:
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(io.StringIO()):
        patch.setenv("PAPERLAKE_CONFIG", str(port.folder / "config"))
        assert call(["sources", "check", "--lake", str(port.lake), "--format", "json"]) == 1
    return json.loads(out.getvalue())
