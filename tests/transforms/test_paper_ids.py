"""Paper ids: they follow from a cluster's own records, and no two clusters share one."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.match.features import evidence_identifiers
from transforms.paper_ids import PAPER_IDS_SCHEMA, paper_id, paper_ids


def clusters(**members: str) -> pl.DataFrame:
    """Clusters of record keys, a letter each, every cluster its own work: `clusters(a="ab")`."""
    rows = [{"record_key": key, "cluster": least, "work": least} for least, keys in members.items() for key in keys]
    return pl.DataFrame(rows, schema={"record_key": pl.String, "cluster": pl.String, "work": pl.String})


def identifiers(*rows: tuple[str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(("record_key", "scheme", "value"), pl.String), orient="row")


def named(frame: pl.DataFrame, *rows: tuple[str, str, str]) -> dict[str, str]:
    return dict(paper_ids(frame, identifiers(*rows)).select("record_key", "paper_id").iter_rows())


def test_no_clusters_have_no_ids() -> None:
    found = paper_ids(clusters(), identifiers())
    assert found.height == 0 and found.schema == PAPER_IDS_SCHEMA


def test_an_id_is_p_and_sixteen_hexadecimal_digits() -> None:
    assert paper_id("doi:10.1/a")[0] == "p" and len(paper_id("doi:10.1/a")) == 17 and int(paper_id("doi:10.1/a")[1:], 16)


def test_the_strongest_scheme_names_the_paper_whichever_record_has_it() -> None:
    rows = [("a", "arxiv", "1"), ("b", "doi", "10.1/z"), ("b", "somesite", "0")]
    assert named(clusters(a="ab"), *rows) == dict.fromkeys("ab", paper_id("doi:10.1/z"))
    assert named(clusters(a="a"), rows[0]) == {"a": paper_id("arxiv:1")}


def test_of_several_values_the_least_names_the_paper() -> None:
    assert named(clusters(a="ab"), ("a", "arxiv", "2"), ("b", "arxiv", "1"))["a"] == paper_id("arxiv:1")


def test_a_paper_without_identifiers_is_named_for_its_least_record_key() -> None:
    assert named(clusters(a="ab")) == dict.fromkeys("ab", paper_id("record_key:a"))


def test_an_identifier_in_two_clusters_names_neither() -> None:
    shared = [("a", "doi", "10.1/a"), ("b", "doi", "10.1/a")]
    assert named(clusters(a="a", b="b"), *shared, ("b", "arxiv", "1")) == {
        "a": paper_id("record_key:a"),
        "b": paper_id("arxiv:1"),
    }


def test_a_record_key_that_looks_like_an_identifier_names_another_paper() -> None:
    frame = pl.DataFrame({"record_key": ["doi:10.1/a", "b"], "cluster": ["doi:10.1/a", "b"], "work": ["doi:10.1/a", "b"]})
    assert len(set(named(frame, ("b", "doi", "10.1/a")).values())) == 2


def test_a_work_is_named_for_the_least_paper_id_of_its_papers() -> None:
    frame = clusters(a="a", b="b", c="c").with_columns(work=pl.Series(["a", "a", "c"]))
    found = {key: (paper, work) for key, paper, work in paper_ids(frame, identifiers()).iter_rows()}
    least = min(found["a"][0], found["b"][0])
    assert found["a"][1] == found["b"][1] == "w" + least[1:] and found["c"][1] == "w" + found["c"][0][1:]


def test_identifiers_of_containers_are_no_evidence() -> None:
    doi = [{"scheme": "doi", "value": "10.1/issue"}]
    authors = [[{"name": "Lee", "family": "Lee"}]] * 4
    frame = pl.DataFrame(
        {"record_key": list("abcd"), "title": ["Ice", "Fire", "Sand", "Bone"], "authors": authors, "identifiers": [doi] * 4}
    )
    assert evidence_identifiers(frame).height == 0
    assert evidence_identifiers(frame.with_columns(title=pl.lit("Ice!"))).height == 4
    assert evidence_identifiers(frame.head(3)).height == 3


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 3), min_size=6, max_size=6),
    st.sets(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["doi", "arxiv"]), st.sampled_from("12"))),
)
def test_clusters_never_share_an_id_and_row_order_does_not_matter(numbers: list[int], rows: set[tuple[str, str, str]]) -> None:
    frame = pl.DataFrame({"record_key": list("abcdef"), "number": numbers}).select(
        "record_key",
        cluster=pl.col("record_key").min().over("number"),
        work=pl.lit("a"),
    )
    found = paper_ids(frame, identifiers(*sorted(rows)))
    assert found.equals(paper_ids(frame.reverse(), identifiers(*sorted(rows, reverse=True))))
    assert found["paper_id"].n_unique() == frame["cluster"].n_unique() and found["work_id"].n_unique() == 1
