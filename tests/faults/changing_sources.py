"""This module is a small world of sources for the soak: lists of fabricated papers that change at random, as lists do."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def _words(text: str) -> list[str]:
    return text.split()


_NOUNS = _words("rivers frost whales tides maps dust salt bridges lamps moss engines clocks harbours seeds glass wolves")
_QUALITIES = _words("warm dry small hidden old slow early broken quiet northern double late bright narrow")
_AIMS = _words("account measure history model survey theory grammar census geometry atlas")
_NAMES = _words("Lee Okri Sato Lund Roy Kust Bauer Diaz Novak Haile Moreau Tran Silva Berg")
_GIVEN = _words("Ann Ben Hana Peder Uma Vera Cleo Ivan Noor Tom Maya Paul")

PAPERS = 400
"""How many papers there are in this world; each list has some of them, so lists overlap."""


def paper(number: int, variant: int) -> dict[str, str]:
    """A paper as one list gives it; variants differ as lists do."""
    chance = random.Random(number)
    title = f"{chance.choice(_QUALITIES)} {chance.choice(_NOUNS)} and {chance.choice(_QUALITIES)} {chance.choice(_NOUNS)}"
    title = f"A {chance.choice(_AIMS)} of {title} {chance.choice(['', 'in winter', 'at sea', 'by night', 'revisited'])}".strip()
    authors = [f"{chance.choice(_GIVEN)} {chance.choice(_NAMES)}" for _ in range(chance.randint(1, 3))]
    doi = f"10.5555/p{number}" if chance.random() < 0.6 else ""
    other = random.Random(number * 31 + variant)
    return {
        "id": f"n{number}",
        "title": title.upper() if other.random() < 0.1 else title,
        "author": "; ".join(authors),
        "year": str(1980 + number % 45) if other.random() < 0.9 else "",
        "doi": doi if other.random() < 0.7 else "",
        "abstract": f"We look at {title.lower()}." if other.random() < 0.5 else "",
    }


@dataclass
class List:
    """One file of a source: the papers in it by number, each with its variant, and how it is written."""

    path: Path
    papers: dict[int, int]
    header: tuple[str, ...] = ("id", "title", "author", "year", "doi", "abstract")
    kept: bytes | None = None

    def write(self) -> None:
        """Writes the file as it is now."""
        rows = [paper(number, variant) for number, variant in sorted(self.papers.items())]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.suffix == ".csv":
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(self.header)
            writer.writerows(row.values() for row in rows)
            text = out.getvalue()
        elif self.path.suffix == ".bib":
            text = "".join(_bibtex(row) for row in rows)
        else:
            text = "".join(json.dumps({name: value for name, value in row.items() if value}) + "\n" for row in rows)
        self.path.write_text(text, encoding="utf-8")


def _bibtex(row: dict[str, str]) -> str:
    fields = {"title": row["title"], "author": row["author"].replace("; ", " and "), "year": row["year"], "doi": row["doi"]}
    body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@article{{{row['id']},\n{body}}}\n\n"


@dataclass
class Source:
    """One configured source: its folder, its lists, what its block says, and whether it was changed beyond the gate."""

    name: str
    folder: Path
    suffix: str
    block: dict[str, object] = field(default_factory=dict)
    lists: list[List] = field(default_factory=list)
    is_wild: bool = False
    next_number: int = 0


Change = Callable[["Source", random.Random], str]


def _large_list(source: Source, chance: random.Random) -> List:
    """A list of which a paper more or less is nothing that the gate would hold back."""
    return chance.choice([each for each in source.lists if len(each.papers) >= LARGE] or [max(source.lists, key=_length)])


LARGE = 12


def _length(each: List) -> int:
    return len(each.papers)


def _grown(source: Source, chance: random.Random) -> str:
    each = _large_list(source, chance)
    free = [number for number in range(PAPERS) if number not in each.papers]
    for number in chance.sample(free, min(len(free), max(1, len(each.papers) // 12))):
        each.papers[number] = chance.randint(0, 9)
    each.write()
    return f"{each.path.name} grew to {len(each.papers)}"


def _edited(source: Source, chance: random.Random) -> str:
    each = _large_list(source, chance)
    for number in chance.sample(sorted(each.papers), min(len(each.papers), 3)):
        each.papers[number] = chance.randint(0, 9)
    each.write()
    return f"{each.path.name} was edited"


def _shrunk_a_little(source: Source, chance: random.Random) -> str:
    each = max(source.lists, key=_length)
    for number in chance.sample(sorted(each.papers), len(each.papers) // 15):
        del each.papers[number]
    each.write()
    return f"{each.path.name} shrank to {len(each.papers)}"


def _added(source: Source, chance: random.Random) -> str:
    source.next_number += 1
    numbers = chance.sample(range(PAPERS), 12)
    made = List(source.folder / f"list{source.next_number}{source.suffix}", {n: chance.randint(0, 9) for n in numbers})
    source.lists.append(made)
    made.write()
    return f"{made.path.name} is new"


def _shrunk(source: Source, chance: random.Random) -> str:
    each = chance.choice(source.lists)
    each.papers = dict(sorted(each.papers.items())[: max(1, len(each.papers) // 3)])
    each.write()
    source.is_wild = True
    return f"{each.path.name} shrank to {len(each.papers)}, beyond the gate"


def _emptied(source: Source, chance: random.Random) -> str:
    each = chance.choice(source.lists)
    each.path.write_bytes(b"")
    source.is_wild = True
    return f"{each.path.name} was emptied"


def _renamed_columns(source: Source, chance: random.Random) -> str:
    each = chance.choice(source.lists)
    each.header = ("key", "name", "writers", "published", "link", "summary")
    each.write()
    source.is_wild = True
    return f"{each.path.name} has other columns"


def _removed(source: Source, chance: random.Random) -> str:
    each = chance.choice(source.lists)
    each.path.unlink(missing_ok=True)
    source.is_wild = True
    return f"{each.path.name} was removed"


def put_back(source: Source) -> str:
    """Writes every list as it should be."""
    for each in source.lists:
        each.header = List.header
        each.write()
    return f"{source.name} was put back"


CALM: tuple[Change, ...] = (_grown, _grown, _edited, _edited, _shrunk_a_little, _added)
WILD: tuple[Change, ...] = (_shrunk, _emptied, _renamed_columns, _removed)


class Feed:
    """A list behind an address of this machine, with ETag, that a source fetches."""

    def __init__(self, path: Path) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if not path.is_file():
                    self.send_error(404)
                    return
                body = path.read_bytes()
                tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
                is_known = self.headers.get("If-None-Match") == tag
                self.send_response(304 if is_known else 200)
                self.send_header("ETag", tag)
                self.send_header("Content-Length", "0" if is_known else str(len(body)))
                self.end_headers()
                if not is_known:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/{path.name}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends the server."""
        self._server.shutdown()
        self._server.server_close()
