"""Aliases: every paper id ever published resolves for ever, in one step."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.aliases import aliases_of_all, paper_aliases
from transforms.frames import frame_of, polars_schema
from transforms.schemas import PAPER_ALIASES


def papers(**members: str) -> pl.DataFrame:
    """Papers by id, each with its record keys, a letter each: `papers(p1="ab")`."""
    rows = [{"record_key": key, "paper_id": paper_id} for paper_id, keys in members.items() for key in keys]
    return pl.DataFrame(rows, schema={"record_key": pl.String, "paper_id": pl.String})


def aliases(*rows: tuple[str, str | None, str]) -> pl.DataFrame:
    """Older aliases, each of a paper whose one record, named for it, is in no other paper of these tests."""
    names = PAPER_ALIASES.column_names()
    return frame_of(PAPER_ALIASES, [dict(zip(names, (*row, f"record of {row[0]}"), strict=True)) for row in rows])


def verdicts(
    previous: pl.DataFrame | None, older: pl.DataFrame | None, current: pl.DataFrame
) -> list[tuple[str, str | None, str]]:
    """The aliases as rows of (paper_id, current_paper_id, reason)."""
    return paper_aliases(previous, older, current).select("paper_id", "current_paper_id", "reason").rows()


def test_a_first_release_has_no_aliases() -> None:
    found = paper_aliases(None, None, papers(p1="ab"))
    assert found.height == 0 and found.schema == polars_schema(PAPER_ALIASES.columns)


def test_an_unchanged_paper_has_no_alias() -> None:
    assert verdicts(papers(p1="ab"), None, papers(p1="abc")) == []


def test_records_under_a_new_id_are_renamed() -> None:
    assert verdicts(papers(p1="ab"), None, papers(p2="abc")) == [("p1", "p2", "renamed")]


def test_a_paper_that_joined_another_is_merged() -> None:
    assert verdicts(papers(p1="a", p2="b"), None, papers(p2="ab")) == [("p1", "p2", "merged")]
    assert verdicts(papers(p1="a", p2="b"), None, papers(p3="ab")) == [
        ("p1", "p3", "merged"),
        ("p2", "p3", "merged"),
    ]


def test_a_split_paper_leads_to_where_most_of_its_records_went() -> None:
    assert verdicts(papers(p1="abc"), None, papers(p2="a", p3="bc")) == [("p1", "p3", "split")]
    assert verdicts(papers(p1="ab"), None, papers(p3="a", p2="b")) == [("p1", "p2", "split")]


def test_a_paper_without_records_is_gone() -> None:
    assert verdicts(papers(p1="a", p2="b"), None, papers(p2="b")) == [("p1", None, "gone")]


def test_chains_are_followed() -> None:
    older = aliases(("p0", "p1", "merged"), ("p9", "p1", "renamed"), ("p8", "p2", "renamed"))
    assert verdicts(papers(p1="a", p2="b"), older, papers(p3="a", p2="b")) == [
        ("p0", "p3", "merged"),
        ("p1", "p3", "renamed"),
        ("p8", "p2", "renamed"),
        ("p9", "p3", "renamed"),
    ]


def test_merged_into_what_is_gone_later_is_gone() -> None:
    assert verdicts(papers(p1="a"), aliases(("p0", "p1", "merged")), papers(p5="z")) == [
        ("p0", None, "gone"),
        ("p1", None, "gone"),
    ]


def test_what_was_gone_stays_gone_until_it_is_a_paper_again() -> None:
    older = aliases(("p0", None, "gone"))
    assert verdicts(papers(p1="a"), older, papers(p1="a")) == [("p0", None, "gone")]
    assert verdicts(papers(p1="a"), older, papers(p1="a", p0="z")) == []


def test_a_record_seen_several_times_counts_once() -> None:
    repeated = pl.concat([papers(p1="aaab")] * 2)
    assert verdicts(repeated, None, papers(p2="aaa", p3="b")) == [("p1", "p2", "split")]


def test_aliases_do_not_depend_on_the_order_of_rows() -> None:
    previous, current = papers(p1="abc", p2="de", p3="f"), papers(p4="ad", p5="bce")
    assert paper_aliases(previous, None, current).equals(paper_aliases(previous.reverse(), None, current.reverse()))


PARTITIONS = st.lists(
    st.dictionaries(st.sampled_from("abcdefg"), st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=7), max_size=6
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(PARTITIONS)
def test_every_id_ever_published_resolves_in_one_step(history: list[dict[str, tuple[int, int]]]) -> None:
    published: set[str] = set()
    previous, older = None, None
    for release in history:
        rows = [{"record_key": key, "paper_id": f"p{cluster}{name}"} for key, (cluster, name) in release.items()]
        current = pl.DataFrame(rows, schema={"record_key": pl.String, "paper_id": pl.String})
        older = paper_aliases(previous, older, current)
        previous, ids = current, set(current["paper_id"])
        published |= ids
        assert set(older["paper_id"]) == published - ids
        for _, target, reason in older.select("paper_id", "current_paper_id", "reason").iter_rows():
            assert (target is None) == (reason == "gone")
            assert target is None or target in ids


def test_an_id_that_had_gone_is_found_again_when_its_record_returns_in_another_paper() -> None:
    gone = paper_aliases(papers(p1="a"), None, papers(p2="b"))
    assert gone.select("paper_id", "current_paper_id", "reason").rows() == [("p1", None, "gone")]
    assert verdicts(papers(p2="b"), gone, papers(p2="ab")) == [("p1", "p2", "merged")]
    assert verdicts(papers(p2="b"), gone, papers(p2="b")) == [("p1", None, "gone")]


def test_after_going_back_ids_of_both_releases_lead_to_papers_of_the_next() -> None:
    good, bad = papers(p1="ab", p2="c"), papers(p1="a", p3="bc")
    none = frame_of(PAPER_ALIASES)
    found = aliases_of_all([(good, none), (bad, aliases(("p9", "p3", "merged")))], papers(p1="abc"))
    assert found.select("paper_id", "current_paper_id", "reason").rows() == [
        ("p2", "p1", "merged"),
        ("p3", "p1", "merged"),
        ("p9", "p1", "merged"),
    ]


def test_of_two_leads_one_to_a_paper_stands_before_one_to_none_and_then_the_first() -> None:
    gone, none = aliases(("p7", None, "gone")), frame_of(PAPER_ALIASES)
    leads = aliases(("p7", "p1", "renamed"))
    now = papers(p1="a", p2="b")
    for order in ([(papers(p1="a"), gone), (papers(p1="a"), leads)], [(papers(p1="a"), leads), (papers(p1="a"), gone)]):
        assert aliases_of_all(order, now).select("paper_id", "current_paper_id").rows() == [("p7", "p1")]
    split = [(papers(p5="a"), none), (papers(p5="b"), none)]
    assert aliases_of_all(split, now)["current_paper_id"].to_list() == ["p1"]
    assert aliases_of_all(split[::-1], now)["current_paper_id"].to_list() == ["p2"]


def test_of_no_or_one_earlier_release_the_aliases_are_those_of_it() -> None:
    before, older, now = papers(p1="ab", p2="c"), aliases(("p0", "p2", "renamed")), papers(p1="abc")
    assert aliases_of_all([], now).equals(paper_aliases(None, None, now))
    assert aliases_of_all([(before, older)], now).equals(paper_aliases(before, older, now))
    assert aliases_of_all([(before, older), (before, older)], now).equals(paper_aliases(before, older, now))
