"""Author lists as other tools write them: what separates authors is told by the column as a whole."""

import polars as pl
import pytest

from transforms.author_lists import split_author_lists


def names_of(*lists):
    return [[name.strip() for name in names if name.strip()] for names in split_author_lists(pl.Series(lists)).to_list()]


ANN_BO, CY = ["Ann Lee", "Bo Li"], ["Cy Day"]


@pytest.mark.parametrize(
    ("lists", "names"),
    [
        (
            ["Lee, A., Li, B., & Cy, D.", "Day, C., & Fox, E.", "Gay, F."],
            [["Lee, A.", "Li, B.", "Cy, D."], ["Day, C.", "Fox, E."]],
        ),
        (["Lee, A., Li, B. and Cy, D.", "Day, C. and Fox, E."], [["Lee, A.", "Li, B.", "Cy, D."], ["Day, C.", "Fox, E."]]),
        (["Lee A, Li B", "Day C", "Fox E, Gay FG"], [["Lee A", "Li B"], ["Day C"], ["Fox E", "Gay FG"]]),
        (["A. Lee; B. Li", "C. Day"], [["A. Lee", "B. Li"], ["C. Day"]]),
        (["Ann Lee and Bo Li, Cy Day", "Di Fox, Ed Gay and Flo Hay"], [[*ANN_BO, *CY], ["Di Fox", "Ed Gay", "Flo Hay"]]),
        (["Lee, Ann and Li, Bo", "Day, Cy"], [["Lee, Ann", "Li, Bo"], ["Day, Cy"]]),
        (["Ann Lee\r\nBo Li", "Cy Day"], [ANN_BO, CY]),
        (["Lee, Ann\nLi, Bo", "Day, Cy"], [["Lee, Ann", "Li, Bo"], ["Day, Cy"]]),
        (["Ann Lee und Bo Li", "Cy Day"], [ANN_BO, CY]),
        (["Ann Lee||Bo Li", "Cy Day"], [ANN_BO, CY]),
        (["Ann Lee::Bo Li", "Cy Day"], [ANN_BO, CY]),
        (["Ann Lee\tBo Li", "Cy Day"], [ANN_BO, CY]),
        (["Ann Lee · Bo Li", "Cy Day"], [ANN_BO, CY]),
        (["Ann Lee / Bo Li", "Cy Day / Di Fox"], [ANN_BO, ["Cy Day", "Di Fox"]]),
        (["Ann Lee<br>Bo Li", "Cy Day<br/>Di Fox"], [ANN_BO, ["Cy Day", "Di Fox"]]),
    ],
    ids=lambda value: value[0][:28] if isinstance(value[0], str) else "",
)
def test_each_way_to_separate_authors_is_told_apart(lists, names):
    assert names_of(*lists)[: len(names)] == names


@pytest.mark.parametrize(
    "lists",
    [
        ["[‘Ann Lee’, ‘Bo Li’]", "[‘Cy Day’]"],
        ["['Ann Lee', 'Bo Li']", "['Cy Day']"],
        ["['Ann Lee' 'Bo Li']", "['Cy Day']"],
        ['["Ann Lee",\n\t"Bo Li"]', '["Cy Day"]'],
        ['[{"name": "Ann Lee"}, {"name": "Bo Li"}]', '[{"name": "Cy Day"}]'],
        ['"Ann Lee", "Bo Li"', '"Cy Day"'],
        ['{"Ann Lee","Bo Li"}', '{"Cy Day"}'],
    ],
)
def test_a_list_printed_as_source_is_read_as_that(lists):
    assert names_of(*lists) == [ANN_BO, CY]


def test_one_name_in_braces_is_no_list():
    assert names_of("{Barnes, Noble and Sons}", "Ann Lee and Bo Li") == [["{Barnes, Noble and Sons}"], ANN_BO]


def test_commas_between_footnote_marks_separate_no_authors():
    assert names_of("Ann Lee1,2, Bo Li3", "Cy Day1, 2") == [["Ann Lee1", "Bo Li3"], ["Cy Day1"]]
    assert names_of("Ann Lee¹,², Bo Li*", "Cy Day") == [["Ann Lee¹", "Bo Li*"], CY]


def test_affiliations_in_parentheses_are_no_part_of_a_name():
    assert names_of("Ann Lee (Mill, Quarry), Bo Li (Mill)", "Cy Day (Quarry)") == [ANN_BO, CY]
    assert names_of("Lee, Ann (571); Li, Bo (572)", "Day, Cy (573)") == [["Lee, Ann", "Li, Bo"], ["Day, Cy"]]
    assert names_of("William (Bill) Ash, Ann Lee", "Cy Day")[0] == ["William (Bill) Ash", "Ann Lee"]


