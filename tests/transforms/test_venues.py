"""Tests of transforms.venues and of config/venues.csv."""

from pathlib import Path

import polars as pl
import pytest

from transforms.schemas import SchemaError
from transforms.staged_schemas import VENUE_KINDS
from transforms.venues import clean_venues, load_aliases, venue_key

ALIASES = pl.read_csv(Path(__file__).resolve().parents[2] / "config" / "venues.csv", infer_schema=False)


def venue_id(text):
    return clean_venues(pl.Series([text], dtype=pl.String), ALIASES)["venue_id"][0]


def test_the_aliases_are_sorted_and_each_is_unique_once_normalised():
    assert ALIASES.columns == ["alias", "venue_id", "name", "kind"]
    assert ALIASES.select("venue_id", "alias").rows() == sorted(ALIASES.select("venue_id", "alias").rows())
    keys = ALIASES.select(venue_key(pl.col("alias"))).to_series()
    assert keys.null_count() == 0
    assert ALIASES.filter(keys.is_duplicated()).rows() == []


def test_every_venue_has_one_name_which_is_an_alias_of_it():
    names = ALIASES.select("venue_id", "name").unique()
    assert names["venue_id"].is_unique().all()
    known = load_aliases(ALIASES)
    keys = names.with_columns(key=venue_key(pl.col("name")))
    assert [known.get(key, ("",))[0] for key in keys["key"]] == keys["venue_id"].to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ICLR", "iclr"),
        ("ICLR 2024", "iclr"),
        ("ICLR'24", "iclr"),
        ("ICLR.cc/2024/Conference", "iclr"),
        ("Twelfth International Conference on Learning Representations, {ICLR} 2024, Vienna, Austria", "iclr"),
        ("Published at ICLR 2020", "iclr"),
        ("NIPS", "neurips"),
        ("Advances in Neural Information Processing Systems 35", "neurips"),
        ("Advances in Neural Information Processing Systems 35 (NeurIPS 2022)", "neurips"),
        ("Proceedings of the 41st International Conference on Machine Learning", "icml"),
        ("Proc. of the Thirty-Ninth International Conference on Machine Learning (ICML)", "icml"),
        ("2020 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)", "cvpr"),
        ("Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics", "acl"),
        (
            "Proceedings of the 60th Annual Meeting of the Association for Computational Linguistics (Volume 1: Long Papers)",
            "acl",
        ),
        ("Findings of the Association for Computational Linguistics: EMNLP 2023", "findings"),
        ("KDD '24: Proceedings of the 30th ACM SIGKDD Conference on Knowledge Discovery and Data Mining", "kdd"),
        ("Very Large Data Bases", "vldb"),
        ("SIGMOD Conference", "sigmod"),
        ("International Conference on Management of Data", "sigmod"),
        ("SIGMOD Record", "sigmodrecord"),
        ("ACM SIGMOD Record", "sigmodrecord"),
        ("PVLDB", "pvldb"),
        ("Proceedings of the VLDB Endowment", "pvldb"),
        ("VLDB J.", "vldbj"),
        ("The VLDB Journal — The International Journal on Very Large Data Bases", "vldbj"),
        ("ACM Trans. Database Syst.", "tods"),
        ("IEEE Data Eng. Bull.", "debull"),
        ("J. Mach. Learn. Res.", "jmlr"),
        ("IEEE Trans. Pattern Anal. Mach. Intell.", "tpami"),
        ("Int. Conf. Mach. Learn.", "icml"),
        ("Proc Natl Acad Sci U S A", "pnas"),
        ("Proc. Natl. Acad. Sci. U.S.A.", "pnas"),
        ("Proceedings of the IEEE", "procieee"),
        ("Br J Haematol", "bjh"),
        ("British Journal of Hematology", "bjh"),
        ("Commun ACM", "cacm"),
        ("J. Natl. Cancer Inst.", "jnci"),
        ("Bmj", "bmj"),
        ("British Medical Journal (Clinical research ed.)", "bmj"),
        ("Lancet", "lancet"),
        ("The Lancet.", "lancet"),
        ("Blood", "blood"),
        ("Blood. Conference: 9th Annual Meeting of Some Society, Lima.", "blood"),
        ("Circulation : official journal of some society", "circulation"),
        ("Nature (London)", "nature"),
        ("International Conference on Information Systems, ICIS", "icis"),
        ("Proc. 9th Int. Conf. Very Large Data Bases, VLDB", "vldb"),
        ("Journal of machine learning research : JMLR", "jmlr"),
        ("Proceedings of the 9th international conference on Maps of the Sea - ASPLOS '14", "asplos"),
        ("Proceedings of the 26th Conference on User Modeling, Adaptation and Personalization - UMAP '18", "umap"),
        ("Proceedings of the 35th Annual ACM Symposium on Theory of Computing, STOC 2003, Lima, Peru", "stoc"),
        ("51St Annual Hawaii International Conference On System Sciences (Hicss)", "hicss"),
        ("CoRR abs/2301.12345", "arxiv"),
        ("arXiv preprint arXiv:2301.12345", "arxiv"),
        ("IEEE Transactions on Pattern Analysis and Machine Intelligence", "tpami"),
        ("WWW 2024", "www"),
        (
            "Advances in Neural Information Processing Systems 32: Annual Conference on Maps 2019, NeurIPS 2019, May 8",
            "neurips",
        ),
        ("ICLR 2024 Conference", "iclr"),
        ("https://openreview.net/group?id=ICML.cc/2023/Conference", "icml"),
    ],
)
def test_a_venue_is_known_by_its_names(text, expected):
    assert venue_id(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "ICML 2024 Workshop on Maps",
        "Workshop on Maps at NeurIPS 2023",
        "ICLR 2024 Workshop",
        "Workshop on Maps (ICML 2024)",
        "International Conference on Machine Learning 2020, Workshop on Maps",
        "CVPRW 2020",
        "ICLR.cc/2024/Workshop/Maps",
        "ICLR 2023 Tiny Papers",
        "Proceedings of ACL 2020: System Demonstrations",
        "Companion Proceedings of the Web Conference 2021",
        "International Conference on Machine Learning and Maps",
        "International Conference on Tidal Apparel Inventions (ICTAI 2021)",
        "Proceedings of Science",
        "Transplantation Proceedings",
        "Science, Technology and Maps Conference",
        "Conference on Maps (Nature)",
        "Maps of the Seas, Nature 2020",
        "Can. Res.",
        "J. Comp.",
        "Inform. Science",
        "Phys. Rev. A",
        "Pattern Recognition Maps",
        "IEEE",
        "Diabetes & Metabolism",
        "Machine Learning: Science and Technology",
        "Machine Learning, Optimization, and Data Science",
        "Proceedings of the Workshop on Maps, ICML 2020, Vienna",
        "Maps of Canada, held with ICML 2020, Vienna",
        "https://openreview.net/group?id=ICML.cc/2023/Workshop/Maps",
        "ICLR 2024 Conference Dinner",
        "Journal of Maps",
        None,
    ],
)
def test_what_stands_beside_a_conference_or_has_a_like_name_is_not_it(text):
    assert venue_id(text) is None


