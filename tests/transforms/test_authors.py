"""Tests of transforms.authors, author_lists and person_names."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.author_lists import separator_of, split_author_lists
from transforms.authors import clean_authors
from transforms.person_names import person_name


def authors_of(*texts, names=None):
    """The authors of a file with these author lists, a list a record."""
    frame = pl.DataFrame(
        {"file_sha256": ["f00d"] * len(texts), "authors_raw": list(texts), "author_names_raw": names or [None] * len(texts)},
        schema={"file_sha256": pl.String, "authors_raw": pl.String, "author_names_raw": pl.List(pl.String)},
    )
    return clean_authors(frame).to_list()


def names_of(*texts, names=None):
    return [[author["name"] for author in authors] for authors in authors_of(*texts, names=names)]


@pytest.mark.parametrize(
    ("lists", "separator"),
    [
        (["Ann Lee,Bo Li", "Cy Day"], ","),
        (["Ann Lee, Bo Li and Cy Day", "Di Fox, Ed Gay"], ","),
        (["Ann Lee, Bo Li, and Cy Day", "Di Fox and Ed Gay", "Flo Hill, Gus Ito, and Hal Jung"], ","),
        (["Lee, Ann and Li, Bo", "Day, Cy"], "and"),
        (["Ann Lee and Bo Li and Cy Day", "Di Fox"], "and"),
        (["Lee, Ann; Li, Bo", "Day, Cy"], ";"),
        (["Ann Lee|Bo Li", "Cy Day"], "|"),
        (["Ann Lee\nBo Li", "Cy Day"], "\n"),
        (["Lee, A., Li, B.", "Day, C. E."], "pairs"),
        (["Lee, Ann", "Li, Bo"], ""),
        (["M&uuml;ller, Ann and Li, Bo and Day, Cy"], "and"),
        ([], ""),
        ([None], ""),
    ],
)
def test_the_separator_is_decided_on_the_column(lists, separator):
    assert separator_of(pl.Series(lists, dtype=pl.String)) == separator


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        (["Ann Lee,Bo Li", "Cy Day"], [["Ann Lee", "Bo Li"], ["Cy Day"]]),
        (["Lee, A., Li, B. C.", "Day, C., Jr., Fox, D."], [["Lee, A.", "Li, B. C."], ["Day, C., Jr.", "Fox, D."]]),
        (["Adeli K.Lewis G. F.", "Curley S.O'Reilly M.", "Yi D."],
         [["Adeli K.", "Lewis G. F."], ["Curley S.", "O'Reilly M."], ["Yi D."]]),
        (["{Ash and Elm} and Lee, Ann", "Li, Bo and Day, Cy"], [["{Ash and Elm}", "Lee, Ann"], ["Li, Bo", "Day, Cy"]]),
        (["['Ann Lee', 'Bo Li']", None], [["Ann Lee", "Bo Li"], None]),
        (["[{'given_name': 'Ann', 'family_name': 'Lee'}]"], [["Lee, Ann"]]),
        (["Bj&ouml;rn Lee; Bo Li", "Cy Day; Di Fox"], [["Bj&ouml;rn Lee", "Bo Li"], ["Cy Day", "Di Fox"]]),
        (["Lee, Ann and Li, Bo and Day, Cy", "Fox, Di; Gay, Ed"], [["Lee, Ann", "Li, Bo", "Day, Cy"], ["Fox, Di", "Gay, Ed"]]),
    ],
)  # fmt: skip
def test_author_lists_are_split(lists, expected):
    split = split_author_lists(pl.Series(lists, dtype=pl.String)).to_list()
    assert [names and [name.strip() for name in names] for names in split] == expected


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("[{'firstName': 'Ann', 'lastName': 'Lee'}]", ["Lee, Ann"]),
        ("[{'fullname': 'Ann Lee'}, 'Bo Li']", ["Ann Lee", "Bo Li"]),
        ('[{"name": "Ann Lee", "orcid": null}, {"name": "Bo [Li]", "lead": true}]', ["Ann Lee", "Bo [Li]"]),
        ("[u'Ann Lee', \"Bo O'Li\"]", ["Ann Lee", "Bo O'Li"]),
        ("[" + ", ".join("{'name': 'Ann Lee'}" for _ in range(300)) + "]", ["Ann Lee"] * 300),
        ("[{'orcid': 7}, {'name': 'Cy Day'}]", ["Cy Day"]),
        ("[arxiv.Result.Author('Ann Lee'), arxiv.Result.Author(\"Bo O'Li\")]", ["Ann Lee", "Bo O'Li"]),
        ("['a'](1)", ["['a'](1)"]),
        ("['a' + 'b']", ["['a' + 'b']"]),
    ],
)  # fmt: skip
def test_a_list_printed_as_source_gives_its_names_as_json_would(printed, expected):
    assert split_author_lists(pl.Series([printed])).to_list() == [expected]


def at_stack_depth(depth, function, *arguments):
    """The result of a function called from so deep a stack."""
    return function(*arguments) if depth == 0 else at_stack_depth(depth - 1, function, *arguments)


@pytest.mark.parametrize(
    "printed",
    [
        "[" * 150 + "'Ann Lee'" + "]" * 150,
        "['a'" + "[0]" * 900 + "]",
        "['a', " + "-" * 2500 + "1]",
        "['a', b" + ".c" * 2500 + "]",
    ],
)
def test_a_deep_list_is_read_alike_from_a_deep_stack(printed):
    lists = pl.Series([printed])
    assert split_author_lists(lists).to_list() == at_stack_depth(600, split_author_lists, lists).to_list() == [[printed]]


def test_a_list_of_names_wins_over_the_text():
    assert names_of("Someone Else", names=[["Lee, Ann", "Bo Li"]]) == [["Ann Lee", "Bo Li"]]


@pytest.mark.parametrize(
    ("text", "given", "family"),
    [
        ("Christopher D Manning", "Christopher D", "Manning"),
        ("Manning, Christopher D", "Christopher D", "Manning"),
        ("Zuna, R E", "R E", "Zuna"),
        ("Wang SS", "SS", "Wang"),
        ("Lewis G. F.", "G. F.", "Lewis"),
        ("Jian LI", "Jian", "LI"),
        ("Jan van der Berg", "Jan", "van der Berg"),
        ("van der Berg, Jan", "Jan", "van der Berg"),
        ("Berg, Jan van der", "Jan", "van der Berg"),
        ("Maria de la Cruz", "Maria", "de la Cruz"),
        ("Guido Van Rossum", "Guido", "Van Rossum"),
        ("Le Quintrec, M", "M", "Le Quintrec"),
        ("Ludwig van Beethoven Jr.", "Ludwig", "van Beethoven"),
        ("Davis, Jr., Sammy", "Sammy", "Davis"),
        ("Wright Jr., T C", "T C", "Wright"),
        ("Charles Yoos III", "Charles", "Yoos"),
        ("Dr. Ann Lee, PhD", "Ann", "Lee"),
        ("王小明", "小明", "王"),
        ("欧阳娜娜", "娜娜", "欧阳"),
        ("山田 太郎", "太郎", "山田"),
        ("김철수", "철수", "김"),
        ("Suresha", None, "Suresha"),
        ("The ATLAS Collaboration", None, None),
        ("Group, Cohort Study", None, None),
        ("Hanako SATO", "Hanako", "SATO"),
        ("Jian CHEN", "Jian", "CHEN"),
        ("Silva ABCD", "ABCD", "Silva"),
    ],
)
def test_a_name_is_taken_apart(text, given, family):
    name = person_name(text)
    assert (name.given, name.family) == (given, family)


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Lee, Ann", "Ann Lee"),
        ('G{\\"o}del, Kurt', "Kurt Gödel"),
        ("Ann Lee*", "Ann Lee"),
        ("Ann Lee1,2", "Ann Lee"),
        ("Wei Wang 0001", "Wei Wang"),
        ("Ann  Lee et al.", "Ann Lee"),
        ("Ann Lee et.al.", "Ann Lee"),
        ("Ann Metal", "Ann Metal"),
        ("Jos&eacute; Lee", "José Lee"),
        ("Wright Jr., T C", "T C Wright Jr."),
        ("The ATLAS Collaboration", "The ATLAS Collaboration"),
    ],
)
def test_name_is_clean_and_name_raw_as_given(raw, name):
    [[author]] = authors_of(None, names=[[raw]])
    assert (author["name_raw"], author["name"]) == (raw, name)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        " ; ",
        "Anonymous",
        "Anonymous authors",
        "N/A",
        "withdrawn.",
        "et al.",
        "et. al",
        "Paper under double-blind review",
    ],
)
def test_a_placeholder_is_no_author(text):
    assert names_of(text) == [[]]


def test_others_are_no_author_and_the_order_stays():
    assert names_of("Lee, Ann and Li, Bo and others") == [["Ann Lee", "Bo Li"]]


def test_a_list_given_twice_counts_once_but_a_namesake_stays():
    assert names_of("Ann Lee;Bo Li;Ann Lee;Bo Li", "Wei Li;Bo Li;Wei Li") == [
        ["Ann Lee", "Bo Li"],
        ["Wei Li", "Bo Li", "Wei Li"],
    ]


NAME = st.sampled_from(
    ["Ann Lee", "Lee, Ann", "van der Berg, J.", "王小明", "Bo", "", "A. B. Li", "Li AB", "*", "x;y", "{Z and Q}", "é è"]
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(st.one_of(st.none(), st.lists(NAME, max_size=4).map(" and ".join), st.text(max_size=12)), max_size=5))
def test_every_record_keeps_its_place_and_every_name_stands_in_its_list(texts):
    texts = [text and text.encode("utf8", "ignore").decode() for text in texts]
    found = authors_of(*texts)
    assert len(found) == len(texts)
    for text, authors in zip(texts, found, strict=True):
        assert all(author["name_raw"] in (text or "") and author["name"] for author in authors)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(max_size=25))
def test_any_name_can_be_taken_apart(text):
    name = person_name(text)
    assert name.given is None or name.family is not None