@pytest.mark.parametrize("mark", ["、", "，", "；", ",", ";", " ", "\u3000"])
def test_chinese_names_are_separated_by_chinese_signs(mark):
    assert names_of(f"李雷{mark}韩梅梅{mark}王伟", "张三") == [["李雷", "韩梅梅", "王伟"], ["张三"]]


def test_a_middle_dot_within_a_name_separates_nothing():
    assert names_of("卡尔·马克思", "李雷、王伟") == [["卡尔·马克思"], ["李雷", "王伟"]]


@pytest.mark.parametrize(
    ("odd", "names"),
    [
        ("Ann Lee, Bo Li, Cy Day", ["Ann Lee", "Bo Li", "Cy Day"]),
        ("Lee A, Li BC", ["Lee A", "Li BC"]),
        ("Lee, A, Li B, Day CD", ["Lee, A", "Li B", "Day CD"]),
        ("Aniket (Nick) Ash, Ann Lee, Mahsam", ["Aniket (Nick) Ash", "Ann Lee", "Mahsam"]),
        ("Lee, Ann, Li, Bo", ["Lee, Ann", "Li, Bo"]),
        ("Garcia Lopez, Ana Maria", ["Garcia Lopez, Ana Maria"]),
        ("Lee, Ann", ["Lee, Ann"]),
        ("Lee, Jr., Ann", ["Lee, Jr., Ann"]),
    ],
)
def test_a_list_that_lacks_its_columns_separator_is_read_by_its_own_pattern(odd, names):
    for others in (["Fox, Di; Gay, Ed", "Hay, Flo; Ito, Gus"], ["Fox, Di and Gay, Ed", "Hay, Flo and Ito, Gus and Jung, Hal"]):
        assert names_of(*others, odd)[2] == names


def test_two_names_or_one_inverted_name_is_told_by_the_other_lists_with_commas():
    assert names_of("Ann Lee; Bo Li", "Cy Day, Di Fox, Ed Gay", "Flo Hay, Gus Ito")[2] == ["Flo Hay", "Gus Ito"]
    assert names_of("Lee, Ann; Li, Bo", "Day, Cy", "Garcia Lopez, Ana Maria")[2] == ["Garcia Lopez, Ana Maria"]


def test_a_stronger_sign_separates_the_one_list_that_has_it():
    assert names_of(*["Ann Lee, Bo Li, Cy Day"] * 30, "Fox, Di; Gay, Ed")[-1] == ["Fox, Di", "Gay, Ed"]
    assert names_of(*["Lee, Ann and Li, Bo and Day, Cy"] * 3, "Fox, Di; Gay, Ed; and Hay, Flo")[-1] == [
        "Fox, Di",
        "Gay, Ed",
        "Hay, Flo",
    ]


def test_family_and_given_names_in_turns_are_told_by_the_whole_list():
    assert names_of("Lee, Ann, Li, Bo", "Day, Cy") == [["Lee, Ann", "Li, Bo"], CY_INVERTED]
    assert names_of("van Ash, Ann, Li, Bo Dan, and Fox, Di", "Day, Cy") == [
        ["van Ash, Ann", "Li, Bo Dan", "Fox, Di"],
        CY_INVERTED,
    ]
    assert names_of(*["Ann Lee, Bo Li"] * 9, "Day, Cy, Fox, Di")[-1] == ["Day, Cy", "Fox, Di"]


def test_lists_of_family_names_alone_take_no_turns():
    assert names_of("Lee, Li, Day", "Fox, Gay", "Hay, Ito, Jung, Ash") == [
        ["Lee", "Li", "Day"],
        ["Fox", "Gay"],
        ["Hay", "Ito", "Jung", "Ash"],
    ]


CY_INVERTED = ["Day, Cy"]


@pytest.mark.parametrize("mixed", ["Ann Lee, Bo Li and Cy Day", "Ann Lee, Bo Li, and Cy Day", "Ann Lee, Bo Li & Cy Day"])
def test_commas_before_one_and_separate_names_in_a_column_of_and(mixed):
    lists = ["Fox, Di and Gay, Ed"] * 9 + ["Ann Lee, Bo Li, Cy Day"]
    assert names_of(*lists, mixed)[-1] == ["Ann Lee", "Bo Li", "Cy Day"]
