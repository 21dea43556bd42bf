"""Relations of papers: from the relations of their records, in both directions, each once."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.frames import polars_schema
from transforms.relations import paper_relations
from transforms.schemas import PAPER_RELATIONS, RELATIONS

RECORDS = pl.DataFrame({"record_key": ["k1", "k2", "k3", "k4", "k1"], "paper_id": ["pa", "pa", "pb", "pc", "pa"]})
PAIRS = {"record_key_l": pl.String, "record_key_r": pl.String, "relation": pl.String}


def related(*pairs: tuple[str, str, str | None]) -> list[tuple[str, str, str]]:
    return paper_relations(pl.DataFrame(pairs, schema=PAIRS, orient="row"), RECORDS).rows()


@pytest.mark.parametrize(("relation", "inverse"), RELATIONS.items())
def test_each_relation_stands_in_both_directions(relation: str, inverse: str) -> None:
    assert related(("k1", "k3", relation)) == [("pa", relation, "pb"), ("pb", inverse, "pa")]


def test_several_pairs_of_two_papers_give_a_relation_once() -> None:
    pairs = [("k1", "k3", "preprint_of"), ("k2", "k3", "preprint_of"), ("k1", "k4", "version_of"), ("k3", "k4", None)]
    assert related(*pairs) == [
        ("pa", "preprint_of", "pb"),
        ("pa", "version_of", "pc"),
        ("pb", "has_preprint", "pa"),
        ("pc", "version_of", "pa"),
    ]


def test_what_says_most_stands_alone() -> None:
    pairs = [("k1", "k3", "version_of"), ("k2", "k3", "preprint_of"), ("k1", "k4", "version_of"), ("k1", "k3", "comment_on")]
    assert [row for row in related(*pairs) if row[0] == "pa"] == [
        ("pa", "comment_on", "pb"),
        ("pa", "preprint_of", "pb"),
        ("pa", "version_of", "pc"),
    ]


def test_two_papers_that_are_each_the_others_preprint_are_versions() -> None:
    pairs = [("k1", "k3", "preprint_of"), ("k2", "k3", "has_preprint"), ("k1", "k4", "preprint_of")]
    assert related(*pairs) == [
        ("pa", "preprint_of", "pc"),
        ("pa", "version_of", "pb"),
        ("pb", "version_of", "pa"),
        ("pc", "has_preprint", "pa"),
    ]


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([*RELATIONS, None])), max_size=12))
def test_any_pairs_give_relations_that_are_mutual_and_agree(pairs: list[tuple[str, str, str | None]]) -> None:
    found = paper_relations(
        pl.DataFrame(pairs, schema=PAIRS, orient="row"), pl.DataFrame({"record_key": list("abc"), "paper_id": list("xyz")})
    ).rows()
    assert found == sorted(set(found))
    for paper, relation, other in found:
        assert paper != other and (other, RELATIONS[relation], paper) in found
        assert RELATIONS[relation] == relation or (paper, RELATIONS[relation], other) not in found
    said = {frozenset((left, right)) for left, right, relation in pairs if relation and left != right}
    assert len({frozenset((paper, other)) for paper, _, other in found}) == len(said)


def test_pairs_without_a_relation_or_of_one_paper_give_none() -> None:
    nothing = paper_relations(
        pl.DataFrame([("k1", "k2", "version_of"), ("k1", "k3", None)], schema=PAIRS, orient="row"), RECORDS
    )
    assert nothing.height == 0 and nothing.schema == polars_schema(PAPER_RELATIONS.columns)
