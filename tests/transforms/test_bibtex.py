"""BibTeX: what is an entry and what is not, its fields, names and macros, what it inherits, and that nothing is lost."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.clean import SourceDefaults, clean_records
from transforms.readers import bibtex, bibtex_blocks
from transforms.readers.base import RawFile, Sample
from transforms.readers.bibtex_blocks import blocks, text_blocks
from transforms.readers.bibtex_fields import parse_body
from transforms.readers.bibtex_names import split_names
from transforms.readers.decoding import Encoding
from transforms.readers.limits import ReadLimits

LEE = "@article{lee24,\n  author = {Lee, Ann and Li, Bo},\n  title = {Sorting {Pebbles} by Sound},\n  year = 2024,\n}\n"
DOW = '@inproceedings{dow23,\n  author = "Dow, Cy",\n  title = "Tides, Locks and Ferries",\n  year = "2023"\n}\n'


def raw_of(stage, text):
    return [{name: value for name, value in raw.items() if name != "entrytype"} for raw in stage(text).raw]


def sniffed(text):
    content = text.encode()
    return bibtex.sniff(Sample(content, text, len(content))).confidence


def test_the_example_is_read_as_it_says(stage):
    staged = stage(bibtex.READER.example)
    assert staged.fields == [
        {
            "source_key": "lee24",
            "type_raw": "article",
            "authors_raw": "Lee, Ann and {Ash and Elm}",
            "author_names_raw": ["Lee, Ann", "{Ash and Elm}"],
            "title_raw": "Sorting {Pebbles} by Sound",
            "venue_raw": "Journal of Pebbles",
            "year_raw": "2024",
            "doi_raw": "10.5555/pebbles.24",
        }
    ]
    assert staged.furniture["kind"].to_list() == ["macro"]
    assert (staged.facts.reader, staged.facts.form) == ("bibtex", "entries")


# What is an entry


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (LEE + DOW, ["lee24", "dow23"]),
        (LEE.replace("\n", "\r\n") + DOW, ["lee24", "dow23"]),
        ((LEE + DOW).replace("\n", "\r"), ["lee24", "dow23"]),
        (LEE.rstrip() + DOW.rstrip(), ["lee24", "dow23"]),
        ("@article(a, title={B (c)}, note=\"d) e\")\n@book{b, title={C}}", ["a", "b"]),
        ("@ARTICLE {a,title={B}}\n@ article\n{b,title={C}}", ["a", "b"]),
        (f"An old list.\n% @article{{no, title={{No}}}}\n{LEE}see ann@site{{x}}\n", ["lee24"]),
        (f"@comment{{jabref-meta: grouping {{a}};}}\n{LEE}@Comment{{\n{DOW}}}\n", ["lee24"]),
        (f'@preamble{{"\\newcommand{{\\x}}{{y}}"}}\n{LEE}', ["lee24"]),
        ("@misc{a, note={\n@article{b, title={B}}\n}, title={A}}\n" + LEE, ["a", "lee24"]),
        ("@misc{a, title={Mail a@b.org or see @c{d}}}\n" + LEE, ["a", "lee24"]),
        ("@misc{a, title={A}},\n  year = {1999}}\n" + LEE, ["a", "lee24"]),
        ("@misc{a, title={One \\} more}, year=1999}\n" + LEE, ["a", "lee24"]),
        ("@misc{a, title={One \\{ more}, year=1999}\n" + LEE, ["a", "lee24"]),
        ("@misc{a, title=" + "{" * 50 + "A" + "}" * 50 + "}\n" + LEE, ["a", "lee24"]),
        (LEE + LEE, ["lee24", "lee24"]),
        ("@misc{title={No key}}\n@misc{,\n title = {No key}}", ["", ""]),
        ("@misc{a b:c/d\n  title = {No comma}}\n@misc{e title={No comma}}", ["a b:c/d", "e"]),
        ("@misc{ a\n , title={Comma first}\n , year=1999\n}", ["a"]),
    ],
)  # fmt: skip
def test_entries_are_found_where_people_write_them(stage, text, keys):
    staged = stage(text)
    assert [raw["citationkey"] for raw in staged.raw] == keys
    assert staged.reasons == []


def test_a_line_number_says_where_an_entry_stands(stage):
    for text in (f"% made by hand\n\n{LEE}\n{DOW}", f"% made by hand\n\n{LEE}\n{DOW}".replace("\n", "\r\n")):
        assert stage(text).records["locator"].to_list() == ["line 3", "line 9"]


def test_an_entry_without_its_last_brace_ends_where_the_next_begins(stage):
    staged = stage(LEE.rstrip("\n}") + "\n\n" + DOW)
    assert [(raw["citationkey"], raw["year"]) for raw in staged.raw] == [("lee24", "2024"), ("dow23", "2023")]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("@article{a,\n  title = {No end,\n  author = {Lee, Ann},\n}\n", "unclosed_value"),
        ('@article{a,\n  title = "No end,\n  year = 1999\n}\n', "unclosed_value"),
        ("@article{a, some words}\n", "no_fields"),
        ("title = {No beginning},\n  year = {1999},\n}\n", "fields_outside_entry"),
    ],
)
def test_a_broken_entry_costs_one_reject(stage, broken, reason):
    staged = stage(LEE + broken + DOW)
    assert [raw["citationkey"] for raw in staged.raw] == ["lee24", "dow23"]
    assert staged.reasons == [reason]
    assert staged.text_of(staged.rejects) == [broken.encode()]


def test_a_cut_file_keeps_what_is_whole(stage):
    staged = stage(LEE + DOW[:60])
    assert [raw["citationkey"] for raw in staged.raw] == ["lee24"]
    assert staged.reasons == ["unclosed_value"]


def test_an_entry_longer_than_the_limit_is_a_reject_and_the_next_is_read(stage):
    long = "@article{long, title={" + "x" * 3_000_000 + "}}\n"
    staged = stage(LEE + long + DOW, limits=ReadLimits(entry_bytes=1000))
    assert [raw["citationkey"] for raw in staged.raw] == ["lee24", "dow23"]
    assert staged.reasons == ["entry_too_long"]
    assert "limits.entry_bytes = 1000" in staged.rejects["message"][0]


def test_a_file_of_macros_and_comments_is_said_to_hold_no_entries(stage):
    staged = stage('@string{jop = "Journal of Pebbles"}\n@comment{jabref-meta: databaseType:bibtex;}\n')
    assert (staged.facts.reader, staged.facts.records, staged.reasons) == ("bibtex", 0, [])
    assert "no entries" in staged.facts.message


# Fields


@pytest.mark.parametrize(
    ("body", "pairs"),
    [
        ("k, a = {x}, B = \"y\", c = 3", [("a", "x"), ("b", "y"), ("c", "3")]),
        ("k, a = {x} b = {y}\n c = 3 d = {z},,", [("a", "x"), ("b", "y"), ("c", "3"), ("d", "z")]),
        ("k, a = {x {y} \"z\"}, b = \"u {\"} v\"", [("a", 'x {y} "z"'), ("b", 'u {"} v')]),
        ("k, a = \"say \"no\" to x\", b = 1", [("a", 'say "no" to x'), ("b", "1")]),
        ("k, a = \"x\" # { y} # 1, b = {z}", [("a", "x y1"), ("b", "z")]),
        ("k, a = {},b={x}", [("a", ""), ("b", "x")]),
        ("k, % a = {no},\n b = {100\\% sure}, % c = {no}\n", [("b", "100\\% sure")]),
        ("k, a = plain words here, b = {x}", [("a", "plain words here"), ("b", "x")]),
        ("k, author+an:x = {1}, bdsk-url-1 = {u}", [("author+an:x", "1"), ("bdsk-url-1", "u")]),
        ("k, a = {x}}, b = {y}", [("a", "x"), ("b", "y")]),
        ("k", []),
        ("", []),
    ],
)  # fmt: skip
def test_fields_are_read_as_people_write_them(body, pairs):
    assert parse_body(body, {}).pairs == pairs


def test_what_is_no_field_is_kept_beside_the_fields(stage):
    assert raw_of(stage, "@misc{a, title={A}, lost words, year=1999}")[0] == {
        "citationkey": "a", "title": "A", "year": "1999", "unparsed": "lost words",
    }  # fmt: skip


def test_a_field_given_twice_is_kept_twice_and_names_are_collected(stage):
    staged = stage("@misc{a, title={A}, title={B}, author={Lee, Ann}, author={Li, Bo}}")
    assert staged.raw[0]["title_2"] == "B"
    assert staged.fields[0]["title_raw"] == "A"
    assert staged.fields[0]["author_names_raw"] == ["Lee, Ann", "Li, Bo"]


def test_macros_are_applied_wherever_they_stand(stage):
    text = (
        '@string{jop = "Journal of "}\n@STRING(full = jop # {Pebbles})\n@article{a, title={A}, journal = FULL, month = jan}\n'
        '@article{b, title={B}, journal = late # " Letters", month = "1~" # feb}\n@string{late = {Pebble}}\n'
    )
    rows = raw_of(stage, text)
    assert [row["journal"] for row in rows] == ["Journal of Pebbles", "Pebble Letters"]
    assert [row["month"] for row in rows] == ["jan", "1~February"]


def test_macros_cannot_blow_a_file_up(stage):
    text = f"@string{{m = {{{'x' * 1500}}}}}\n@misc{{a, title = {' # '.join(['m'] * 1000)}}}\n{LEE}"
    staged = stage(text)
    assert staged.reasons == ["macros_too_long"]
    assert staged.facts.records == 1


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("eprint={2301.12345}, archivePrefix={arXiv}", {"arxiv_id_raw": "2301.12345"}),
        ("eprint={2301.12345}, eprinttype={arxiv}", {"arxiv_id_raw": "2301.12345"}),
        ("eprint={23439512}, eprinttype={pubmed}", {"pmid_raw": "23439512"}),
        ("eprint={2301.12345}", {}),
        ("eprint={10/abc}, eprinttype={hdl}", {}),
        ("journal={arXiv preprint arXiv:2301.12345}", {"arxiv_id_raw": "arXiv preprint arXiv:2301.12345"}),
        ("journal={CoRR}, volume={abs/2301.12345}", {"arxiv_id_raw": "arXiv:2301.12345"}),
        ("journal={CoRR}, volume={12}", {}),
        ("note={{PMID:} 23439512}", {"pmid_raw": "23439512"}),
        ("note={Awarded in 2019}", {}),
    ],
)
def test_an_eprint_is_an_identifier_of_its_type_only(stage, fields, expected):
    found = stage(f"@misc{{a, title={{A}}, {fields}}}").fields[0]
    assert {name: value for name, value in found.items() if name.endswith(("_id_raw", "pmid_raw"))} == expected


@pytest.mark.parametrize(
    ("kind", "fields", "names"),
    [
        ("article", "author={Lee, Ann}, editor={Li, Bo}", ["Lee, Ann"]),
        ("proceedings", "editor={Li, Bo and others}", ["Li, Bo"]),
        ("book", "editor={Li, Bo}", ["Li, Bo"]),
        ("inproceedings", "editor={Li, Bo}", None),
    ],
)
def test_editors_stand_for_authors_only_of_a_whole_volume_without_any(stage, kind, fields, names):
    assert stage(f"@{kind}{{a, title={{A}}, {fields}}}").fields[0].get("author_names_raw") == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lee, Ann and Li, Bo", ["Lee, Ann", "Li, Bo"]),
        ("Ann Lee\n  AND\tBo Li and others", ["Ann Lee", "Bo Li"]),
        ("{Ash and Elm} and Lee, Ann", ["{Ash and Elm}", "Lee, Ann"]),
        ("{{Ash and Elm}}", ["{{Ash and Elm}}"]),
        ("D{\\\"o}rte {L{\\'e}e and Co} and Sandy Anderson", ["D{\\\"o}rte {L{\\'e}e and Co}", "Sandy Anderson"]),
        ("family=Berg, given=Jan, prefix=van der, useprefix=true and Li, Bo", ["van der Berg, Jan", "Li, Bo"]),
        ("given={Ann, B.}, family=Lee, suffix=Jr.", ["Lee, Jr., Ann, B."]),
        ("and and Lee, Ann and", ["Lee, Ann"]),
        ("nosortothers=true and Lee, Ann and sortnamekey=x, given=Bo, family=Li", ["Lee, Ann", "Li, Bo"]),
        ("Lee, Jr., Ann", ["Lee, Jr., Ann"]),
        ("", []),
    ],
)
def test_only_and_outside_of_braces_separates_names(text, names):
    assert split_names(text) == names


# What an entry takes from others

PROCEEDINGS = "@proceedings{icpb, title={Proc. ICPB}, year=2023, publisher={Shore}, editor={Li, Bo}, doi={10.5555/all}}\n"


@pytest.mark.parametrize("is_child_first", [True, False])
def test_a_child_takes_from_its_parent_what_it_lacks_and_no_more(stage, is_child_first):
    child = "@inproceedings{a, title={A}, publisher={Own}, crossref={ICPB}}\n"
    staged = stage(child + PROCEEDINGS if is_child_first else PROCEEDINGS + child)
    fields = next(fields for fields in staged.fields if fields["source_key"] == "a")
    assert fields == {
        "source_key": "a", "type_raw": "inproceedings", "title_raw": "A", "publisher_raw": "Own",
        "venue_raw": "Proc. ICPB", "year_raw": "2023",
    }  # fmt: skip
    assert "year" not in next(raw for raw in staged.raw if raw["citationkey"] == "a")


def test_common_data_is_taken_through_others_and_is_no_record(stage):
    text = (
        "@inbook{a, title={A}, date={1999}, crossref={b}}\n@book{b, title={B}, year={1998}, xdata={c}}\n"
        "@xdata{c, publisher={Shore}, title={Not this}}\n@misc{d, xdata={e, c}}\n"
    )
    first, second, third = stage(text).fields
    assert (first["venue_raw"], first["date_raw"], first.get("year_raw")) == ("B", "1999", None)
    assert (first["publisher_raw"], second["title_raw"], second["publisher_raw"]) == ("Shore", "B", "Shore")
    assert third["title_raw"] == "Not this"


def test_entries_that_refer_to_each_other_in_a_circle_are_read(stage):
    assert stage("@misc{a, title={A}, crossref={b}}\n@misc{b, title={B}, crossref={a}, xdata={b}}\n").facts.records == 2


# Encodings


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("utf-8", b""), ("utf-8", b"\xef\xbb\xbf"), ("cp1252", b""), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")],
)
def test_the_bytes_decide_on_the_encoding_whatever_the_file_says_of_it(stage, encoding, mark):
    text = f"% Encoding: US-ASCII\n\n{LEE.replace('Ann', 'Änn')}{DOW}"
    staged = stage(mark + text.encode(encoding))
    assert [fields["author_names_raw"] for fields in staged.fields] == [["Lee, Änn", "Li, Bo"], ["Dow, Cy"]]


def test_separators_of_unicode_end_no_line_and_bad_bytes_no_entry(stage):
    staged = stage(
        LEE.encode().replace(b"by", "by\u2028\u0085".encode())
        + DOW.encode().replace(b"Tides", b"T\xffdes, \xc3\xa9\xc3\xa9\xc3\xa9")
    )
    assert [raw["title"] for raw in staged.raw] == [
        "Sorting {Pebbles} by\u2028\u0085 Sound",
        "T\ufffddes, ééé, Locks and Ferries",
    ]


# What is no BibTeX


@pytest.mark.parametrize("text", [LEE, "% Encoding: UTF-8\n\n" + DOW, "@string{a = {b}}", "@comment{jabref-meta: x}", LEE[:40]])
def test_bibtex_is_known(text):
    assert sniffed(text) > 0.6


@pytest.mark.parametrize(
    "text",
    [
        "\\documentclass{article}\n\\begin{document}\nSee \\cite{lee24}. Mail ann@site.org.\n\\end{document}\n",
        "# Pebbles\n\nWrite to ann@site.org. If you use it, cite\n\n```\n" + LEE + "```\n\n" + "It sorts pebbles. " * 40,
        "class P:\n    @property\n    def size(self):\n        return {1: 2}\n    @cache(maxsize=None)\n    def f(x): ...\n",
        "@dataclass(frozen=True)\nclass Pebble:\n    size: int = 1\n    @retry(3, delay = 2)\n    def f(self): ...\n",
        '@media (max-width: 9em) {\n  .pebble { color: red }\n}\n@font-face {\n  src: url(x)\n}\n@charset "utf-8";\n',
        "@media{a, b=c}\n.pebble { color: red }\n.tide { color: blue; margin: 0 }\n.ferry { color: green; margin: 1em }\n",
        '{"bibtex": "@article{a, title={A}}"}',
        'id,bibtex\n1,"@article{a,\n title={A}}"\n2,"@article{b,\n title={B}}"\n',
        "TY  - JOUR\nTI  - Pebbles\nER  - \n",
        "",
    ],
)
def test_what_only_looks_a_little_like_bibtex_is_left_alone(text):
    assert sniffed(text) <= 0.2


# Nothing is lost

PIECES = [
    "@", "{", "}", "(", ")", '"', "=", "#", ",", "%", "\\", "\n", "\r", " ", "a", "é", "\u2028", "article", "@article{a,",
    "\n@string{m={x}}", " title = {A}", "crossref={a}", "m", " and ", "@comment{", "\n@misc(b, c=\"d\")", "xdata",
]  # fmt: skip


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_blocks_are_the_whole_text_in_order(text):
    assert "".join(block.text for block in text_blocks(text)) == text


def account(stage, content):
    assert "reader_failed" not in stage(content, reader=bibtex.READER).reasons


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    content=st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map(lambda p: "".join(p).encode()))
)
def test_any_bytes_are_refused_or_accounted_for(stage, content):
    account(stage, content)


WHOLE = (LEE + PROCEEDINGS + DOW.replace("2023", "2023, crossref = {icpb}") + '@string{m = "é"}\r\n@comment{x}\r').encode()


@settings(max_examples=150, derandomize=True, deadline=None)
@given(cut=st.integers(0, len(WHOLE)), flips=st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 7)), max_size=4))
def test_damaged_files_are_refused_or_accounted_for(stage, cut, flips):
    damaged = bytearray(WHOLE)
    for place, bit in flips:
        damaged[place] ^= 1 << bit
    account(stage, bytes(damaged[:cut]))


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 301])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_blocks_do_not_depend_on_how_much_is_read_at_once(tmp_path, monkeypatch, block_bytes, encoding):
    text = WHOLE.decode() * 3
    (tmp_path / "raw").write_bytes(text.encode(encoding))
    raw_file = RawFile(tmp_path / "raw", len(text.encode(encoding)))
    at_once = list(blocks(raw_file, Encoding(encoding, 0)))
    monkeypatch.setattr(bibtex_blocks, "_BLOCK_BYTES", block_bytes)
    assert [block for block in blocks(raw_file, Encoding(encoding, 0)) if block.kind] == [b for b in at_once if b.kind]


@pytest.mark.parametrize(
    "piece", ["@a{", "\n@a{", "\n@a{b,c={", "\n@comment{", '@a{b, c="{",', "a = {", "% @a{b,", "@a(", "@ "]
)
def test_a_hostile_file_is_accounted_for(stage, piece):
    account(stage, (piece * 20_000).encode())


# What becomes of it


def test_values_of_bibtex_are_cleaned_into_what_a_reader_wants_to_see(stage):
    text = r"""
        @article{a,
          title = {{Thin {Cu$_2$O} films of {D{\"o}rte \& Co}: {$\mu$}J}},
          author = {{\"O}nsten, {\AA}ke and {Ash and Elm} and Mar{\'i}a {Garc{\'i}a L{\'o}pez} and Lee, Jr., Ann and {Li, Bo}},
          pages = {{740--759}}, volume = {{31}}, year = {{2018}},
          doi = {{10.5555/1521-3951(200211)234:1{\textless}23::AID-P23{\textgreater}3.0.CO;2-F}},
        }"""
    staged = stage(text).records.with_columns(file_sha256=pl.lit("f00d"))
    aliases = pl.DataFrame(schema=dict.fromkeys(("alias", "venue_id", "name", "kind"), pl.String))
    record = clean_records(staged, source=SourceDefaults("test"), venue_aliases=aliases).records.row(0, named=True)
    assert record["title"] == "Thin Cu₂O films of Dörte & Co: μJ"
    assert [(author["given"], author["family"], author["name"]) for author in record["authors"]] == [
        ("Åke", "Önsten", "Åke Önsten"),
        (None, None, "Ash and Elm"),
        ("María", "García López", "María García López"),
        ("Ann", "Lee", "Ann Lee Jr."),
        ("Bo", "Li", "Bo Li"),
    ]
    assert (record["pages"], record["volume"], record["year"]) == ("740-759", "31", 2018)
    assert record["identifiers"] == [{"scheme": "doi", "value": "10.5555/1521-3951(200211)234:1<23::aid-p23>3.0.co;2-f"}]
