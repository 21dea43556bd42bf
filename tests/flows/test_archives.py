"""Compressed files and archives through the run: the same papers as from plain files, known again unopened, forgotten whole."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from flows.cli import call

FIRST = "title,authors,year,doi\nMoths That Read Maps,Zoe Abara,2024,10.5555/moths\nOn Slow Light,Ben Okri,2022,\n"
SECOND = (
    '{"title": "Glow Worms in Graph Search", "authors": ["Ada Moss", "Li Wei"], "year": 2023}\n'
    '{"title": "Ferries and Locks", "authors": ["Cy Dow"], "year": 2023}\n'
)


def a_zip(**members: str) -> bytes:
    """A zip of these members; in their names `__` stands for a dot."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, text in members.items():
            archive.writestr(f"inner/{name.replace('__', '.')}", text)
    return target.getvalue()


def a_tar_gz(**members: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name.replace("__", "."))
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return target.getvalue()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    return folder


@pytest.fixture
def run(lake: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict]:
    """A direct run into the lake that must succeed; its report."""

    def of(*words: object) -> dict:
        assert call(["run", *map(str, words), "--lake", str(lake), "--direct", "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return of


@pytest.fixture
def ask(lake: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], list[dict]]:
    def of(query: str) -> list[dict]:
        assert call(["sql", query, "--lake", str(lake), "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)

    return of


def names(lake: Path) -> list[str]:
    return sorted(row["source_path"] for row in json.loads((lake / "state" / "live.json").read_text()))


WAYS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: pa.Codec("zstd").compress(content, asbytes=True),
    "gzip over xz": lambda content: gzip.compress(lzma.compress(content)),
    "zip": lambda content: a_zip(papers=content.decode()),
    "tar.gz": lambda content: a_tar_gz(papers=content.decode()),
}


def test_compressed_or_in_an_archive_a_list_gives_the_papers_it_gives_plain(
    tmp_path: Path, raw: Path, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def papers(content: bytes, lake: Path) -> list[str]:
        (raw / "list").write_bytes(content)
        assert call(["run", str(raw / "list"), "--lake", str(lake), "--direct"]) == 0
        release = (lake / "current").resolve()
        capsys.readouterr()
        tables = ("papers", "authorships", "identifiers", "links", "paper_matches")
        return [hashlib.sha256(next((release / table).glob("*.parquet")).read_bytes()).hexdigest() for table in tables]

    content = (samples / "papers.jsonl").read_bytes()
    plain = papers(content, tmp_path / "plain")
    for way, pack in WAYS.items():
        assert papers(pack(content), tmp_path / way) == plain, way


def test_spans_and_ledger_count_the_content_and_the_size_is_that_of_the_landed_file(run, ask, raw: Path) -> None:
    (raw / "b.jsonl").write_bytes(gzip.compress(SECOND.encode()))
    run(raw / "b.jsonl")
    (row,) = ask("select f.compression, f.size_bytes, l.size_bytes as content, l.bytes_records, l.balanced from raw_files f "
                 "join ledger l using (file_sha256)")  # fmt: skip
    packed = (raw / "b.jsonl").stat().st_size
    assert row == {
        "compression": "gzip",
        "size_bytes": packed,
        "content": len(SECOND),
        "bytes_records": len(SECOND),
        "balanced": True,
    }
    first_bytes = SECOND.index("\n") + 1
    assert ask("select span_start, span_end from records") == [
        {"span_start": 0, "span_end": first_bytes},
        {"span_start": first_bytes, "span_end": len(SECOND)},
    ]


def test_what_follows_the_end_of_a_compressed_file_is_said(run, raw: Path) -> None:
    (raw / "b").write_bytes(gzip.compress(SECOND.encode()) + b"garbage")
    assert run(raw / "b")["notes"] == ["b: the 7 bytes after the end of its gzip data are none, and left out"]


def test_broken_files_and_archives_are_one_reject_each_and_the_run_goes_on(run, ask, raw: Path) -> None:
    (raw / "cut.gz").write_bytes(gzip.compress(FIRST.encode())[:-9])
    (raw / "bomb.gz").write_bytes(gzip.compress(bytes(20_000_000)))
    (raw / "empty.zip").write_bytes(a_zip())
    damaged = bytearray(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    damaged[damaged.index(b"a.csv") + 30] ^= 1
    (raw / "damaged.zip").write_bytes(damaged)
    report = run(raw)
    assert report["rejects_by_reason"] == {
        "broken_archive": 1,
        "broken_compression": 1,
        "empty_archive": 1,
        "unpacked_too_large": 1,
    }
    assert report["records_clean"] == 2
    assert ask("select file_name, verdict, compression, l.size_bytes = f.size_bytes as whole, balanced from raw_files f "
               "join ledger l using (file_sha256) order by 1") == [
        *({"file_name": name, "verdict": verdict, "compression": None, "whole": True, "balanced": True} for name, verdict in (
            ("b.jsonl", "read"), ("bomb.gz", "unreadable"), ("cut.gz", "unreadable"), ("damaged.zip", "unreadable"),
            ("empty.zip", "unreadable"))),
    ]  # fmt: skip
    (row,) = ask("select message from rejects where reason = 'broken_archive'")
    assert row["message"].startswith("a zip: not read of it: inner/a.csv (damaged: ")


NOTHING_NEW = """
import sys
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
from flows.cli import call
code = call(["run", sys.argv[1], "--lake", sys.argv[2], "--direct"])
data = [path for path in opened if path.endswith(".parquet") or "/raw/" in path or path.startswith(sys.argv[1])]
heavy = ("polars", "prefect", "duckdb", "pyarrow", "tarfile", "warehouse.archives")
print(code, [name for name in heavy if name in sys.modules], data)
"""


def test_an_archive_that_is_as_it_was_is_not_opened(run, lake: Path, raw: Path) -> None:
    (raw / "list.zip").write_bytes(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    (raw / "list.tar.gz").write_bytes(a_tar_gz(c__csv=FIRST, d__jsonl=SECOND))
    (raw / "e.jsonl.gz").write_bytes(gzip.compress(SECOND.encode()))
    assert run(raw)["files_copied"] == 3
    assert names(lake) == [
        "e.jsonl.gz",
        "list.tar.gz/c.csv",
        "list.tar.gz/d.jsonl",
        "list.zip/inner/a.csv",
        "list.zip/inner/b.jsonl",
    ]
    words = [sys.executable, "-c", NOTHING_NEW, str(raw), str(lake)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 [] []"


def test_rehash_looks_into_an_archive_behind_an_unchanged_stat(run, lake: Path, raw: Path) -> None:
    path = raw / "list.zip"
    path.write_bytes(a_zip(a__csv=FIRST))
    run(path)
    status = path.stat()
    path.write_bytes(a_zip(a__csv=FIRST.replace("Moths", "Mites")))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert run(path)["files_copied"] == 0
    report = run(path, "--rehash")
    assert report["files_copied"] == 1
    assert report["notes"] == [
        "list.zip: 1 of its earlier files are live too; `paperlake forget list.zip` takes all of it out, then run again with it"
    ]


def test_an_archive_is_forgotten_with_all_that_is_in_it(run, ask, lake: Path, raw: Path, capsys) -> None:
    damaged = bytearray(a_zip(a__csv=FIRST, b__jsonl=SECOND, c__jsonl=SECOND.replace("Glow", "Slow")))
    damaged[damaged.index(b"a.csv") + 30] ^= 1
    (raw / "list.zip").write_bytes(damaged)
    (raw / "kept.csv").write_text(FIRST)
    run(raw)
    assert len(names(lake)) == 4
    assert call(["forget", "list.zip", "--lake", str(lake)]) == 0
    capsys.readouterr()
    assert names(lake) == ["kept.csv"]
    run()
    assert ask("select count(*) as n from papers") == [{"n": 2}]


def config(folder: Path, pipeline: str = "", sources: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "pipeline.toml").write_text(pipeline)
    (folder / "sources.toml").write_text(sources)
    (folder / "venues.csv").write_text("alias,venue_id,name,kind\n")
    return folder


def test_in_a_configured_source_a_new_archive_replaces_the_members_of_the_old(
    run, ask, lake: Path, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config(tmp_path / "config", sources=f'[sources.zoo]\nlocation = "{raw}"')))
    (raw / "list.zip").write_bytes(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    (raw / "list.zip.csv").write_text(FIRST.replace("Slow", "Fast"))
    run()
    assert ask("select source_path from raw_files order by 1") == [
        {"source_path": path} for path in ("list.zip.csv", "list.zip/inner/a.csv", "list.zip/inner/b.jsonl")
    ]
    (raw / "list.zip").write_bytes(a_zip(b__jsonl=SECOND.replace("2023", "2024")))
    run("--accept", "zoo")
    assert names(lake) == ["list.zip.csv", "list.zip/inner/b.jsonl"]
    (raw / "list.zip").write_text(FIRST)  # no archive any more
    run("--accept", "zoo")
    assert names(lake) == ["list.zip", "list.zip.csv"]


def test_an_archive_over_a_limit_is_looked_into_again_when_the_limit_is_raised(
    run, lake: Path, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (raw / "list.zip").write_bytes(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    monkeypatch.setenv("PAPERLAKE_CONFIG", str(config(tmp_path / "config", "[limits]\narchive_files = 1")))
    report = run(raw)
    assert report["rejects_by_reason"] == {"unpacked_too_large": 1}
    assert "limits.archive_files = 1 in pipeline.toml" in report["notes"][0]
    config(tmp_path / "config", "[limits]\narchive_files = 2")
    report = run(raw)
    assert (report["files_copied"], report["records_clean"]) == (2, 4)
    assert names(lake) == ["list.zip", "list.zip/inner/a.csv", "list.zip/inner/b.jsonl"]


def test_a_dry_run_names_the_members_and_leaves_nothing(
    raw: Path, lake: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    (raw / "list.zip").write_bytes(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    (raw / "z.gz").write_bytes(gzip.compress(SECOND.encode())[:-9])
    assert call(["run", str(raw), "--lake", str(lake), "--dry-run", "--format", "json"]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert [(file["path"].removeprefix(f"{raw}/"), file["reader"]) for file in files] == [
        ("list.zip/inner/a.csv", "delimited"),
        ("list.zip/inner/b.jsonl", "json_lines"),
        ("z.gz", None),
    ]
    assert "truncated or damaged" in files[2]["message"]
    assert not lake.exists()
    assert list(temporary.iterdir()) == []


def paperlake(*words: object, check: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PAPERLAKE_")}
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", *map(str, words)],
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=check,
    )


def test_killed_while_it_lands_and_stages_an_archive_the_next_run_finishes_the_work(tmp_path: Path, raw: Path) -> None:
    (raw / "list.zip").write_bytes(a_zip(a__csv=FIRST, b__jsonl=SECOND))
    (raw / "c.gz").write_bytes(gzip.compress(SECOND.replace("Glow", "Slow").encode()))

    def words(lake: Path) -> list[object]:
        return ["run", raw, "--lake", lake, "--direct"]

    def tables(lake: Path) -> dict[str, str]:
        found = sorted((lake / "current").resolve().rglob("*.parquet"))
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    log = tmp_path / "points"
    paperlake(*words(tmp_path / "undisturbed"), PAPERLAKE_CRASH_LOG=str(log))
    points = log.read_text().splitlines()
    last = points.index("after step stage") + 1
    assert last > 10
    before_renames = [number for number in range(1, last + 1) if points[number - 1].startswith("before rename to ")]
    for number in before_renames:
        lake = tmp_path / str(number)
        killed = paperlake(*words(lake), check=False, PAPERLAKE_CRASH_AT=str(number))
        assert killed.returncode == -signal.SIGKILL, (points[number - 1], killed.stderr)
        paperlake(*words(lake))
        assert tables(lake) == tables(tmp_path / "undisturbed"), points[number - 1]
        assert not list(lake.rglob(".tmp-*"))


def test_what_a_killed_run_left_unpacked_is_removed_by_the_next(run, lake: Path, raw: Path) -> None:
    (raw / "a.csv").write_text(FIRST)
    run(raw)
    for folder in (lake / "raw", lake / "work" / "stage"):
        (folder / ".tmp-123-unpacked-0").write_bytes(b"content of a file")
        (folder / ".tmp-123-member-1").write_bytes(b"member")
    run(raw)
    assert not list(lake.rglob(".tmp-*"))
