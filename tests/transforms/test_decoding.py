"""What encoding a text is in: one answer, whether it is decoded whole or streamed, and no byte lost in silence."""

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms.readers import decoding, delimited, json_lines, streaming
from transforms.readers.base import RawFile, ReadError
from transforms.readers.decoding import BYTE_ORDER_MARKS, decode
from transforms.readers.streaming import text_encoding

UTF_16 = codecs.BOM_UTF16_LE
TABLE = "title,year\nPebbles,2020\n" * 3


def answer(find, given_to):
    """The encoding and the length of its mark, or the reason of the refusal with its message."""
    try:
        found = find(given_to)
    except ReadError as error:
        return error.reason, str(error)
    return getattr(found, "encoding", None) or found.name, found.mark_bytes


@given(
    st.sampled_from([b"", *(mark for mark, _ in BYTE_ORDER_MARKS)]),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp1252", "latin-1"]),
    st.text(st.sampled_from("ab\n\x01\x81éß“ł𝔹"), max_size=30),
    st.binary(max_size=4),
    st.integers(1, 7),
)
@example(UTF_16, "utf-16-le", TABLE, b"a", 3)
@example(UTF_16, "utf-16-le", TABLE + "\x01\x02\x03", b"", 3)
@example(UTF_16, "utf-16-le", TABLE + "𝔹", b"", 3)
@example(codecs.BOM_UTF32_LE, "utf-32-le", TABLE, b"\xff\xff\xff\xff", 5)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_text_has_one_encoding_whether_it_is_decoded_whole_or_streamed(
    tmp_path_factory, mark, encoding, text, noise, block_bytes
):
    path = tmp_path_factory.mktemp("text") / "raw"
    content = mark + text.encode(encoding, "ignore") + noise
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "_BLOCK_BYTES", block_bytes)
        streamed = answer(text_encoding, path)
    assert streamed == answer(decode, content)
    if isinstance(streamed[1], int):
        found = decode(content)
        assert found.text.encode(streamed[0], text_encoding(path).errors) == content[found.mark_bytes :]
        assert (
            found.text
            == path.open(encoding=streamed[0], errors=text_encoding(path).errors, newline="").read()[bool(found.mark_bytes) :]
        )


@pytest.mark.parametrize("reader", [delimited, json_lines])
@pytest.mark.parametrize(
    ("content", "reason", "words"),
    [
        (UTF_16 + TABLE.encode("utf-16-le") + b"a", "bad_encoding", r"says utf-16-le, but byte 146 is not"),
        (codecs.BOM_UTF32_LE + TABLE.encode("utf-32-le") + b"\xff" * 4, "bad_encoding", r"but byte 292 is not"),
        (UTF_16 + f"{TABLE}\x01\x02".encode("utf-16-le"), "binary", "2 of 74 characters are control characters"),
    ],
    ids=["a byte too few", "no such character", "control characters"],
)
def test_a_marked_file_that_is_not_what_its_mark_says_is_refused_by_the_readers_that_stream(
    tmp_path, reader, content, reason, words
):
    (tmp_path / "raw").write_bytes(content)
    with pytest.raises(ReadError, match=words) as caught:
        list(reader.read(RawFile(tmp_path / "raw", len(content))))
    assert caught.value.reason == reason


def test_half_a_surrogate_pair_costs_its_character_and_not_the_file(tmp_path):
    content = UTF_16 + "title,year\nPeb".encode("utf-16-le") + b"\x3d\xd8" + "les,2020\n".encode("utf-16-le")
    (tmp_path / "raw").write_bytes(content)
    (batch, _) = delimited.read(RawFile(tmp_path / "raw", len(content)))
    assert batch.records["title_raw"].to_list() == ["Peb\ufffdles"]


def test_the_place_of_a_nul_byte_is_named_whatever_the_blocks(monkeypatch):
    monkeypatch.setattr(decoding, "_BLOCK_BYTES", 3)
    assert answer(decode, b"title,\0") == ("binary", "no text: a NUL byte at byte 6")
