"""This script stages an XML file (PubMed's dialect) and tells the seconds, the records a second, and the memory it took.

    python tests/bench/xml_memory.py [--bytes 1000000000]

The file is made here (fabricated papers, the same for every run) in a temporary folder, and removed. Staging is a process of
its own, so that its memory is its own. The goal: under 1 GiB.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
GOAL_BYTES = 2**30
SYLLABLES = ("ba", "co", "del", "fir", "gu", "hin", "ker", "lo", "mu", "nar", "pe", "quo", "ri", "sta", "tü", "vel")


def make_file(path: Path, size_bytes: int) -> int:
    """Writes papers until the file has the size; gives how many."""
    chance, written, count = random.Random(7), 0, 0
    words = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(20_000)]
    with path.open("wb") as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n')
        while written < size_bytes:
            count += 1
            written += file.write(paper(chance, words, count).encode())
        file.write(b"</PubmedArticleSet>\n")
    return count


def paper(chance: random.Random, words: list[str], number: int) -> str:
    """One article, about as long and as deep as PubMed's are."""

    def text(count: int) -> str:
        return " ".join(chance.choices(words, k=count))

    authors = "".join(
        f'<Author ValidYN="Y"><LastName>{text(1).title()}</LastName><ForeName>{text(2).title()}</ForeName>'
        f"<AffiliationInfo><Affiliation>{text(12)}</Affiliation></AffiliationInfo></Author>\n"
        for _ in range(chance.randint(1, 8))
    )
    headings = "".join(
        f'<MeshHeading><DescriptorName MajorTopicYN="N">{text(2)}</DescriptorName></MeshHeading>\n' for _ in range(10)
    )
    return (
        f'<PubmedArticle>\n<MedlineCitation Status="MEDLINE"><PMID Version="1">{number}</PMID><Article>\n<Journal>'
        f"<JournalIssue><Volume>{number % 90}</Volume><PubDate><Year>{chance.randint(1960, 2025)}</Year></PubDate>"
        f"</JournalIssue><Title>Journal of Pebbles</Title></Journal>\n<ArticleTitle>{text(6)} <i>{text(2)}</i> &amp; {text(3)}"
        f"</ArticleTitle>\n<Abstract><AbstractText>{text(chance.randint(80, 200))}</AbstractText></Abstract>\n<AuthorList>"
        f"{authors}</AuthorList></Article>\n<MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation>\n<PubmedData>"
        f'<ArticleIdList><ArticleId IdType="doi">10.1234/pebbles.{number}</ArticleId></ArticleIdList></PubmedData>\n'
        "</PubmedArticle>\n"
    )


def stage(path: Path) -> None:
    """Stages the file as the step does; prints the records, the seconds and the most memory it had."""
    from transforms.readers.base import RawFile
    from transforms.staging import STAGED_SCHEMAS, stage_file
    from warehouse.work import Output
    from warehouse.work_writer import writing_output

    start, facts = time.perf_counter(), dict[str, object]()
    with writing_output(Output(path.parent / "staged"), STAGED_SCHEMAS, facts) as sink:
        found = stage_file(RawFile(path, path.stat().st_size), sink)
        facts.update(dataclasses.asdict(found))
    assert found.reader == "xml_records", found.message
    assert found.records == found.entries_counted, found
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"records": found.records, "seconds": time.perf_counter() - start, "memory": memory}))


def main() -> int:
    """Makes and stages the file; 1 if records are missing or the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=10**9)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.path:
        stage(options.path)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "papers.xml")
        count = make_file(path, options.bytes)
        words = [sys.executable, __file__, "--path", str(path)]
        run = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, cwd=PROJECT).stdout)
    print(
        f"{run['records']:,} of {count:,} records  {run['seconds']:.1f} s  {run['records'] / run['seconds']:,.0f} records/s  "
        f"memory {run['memory'] / 2**20:,.0f} MiB (goal {GOAL_BYTES >> 20})"
    )
    return 0 if run["records"] == count and run["memory"] < GOAL_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
