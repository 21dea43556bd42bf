"""Tests of transforms.venue_agreement."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.venue_agreement import AGREEMENTS, venue_agreement
from transforms.venues import clean_venues

ALIASES = pl.read_csv(Path(__file__).resolve().parents[2] / "config" / "venues.csv", infer_schema=False)
SCHEMA = {"venue_l": pl.String, "venue_r": pl.String}


def agreement(left, right):
    return venue_agreement(pl.DataFrame([(left, right)], schema=SCHEMA, orient="row"))[0]


def agreement_when_cleaned(left, right):
    cleaned = clean_venues(pl.Series([left, right]), ALIASES)
    row = {f"{name}_{side}": [cleaned[name][at]] for at, side in enumerate("lr") for name in ("venue", "venue_id")}
    return venue_agreement(pl.DataFrame(row, schema_overrides=dict.fromkeys(row, pl.String)))[0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Annals of Tides", "The annals of tides."),
        ("Tides & Waves", "Tides and Waves"),
        ("J. Slow Sci.", "Journal of Slow Science"),
        ("J Slow Sci", "JOURNAL OF SLOW SCIENCE"),
        ("Natl. Slow Bull.", "National Slow Bulletin"),
        ("J. Natl. Tide Assn.", "Journal of the National Tide Association"),
        ("Proc. Int. Conf. Slow Maps", "Proceedings of the 3rd International Conference on Slow Maps"),
        ("Slow Moving Maps", "2019 IEEE International Conference on Slow Moving Maps"),
        ("Conference on Slow Maps", "9th Annual International Conference on Slow Maps, Lima, Peru, June 2019"),
        ("Conference on Slow Maps, Vienna, Austria", "Conference on Slow Maps, Vol 2"),
        ("ICSM", "International Conference on Slow Maps"),
        ("ICSM 2019", "International Conference on Slow Maps"),
        ("ICSM '19: Proceedings of a meeting", "International Conference on Slow Maps"),
        ("ICSM : The Year of the Map", "International Conference on Slow Maps"),
        ("JAMT", "Journal of the American Map Trust"),
        ("JAMT Journal of the American Map Trust", "Journal of the American Map Trust"),
        ("Journal of the American Map Trust: JAMT", "J Am Map Trust"),
        ("Tidologica", "Tidologica-the Tide Journal"),
        ("Tides", "Tides: the official journal of the Tide Society"),
        ("Tides", "Tides (Oxford, England)"),
        ("Tides", "Tides [Electronic Resource]"),
        ("Tides. Conference: 9th Meeting of the Tide Society. Lima.", "Tides"),
        ("Revista de Mareas/Pan American Journal of Tides", "Pan American Journal of Tides"),
        ("International Conference on Slow Maps: Maps for All", "International Conference on Slow Maps"),
        ("British Journal of Haematology and Tides", "British Journal of Hematology and Tides"),
        ("Romanian Tide Letters", "Roumanian Tide Letters"),
        ("Modelling of Tides", "Modeling of Tides"),
        ("Neuro Tidal Lett", "Neurotidal Letters"),
        ("IEEE Transactions on Maps and Machine Tides", "IEEE Transactions on Maps and…"),
        ("IEEE Transactions on Maps and Mach", "IEEE Transactions on Maps and Machine Tides"),
        ("Slow Maps, Conference on", "Conference on Slow Maps"),
        ("Ann Fr Marees Reanim", "Annales Françaises d'Marées et de Réanimation"),
        ("Encephale", "L'Encéphale"),
        ("G Ital Arterioscler", "Giornale Italiano dell'Arteriosclerosi"),
        ("Dtsch Gezeiten Wochenschr", "Deutsche Gezeiten-Wochenschrift"),
        ("Am J Tide Genet A", "American Journal of Tide Genetics, Part A"),
        ("Acta Tidogr Sect B", "Acta Tidographica Section B"),
        ("Eur J Cardiotidal Surg", "European Journal of Cardio-Tidal Surgery"),
        ("Ann N Y Acad Tides", "Annals of the New York Academy of Tides"),
        ("S Afr Tide J", "South African Tide Journal"),
        ("Tides", "Tides; a journal of coastal circulation"),
        ("Tidal Research Part C", "Tidal Research Part C: Emerging Waves"),
        ("Tidal Res Part C", "Tidal Research Part C"),
    ],
)  # fmt: skip
def test_names_of_one_venue_agree(left, right):
    assert agreement(left, right) == "agree"
    assert agreement(right, left) == "agree"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Tides", "Journal of Maps"),
        ("Journal of Slow Science", "Journal of Fast Letters"),
        ("Journal of Clinical Tides", "Journal of Clinical Maps"),
        ("J Clin Tides", "Journal of Clinical Maps"),
        ("British Journal of Tides", "European Journal of Tides"),
        ("Br J Tides", "Int J Tides"),
        ("European Conference on Slow Maps", "Asian Conference on Slow Maps"),
        ("Conference on Slow Maps", "Journal of Slow Maps"),
        ("Conference on Slow Maps", "Transactions on Slow Maps"),
        ("Workshop on Slow Maps", "Conference on Slow Maps"),
        ("XQZW", "International Conference on Slow Maps"),
        ("XQZW", "ICSM"),
    ],
)
def test_names_of_two_venues_differ(left, right):
    assert agreement(left, right) == "differ"
    assert agreement(right, left) == "differ"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Tides", None),
        (None, None),
        ("Tidal Rev A", "Tidal Review Applied"),
        ("J Tides A", "Journal of Tides Advances"),
        ("Tidal Research Part B", "Tidal Research Board"),
        ("Tides in Peru Series C", "Tides in Peru Chemistry"),
        ("Journal of Tidal Physics Part C", "Journal of Tidal Physics Condensed"),
        ("Tidal Research Part B", "Tidal Research Part C"),
        ("J L Econ", "Journal of Labor Economics"),
        ("International Conference on e-Tides", "International Conference on Earth Tides"),
        ("Journal of K-Tides", "Journal of Knot Tides"),
        ("", "Tides"),
        ("2019", "Tides"),
        ("Tides", "Tides Research"),
        ("Tide", "Tides"),
        ("Tides", "Tides: Coastal Views"),
        ("Tides", "Tides/Currents Research and Reviews"),
        ("Journal of Tides", "Journal of Clinical Tides"),
        ("Journal of Tides", "American Journal of Tides"),
        ("Tides Journal", "Tides"),
        ("Applied Oncology Letters", "Applied Ontology Letters"),
        ("Tide Transplantation", "Tide Transplantation Proceedings"),
        ("Nature Reviews Tides", "Nature Reviews"),
        ("TIDE: An International Journal of Maps and Tides", "International Journal of Tides and Maps"),
    ],
)
def test_names_that_may_be_of_one_venue_or_two_are_unknown(left, right):
    assert agreement(left, right) == "unknown"
    assert agreement(right, left) == "unknown"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("VLDB", "Very Large Data Bases", "agree"),
        ("International Conference on Very Large Data Bases", "Very Large Data Bases", "agree"),
        ("SIGMOD Conference", "International Conference on Management of Data", "agree"),
        ("NIPS", "Advances in Neural Information Processing Systems", "agree"),
        ("Bmj", "British Medical Journal (Clinical research ed.)", "agree"),
        ("The Lancet", "Lancet", "agree"),
        ("Commun ACM", "Communications of the ACM", "agree"),
        ("ACM SIGMOD Record", "SIGMOD Conference", "differ"),
        ("VLDB", "PVLDB", "differ"),
        ("VLDB J.", "VLDB", "differ"),
        ("arXiv", "ICML", "differ"),
        ("ICML", "Journal of Slow Maps", "differ"),
        ("ICML", "ICML 2020 Workshop on Maps", "differ"),
    ],
)
def test_curated_venues_agree_by_id_whatever_their_names(left, right, expected):
    assert agreement_when_cleaned(left, right) == expected
    assert agreement_when_cleaned(right, left) == expected


def test_a_missing_venue_does_not_take_the_agreement_of_another_row():
    pairs = pl.DataFrame([(None, "Tides"), ("Tides", "Tides")], schema=SCHEMA, orient="row")
    assert venue_agreement(pairs).to_list() == ["unknown", "agree"]


def test_ids_tell_before_the_texts():
    rows = {"venue_l": ["Tides", "Tides", "Tides"], "venue_r": ["Maps", "Tides", "Tides"]}
    ids = {"venue_id_l": ["t", "t", "t"], "venue_id_r": ["t", "u", None]}
    assert venue_agreement(pl.DataFrame(rows | ids)).to_list() == ["agree", "differ", "agree"]


_WORDS = ["J.", "Journal", "of", "Slow", "Sci", "Science", "(JSS)", "Proc.", "Conference", "2019", "the", "-", ":", "ICSM", "…"]
_TEXTS = st.one_of(st.none(), st.text(max_size=30), st.lists(st.sampled_from(_WORDS), max_size=7).map(" ".join))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), max_size=6))
def test_any_texts_have_an_agreement_which_does_not_depend_on_sides_or_on_other_rows(rows):
    pairs = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    found = venue_agreement(pairs)
    assert len(found) == len(rows)
    assert set(found) <= set(AGREEMENTS)
    assert venue_agreement(pairs.select(venue_l="venue_r", venue_r="venue_l")).to_list() == found.to_list()
    assert venue_agreement(pairs.reverse()).to_list() == found.to_list()[::-1]
    assert [agreement(*row) for row in rows] == found.to_list()
