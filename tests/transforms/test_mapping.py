from transforms.readers.columns_known import IGNORED_COLUMN
from transforms.readers.mapping import OTHER_COLUMNS, Mapper


def _taken(mapper):
    return {(row["column_name"], row["field"], row["decided_by"]): row["record_count"] for row in mapper.take().to_dicts()}


def test_columns_are_mapped_by_name_and_counted_known_or_not():
    mapper = Mapper()
    assert mapper.fields({"Title": "A", "gs_rank": 3}) == {"title_raw": "A"}
    assert mapper.fields({"Title": "B", "DOI": ""}) == {"title_raw": "B"}
    assert _taken(mapper) == {
        ("Title", "title_raw", "name"): 2,
        ("gs_rank", None, "unknown"): 1,
        ("DOI", "doi_raw", "name"): 1,
    }
    assert mapper.take().height == 0, "what was taken is not given again"


def test_what_sources_toml_says_comes_before_the_name():
    mapper = Mapper(given={"Headline": "title_raw", "title": IGNORED_COLUMN, "meta.people": "authors_raw"})
    record = {"Headline": "A", "title": "not it", "meta": {"people": ["Ann Lee"]}, "year": 2024}
    assert mapper.fields(record) == {"title_raw": "A", "author_names_raw": ["Ann Lee"], "year_raw": "2024"}
    assert _taken(mapper)["title", None, "config"] == 1


def test_a_dialect_maps_its_own_columns_and_no_others():
    mapper = Mapper({"TI": "title_raw", "AU": "author_names_raw"})
    assert mapper.fields({"AU": ["Lee, Ann"], "TI": "A", "title": "no tag"}) == {
        "title_raw": "A",
        "author_names_raw": ["Lee, Ann"],
    }


def test_a_known_shape_is_read_at_its_paths():
    mapper = Mapper()
    work = {
        "id": "https://openalex.org/W1",
        "display_name": "Sorting Pebbles by Sound",
        "authorships": [{"author": {"display_name": "Ann Lee"}}],
        "abstract_inverted_index": {"Pebbles": [0], "sort.": [1]},
    }
    fields = mapper.fields(work)
    assert fields["title_raw"] == "Sorting Pebbles by Sound"
    assert fields["author_names_raw"] == ["Ann Lee"]
    assert fields["abstract_raw"] == "Pebbles sort."
    assert set(mapper.take()["shape"]) == {"openalex_work"}


def test_a_file_that_uses_its_names_as_values_is_mapped_in_bounded_memory():
    mapper = Mapper()
    for number in range(12_000):
        assert mapper.fields({"title": "A", f"c{number}": 1}) == {"title_raw": "A"}
    columns = mapper.take()
    assert columns.height <= 10_002
    assert OTHER_COLUMNS in set(columns["column_name"])
    assert columns["record_count"].sum() == 24_000


def test_a_dialect_may_join_columns():
    mapper = Mapper({"BP - EP": "pages_raw", "TI": "title_raw", "a.b": "doi_raw"})
    assert mapper.fields({"TI": "A", "BP": "1", "EP": "9", "a.b": "10.5555/a"}) == {
        "pages_raw": "1-9",
        "title_raw": "A",
        "doi_raw": "10.5555/a",
    }
    assert mapper.fields({"TI": "A", "BP": "1"}) == {"title_raw": "A"}


def test_columns_of_a_wrapped_record_can_be_named_in_sources_toml():
    mapper = Mapper(given={"row.Headline": "title_raw"})
    assert mapper.fields({"row_idx": 0, "row": {"Headline": "A", "doi": "10.5555/a"}}) == {
        "title_raw": "A",
        "doi_raw": "10.5555/a",
    }
