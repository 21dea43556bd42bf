"""YAML: lists, front matter, citation files; each entry parsed by itself, every byte accounted for."""

import pytest

from transforms.readers.base import RawFile, ReadError, Sample
from transforms.readers.limits import ReadLimits
from transforms.readers.yaml_documents import READERS
from transforms.readers.yaml_values import yaml_value

BY_NAME = {reader.name: reader for reader in READERS}

LIST = "- title: Pebbles\n  authors: [Ann Lee, Bo Li]\n  year: 2024\n- title: Tides\n  authors:\n  - Cy Dow\n"
PAGE = (
    "---\ntitle: Pebbles\nauthor:\n- given: Ann\n  family: Lee\nabstract: We sort\n  pebbles.\n---\n# Body\n\n---\n- title: x\n"
)


def confidence(text: str) -> float:
    return max(reader.sniff(Sample(text.encode(), text, len(text.encode()))).confidence for reader in READERS)


def test_each_item_of_a_list_is_a_record_with_the_lines_it_stands_in(stage):
    staged = stage(f"# papers\n{LIST}")
    assert staged.raw == [
        {"title": "Pebbles", "authors": ["Ann Lee", "Bo Li"], "year": "2024"},
        {"title": "Tides", "authors": ["Cy Dow"]},
    ]
    assert staged.records.select("locator", "title_raw", "author_names_raw").rows() == [
        ("line 2", "Pebbles", ["Ann Lee", "Bo Li"]),
        ("line 5", "Tides", ["Cy Dow"]),
    ]
    assert (staged.facts.reader, staged.facts.form) == ("yaml", "list")
    assert staged.furniture["kind"].to_list() == ["comment"]


def test_scalars_stay_the_text_that_was_written(stage):
    staged = stage(
        "- title: A\n  doi: 10.5555/1\n  pages: 1-10\n  number: 010\n  date: 2023-04-11\n  open: yes\n  note: ~\n  x:\n"
    )
    assert staged.raw == [
        {"title": "A", "doi": "10.5555/1", "pages": "1-10", "number": "010", "date": "2023-04-11", "open": "yes"}
        | {"note": None, "x": None}
    ]


@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_a_list_under_a_key_is_read_and_other_lists_are_furniture(stage, indent):
    items = "".join(f"{indent}{line}" for line in LIST.splitlines(keepends=True))
    staged = stage(
        f"editors:\n{indent}- name: Ed\n{indent}- name: Al\nICLR 2023:\n{items}# more\nICLR 2024:\n\n{indent}- title: C\n"
    )
    assert [raw["title"] for raw in staged.raw] == ["Pebbles", "Tides", "C"]
    assert staged.records.select("venue_raw", "year_raw").rows() == [("ICLR", "2024"), ("ICLR", "2023"), ("ICLR", "2024")]
    assert staged.furniture["kind"].to_list()[:5] == ["other_key", "other_list", "other_list", "other_key", "other_key"]
    assert staged.reasons == []


def test_a_broken_item_is_one_reject_and_the_rest_is_read(stage):
    staged = stage(
        LIST + "- title: [broken\n  year: 1\n- just text\n- title: a\n  x: &y 1\n  z: *y\n- title: C\n  year: 1\n- - a\n"
    )
    assert [raw["title"] for raw in staged.raw] == ["Pebbles", "Tides", "C"]
    assert staged.reasons == ["broken_yaml", "not_an_object", "yaml_alias", "not_an_object"]
    assert staged.rejects["text"][0] == "- title: [broken\n  year: 1\n"


def test_front_matter_is_a_record_and_the_body_is_furniture(stage):
    staged = stage(PAGE)
    assert (staged.facts.reader, staged.facts.form) == ("front_matter", "front matter")
    assert staged.raw == [{"title": "Pebbles", "author": [{"given": "Ann", "family": "Lee"}], "abstract": "We sort pebbles."}]
    assert staged.text_of(staged.furniture) == [b"# Body\n\n---\n- title: x\n"]
    assert staged.records["author_names_raw"].to_list() == [["Lee, Ann"]]


def test_documents_that_follow_each_other_are_records(stage):
    staged = stage("---\ntitle: A\ndoi: 10.5555/1\n---\ntitle: B\ndoi: 10.5555/2\n...\n---\ntitle: C\ndoi: 10.5555/3\n")
    assert [raw["title"] for raw in staged.raw] == ["A", "B", "C"]
    assert (staged.facts.reader, staged.facts.form) == ("yaml", "documents")
    assert stage("title: A\nabstract: |\n  We sort\n\n  pebbles.\n").raw == [
        {"title": "A", "abstract": "We sort\n\npebbles.\n"}
    ]


