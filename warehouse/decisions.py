"""This module keeps people's verdicts on pairs of records: `decisions.csv` in the lake, read, checked and added to.

The file is a person's as much as ours: it is edited by hand, in spreadsheets too, so every row is checked when it is read, and
what is added leaves the bytes before it as they are. Its order and its reasons have no say in a release; its verdicts have.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from transforms.schemas import PaperlakeError
from warehouse.atomic import write_file
from warehouse.layout import Lake
from warehouse.names import nearest

HEADER = ("record_key_l", "record_key_r", "verdict", "because")
VERDICTS = ("same", "different")

_RECORD_KEY = re.compile(r"k[0-9a-f]{24}(#[0-9]+)?")
_CONTRADICTIONS_SHOWN = 5


class DecisionError(PaperlakeError):
    """A decision that cannot be taken as it stands: malformed, or against others; the message names every line."""

    exit_code: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's verdict on two records, the lesser record key first; `line` is where its row begins, 0 if it is new."""

    record_key_l: str
    record_key_r: str
    verdict: str
    because: str
    line: int = 0

    @property
    def pair(self) -> tuple[str, str]:
        """The two record keys."""
        return self.record_key_l, self.record_key_r

    def described(self) -> str:
        """The decision in a line, for a message."""
        where = f"line {self.line}" if self.line else "new"
        return f"{where}: {self.record_key_l} {self.verdict} {self.record_key_r} (because: {' '.join(self.because.split())})"


Verdict = tuple[str, str, str]
"""The lesser record key, the greater, and `same` or `different`."""


def new_decision(record_key_l: str, record_key_r: str, verdict: str, because: str) -> Decision:
    """A decision on two records, given in any order.

    >>> new_decision("k2", "k1", "same", "one DOI").pair
    ('k1', 'k2')
    """
    least, greatest = sorted((record_key_l, record_key_r))
    # Python's csv leaves a lone carriage return without quotes, and reads it as the end of the row.
    return Decision(least, greatest, verdict, re.sub(r"\r\n?", "\n", because).strip())


def read_decisions(lake: Lake) -> tuple[Decision, ...]:
    """The decisions of the lake, in the order of the file; none where there is no file.

    Raises:
        DecisionError: a row is malformed, or some contradict each other.
    """
    path = lake.decisions_path
    if not path.exists():
        return ()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise DecisionError(f"{path} line {line}: expected UTF-8; save the file in that encoding") from error
    except OSError as error:
        raise DecisionError(f"{path} cannot be read: {error.strerror}; it should be a file that you may read") from error
    try:
        decisions = tuple(_decisions(text))
        refuse_contradictions(decisions)
    except DecisionError as error:
        raise DecisionError(f"{path} {error}") from error
    return decisions


def verdicts_of(decisions: Iterable[Decision]) -> tuple[Verdict, ...]:
    """What the decisions say, each pair once, sorted: all of them that has a say in a release."""
    return tuple(sorted({(*decision.pair, decision.verdict) for decision in decisions}))


def add_decision(lake: Lake, decision: Decision) -> tuple[Decision, bool]:
    """Adds a decision to the file, unless it stands there; gives it with its line, and whether it was added.

    Call it only while holding the lock.

    Raises:
        DecisionError: it contradicts others, or the file is not in order; nothing is written.
    """
    before = read_decisions(lake)
    for earlier in before:
        if (earlier.pair, earlier.verdict) == (decision.pair, decision.verdict):
            return earlier, False
    try:
        refuse_contradictions((*before, decision))
    except DecisionError as error:
        raise DecisionError(f"nothing is written to {lake.decisions_path}: {error}") from error
    path = lake.decisions_path.resolve()  # a link, say to a file under version control, stays one
    content = path.read_bytes() if path.exists() else b""
    end = "\r\n" if content.endswith(b"\r\n") else "\n"
    if content.strip(b"\xef\xbb\xbf\r\n") == b"":
        content = _row(HEADER, end)
    elif not content.endswith(b"\n"):
        content += end.encode()
    write_file(path, content + _row((*decision.pair, decision.verdict, decision.because), end))
    return read_decisions(lake)[-1], True


