"""This script stages a file of each main format, and reads it with another program too: records a second, time and memory.

    python tests/bench/readers.py [csv json xml …] [--bytes 20000000] [--runs 3]

The files are made here (fabricated papers, the same for every run) in a temporary folder, and removed. Each run is a process of
its own; staging and the other program take turns, so that both see the same machine. The figures are medians; records a second
are of the time of all processors, which says what a format costs, while `wall` is what one waits.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import importlib
import importlib.util
import io
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from json_lines import plain_papers
from xml_memory import SYLLABLES, paper

PROJECT = Path(__file__).resolve().parents[2]
Paper = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Format:
    """A format: the name of its reader, the text before, of, between and after the papers, and who else reads it."""

    reader: str
    texts: Callable[[], Iterator[str]]
    head: str = ""
    between: str = ""
    tail: str = ""
    modules: tuple[str, ...] = ()
    peer: Callable[[Path, Path], int] | None = None


def papers() -> Iterator[Paper]:
    """Fabricated papers, the same every time."""
    return map(json.loads, plain_papers(random.Random(7)))


def names(of: Paper) -> list[str]:
    """Its authors, each as `Family, Given`."""
    authors = of["authors"]
    assert isinstance(authors, list)
    return [", ".join(reversed(str(name).split())) for name in authors]


def csv_rows() -> Iterator[str]:
    """A row a paper."""
    for of in papers():
        yield _row({**of, "authors": "; ".join(names(of)), "keywords": "; ".join(map(str, _list(of, "keywords")))}.values())


def bibtex_entries() -> Iterator[str]:
    """An entry a paper, a field a line."""
    for of in papers():
        yield (
            f"@article{{{of['id']},\n  title = {{{of['title']}}},\n  author = {{{' and '.join(names(of))}}},\n"
            f"  journal = {{{of['venue']}}},\n  year = {{{of['year']}}},\n  abstract = {{{of['abstract']}}},\n"
            f"  keywords = {{{', '.join(map(str, _list(of, 'keywords')))}}},\n  doi = {{10.1234/{of['id']}}},\n"
            f"  url = {{{of['url']}}},\n}}\n\n"
        )


def ris_entries() -> Iterator[str]:
    """An entry a paper, a tag a line."""
    for of in papers():
        lines = ["TY  - JOUR", f"ID  - {of['id']}", f"TI  - {of['title']}", *(f"AU  - {name}" for name in names(of))]
        lines += [f"JO  - {of['venue']}", f"PY  - {of['year']}", f"AB  - {of['abstract']}", f"UR  - {of['url']}"]
        lines += [*(f"KW  - {word}" for word in _list(of, "keywords")), f"DO  - 10.1234/{of['id']}", "ER  - ", "", ""]
        yield "\n".join(lines)


def markdown_rows() -> Iterator[str]:
    """A row of a table a paper."""
    for of in papers():
        yield f"| [{of['title']}]({of['url']}) | {'; '.join(names(of))} | {of['venue']} | {of['year']} |\n"


def xml_records() -> Iterator[str]:
    """An article of PubMed a paper."""
    chance = random.Random(7)
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    for number in count(1):
        yield paper(chance, words, number)


def copy_csv(path: Path, folder: Path) -> int:
    """DuckDB copies it to Parquet."""
    return _copy(f"read_csv('{path}')", folder)


def copy_json(path: Path, folder: Path) -> int:
    """DuckDB copies it to Parquet."""
    return _copy(f"read_json('{path}', maximum_object_size = 67108864)", folder)


def touch_xml(path: Path, folder: Path) -> int:
    """lxml goes over it, and each record is touched and dropped."""
    from lxml import etree

    touched = 0
    for _, element in etree.iterparse(str(path), tag="PubmedArticle"):
        touched += element.get("no such") is None
        element.clear()
        while element.getprevious() is not None:
            del element.getparent()[0]
    return touched


def parse_bibtex(path: Path, folder: Path) -> int:
    """bibtexparser parses it."""
    import bibtexparser

    return len(bibtexparser.parse_file(str(path), encoding="utf-8").entries)


def parse_ris(path: Path, folder: Path) -> int:
    """rispy parses it."""
    import rispy

    with path.open(encoding="utf-8") as file:
        return len(rispy.load(file))


def _list(of: Paper, name: str) -> list[object]:
    values = of[name]
    assert isinstance(values, list)
    return values


def _row(cells: object) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)  # type: ignore[arg-type]
    return text.getvalue()


def _copy(source: str, folder: Path) -> int:
    import duckdb
    import pyarrow.parquet as pq

    target = folder / "copied.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"copy (from {source}) to '{target}'")
    return int(pq.read_metadata(target).num_rows)


DUCKDB = ("duckdb", "pyarrow.parquet")
FORMATS: dict[str, Format] = {
    "csv": Format("delimited", csv_rows, head=_row(next(papers())), modules=DUCKDB, peer=copy_csv),
    "json": Format(
        "json_records", lambda: (json.dumps(of) for of in papers()), "[", ",\n", "]\n", modules=DUCKDB, peer=copy_json
    ),
    "json_lines": Format("json_lines", lambda: plain_papers(random.Random(7)), modules=DUCKDB, peer=copy_json),
    "xml": Format("xml_records", xml_records, "<PubmedArticleSet>\n", "", "</PubmedArticleSet>\n", ("lxml.etree",), touch_xml),
    "bibtex": Format("bibtex", bibtex_entries, modules=("bibtexparser",), peer=parse_bibtex),
    "ris": Format("ris", ris_entries, modules=("rispy",), peer=parse_ris),
    "markdown": Format("markdown_tables", markdown_rows, head="| Title | Authors | Venue | Year |\n|---|---|---|---|\n"),
}


def make_file(path: Path, form: Format, size_bytes: int) -> int:
    """Writes papers until the file has the size; gives how many."""
    with path.open("wb") as file:
        written = file.write(form.head.encode())
        for number, text in enumerate(form.texts(), 1):
            written += file.write(text.encode())
            if written >= size_bytes:
                file.write(form.tail.encode())
                return number
            file.write(form.between.encode())
    return 0


def stage(path: Path, folder: Path) -> int:
    """Stages the file as the step does; gives the number of records."""
    from transforms.readers.base import RawFile
    from transforms.staging import STAGED_SCHEMAS, stage_file
    from warehouse.work import Output
    from warehouse.work_writer import writing_output

    facts: dict[str, object] = {}
    with writing_output(Output(folder / "staged"), STAGED_SCHEMAS, facts) as sink:
        found = stage_file(RawFile(path, path.stat().st_size), sink)
        facts.update(dataclasses.asdict(found))
    assert found.reader == FORMATS[path.stem].reader, (found.reader, found.message)
    assert not found.reasons, found.reasons
    return found.records


def work(what: str, path: Path) -> None:
    """What a run does: prints the records, the seconds of processors and clock, and the most memory it had."""
    form = FORMATS[path.stem]
    peer = form.peer if what == "peer" else stage
    assert peer is not None, "asked where there is one"
    # What a process pays once for its imports is told by startup.py.
    for name in form.modules if what == "peer" else ("transforms.staging", "warehouse.work_writer"):
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        cpu, wall = time.process_time(), time.perf_counter()
        records = peer(path, Path(folder))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"records": records, "cpu": cpu, "wall": wall, "memory": memory}))


def timed(what: str, path: Path) -> dict[str, float]:
    """One run in a process of its own."""
    words = [sys.executable, __file__, "--worker", what, "--path", str(path)]
    printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=PROJECT).stdout
    return {name: float(value) for name, value in json.loads(printed).items()}


def compare(name: str, folder: Path, size_bytes: int, runs: int) -> bool:
    """Runs both in turn, and prints what they took; whether staging found all records."""
    form, path = FORMATS[name], folder / f"{name}.txt"
    made = make_file(path, form, size_bytes)
    missing = [module for module in form.modules if importlib.util.find_spec(module.partition(".")[0]) is None]
    results: dict[str, list[dict[str, float]]] = {"stage": []} | ({"peer": []} if form.peer and not missing else {})
    for _ in range(runs):
        for what, found in results.items():
            found.append(timed(what, path))
    path.unlink()
    for what, found in results.items():
        cpu, wall, memory = (statistics.median(run[key] for run in found) for key in ("cpu", "wall", "memory"))
        records, who = found[0]["records"], "paperlake" if what == "stage" else form.modules[0].partition(".")[0]
        print(
            f"{name:10} {who:12} {records:9,.0f} records  {records / cpu:9,.0f} records/s  "
            f"cpu {cpu:6.2f} s  wall {wall:6.2f} s  memory {memory / 2**20:5,.0f} MiB",
            flush=True,
        )
    if missing:
        print(f"{name:10} {missing[0]} is not installed: left out")
    return results["stage"][0]["records"] == made


def main() -> int:
    """Compares each format that is asked for; 1 if records are missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", help=", ".join(FORMATS))
    parser.add_argument("--bytes", type=int, default=20_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [name for name in options.formats if name not in FORMATS]:
        parser.error(f"expected some of {', '.join(FORMATS)}, found {', '.join(unknown)}")
    if options.worker:
        work(options.worker, options.path)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = [compare(name, Path(folder), options.bytes, options.runs) for name in options.formats or FORMATS]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
