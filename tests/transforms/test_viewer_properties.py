"""Properties of the viewer page's reader, over pages rendered from random tables with their true figures."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.readers.base import Batch, RawFile, ReadError
from transforms.readers.field_values import without_surrogates
from transforms.readers.viewer_page import read

WORDS = st.text(st.sampled_from("abcdeé論 .,:$|\\-"), min_size=0, max_size=30).map(str.strip)
CLEAN = WORDS.map(lambda text: text.replace("|", "/")).map(str.strip)
DIRTY = st.lists(
    st.one_of(WORDS, st.sampled_from([" | ", "\n", " |\n", "\n\n", "...", "https://example.org/a", "Subsets and Splits"])),
    max_size=6,
).map(lambda parts: "".join(parts).strip())
CELLS = {
    "text": CLEAN,
    "dirty": DIRTY,
    "class": st.sampled_from(["Oral", "Poster", "Spotlight talk"]),
    "address": st.integers(100, 999).map("https://example.org/{}".format),
    "integer": st.integers(-50, 3000).map(str),
    "bool": st.sampled_from(["true", "false"]),
}
CLEAN_KINDS = ["text", "class", "address", "integer", "bool"]


def statistics(kind: str, cells: list[str], gap: str) -> str:
    if kind in ("class", "bool"):
        count = max(len(set(cells)), 1)
        return f"{'stringclasses' if kind == 'class' else 'bool'}{gap}{count}{gap}{'classes' if kind == 'bool' else 'values'}"
    numbers = [int(cell) for cell in cells] if kind == "integer" else [len(cell) for cell in cells]
    least, most = (min(numbers), max(numbers)) if numbers else (0, 9)
    return f"{'int64' if kind == 'integer' else 'stringlengths'}{gap}{least}{gap}{most}"


def render(kinds: list[str], rows: list[list[str]], form: str) -> tuple[str, str]:
    """The page's head, and what stands below it."""
    columns = [list(cells) for cells in zip(*rows, strict=True)] if rows else [[] for _ in kinds]
    heads = [
        f"Col {place}\n{statistics(kind, columns[place], ' ' if form == 'table' else chr(10))}\n"
        for place, kind in enumerate(kinds)
    ]
    if form == "table":
        head = "| ".join(heads) + "|\n|" + "---|" * len(kinds) + "\n"
        body = "".join(" | ".join(row) + " |\n" for row in rows)
    else:
        head, body = "".join(heads), "".join("\n".join(row) + "\n" for row in rows)
    return head, body + "Subsets and Splits\nNo community queries yet\n"


def read_bytes(data: bytes) -> list[Batch]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page"
        path.write_bytes(data)
        return list(read(RawFile(path, len(data))))


def assert_covered(batches: list[Batch], data: bytes) -> None:
    frames = [frame for batch in batches for frame in (batch.records, batch.rejects, batch.furniture)]
    spans = sorted(span for frame in frames for span in frame.select("span_start", "span_end").rows())
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(data)
    # A page that is cut in its only letter beyond ASCII is taken for Windows-1252, as one whose last letter is.
    [encoding] = {batch.encoding for batch in batches if batch.encoding}
    for batch in batches:
        for raw, start, end in batch.records.select("raw", "span_start", "span_end").rows():
            span = without_surrogates(data[start:end].decode(encoding, errors="surrogateescape"))
            assert all(value in span for value in json.loads(raw).values())


@st.composite
def tables(draw: st.DrawFn, kinds: list[str]) -> tuple[list[str], list[list[str]]]:
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6))
    return chosen, draw(st.lists(st.tuples(*(CELLS[kind] for kind in chosen)).map(list), max_size=8))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables(CLEAN_KINDS), st.booleans())
def test_table_without_pipes_and_line_breaks_in_cells_comes_back_equal(table, has_crlf):
    kinds, rows = table
    page = "".join(render(kinds, rows, "table"))
    data = (page.replace("\n", "\r\n") if has_crlf else page).encode()
    batches = read_bytes(data)
    assert_covered(batches, data)
    assert [list(json.loads(raw).values()) for batch in batches for raw in batch.records["raw"]] == rows
    assert all(batch.rejects.is_empty() for batch in batches)
    assert "contradicted" not in [verdict for batch in batches for verdict in batch.control_totals["verdict"]]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables([*CLEAN_KINDS, "dirty"]), st.sampled_from(["table", "one token a line"]))
def test_every_byte_of_any_page_is_accounted_for(table, form):
    data = "".join(render(*table, form)).encode()
    assert_covered(read_bytes(data), data)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables([*CLEAN_KINDS, "dirty"]), st.sampled_from(["table", "one token a line"]), st.data())
def test_truncated_and_bit_flipped_pages_never_crash_and_are_covered(table, form, data):
    head, body_text = render(*table, form)
    head_end, body = len(head.encode()), bytearray((head + body_text).encode())
    for place in data.draw(st.lists(st.integers(head_end, len(body)), max_size=4)):
        if place < len(body):
            body[place] ^= 1 << data.draw(st.integers(0, 6))
    cut = bytes(body[: data.draw(st.integers(head_end, len(body)))]).replace(b"\x00", b"0")
    try:
        batches = read_bytes(cut)
    except ReadError as error:
        assert error.reason == "binary"
    else:
        assert_covered(batches, cut)
