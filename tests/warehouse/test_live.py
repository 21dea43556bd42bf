"""The live set: what a release is made from."""

from pathlib import Path

import pytest

from warehouse.layout import Lake, LakeError
from warehouse.live import LiveFile, LiveName, add_names, earlier_contents, live_files, match_names, read_live, write_live


def name(source: str, path: str, digit: str) -> LiveName:
    return LiveName(source, path, digit * 64, 1)


def test_command_line_files_of_one_name_are_all_live() -> None:
    live = frozenset({name("command_line", "a.csv", "1")})
    assert add_names(live, [name("command_line", "a.csv", "2")]) == {name("command_line", "a.csv", d) for d in "12"}


def test_in_a_configured_source_a_new_file_supersedes_the_one_of_its_name() -> None:
    live = frozenset({name("acl", "a.csv", "1"), name("acl", "b.csv", "3")})
    assert add_names(live, [name("acl", "a.csv", "2")]) == {name("acl", "a.csv", "2"), name("acl", "b.csv", "3")}


def test_a_file_under_several_names_is_live_once_under_the_least_of_its_first_source() -> None:
    names = [name("zoo", "z.csv", "1"), name("acl", "d/b.csv", "1"), name("acl", "c/y.csv", "1")]
    assert live_files(names, {"zoo": 5, "acl": 5}.__getitem__) == [LiveFile("1" * 64, "acl", "b.csv", "d/b.csv", 1)]
    assert live_files(names, {"zoo": 1, "acl": 5}.__getitem__)[0].source == "zoo"


def test_the_live_set_comes_back_as_written(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    assert read_live(lake) == frozenset()
    live = frozenset({name("acl", "ü/ä.csv", "1"), name("command_line", "b", "2")})
    write_live(lake, live)
    assert read_live(lake) == live


def test_a_damaged_live_set_is_an_error_and_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "live.json").write_text('[{"source": "acl"')
    with pytest.raises(LakeError, match="damaged"):
        read_live(Lake(tmp_path))


def test_names_are_matched_by_source_path_base_name_or_hash() -> None:
    a, b, c = name("acl", "x/a.csv", "1"), name("acl", "y/b.csv", "2"), name("command_line", "b.csv", "3")
    live = [a, b, c]
    assert match_names(live, "acl") == {a, b}
    assert match_names(live, "x/a.csv") == {a}
    assert match_names(live, "a.csv") == {a}
    assert match_names(live, "22222222") == {b}
    assert match_names(live, "b.csv") == {c}  # a whole path wins over a base name


@pytest.mark.parametrize("given", ["nothing.csv", "2222222"])
def test_a_name_that_means_nothing_is_refused_with_what_is_live(given: str) -> None:
    with pytest.raises(LakeError, match=r"live are: x/a\.csv"):
        match_names([name("acl", "x/a.csv", "2")], given)


def test_a_name_that_means_two_files_is_refused_with_both_hashes() -> None:
    with pytest.raises(LakeError, match=r"111111111111.*222222222222"):
        match_names([name("command_line", "x/a.csv", "1"), name("command_line", "y/a.csv", "2")], "a.csv")


def test_an_earlier_content_of_a_command_line_file_is_named_until_it_is_forgotten() -> None:
    old, new, other = name("command_line", "a.csv", "1"), name("command_line", "a.csv", "2"), name("acl", "a.csv", "3")
    assert earlier_contents([old, other], [new]) == [old]
    assert earlier_contents([old, other], [old]) == []
    assert earlier_contents([other], [name("acl", "a.csv", "4")]) == []


def test_where_a_command_line_file_stood_has_no_say_in_its_path() -> None:
    (file,) = live_files([name("command_line", "deep/down/a.csv", "1")], lambda _: 1)
    assert (file.file_name, file.source_path) == ("a.csv", "a.csv")


def test_all_names_of_a_command_line_content_are_meant_together() -> None:
    a, b, other = name("command_line", "a.csv", "1"), name("command_line", "x/b.csv", "1"), name("acl", "a.csv", "1")
    assert match_names([a, b, other], "x/b.csv") == {a, b}


def test_a_new_archive_supersedes_what_was_live_below_its_path_and_nothing_beside_it() -> None:
    live = frozenset(
        {
            name("acl", "l.zip/a.csv", "1"),
            name("acl", "l.zip/in/b.csv", "2"),
            name("acl", "l.zip", "3"),
            name("acl", "l.zip.csv", "4"),
            name("zoo", "l.zip/a.csv", "5"),
            name("command_line", "l.zip/a.csv", "6"),
        }
    )
    new = name("acl", "l.zip/a.csv", "7")
    kept = {name("acl", "l.zip.csv", "4"), name("zoo", "l.zip/a.csv", "5"), name("command_line", "l.zip/a.csv", "6")}
    assert add_names(live, [new], [("acl", "l.zip")]) == {new} | kept
    assert add_names(live, [], [("command_line", "l.zip")]) == live


def test_an_archive_of_the_command_line_tells_of_its_earlier_members() -> None:
    before = [name("command_line", path, d) for path, d in (("l.zip/a.csv", "1"), ("l.zip/b.csv", "2"), ("l.zip.csv", "3"))]
    landed = [name("command_line", "l.zip/a.csv", "1")]
    assert earlier_contents(before, landed, [("command_line", "l.zip")]) == [name("command_line", "l.zip/b.csv", "2")]


def test_an_archive_or_folder_is_meant_by_its_path_or_its_name() -> None:
    a, b = name("command_line", "x/l.zip/a.csv", "1"), name("command_line", "x/l.zip/in/b.csv", "2")
    itself, other = name("command_line", "x/l.zip", "3"), name("command_line", "x/c.csv", "4")
    live = [a, b, itself, other]
    assert match_names(live, "l.zip") == match_names(live, "x/l.zip") == {a, b, itself}
    assert match_names(live, "./x") == match_names(live, "command_line/x") == set(live)
    assert match_names(live, "in") == {b}


def test_an_archive_name_that_means_two_is_refused_until_its_source_is_named() -> None:
    live = [name("acl", "l.zip/a.csv", "1"), name("acl", "l.zip/b.csv", "2"), name("zoo", "l.zip/c.csv", "3")]
    with pytest.raises(LakeError, match=r"333333333333 \(zoo/l\.zip\), acl/l\.zip \(2 files\)"):
        match_names(live, "l.zip")
    assert match_names(live, "acl/l.zip") == set(live[:2])


def test_two_contents_of_one_command_line_name_are_told_apart_by_hash() -> None:
    live = [name("command_line", "a.csv", "1"), name("command_line", "a.csv", "2")]
    with pytest.raises(LakeError, match=r"111111111111 \(command_line/a\.csv\), 222222222222"):
        match_names(live, "a.csv")
    assert match_names(live, "11111111") == {live[0]}
