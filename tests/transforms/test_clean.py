"""Tests of transforms.clean: a staged record becomes a clean one or a reject; also years, pages and numbers."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.clean import REJECTS_SCHEMA, SourceDefaults, clean_records
from transforms.dates import year
from transforms.frames import polars_schema
from transforms.numbering import number, pages
from transforms.staged_schemas import CLEAN_RECORDS, FIELDS, STAGED_RECORDS

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
ALIASES = pl.read_csv(ROOT / "config" / "venues.csv", infer_schema=False)
SOURCE = SourceDefaults("demo")
STAGED_RECORDS_SCHEMA = polars_schema(STAGED_RECORDS.columns)


def staged(*records):
    rows = [
        {"ordinal": place, "locator": f"row {place}", "raw": json.dumps(record), **record}
        for place, record in enumerate(records, 1)
    ]
    return in_file("f00d", pl.DataFrame(rows, schema=polars_schema(STAGED_RECORDS.columns), orient="row"))


def in_file(file_sha256, frame):
    return frame.with_columns(file_sha256=pl.lit(file_sha256))


def clean(*records, source=SOURCE):
    return clean_records(staged(*records), source=source, venue_aliases=ALIASES)


def cleaned(source=SOURCE, **record):
    """The one clean record of one staged record, which has a title unless it says otherwise."""
    [row] = clean({"title_raw": "A Title", **record}, source=source).records.to_dicts()
    return row


def test_a_record_is_typed_and_cleaned():
    row = cleaned(
        title_raw="Learning  {Maps}.",
        authors_raw="Ann Lee,Bo Li",
        abstract_raw="We gain 5\\% at https://github.com/a/b.",
        tags_raw="ICLR 2024,Poster,maps",
        url_raw="https://openreview.net/forum?id=abcDEF1234",
        pdf_url_raw=" https://openreview.net/pdf/0.pdf ",
        pages_raw="376 -- 383",
        volume_raw=" 12.0",
        number_raw="3–4",
        type_raw="InProceedings",
        publisher_raw="Maps \\& Co",
    )
    assert row["record_id"] == "f00d:1" and row["file_sha256"] == "f00d" and row["record_key"].startswith("k")
    assert (row["title"], row["abstract"]) == ("Learning Maps", "We gain 5% at https://github.com/a/b.")
    assert [author["name"] for author in row["authors"]] == ["Ann Lee", "Bo Li"]
    assert (row["venue_id"], row["year"], row["decision"], row["keywords"]) == ("iclr", 2024, "poster", ["maps"])
    assert row["venue"] == "International Conference on Learning Representations"
    assert (row["pages"], row["volume"], row["number"]) == ("376-383", "12", "3-4")
    assert (row["type"], row["publisher"]) == ("inproceedings", "Maps & Co")
    assert (row["url"], row["pdf_url"]) == ("https://openreview.net/forum?id=abcDEF1234", "https://openreview.net/pdf/0.pdf")
    assert row["identifiers"] == [{"scheme": "openreview", "value": "abcDEF1234"}]
    assert row["links"] == [{"url": "https://github.com/a/b", "kind": "code"}]


def test_a_record_with_nothing_but_a_title_has_nulls_and_empty_lists():
    row = cleaned()
    lists = {"authors", "keywords", "identifiers", "links"}
    filled = {"record_id", "record_key", "file_sha256", "ordinal", "title", "abstract_is_cut", "title_is_cut"}
    assert all(row[name] == [] for name in lists)
    assert all(row[name] is None for name in set(row) - lists - filled)


def test_schemas_hold_for_full_and_for_empty_files():
    for result in (clean({"title_raw": "A"}, {}), clean()):
        assert result.records.schema == polars_schema(CLEAN_RECORDS.columns)
        assert result.rejects.schema == REJECTS_SCHEMA


@pytest.mark.parametrize(
    "record",
    [{"title_raw": "A"}, {"abstract_raw": "We."}, {"doi_raw": "10.1145/1"}, {"authors_raw": "Ann Lee"}, {"pmid_raw": "12"}],
)
def test_one_telling_field_makes_a_clean_record(record):
    result = clean(record)
    assert (len(result.records), len(result.rejects)) == (1, 0)


@pytest.mark.parametrize(
    "record", [{}, {"title_raw": "N/A", "authors_raw": "Anonymous"}, {"year_raw": "2024", "venue_raw": "ICLR"}]
)
def test_a_record_that_tells_nothing_is_a_reject_kept_with_its_raw_text(record):
    [reject] = clean(record).rejects.to_dicts()
    assert (reject["record_id"], reject["reason"], reject["locator"]) == ("f00d:1", "empty_record", "row 1")
    assert reject["text"] == json.dumps(record)


def test_clean_records_and_rejects_keep_the_ordinals_of_their_file():
    result = clean({"title_raw": "A"}, {}, {"title_raw": "B"}, {})
    assert (result.records["ordinal"].to_list(), result.rejects["ordinal"].to_list()) == ([1, 3], [2, 4])


def test_a_source_gives_venue_and_year_to_records_that_lack_them():
    source = SourceDefaults("demo", venue="ICML 2020", year=2020)
    assert [cleaned(source)[name] for name in ("venue_id", "year")] == ["icml", 2020]
    assert [cleaned(source, venue_raw="NIPS", year_raw="2016")[name] for name in ("venue_id", "year")] == ["neurips", 2016]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"venue_raw": "NeurIPS 2023 spotlight"}, ("neurips", 2023, "spotlight")),
        ({"venue_raw": "ICLR 2024", "decision_raw": "Accept (oral)"}, ("iclr", 2024, "oral")),
        ({"tags_raw": "ICLR 2024,Poster", "decision_raw": "Withdrawn"}, ("iclr", 2024, "withdrawn")),
        ({"venue_raw": "ICML", "date_raw": "1700000000000"}, ("icml", 2023, None)),
        ({"venue_raw": "ICML 2023", "year_raw": "2022"}, ("icml", 2022, None)),
        ({"venue_raw": "ICML 2023 Workshop on Maps"}, (None, 2023, None)),
    ],
)
def test_venue_year_and_decision_come_from_the_most_telling_column(record, expected):
    row = cleaned(**record)
    assert (row["venue_id"], row["year"], row["decision"]) == expected


@pytest.mark.parametrize("placeholder", ["N/A", "none", "Unknown", "NA", "-", " "])
def test_a_placeholder_is_no_venue_publisher_type_or_keyword(placeholder):
    columns = dict.fromkeys(("venue_raw", "publisher_raw", "type_raw", "volume_raw"), placeholder)
    row = cleaned(**columns, keywords_raw=f"maps, {'-' if placeholder == 'NA' else placeholder}")
    assert [row[name] for name in ("venue", "venue_id", "publisher", "type", "volume")] == [None] * 5
    assert row["keywords"] == ["maps"]
    assert cleaned(SourceDefaults("demo", venue="J Ice"), venue_raw=placeholder)["venue"] == "J Ice"


def test_a_cut_title_or_abstract_is_marked():
    row = cleaned(title_raw="A Long Tit...", abstract_raw="We show that…")
    assert (row["title_is_cut"], row["abstract_is_cut"]) == (True, True)
    assert cleaned(abstract_raw="We.")["abstract_is_cut"] is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2024", 2024), ("2024.0", 2024), ("c2019", 2019), ("1234", None), ("1665", 1665), ("LNCS 1655, 2000", 2000),
     ("2100", 2100), ("2101", None), ("9999999999", None), ("9999999999999", None),
     ("99", None), ("2021-03-04T00:00:00Z", 2021),
     ("Mar 4, 1999", 1999), ("1700000000000", 2023), ("20240", None), ("n.d.", None), ("", None), (None, None)],
)  # fmt: skip
def test_a_year_is_the_first_number_that_can_be_one(text, expected):
    assert pl.select(year(pl.lit(text, pl.String))).item() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("376 -- 383", "376-383"), ("221-8", "221-8"), ("pp. 1–9", "1-9"), ("S12−S19", "S12-S19"), ("e1203", "e1203"), ("-", None),
     ("n/a", None), (None, None)],
)  # fmt: skip
def test_pages_have_plain_hyphens(text, expected):
    assert pl.select(pages(pl.lit(text, pl.String))).item() == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("12.0", "12"), (" 31  (2)", "31 (2)"), ("1.5", "1.5"), ("", None), ("None", None)]
)
def test_numbers_are_trimmed(text, expected):
    assert pl.select(number(pl.lit(text, pl.String))).item() == expected


TEXT_FIELDS = [column.name for column in FIELDS if column.dtype == "string"]
RECORDS = st.lists(
    st.dictionaries(
        st.sampled_from(TEXT_FIELDS),
        st.one_of(st.none(), st.text(max_size=8).filter(str.isprintable), st.sampled_from(["A b", "Lee; Li", "N/A", "10.1/x"])),
        max_size=4,
    ),
    max_size=4,
)  # fmt: skip


@settings(max_examples=30, derandomize=True, deadline=None)
@given(RECORDS)
def test_every_staged_record_becomes_one_clean_record_or_one_reject(records):
    result = clean(*records)
    found = sorted(result.records["ordinal"].to_list() + result.rejects["ordinal"].to_list())
    assert found == list(range(1, len(records) + 1))


def test_the_order_of_the_rows_makes_no_difference():
    rows = staged({"title_raw": "B", "authors_raw": "Ann Lee"}, {}, {"title_raw": "A"}, {"title_raw": "A"})
    results = [clean_records(frame, source=SOURCE, venue_aliases=ALIASES) for frame in (rows, rows.reverse())]
    assert results[0].records.equals(results[1].records) and results[0].rejects.equals(results[1].rejects)


@pytest.mark.parametrize("source", [SOURCE, SourceDefaults("demo", venue="ICML", year=2020)])
@pytest.mark.parametrize(
    "record",
    [
        {"title_raw": "A"},
        {"title_raw": "A", "volume_raw": "12(3)"},
        {"title_raw": "A", "venue_raw": "ICLR 2024 poster"},
        {"title_raw": "A", "urls_raw": ["https://openaccess.thecvf.com/content_CVPR_2020/papers/L_A_CVPR_2020_paper.pdf"]},
        {"title_raw": "A", "keywords_raw": "maps; trees", "tags_raw": "ICLR 2023,Oral"},
        {"title_raw": "A", "number_raw": "n/a", "pages_raw": "-", "author_names_raw": ["Anonymous"]},
    ],
)
def test_a_record_is_cleaned_alike_beside_others_that_fill_all_columns_and_alone(record, source):
    texts = {name: "ICML 2019" for name, dtype in STAGED_RECORDS_SCHEMA.items() if dtype == pl.String and name.endswith("_raw")}
    full = {**texts, "urls_raw": ["https://a.org/b"], "author_names_raw": ["Ann Lee"], "raw": "{}"}
    alone, beside = (
        clean_records(in_file("f", staged(*rows)), source=source, venue_aliases=ALIASES) for rows in ([record], [record, full])
    )
    assert alone.records.equals(beside.records.filter(ordinal=1))
    assert alone.notes.equals(beside.notes.filter(record_id="f:1"))


def test_files_cleaned_together_are_as_if_cleaned_one_by_one():
    """The separator of author lists, and the n of equal keys, are each file's own."""
    commas = in_file("aa", staged({"title_raw": "T", "authors_raw": "Ann Lee,Bo Li"}, {"title_raw": "T"}, {}))
    families = in_file(
        "bb", staged({"title_raw": "T", "authors_raw": "Lee, Ann and Li, Bo"}, {"title_raw": "T"}, {"title_raw": "T"})
    )
    together = clean_records(pl.concat([families, commas]), source=SOURCE, venue_aliases=ALIASES)
    apart = [clean_records(file, source=SOURCE, venue_aliases=ALIASES) for file in (commas, families)]
    assert together.records.equals(pl.concat([part.records for part in apart]))
    assert together.rejects.equals(pl.concat([part.rejects for part in apart]))
    assert together.rejects["record_id"].to_list() == ["aa:3"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")
def test_the_seeds_are_cleaned_as_expected():
    entries = [
        json.loads(line)
        for name in ("001_records", "000_abstracts", "004_abstracts")
        for line in (SHARED / "expected" / "seeds" / f"{name}.jsonl").read_text(encoding="utf8").splitlines()
    ]
    columns = {"title": "title_raw", "url": "url_raw", "authors": "authors_raw", "tags": "tags_raw", "abstract": "abstract_raw"}
    records = clean(*({columns[name]: entry[name] for name in columns if name in entry} for entry in entries)).records
    assert (len(records), records["authors"].list.len().sum(), records["identifiers"].list.len().sum()) == (138, 534, 100)
    assert records["links"].list.len().sum() == 25
    assert records["decision"].value_counts().sort("decision", nulls_last=True).rows() == [("poster", 100), (None, 38)]
    script = (SHARED / "accept" / "seeds.py").read_text(encoding="utf8")
    wanted = script[script.index("CLEANED = [") : script.index("parser =")]
    values: dict[str, list[tuple[str, str]]] = {}
    exec(wanted, values)
    abstracts = "\n".join(records["abstract"])
    assert [pair for pair in values["CLEANED"] if pair[0] not in abstracts or pair[1] in abstracts] == []
