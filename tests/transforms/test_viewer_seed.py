"""The real dataset-viewer page beside the project, in both forms it circulates in."""

from __future__ import annotations

import json
from pathlib import Path

from transforms.readers.base import Batch, RawFile
from transforms.readers.viewer_page import read


def seed(shared: Path) -> tuple[Path, list[dict[str, str]]]:
    """The page, and its records as they should be read."""
    [path] = (shared / "seeds").glob("001_*.txt")
    lines = (shared / "expected" / "seeds" / "001_records.jsonl").read_text("utf-8").splitlines()
    return path, [json.loads(line) for line in lines]


def read_one(path: Path) -> Batch:
    [batch] = read(RawFile(path, path.stat().st_size))
    return batch


def test_seed_is_read_exactly(shared: Path) -> None:
    path, expected = seed(shared)
    content, batch = path.read_bytes(), read_one(path)
    assert [json.loads(raw) for raw in batch.records["raw"]] == expected
    assert batch.rejects.height == 0
    for values, start, end in zip(expected, batch.records["span_start"], batch.records["span_end"], strict=True):
        assert all(value in content[start:end].decode() for value in values.values())
    totals = batch.control_totals
    found = dict(zip(totals.select("column_name", "statistic").rows(), totals["verdict"], strict=True))
    assert found["title", "max_length"] == "partial"
    assert found["authors", "max_length"] == found["pdf", "min_length"] == "met"
    assert found["tags", "classes"] == "partial"
    assert "contradicted" not in found.values()


def test_seed_with_one_token_a_line_gives_the_same_records(shared: Path, tmp_path: Path) -> None:
    path, expected = seed(shared)
    head, _, rest = path.read_text("utf-8").partition("|\n|---|---|---|---|---|---|---|\n")
    tokens = "\n".join(head.replace("|", " ").replace("3\nvalues", "3\xa0values").split()).replace("\xa0", " ")
    body = "".join("\n".join(record.values()) + "\n" for record in expected)
    page = tmp_path / "page"
    page.write_text(tokens + "\n" + body + rest[rest.rindex("Subsets and Splits") :], encoding="utf-8", newline="")
    assert [json.loads(raw) for raw in read_one(page).records["raw"]] == expected