def test_every_curated_name_is_read_as_its_venue_so_that_cleaning_twice_changes_nothing():
    names = ALIASES.select("venue_id", "name", "kind").unique(maintain_order=True)
    again = clean_venues(names["name"], ALIASES)
    assert again.rows() == names.rows()


def test_the_kind_is_one_of_the_words_and_each_venue_has_one():
    assert set(ALIASES["kind"]) <= set(VENUE_KINDS)
    assert ALIASES.select("venue_id", "kind").unique()["venue_id"].is_unique().all()


def test_the_venue_is_the_curated_name_else_the_text_without_markup():
    venues = clean_venues(pl.Series(["NIPS 2016", "J. of {Maps} \\& Charts", None, ""]), ALIASES)
    assert venues["venue"].to_list() == [
        "Conference on Neural Information Processing Systems", "J. of Maps & Charts", None, None,
    ]  # fmt: skip


def test_one_alias_for_two_venues_is_an_error_that_names_both():
    rows = pl.DataFrame(
        {
            "alias": ["Maps", "The Maps 2020"],
            "venue_id": ["maps", "charts"],
            "name": ["Maps", "Charts"],
            "kind": ["journal", "journal"],
        }
    )
    with pytest.raises(SchemaError, match=r"'maps'.*both 'maps' and 'charts'"):
        load_aliases(rows)


def test_a_missing_column_is_an_error_that_says_which():
    with pytest.raises(SchemaError, match="venue_id is missing"):
        load_aliases(pl.DataFrame({"alias": ["A"], "name": ["A"], "kind": ["book"]}))
