"""Tests of transforms.venue_kind."""

import polars as pl
import pytest

from transforms.venue_kind import venue_kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Journal of Tides", "journal"),
        ("J Tides", "journal"),
        ("J. Tides", "journal"),
        ("IEEE Transactions on Tides", "journal"),
        ("IEEE Trans. Tides", "journal"),
        ("Annals of Tides", "journal"),
        ("Tide Letters", "journal"),
        ("Tides Quarterly", "journal"),
        ("Current Opinion in Tides", "journal"),
        ("Revista de Mareas", "journal"),
        ("Proceedings of the National Academy of Sciences", "journal"),
        ("Proc Natl Acad Sci U S A", "journal"),
        ("Proceedings of the IEEE", "journal"),
        ("Proceedings of the VLDB Endowment", "journal"),
        ("PVLDB", "journal"),
        ("PACMPL", "journal"),
        ("Proceedings of the ACM on Tides", "journal"),
        ("Journal of Tides: Conference Series", "journal"),
        ("Tides. Conference: 9th Meeting of the Tide Society", "journal"),
        ("Proceedings of the IEEE Conference on Tides", "conference"),
        ("Proceedings of Tides 2019", "conference"),
        ("Proc. Tides", "conference"),
        ("Symposium on Tides", "conference"),
        ("Int. Conf. Tides", "conference"),
        ("Annual Meeting of the Tide Society", "conference"),
        ("Lecture Notes in Tides, 9th Conference on Tides", "conference"),
        ("Workshop on Tides at the Conference on Maps", "workshop"),
        ("CVPRW 2020", "workshop"),
        ("arXiv preprint arXiv:2301.00001", "preprint"),
        ("CoRR", "preprint"),
        ("CoRR abs/1901.00001", "preprint"),
        ("bioRxiv", "preprint"),
        ("SSRN Electronic Journal", "preprint"),
        ("Lecture Notes in Tides", "book"),
        ("Handbook of Tides", "book"),
        ("Encyclopaedia of Tides", "book"),
        ("Tides", None),
        ("Corrosion", None),
        ("Pressed Tides", None),
        ("", None),
        (None, None),
    ],
)
def test_a_venues_text_tells_its_kind(text, expected):
    assert pl.DataFrame({"venue": [text]}, schema={"venue": pl.String}).select(venue_kind(pl.col("venue"))).item() == expected
