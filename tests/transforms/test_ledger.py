"""The ledger: a lost byte, a lost record or an overlap never balances."""

import polars as pl
import pytest

from transforms.ledger import build_ledger

FILES = {
    "file_sha256": pl.String,
    "size_bytes": pl.Int64,
    "has_spans": pl.Boolean,
    "entries_counted": pl.Int64,
    "entries_joined": pl.Int64,
    "records_staged": pl.Int64,
}
SPANS = {"file_sha256": pl.String, "record_id": pl.String, "span_start": pl.Int64, "span_end": pl.Int64}


def ledger_row(
    size: int, staged: int, records: list, rejects: list, furniture: list, entries: int | None = None, joined: int = 0
) -> dict:
    """The ledger of one file; a record or furniture is (start, end), a reject (record_id, start, end)."""
    files = pl.DataFrame([("f", size, entries is None, entries, joined, staged)], schema=FILES, orient="row")

    def spans(rows: list) -> pl.DataFrame:
        return pl.DataFrame([("f", *row) for row in rows], schema=SPANS, orient="row")

    tables = (spans([("r", *row) for row in records]), spans(rejects), spans([(None, *row) for row in furniture]))
    (row,) = build_ledger(files, *tables).to_dicts()
    return row


@pytest.mark.parametrize(
    ("why", "balanced", "row"),
    [
        ("all covered", True, (10, 1, [(2, 8)], [], [(0, 2), (8, 10)])),
        ("a record refused while cleaning", True, (10, 1, [], [("r", 2, 10)], [(0, 2)])),
        ("a span that never was a record", True, (10, 1, [(0, 8)], [(None, 8, 10)], [])),
        ("an empty file is one reject of no bytes", True, (0, 0, [], [(None, 0, 0)], [])),
        ("a byte without a span", False, (11, 1, [(2, 8)], [], [(0, 2), (8, 10)])),
        ("a byte in two spans", False, (10, 2, [(0, 6), (4, 8)], [], [(8, 10)])),
        ("a gap that an overlap makes up for", False, (10, 2, [(0, 6), (4, 8)], [], [])),
        ("a staged record that is nowhere", False, (10, 2, [(2, 10)], [], [(0, 2)])),
    ],
)
def test_spans_must_be_disjoint_and_cover_the_file(why: str, balanced: bool, row: tuple) -> None:
    assert ledger_row(*row)["balanced"] is balanced, why


@pytest.mark.parametrize(("entries", "balanced"), [(3, True), (4, False), (2, False)])
def test_without_spans_an_independent_count_must_agree(entries: int, balanced: bool) -> None:
    row = ledger_row(10, 2, [(None, None), (None, None)], [(None, None, None)], [], entries)
    assert row["balanced"] is balanced
    assert row["bytes_records"] is None
    assert (row["records_clean"], row["records_rejected"], row["spans_rejected"]) == (2, 0, 1)