def test_papers_that_each_stand_under_a_key_are_records_with_that_key(stage):
    staged = stage(
        "version: 1\n# papers\n"
        "lee2024:\n  title: A\n  authors: [Ann Lee]\n\n'li:2023':\n  title: B\n  authors:\n  - Bo Li\nbroken: [\n"
    )
    assert staged.records.select("source_key", "title_raw").rows() == [("lee2024", "A"), ("li:2023", "B")]
    assert staged.reasons == ["broken_yaml"]
    assert staged.facts.form == "objects under keys"


def test_of_a_citation_file_the_preferred_citation_is_taken_if_it_has_a_title(stage):
    own = "cff-version: 1.2.0\ntitle: Sorter\nauthors:\n- family-names: Lee\n  given-names: Ann\n  name-particle: van\n"
    rest = "identifiers:\n- type: doi\n  value: 10.5555/1\nreferences:\n- title: Not ours\n  year: 1999\n"
    plain, preferred, untitled = (
        stage(own + rest + more)
        for more in ("", "preferred-citation:\n  title: Pebbles\n  year: 2024\n", "preferred-citation:\n  year: 2024\n")
    )
    assert plain.fields == untitled.fields
    assert plain.fields == [{"title_raw": "Sorter", "author_names_raw": ["van Lee, Ann"], "doi_raw": "10.5555/1"}]
    assert preferred.fields == [{"title_raw": "Pebbles", "year_raw": "2024"}]
    assert preferred.raw[0]["title"] == "Sorter"
    assert plain.facts.reader == "citation_file"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", [LIST, PAGE])
def test_line_ends_and_encodings_make_no_difference(stage, text, line_end, encoding):
    text = text.replace("Pebbles", "Kiesel für")
    assert stage(text.replace("\n", line_end).encode(encoding)).raw == stage(text).raw


def test_an_item_over_the_limit_is_one_reject(stage):
    long = "- title: long\n  abstract: |\n" + "    more\n" * 100
    staged = stage(LIST + long + LIST, limits=ReadLimits(entry_bytes=300))
    assert (staged.reasons, staged.records.height) == (["entry_too_long"], 4)


def test_a_file_longer_than_the_sample_is_read_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("transforms.readers.base.BATCH_ROWS", 3000)
    path = tmp_path / "raw"
    path.write_text(LIST * 2000)
    heights = [batch.records.height for batch in BY_NAME["yaml"].read(RawFile(path, path.stat().st_size))]
    assert heights == [3000, 1000]


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: My trip\nauthor: Ann Lee\ndate: 2024-01-01\ntags: [sea]\n---\nWe saw pebbles.\n",
        "title: My site\nauthor: Ann Lee\nurl: https://a.org\n",
        "- title: Home\n  url: /\n- title: About\n  url: /about\n",
        "name: ci\non: [push]\njobs:\n  test:\n    steps:\n    - uses: x\n",
        "# pebbles\n\nNote: a tool.\n\n- title of a list\n- another\n",
        "- Ann\n- Bo\n",
        "a: [\n",
        "---\n---\n",
        "---\n",
        "",
    ],
)
def test_other_yaml_names_no_papers(text):
    assert confidence(text) <= 0.2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [", "broken_yaml"),
        ("a: 1\n---\nb: 2", "broken_yaml"),
        ("[a]: 1", "broken_yaml"),
        ("a: &x 1\nb: *x", "yaml_alias"),
        ("- " * 200 + "a", "too_deep"),
        ("[" * 50_000, "broken_yaml"),
        ("a: \0", "broken_yaml"),
    ],
)
def test_hostile_yaml_is_refused_with_a_reason(text, reason):
    with pytest.raises(ReadError) as error:
        yaml_value(text)
    assert error.value.reason == reason


def test_a_tag_is_never_obeyed_and_repeated_names_are_kept_in_linear_time():
    assert yaml_value("a: !!python/object/apply:os.getcwd []\nb: !!int '7'") == {"a": [], "b": "7"}
    assert yaml_value("a: 1\na: 2\na_2: 3\na: 4") == {"a": "1", "a_2": "2", "a_2_2": "3", "a_3": "4"}
    value = yaml_value("k: v\n" * 50_000)
    assert isinstance(value, dict)
    assert len(value) == 50_000
