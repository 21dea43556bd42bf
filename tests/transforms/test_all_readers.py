"""Every reader on damaged files: never a crash, never a hang, and the account balances (the `stage` fixture asserts it)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from transforms.readers.registry import READERS

SAMPLES = sorted(path for path in (Path(__file__).parents[2] / "config" / "samples").iterdir() if path.name != "README.md")
VALID = [
    *(pytest.param(reader.example.encode(), id=f"{reader.name} example") for reader in READERS.values()),
    *(pytest.param(path.read_bytes(), id=path.name) for path in SAMPLES),
]
slow = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _is_sound(staged):
    assert "reader_failed" not in staged.reasons, staged.rejects["message"].to_list()
    assert staged.facts.verdict in ("read", "unreadable", "not_a_paper_list")


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_the_example_of_a_reader_is_read_by_it_without_a_reject(stage, reader):
    if reader.example.startswith("(binary"):
        pytest.skip("a binary format has a description for an example")
    staged = stage(reader.example)
    assert staged.facts.reader == reader.name
    assert staged.reasons == []
    assert staged.records.height
    assert staged.records["title_raw"].null_count() + staged.records["abstract_raw"].null_count() <= staged.records.height


@pytest.mark.parametrize("content", VALID)
@given(data=st.data())
@slow
def test_a_file_cut_anywhere_is_accounted_for(stage, content, data):
    _is_sound(stage(content[: data.draw(st.integers(0, len(content)))]))


@pytest.mark.parametrize("content", VALID)
@given(data=st.data())
@slow
def test_a_file_with_flipped_bits_is_accounted_for(stage, content, data):
    damaged = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=8)):
        damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    _is_sound(stage(bytes(damaged)))


@pytest.mark.parametrize("content", VALID)
@given(data=st.data())
@slow
def test_a_file_with_bytes_put_in_is_accounted_for(stage, content, data):
    place = data.draw(st.integers(0, len(content)))
    noise = data.draw(st.one_of(st.binary(max_size=30), st.sampled_from(HOSTILE)))
    _is_sound(stage(content[:place] + noise + content[place:]))


HOSTILE = [
    b"\0",
    b"\xff\xfe",
    b"\r",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"<![CDATA[",
    b"&amp;lol;",
    b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    b'"',
    b"{" * 200,
    b"[" * 200,
    b"\n@article{x,",
    b"\nTY  - JOUR\n",
    b"\n---\n",
    b"\n| - | - |\n",
    "𝕏".encode(),
]


@given(content=st.binary(max_size=400))
@settings(slow, max_examples=300)
def test_random_bytes_are_refused_or_accounted_for(stage, content):
    _is_sound(stage(content))


@pytest.mark.parametrize("name", READERS)
@given(content=st.binary(max_size=300))
@settings(slow, max_examples=60)
def test_random_bytes_given_to_a_reader_that_did_not_ask_for_them_do_not_break_it(stage, name, content):
    assert "reader_failed" not in stage(content, reader=READERS[name]).reasons
