"""Tests of transforms.links: the addresses in abstracts and in columns, their kinds, and the paper's own addresses."""

import polars as pl
import pytest

from transforms.frames import polars_schema
from transforms.links import clean_links, link_kind, page_url
from transforms.staged_schemas import STAGED_RECORDS


def links_of(abstract=None, columns=None):
    row = {"ordinal": 1, "locator": "row 1", "raw": "{}", "abstract_raw": abstract, "link_urls_raw": columns}
    staged = pl.DataFrame([row], schema=polars_schema(STAGED_RECORDS.columns), orient="row")
    return [link["url"] for link in clean_links(staged).to_list()[0]]


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        ("Code: https://github.com/a/b.", "https://github.com/a/b"),
        ("Code (https://github.com/a/b), and so on", "https://github.com/a/b"),
        ("at [https://a.github.io](https://a.github.io).", "https://a.github.io"),
        ("at [our page](https://a.github.io/b/).", "https://a.github.io/b"),
        ("at \\url{https://github.com/a/b\\_c}}.", "https://github.com/a/b_c"),
        ("at \\href{https://github.com/a/b}{here}", "https://github.com/a/b"),
        ("at **https://github.com/a/b**!", "https://github.com/a/b"),
        ("at github.com/a/b/tree/main.", "https://github.com/a/b/tree/main"),
        ("see a-b.github.io", "https://a-b.github.io"),
        ("see www.example-maps.org/x;", "https://www.example-maps.org/x"),
        ("<a href='https://x.org/a?b=1&amp;c=2'>x</a>", "https://x.org/a?b=1&c=2"),
        ("see https://en.wikipedia.org/wiki/Set_(mathematics).", "https://en.wikipedia.org/wiki/Set_(mathematics)"),
        ("http://a.github.io/b\u3002\u4e2d\u6587", "http://a.github.io/b"),
    ],
)
def test_an_address_in_an_abstract_is_found_and_clean(abstract, expected):
    assert links_of(abstract) == [expected]


@pytest.mark.parametrize(
    "abstract", ["e.g. Node.js, i.e. this.that", "We use GitHub data from github.com.", "https://", "v1.0/2.0", None]
)
def test_what_is_no_address_gives_no_link(abstract):
    assert links_of(abstract) == []


def test_links_are_distinct_sorted_and_come_from_columns_too():
    found = links_of("https://github.com/b/b and https://github.com/b/b", ["https://a.github.io", "github.com/c/c", "n/a"])
    assert found == ["https://a.github.io", "https://github.com/b/b", "https://github.com/c/c"]


@pytest.mark.parametrize(
    "given", ["https://github.com/", "https://github.", "https://github.com/your-repo", "Not provided", ""]
)
def test_a_placeholder_in_a_column_gives_no_link(given):
    assert links_of(None, [given]) == []


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://github.com/a/b", "code"),
        ("https://gitlab.example.org/a/b", "code"),
        ("https://huggingface.co/a/b", "code"),
        ("https://colab.research.google.com/x", "code"),
        ("https://huggingface.co/datasets/a/b", "data"),
        ("https://zenodo.org/record/1", "data"),
        ("https://www.kaggle.com/datasets/a/b", "data"),
        ("https://a.github.io/b", "project_page"),
        ("https://sites.google.com/view/x", "project_page"),
        ("https://arxiv.org/abs/1", "other"),
        ("https://notgithub.com/a/b", "other"),
    ],
)
def test_the_host_tells_the_kind(url, kind):
    assert pl.select(link_kind(pl.lit(url))).item() == kind


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (" https://a.org/x?y=1 ", "https://a.org/x?y=1"),
        ("https://a.org/x; https://a.org/y", "https://a.org/x"),
        ("['https://a.org/x']", "https://a.org/x"),
        ("javascript:alert(1)", None),
        ("file:///etc/hosts", None),
        ("n/a", None),
        (None, None),
    ],
)
def test_the_address_of_a_paper_is_http_or_none(given, expected):
    assert pl.select(page_url(pl.lit(given, pl.String))).item() == expected
