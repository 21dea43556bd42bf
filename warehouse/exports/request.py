"""This module is what an export is asked for: tables, format, condition, split, partitions; checked before anything is read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

from transforms.schemas import TABLES, PaperlakeError
from warehouse.names import did_you_mean

ExportFormat = Literal["parquet", "csv", "jsonl", "xlsx", "bibtex", "ris", "csl-json"]

CITATION_FORMATS = ("bibtex", "ris", "csl-json")
"""The formats of reference managers: an entry a paper."""

ENDINGS: Mapping[str, str] = {
    "parquet": ".parquet",
    "csv": ".csv",
    "jsonl": ".jsonl",
    "xlsx": ".xlsx",
    "bibtex": ".bib",
    "ris": ".ris",
    "csl-json": ".json",
}
"""What the names of files in each format end in."""

MEDIA_TYPES: Mapping[str, str] = {
    "parquet": "application/x-parquet",  # what Croissant's own examples use; application/vnd.apache.parquet is newer
    "csv": "text/csv",
    "jsonl": "application/jsonlines",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl-json": "application/vnd.citationstyles.csl+json",
}

PARTITIONED_FORMATS = ("parquet", "csv", "jsonl")


class ExportError(PaperlakeError):
    """An export that cannot be made as it was asked for; the message says what would do."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a split: its name, and the first of 2³² that belong to the next part."""

    name: str
    share: Decimal
    end: int


@dataclass(frozen=True, slots=True)
class Query:
    """A query whose answer is exported in the place of tables."""

    name: str
    sql: str
    meaning: str = "one row an answer"
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export. `where` is a condition on `papers`; `kinds` is the kind of each venue_id, for the types of entries."""

    format: ExportFormat
    tables: tuple[str, ...] = ()
    query: Query | None = None
    where: str | None = None
    split: tuple[Share, ...] = ()
    partition_by: tuple[str, ...] = ()
    has_bom: bool = False
    keeps_raw_cells: bool = False
    kinds: Mapping[str, str] = field(default_factory=dict)

    def table_names(self) -> tuple[str, ...]:
        """The tables to export, in the order of the contract."""
        if self.query is not None:
            return ()
        if self.format in CITATION_FORMATS:
            return ("papers",)
        return tuple(name for name in TABLES if not self.tables or name in self.tables)


def check_request(request: ExportRequest) -> None:
    """Checks that what is asked for goes together.

    Raises:
        ExportError: it does not, or a table is unknown; the message has the near name.
    """
    for name in request.tables:
        if name not in TABLES:
            hint = f"it is a saved query: --query {name}" if name in saved_names() else near(name, TABLES)
            raise ExportError(f"there is no table '{name}'; {hint}")
    is_citation = request.format in CITATION_FORMATS
    if is_citation and set(request.tables) - {"papers"}:
        raise ExportError(f"--format {request.format} has an entry a paper: it takes the table papers and no other")
    if request.query is not None:
        refused = {
            "tables": bool(request.tables),
            "--where": request.where is not None,
            "--split": bool(request.split),
            "--partition-by": bool(request.partition_by),
        }
        if taken := [name for name, is_given in refused.items() if is_given]:
            raise ExportError(f"--query exports one answer and goes with no {' and no '.join(taken)}: write it into the query")
        if is_citation:
            raise ExportError(f"--format {request.format} is made of papers; use --where in the place of --query")
    if request.partition_by and request.format not in PARTITIONED_FORMATS:
        raise ExportError(f"--partition-by goes with --format {', '.join(PARTITIONED_FORMATS)}, not with {request.format}")
    if request.split and request.format == "xlsx":
        raise ExportError("--split makes several files, and --format xlsx one workbook; use csv or parquet")
    if (request.has_bom or request.keeps_raw_cells) and request.format != "csv":
        raise ExportError("--bom and --raw-cells say how CSV is written; they go with --format csv")
    _check_partitions(request)


def parse_split(text: str) -> tuple[Share, ...]:
    """The parts of a split such as `train=0.8,validation=0.1,test=0.1`, in their order.

    >>> [(part.name, part.end) for part in parse_split("train=0.75,test=0.25")]
    [('train', 3221225472), ('test', 4294967296)]

    Raises:
        ExportError: it is written otherwise, a name stands twice, or the shares do not add up to 1.
    """
    parts: list[Share] = []
    total = Decimal(0)
    for piece in text.split(","):
        name, equals, given = (part.strip() for part in piece.partition("="))
        if not equals or not _PART_NAME.fullmatch(name):
            raise ExportError(
                f"--split: '{piece.strip()}' is no part; expected names of small letters, digits, - and _ with their shares, "
                "such as train=0.8,validation=0.1,test=0.1"
            )
        if name in (part.name for part in parts):
            raise ExportError(f"--split: the part '{name}' stands twice")
        share = _share(name, given)
        total += share
        parts.append(Share(name, share, int(total * 2**32)))
    if total != 1:
        raise ExportError(f"--split: the shares add up to {total.normalize():f}; they should add up to 1")
    return tuple(parts)


def saved_names() -> list[str]:
    """The names of the saved queries."""
    from warehouse.saved_queries import saved_queries

    return [query.name for query in saved_queries()]


def near(name: str, known: Collection[str]) -> str:
    """What was probably meant, or what there is."""
    return did_you_mean(name, known, f"there are: {', '.join(known)}")


_PART_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_SHARE = re.compile(r"(?:0|1|0?\.\d{1,9}|1\.0+)")


def _share(name: str, given: str) -> Decimal:
    try:
        share = Decimal(given) if _SHARE.fullmatch(given) else Decimal(0)
    except InvalidOperation:
        share = Decimal(0)
    if share <= 0:
        raise ExportError(f"--split: '{name}={given}': the share should be a number above 0 and at most 1, such as 0.1")
    return share


def _check_partitions(request: ExportRequest) -> None:
    """Refuses a column that stands twice, or that no exported table has of itself or through its papers."""
    names: Sequence[str] = request.partition_by
    if len(set(names)) < len(names):
        raise ExportError(f"--partition-by names a column twice: {', '.join(names)}")
    exported = [TABLES[name] for name in request.table_names()]
    columns = {column.name: column for table in (*exported, TABLES["papers"]) for column in table.columns}
    for name in names:
        if name not in columns:
            raise ExportError(f"--partition-by: no exported table has a column '{name}'; {near(name, columns)}")
        if columns[name].dtype.startswith("list<"):
            raise ExportError(f"--partition-by: {name} is a list; a folder has one value")
