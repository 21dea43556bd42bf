"""Plain UTF-8, told at a glance: never where a closer look finds something else."""

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms.readers import plain_utf8
from transforms.readers.base import ReadError
from transforms.readers.decoding import decode
from transforms.readers.plain_utf8 import is_plain_utf8


@pytest.mark.parametrize("content", [b"", b"plain\r\n\ttext", "Łi – 𝔹 论文".encode(), codecs.BOM_UTF8 + b"a"])
def test_plain_utf8_is_told(tmp_path, content):
    (tmp_path / "raw").write_bytes(content)
    assert is_plain_utf8(tmp_path / "raw")


@pytest.mark.parametrize(
    "content", [b"a\0", b"\x01", "Łi".encode()[:1], "Ä".encode("cp1252"), "a".encode("utf-16"), b"\xed\xa0\x80"]
)
def test_what_is_not_plain_utf8_is_left_to_a_closer_look(tmp_path, content):
    (tmp_path / "raw").write_bytes(content)
    assert not is_plain_utf8(tmp_path / "raw")


@given(
    st.text(max_size=12).map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=3),
    st.text("aéł论𝔹\n", max_size=12).map(str.encode),
    st.integers(1, 9),
)
@example("é𝔹".encode(), b"", "𝔹𝔹".encode(), 1)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_it_agrees_with_the_closer_look_wherever_blocks_end(tmp_path_factory, before, noise, after, block_bytes):
    content = before + noise + after
    path = tmp_path_factory.mktemp("plain") / "raw"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_utf8, "_BLOCK_BYTES", block_bytes)
        is_plain = is_plain_utf8(path)
    try:
        content.decode()
        is_valid = b"\0" not in content
    except UnicodeDecodeError:
        is_valid = False
    assert is_valid or not is_plain
    assert is_plain or not is_valid or any(code < 32 for code in content)
    if is_plain:
        try:
            assert decode(content).encoding == "utf-8"
        except ReadError as error:
            pytest.fail(f"a closer look says {error.reason}")
