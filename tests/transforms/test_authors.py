"""Tests of transforms.authors, author_lists and person_names."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.author_lists import separator_of, split_author_lists
from transforms.authors import clean_authors, is_cut_list
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
        ("Jian LI", "Jian", "Li"),
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
        ("Hanako SATO", "Hanako", "Sato"),
        ("Jian CHEN", "Jian", "Chen"),
        ("Silva ABCD", "ABCD", "Silva"),
        ("SATO Hanako", "Hanako", "Sato"),
        ("Hanako, SATO", "Hanako", "Sato"),
        ("SMITH, JOHN A", "John A", "Smith"),
        ("SMITH JOHN", "John", "Smith"),
        ("JOHN SMITH", "John", "Smith"),
        ("SMITH JA", "JA", "Smith"),
        ("O'REILLY-MCDONALD, ANN", "Ann", "O'Reilly-McDonald"),
        ("ludwig van beethoven", "Ludwig", "van Beethoven"),
        ("LI, WEI", "Wei", "Li"),
        ("van der Heijden", None, "van der Heijden"),
        ("Van der Heijden", None, "Van der Heijden"),
        ("von Zumbusch Jennifer Sin", "Jennifer Sin", "von Zumbusch"),
        ("de Ven, Van", None, "Van de Ven"),
        ("Blanc, Louis A. Le", "Louis A.", "Le Blanc"),
        ("Nguyen, Thi Van", "Thi Van", "Nguyen"),
        ("Goicoechea de, Jorge E.", "E.", "Goicoechea de Jorge"),
        ("van, der Meer I.", "I.", "van der Meer"),
        ("Idanpaan I, Heikkila", "I", "Idanpaan Heikkila"),
        ("A. B., Smith", "A. B.", "Smith"),
        ("S. Cha, Hoon", "Hoon S.", "Cha"),
        ("崔, 勋", "勋", "崔"),
        ("Lee, Ann, MPH, FACS", "Ann", "Lee"),
        ("Prof. Dr.-Ing. Ann Lee", "Ann", "Lee"),
        ("Lee, Dr Ann", "Ann", "Lee"),
        ("Lee, M.D.", "M.D.", "Lee"),
        ("Ann Lee, M.D.", "Ann", "Lee"),
        ("Su, Meng", "Meng", "Su"),
        ("Si Yi Meng", "Si Yi", "Meng"),
        ("Lee, Md", "Md", "Lee"),
        ("CORPORATE Mill Team", None, None),
        ("-Mill-Study-group", None, None),
        ("ALTS, Triage Study", None, None),
        ("Mill Study Group for, H. U. S.", None, None),
        ("the Mill Screening Research", None, None),
        ("The Anh Nguyen", "The Anh", "Nguyen"),
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
        ("Ann Lee <ann.lee@mill.example>", "Ann Lee"),
        ("Ann Lee (ann@mill.example)", "Ann Lee"),
        ("Ann Lee (0000-0002-1825-0097)", "Ann Lee"),
        ("Ann Lee (Eds.)", "Ann Lee"),
        ("by Ann Lee", "Ann Lee"),
        ("Lee A, ...", "A Lee"),
        ("Ann (Bo) Lee", "Ann (Bo) Lee"),
        ("ANN LEE", "Ann Lee"),
        ("CORPORATE Mill Team", "Mill Team"),
        ("Group, Mill Study", "Mill Study Group"),
        ("K?nig, Ann", "Ann K?nig"),
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
        "Various authors",
        "Author unknown",
        "Paper withdrawn by authors",
        "...",
        "and 12 others",
        "+ 3 more",
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


def families_of(*texts):
    return [[author["family"] for author in authors] for authors in authors_of(*texts)]


def test_a_group_behind_on_behalf_of_is_an_author_of_its_own():
    assert names_of("Lee A, Li B on behalf of the Mill Study Group", "Day C, Fox D") == [
        ["A Lee", "B Li", "Mill Study Group"],
        ["C Day", "D Fox"],
    ]


def test_two_capitals_at_the_end_are_initials_where_the_other_names_end_so():
    assert families_of("Ash MA, Lee B, Li HE") == [["Ash", "Lee", "Li"]]
    assert families_of("Jian MA, Ann Lee, Bo Li, Cy Day") == [["Ma", "Lee", "Li", "Day"]]


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("Kim Min-Soo, Lee Ji-Hye, Park Jun-Ho", ["Kim", "Lee", "Park"]),
        ("Wang Xiaoming, Zhang Lei, Liu Na", ["Wang", "Zhang", "Liu"]),
        ("Kim Min-Soo", ["Kim"]),
        ("Min-Soo Kim, Ji-Hye Lee", ["Kim", "Lee"]),
        ("Xiaoming Wang, Lei Zhang", ["Wang", "Zhang"]),
        ("Yang Liu, Lin Chen", ["Liu", "Chen"]),
        ("Kim Ash, Lee Birch", ["Ash", "Birch"]),
        ("Kim Min-Soo, Ann Lee", ["Min-Soo", "Lee"]),
    ],
)
def test_a_list_of_east_asian_names_tells_itself_that_family_names_come_first(text, families):
    # Beside a list that is separated by semicolons, so that one name alone has no comma.
    assert families_of(text.replace(", ", "; "), "Ann Ash; Bo Birch")[0] == families


def test_a_second_family_name_behind_the_comma_is_told_by_initials_everywhere_else():
    others = "Ash, A. and Birch, B. C. and Elm, D. and Fir, E. and Oak, F. and Yew, G. and Lee, H. and Li, I. and Day, J."
    assert families_of(f"{others} and Opazo, Saez A.")[0][-1] == "Opazo Saez"
    assert families_of("Ash, Ann and Birch, Bo C. and Opazo, Saez A.")[0][-1] == "Opazo"


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [("Lee A, et al.", True), ("Ann Lee and others", True), ("Ann Lee, ...", True), ("Lee A, Li B, et al", True),
     ("Ann Lee…", True), ("Ann Metal", False), ("Ann Brothers", False), ("Ann Lee, Jr.", False), (None, False)],
)  # fmt: skip
def test_a_list_says_that_it_is_cut(text, is_cut):
    frame = pl.DataFrame(
        {"authors_raw": [text], "author_names_raw": [None]}, schema_overrides={"author_names_raw": pl.List(pl.String)}
    )
    assert is_cut_list(frame.cast({"authors_raw": pl.String})).to_list() == [is_cut]


PIECE = st.sampled_from(
    ["Ann", "LEE", "van", "der", "Berg", "A.", "B. C.", "SS", ",", "Jr.", "PhD", "Dr", "de", "Li", "MA", "kim", "Min-Soo", "王",
     "小明", "Group", "Study", "O'NEIL", "III", "-", "Prof.", "La", "y"]
)  # fmt: skip


@settings(max_examples=600, derandomize=True, deadline=None)
@given(st.lists(PIECE, min_size=1, max_size=5).map(" ".join))
def test_a_clean_name_is_the_name(text):
    once = person_name(text).name
    assert person_name(once).name == once


SIMPLE = st.sampled_from(
    ["Ann", "Lee", "A.", "B.-C.", "AB", "Min-Soo", "O'Neil", "McKay", "Abu", "Van", "Élodie", "MacDonald", "Meng", "II", "MD"]
)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(st.lists(SIMPLE, min_size=1, max_size=3), st.lists(SIMPLE, min_size=1, max_size=2), st.booleans())
def test_names_that_expressions_take_apart_are_as_the_rules_have_them(given_names, families, inverted):
    given_name, family = " ".join(given_names), " ".join(families)
    text = f"{family}, {given_name}" if inverted else f"{given_name} {family}"
    [[author]] = authors_of(None, names=[[text]]) or [[None]]
    rules = person_name(text)
    assert (author["name"], author["given"], author["family"]) == (rules.name, rules.given, rules.family)


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
