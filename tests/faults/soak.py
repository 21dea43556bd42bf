"""This module lets paperlake run night after night, while sources change and runs are killed, and says whether it held.

    python tests/faults/soak.py --direct 200 --scheduled 10 --seed 1

Each round changes the sources, the settings or people's decisions at random, lets `paperlake run` come as a process of its
own, kills some of them, and does harm to the lake at times. After each the oracle speaks (see `oracle`). At the end a fresh
lake is given the same live set, settings and decisions in one run: all tables but that of history must be the same, byte for
byte. Every difference is printed, and the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import oracle
from changing_sources import CALM, PAPERS, WILD, Feed, List, Source, put_back
from prefect_server import PrefectServer

PROJECT = Path(__file__).resolve().parents[2]
KILLED, WILD_CHANGES, HARMED, DECIDED, SET = 0.25, 0.2, 0.1, 0.15, 0.06
"""How likely it is in a round that the run is killed, a change is beyond the gate, the lake is harmed, and so on."""

PRUNE_EVERY, RELEASES_KEPT, MOST_POINTS = 20, 3, 60


@dataclass
class Tally:
    """What the soak saw."""

    exit_codes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    killed: Counter[str] = field(default_factory=Counter)
    harmed: Counter[str] = field(default_factory=Counter)
    mended: int = 0
    held: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    sizes: list[tuple[int, dict[str, int]]] = field(default_factory=list)
    amiss: list[str] = field(default_factory=list)


class Soak:
    """A lake, its sources, and what happens to them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.chance = folder, random.Random(seed)
        self.lake, self.config = folder / "lake", folder / "config"
        self.tally = Tally()
        self.config.mkdir(parents=True)
        shutil.copy(PROJECT / "config" / "venues.csv", self.config)
        self.sources = [
            Source("club", folder / "club", ".csv", {"has_keys": True}),
            Source("lists", folder / "lists", ".jsonl"),
        ]
        self.sources += [Source("library", folder / "library", ".bib", {"precedence": 50})]
        self.feed = Feed(folder / "feed" / "feed.jsonl")
        self.sources.append(Source("feed", folder / "feed", ".jsonl", {"has_keys": True}))
        for source in self.sources:
            for number in range(1 if source.name == "feed" else 2):
                name = "feed.jsonl" if source.name == "feed" else f"list{number}{source.suffix}"
                numbers = self.chance.sample(range(PAPERS), 40)
                source.lists.append(List(source.folder / name, {n: self.chance.randint(0, 9) for n in numbers}))
            source.next_number = len(source.lists)
            put_back(source)
        self.loose = List(folder / "loose" / "mine.csv", dict.fromkeys(range(8), 1))
        self.loose.write()
        self.environment = {"PAPERLAKE_CONFIG": str(self.config)}
        self.configure(self.config, {source.name: str(source.folder) for source in self.sources} | {"feed": self.feed.address})

    def configure(self, config: Path, locations: dict[str, str]) -> None:
        """Writes the settings, with the sources at these places."""
        lines = []
        for source in self.sources:
            block = {"location": locations[source.name], **source.block}
            lines += [f"[sources.{source.name}]", *(f"{key} = {json.dumps(value)}" for key, value in block.items()), ""]
        (config / "sources.toml").write_text("\n".join(lines))
        gate = "" if config == self.config else "[gate]\nsize_change_ratio = 1e9\nrecords_drop_ratio = 1.0\n"
        fetch = "[fetch]\nrequests_per_minute = 100000.0\nbackoff_seconds = 0.01\nattempts = 2\n"
        (config / "pipeline.toml").write_text(f"[run]\nprune_grace_seconds = 0.0\n\n{fetch}\n{gate}")

    def change(self) -> list[str]:
        """Something happens in the world."""
        said = []
        for _ in range(self.chance.randint(0, 2)):
            source = self.chance.choice(self.sources)
            if source.is_wild and self.chance.random() < 0.5:
                said.append(put_back(source))
            elif self.chance.random() < WILD_CHANGES:
                said.append(self.chance.choice(WILD)(source, self.chance))
            else:
                change = self.chance.choice([each for each in CALM if source.name != "feed" or each.__name__ != "_added"])
                said.append(change(source, self.chance))
        if self.chance.random() < SET:
            source = self.chance.choice(self.sources)
            key, value = self.chance.choice([("year", self.chance.randint(1990, 2020)), ("venue", "ICLR"), ("precedence", 10)])
            source.block[key] = value
            self.configure(self.config, {s.name: str(s.folder) for s in self.sources} | {"feed": self.feed.address})
            said.append(f"[sources.{source.name}] {key} = {value}")
        if (self.lake / "current").exists() and self.chance.random() < DECIDED:
            said.append(self.decide())
        return said

    def decide(self) -> str:
        """A person has a verdict on two records."""
        query = "select distinct record_key from records order by hash(record_key), record_key limit 90"
        keys = [row["record_key"] for row in oracle.rows("sql", query, "--lake", self.lake)]
        first, second = self.chance.sample(keys, 2)
        verdict = self.chance.choice(["same", "different"])
        words = ["decide", first, second, verdict, "--because", "the soak says so", "--lake", self.lake]
        return oracle.said(*words, code=None, **self.environment).strip().splitlines()[-1][:80]

    def harm(self) -> str:
        """A disk or a person does something to the lake."""
        lost = ["current", "paperlake.duckdb", *(f"state/{path.name}" for path in (self.lake / "state").glob("*.json*"))]
        work = sorted(path for path in (self.lake / "work").glob("*/*/*") if path.is_file())
        tables = sorted((self.lake / "current").resolve().glob("*/*.parquet"))
        kind = self.chance.choice(["lost", "flipped in work", "cut in work", "flipped in the release", "lost in the release"])
        if kind == "lost":
            path = self.lake / self.chance.choice(lost)
            path.unlink(missing_ok=True)
        else:
            path = self.chance.choice(tables if "release" in kind else work)
            content = bytearray(path.read_bytes())
            path.unlink()
            if kind.startswith("flipped"):
                content[self.chance.randrange(len(content))] ^= 1 << self.chance.randrange(8)
            if not kind.startswith("lost"):
                path.write_bytes(content[: len(content) // 2] if kind.startswith("cut") else content)
        self.tally.harmed[kind] += 1
        return f"{kind}: {path.relative_to(self.lake) if path.is_relative_to(self.lake) else path.name}"

    def run(self, *, server: PrefectServer | None, is_killed: bool) -> None:
        """One run as a process of its own, perhaps killed."""
        wild = [source for source in self.sources if source.is_wild]
        accepted = [source for source in wild if self.chance.random() < 0.3]
        words = ["run", "--lake", str(self.lake), "--format", "json", *([] if server else ["--direct"])]
        for source in accepted:
            words += ["--accept", source.name]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAPERLAKE_", "PREFECT_"))} | self.environment
        environment |= server.environment if server else {}
        after = None
        if is_killed and self.chance.random() < 0.5:
            environment["PAPERLAKE_CRASH_AT"] = str(self.chance.randint(1, MOST_POINTS))
        elif is_killed:
            usual = statistics.median(self.tally.seconds) if self.tally.seconds else 3.0
            after = self.chance.uniform(0.1, usual * 1.1)
        start = time.monotonic()
        command = [sys.executable, "-m", "flows.cli", *words]
        process = subprocess.Popen(
            command, env=environment, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            out, err = process.communicate(timeout=after or 600)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
        code = process.returncode
        if code == -signal.SIGKILL:
            self.tally.killed["at a point" if after is None else "at a moment"] += 1
            return
        self.tally.seconds.append(time.monotonic() - start)
        self.tally.exit_codes[str(code)] += 1
        self.judge(code, out, err, wild, accepted)

    def judge(self, code: int, out: str, err: str, wild: list[Source], accepted: list[Source]) -> None:
        """Whether the run ended as it should."""
        try:
            report = json.loads(out)
        except ValueError:
            self.amiss(f"exit code {code}, and no report: {err[-1500:]}")
            return
        held = report.get("held_sources") or {}
        self.tally.outcomes[report["outcome"]] += 1
        self.tally.held += bool(held)
        self.tally.mended += len(report.get("mended", ()))
        if code != (3 if held else 0):
            self.amiss(f"exit code {code} with held sources {held}: {err[-1500:]}")
        gone = [source for source in wild if not all(each.path.exists() for each in source.lists)]  # that no --accept brings
        if unexpected := held.keys() - {source.name for source in wild if source not in accepted or source in gone}:
            self.amiss(
                f"held back though nothing was beyond the gate, or it was accepted: { {n: held[n] for n in unexpected} }"
            )
        for source in wild:
            source.is_wild = source.name in held

    def look(self) -> None:
        """The oracle after a run, killed or not."""
        if not (self.lake / "current").exists():
            return
        try:
            oracle.assert_whole(self.lake)
        except AssertionError as error:
            self.amiss(str(error))

    def amiss(self, text: str) -> None:
        """Something is not as it should be."""
        print(f"  AMISS: {text}", flush=True)
        self.tally.amiss.append(text)

    def measure(self, number: int) -> None:
        """How large each area of the lake is."""
        areas = ("raw", "work", "releases", "runs", "state")
        self.tally.sizes.append((number, {area: _size(self.lake / area) for area in areas}))

    def play(self, direct: int, scheduled: int) -> None:
        """All rounds, the scheduled ones strewn among the direct."""
        total = direct + scheduled
        by_server = set(self.chance.sample(range(1, total), min(scheduled, total - 1))) if scheduled else set()
        server = PrefectServer(self.folder / "prefect") if scheduled else None
        try:
            oracle.said("run", self.loose.path, "--direct", "--lake", self.lake, **self.environment)
            for number in range(total):
                said = self.change() if number else []
                is_killed = self.chance.random() < KILLED and number < total - 1
                if number and self.chance.random() < HARMED and (self.lake / "current").exists():
                    said.append(self.harm())
                    is_killed = False  # what is harmed is whole after the next run, not before
                print(
                    f"round {number + 1}{' (scheduled)' if number in by_server else ''}: {'; '.join(said) or '-'}", flush=True
                )
                self.run(server=server if number in by_server else None, is_killed=is_killed)
                self.look()
                if number % PRUNE_EVERY == PRUNE_EVERY - 1:
                    oracle.said("prune", "--keep", RELEASES_KEPT, "--lake", self.lake, **self.environment)
                    self.measure(number + 1)
            self.measure(total)
        finally:
            if server is not None:
                server.close()

    def compare(self) -> None:
        """A fresh lake, made of the same live set at once, must have the same tables."""
        fresh = self.folder / "fresh"
        config, lake = fresh / "config", fresh / "lake"
        config.mkdir(parents=True)
        lake.mkdir()
        for path in self.config.iterdir():
            shutil.copy(path, config)
        loose = []
        for row in json.loads((self.lake / "state" / "live.json").read_text()):
            raw = self.lake / "raw" / row["sha256"][:2] / row["sha256"]
            target = fresh / "sources" / row["source"] / row["source_path"]
            if row["source"] == "command_line":
                target = fresh / "loose" / row["sha256"] / row["source_path"]
                loose.append(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(raw, target)
        self.configure(config, {source.name: str(fresh / "sources" / source.name) for source in self.sources})
        if (self.lake / "decisions.csv").exists():
            shutil.copy(self.lake / "decisions.csv", lake)
        environment = {"PAPERLAKE_CONFIG": str(config)}
        oracle.said("run", *loose, "--direct", "--lake", lake, **environment)
        oracle.said("run", "--direct", "--lake", lake, **environment)
        one, other = (oracle.tables(each, without=oracle.OF_HISTORY) for each in (self.lake, lake))
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                self.amiss(f"{name} differs from that of a fresh lake; both are kept in {self.folder}")
        if left := oracle.leftovers(self.lake):
            self.amiss(f"left behind: {left}")

    def summary(self) -> str:
        """The figures."""
        tally = self.tally
        seconds = sorted(tally.seconds) or [0.0]
        lines = [
            f"runs that ended: {len(tally.seconds)}, by exit code {dict(tally.exit_codes)}, by outcome {dict(tally.outcomes)}",
            f"runs killed: {sum(tally.killed.values())} {dict(tally.killed)}; runs with a source held back: {tally.held}",
            f"harm done: {dict(tally.harmed)}; sentences of mending: {tally.mended}",
            f"seconds a run: p50 {seconds[len(seconds) // 2]:.1f}, p95 {seconds[int(len(seconds) * 0.95)]:.1f}",
            *(f"KiB after round {n}: " + ", ".join(f"{a} {s // 1024}" for a, s in sizes.items()) for n, sizes in tally.sizes),
            f"unexplained: {len(tally.amiss)}",
        ]
        return "\n".join([*lines, *(f"  {text}" for text in tally.amiss)])


def _size(folder: Path) -> int:
    """The bytes in a folder, a file with several names counted once."""
    return sum({stat.st_ino: stat.st_size for stat in (path.lstat() for path in folder.rglob("*"))}.values())


def main() -> int:
    """Plays the rounds asked for, and prints what came of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--direct", type=int, default=40, help="rounds with --direct")
    parser.add_argument("--scheduled", type=int, default=0, help="rounds as a flow, against a Prefect server of their own")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, help="where to play; kept (default: a temporary folder, kept if something is amiss)"
    )
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="soak-"))
    start = time.monotonic()
    soak = Soak(folder.resolve(), given.seed)
    soak.play(given.direct, given.scheduled)
    soak.compare()
    rounds = f"{given.direct} direct and {given.scheduled} scheduled rounds, seed {given.seed}"
    print(f"\n{rounds}, {time.monotonic() - start:.0f} s\n{soak.summary()}")
    if not soak.tally.amiss and given.folder is None:
        shutil.rmtree(folder)
    return 1 if soak.tally.amiss else 0


if __name__ == "__main__":
    sys.exit(main())
