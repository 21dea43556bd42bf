"""The gate with lost or damaged state, and after any sequence of good and bad lists."""

from __future__ import annotations

import json
import shutil

import pytest
from changing_lists import ERROR_PAGE, NO_AUTHOR, NO_TITLE, Night, gone, rows, tables
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DAMAGES = [
    None,
    "",
    "{}",
    "\0",
    "[" * 100_000,
    '{"club": 3}',
    '{"club": {"paths": 1, "held": {"key": ""}}}',
    '{"club": {"held": {"key": "", "reasons": ["\\ud800"], "since": "", "outputs": []}}}',
]


@pytest.mark.parametrize("damage", DAMAGES, ids=range(len(DAMAGES)))
def test_a_lost_or_damaged_state_opens_no_gate(night: Night, damage: str | None) -> None:
    gone("list.json", "few.csv", "list.csv")(night.club)
    why = night.why()
    path = night.lake / "state" / "gates.json"
    path.unlink() if damage is None else path.write_text(damage)
    assert night.why() == why


def test_without_stage_outputs_the_last_good_files_are_read_again_to_judge(night: Night) -> None:
    shutil.rmtree(night.lake / "work")
    (night.club / "list.csv").write_text(rows(4))
    assert "it has 47 records, where it had 63" in night.why()


GOOD = {"a": rows(), "b": rows(19), "c": rows(21), "d": rows().replace("Warm", "Cold")}
BAD = {"empty": "", "page": ERROR_PAGE, "few": rows(9), "many": rows(40), "renamed": NO_TITLE, "cut": NO_AUTHOR}


@pytest.fixture(scope="module")
def alone(evening: Night, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The tables that each good list gives by itself."""
    found = {}
    for name, text in GOOD.items():
        night = evening.copy(tmp_path_factory.mktemp(f"alone-{name}"))
        shutil.rmtree(night.lake)
        (night.club / "list.csv").write_text(text)
        night.run()
        found[name] = tables(night.lake)
    assert len({json.dumps(each) for each in found.values()}) == len(GOOD)
    return found


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dumps=st.lists(st.sampled_from([*GOOD, *BAD]), min_size=1, max_size=4))
def test_whatever_came_the_release_is_what_the_last_good_lists_give_alone(
    evening: Night, alone: dict[str, dict[str, str]], tmp_path_factory: pytest.TempPathFactory, dumps: list[str]
) -> None:
    night = evening.copy(tmp_path_factory.mktemp("dumps"))
    last = "a"
    for name in dumps:
        (night.club / "list.csv").write_text({**GOOD, **BAD}[name])
        night.run(code=0 if name in GOOD else 3)
        last = name if name in GOOD else last
        assert tables(night.lake) == alone[last]
    shutil.rmtree(night.folder)