def refuse_contradictions(decisions: Sequence[Decision]) -> None:
    """Checks that no two records are said to be different that a chain of `same` says are one.

    Raises:
        DecisionError: some are; the message shows every decision of the shortest such chains.
    """
    found = list(_contradictions(decisions))
    if not found:
        return
    shown = "\n".join("\n".join(f"  {decision.described()}" for decision in chain) for chain in found[:_CONTRADICTIONS_SHOWN])
    more = f"\n  and {len(found) - _CONTRADICTIONS_SHOWN} more" if len(found) > _CONTRADICTIONS_SHOWN else ""
    lines = sorted({decision.line for chain in found for decision in chain if decision.line})
    named = f"line{'' if len(lines) == 1 else 's'} {', '.join(map(str, lines))}"
    new = " and the new decision" if any(not decision.line for chain in found for decision in chain) else ""
    verb = "contradicts itself" if len(lines) == 1 and not new else "contradict each other"
    raise DecisionError(f"{named}{new} {verb}:\n{shown}{more}\nRecords said to be the same cannot be different: take one back")


def _decisions(text: str) -> Iterator[Decision]:
    """The decisions in the text of a file, each row checked by itself."""
    rows = _rows(text)
    first, header = next(rows, (1, list(HEADER)))
    if tuple(cell.strip() for cell in header) != HEADER:
        raise DecisionError(f"line {first}: expected the header {','.join(HEADER)}, found {','.join(header)}")
    for line, cells in rows:
        if len(cells) != len(HEADER):
            raise DecisionError(
                f"line {line}: expected {len(HEADER)} cells ({', '.join(HEADER)}), found {len(cells)}; a reason with a comma "
                "stands in double quotes"
            )
        key_l, key_r, verdict, because = (cell.strip() for cell in cells)
        for key in (key_l, key_r):
            _check_key(key, line)
        if verdict not in VERDICTS:
            near = nearest(verdict.lower(), VERDICTS)
            hint = f"; did you mean '{near}'?" if near else ""
            raise DecisionError(f"line {line}: the verdict is same or different, not '{verdict}'{hint}")
        if key_l == key_r:
            raise DecisionError(f"line {line}: {key_l} is paired with itself")
        least, greatest = sorted((key_l, key_r))
        yield Decision(least, greatest, verdict, because, line)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold anything, each with the line it begins on: a reason may run over several."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise DecisionError(f"line {line}: no row of CSV: {error}") from error


def _check_key(key: str, line: int) -> None:
    if _RECORD_KEY.fullmatch(key):
        return
    found = f"'{key}'" if key else "nothing"
    raise DecisionError(
        f"line {line}: expected a whole record key (k and 24 hexadecimal digits, as in records.record_key), found {found}; "
        "`paperlake decide` takes the first digits of one, or a paper id, and writes the whole key"
    )


def _contradictions(decisions: Sequence[Decision]) -> Iterator[list[Decision]]:
    """For each `different` whose records a chain of `same` joins, the decisions of the shortest chain, and it."""
    joined: dict[str, list[tuple[str, Decision]]] = {}
    for decision in decisions:
        if decision.verdict == "same":
            joined.setdefault(decision.record_key_l, []).append((decision.record_key_r, decision))
            joined.setdefault(decision.record_key_r, []).append((decision.record_key_l, decision))
    for decision in decisions:
        if decision.verdict == "different" and (chain := _chain(joined, *decision.pair)):
            yield sorted([*chain, decision], key=lambda each: (each.line == 0, each.line))


def _chain(joined: dict[str, list[tuple[str, Decision]]], start: str, end: str) -> list[Decision]:
    """The decisions that lead from one record to another, breadth first; none if nothing does."""
    reached: dict[str, tuple[str, Decision] | None] = {start: None}
    waiting = [start] if start in joined and end in joined else []
    for key in waiting:
        for other, decision in joined[key]:
            if other not in reached:
                reached[other] = (key, decision)
                waiting.append(other)
    chain = []
    step = reached.get(end)
    while step is not None:
        chain.append(step[1])
        step = reached[step[0]]
    return chain


def _row(cells: Sequence[str], end: str) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerow(cells)
    return out.getvalue().encode("utf-8", "replace")
