"""What encoding a text is in: one answer, whether it is decoded whole or streamed, and no byte lost in silence."""

import codecs

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from transforms.readers import decoding, delimited, json_lines, streaming
from transforms.readers.base import RawFile, ReadError
from transforms.readers.decoding import BYTE_ORDER_MARKS, decode
from transforms.readers.registry import sniff
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


def test_one_control_character_makes_no_short_text_binary_but_two_do(stage):
    entry = "@article{a, title = {Tides}, year = 2020}\n"
    assert stage(entry + "\x1a").records["title_raw"].to_list() == ["Tides"]
    assert stage("title,year\nTi\x01des,2020\n").records.height == 1
    assert stage(entry + "\x1a\x01").reasons == ["binary"]


def test_half_a_surrogate_pair_costs_its_character_and_not_the_file(tmp_path):
    content = UTF_16 + "title,year\nPeb".encode("utf-16-le") + b"\x3d\xd8" + "les,2020\n".encode("utf-16-le")
    (tmp_path / "raw").write_bytes(content)
    (batch, _) = delimited.read(RawFile(tmp_path / "raw", len(content)))
    assert batch.records["title_raw"].to_list() == ["Peb\ufffdles"]


def test_the_place_of_a_nul_byte_is_named_whatever_the_blocks(monkeypatch):
    monkeypatch.setattr(decoding, "_BLOCK_BYTES", 3)
    assert answer(decode, b"title,\0") == ("binary", "no text: a NUL byte at byte 6")


CHINESE = "标题,作者,年份\n潮汐渡轮的调度方法研究,李波,2024\n我们用声音给海滩上的石子分类，并在三个地方做了实验。,王明,2023\n"
TRADITIONAL = "標題,作者\n潮汐與渡輪的排程方法,李波\n我們用聲音替海灘上的石頭分類，並在三個地方做了實驗。,王明\n"
JAPANESE = "題名,著者\n潮の満ち引きと渡し船の運航について,山田\n音を使って浜辺の石を分ける方法を提案する。,田中\n"
KOREAN = "제목,저자\n조수와 나룻배의 운항에 관한 연구,김철수\n소리로 바닷가의 돌을 나누는 방법을 제안한다.,이영희\n"


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        (CHINESE, "gbk", "gb18030"),
        (CHINESE + "㐀,𠀀,é\n", "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "cp950"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (KOREAN, "euc_kr", "cp949"),
        ("Müller,Größe,Äußerung\n", "latin-1", "cp1252"),
        ("“Über” die Ähnlichkeit, çà et là; l’été déjà passé à Orléans\n" * 9, "cp1252", "cp1252"),
        ("ÉÉ\n", "cp1252", "cp1252"),
        ("Müller\n", "latin-1", "cp1252"),
        ("título;año;resumen\nMañana será otro día;1999;¿Qué es ésto?\n", "latin-1", "cp1252"),
        ("Исследование приливов и паромов\n" * 3, "cp1251", "cp1252"),
        (CHINESE, "utf-8", "utf-8"),
        (JAPANESE, "utf-8", "utf-8"),
    ],
)
def test_two_byte_encodings_are_told_from_western_ones_and_each_byte_from_the_others(text, encoding, name):
    content = f"title,authors\n{text}".encode(encoding)
    found = decode(content)
    assert found.encoding == name
    edges = list(range(len(found.text) + 1))
    spans = found.spans(edges)
    assert [content[start:end].decode(name) for start, end in spans] == list(found.text)
    assert spans[-1][1] == len(content)
    if name not in ("cp1252", "latin-1"):
        assert found.text == f"title,authors\n{text}"


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 7])
@pytest.mark.parametrize(
    ("text", "encoding"), [(CHINESE, "gbk"), (TRADITIONAL, "big5"), (JAPANESE, "cp932"), (KOREAN, "cp949")]
)
def test_two_byte_encodings_are_found_whatever_the_blocks(tmp_path, monkeypatch, block_bytes, text, encoding):
    (tmp_path / "raw").write_bytes(text.encode(encoding))
    monkeypatch.setattr(streaming, "_BLOCK_BYTES", block_bytes)
    assert text_encoding(tmp_path / "raw").name == decode(text.encode(encoding)).encoding != "cp1252"


@pytest.mark.parametrize(
    ("text", "encoding"), [(CHINESE, "gbk"), (TRADITIONAL, "big5"), (JAPANESE, "cp932"), (KOREAN, "cp949")]
)
def test_a_table_in_a_two_byte_encoding_is_read_as_it_was_written(tmp_path, text, encoding):
    rows = text.splitlines()[1:]
    content = (
        "title,authors,year\n" + "".join(f"{row.split(',')[0]},{row.split(',')[1]},2024\n" for row in rows) * 2_000
    ).encode(encoding)
    (tmp_path / "raw").write_bytes(content)
    raw_file = RawFile(tmp_path / "raw", len(content))
    assert sniff(raw_file).reader is delimited.READER
    batches = list(delimited.read(raw_file))
    assert batches[0].records["title_raw"][0] == rows[0].split(",")[0]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("Kettles by René, and 論".encode()[:-1], "utf-8"),
        ("Kettles by René".encode("latin-1"), "cp1252"),
        ("naïve René".encode("latin-1"), "cp1252"),
    ],
)
def test_a_character_that_the_end_of_a_file_cuts_does_not_make_its_text_latin(content, encoding):
    assert decode(content).encoding == encoding
