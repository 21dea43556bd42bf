"""Settings: a wrong key is answered with the right one."""

from pathlib import Path

import pytest

from flows.settings import ConfigError, load_settings, load_venue_aliases


def config(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder


def test_the_projects_own_config_is_valid(project: Path) -> None:
    settings = load_settings(project / "config")
    assert settings.lake.path == "lake"
    assert settings.query.time_seconds > 0
    iclr = ("ICLR", "iclr", "International Conference on Learning Representations", "conference")
    assert iclr in load_venue_aliases(settings)


def test_missing_files_mean_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path).limits.file_bytes == 8_000_000_000


def test_the_lake_is_the_option_else_the_environment_else_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(config(tmp_path, pipeline='[lake]\npath = "c"'))
    monkeypatch.delenv("PAPERLAKE_LAKE", raising=False)
    assert settings.lake_path(None) == Path("c")
    monkeypatch.setenv("PAPERLAKE_LAKE", "b")
    assert settings.lake_path(None) == Path("b")
    assert settings.lake_path("a") == Path("a")


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("[lakes]", r"pipeline\.toml: unknown key 'lakes'. Did you mean 'lake'"),
        ("[query]\ntime_second = 1", r"pipeline\.toml \[query\]: unknown key 'time_second'. Did you mean 'time_seconds'"),
        ('[query]\nthreads = "2"', r"pipeline\.toml \[query\]: threads = '2' should be int"),
        ("[query]\nthreads = true", "threads = True should be int"),
        ("[run]\nwait_seconds = -1", "should not be negative"),
        ("lake = 1", "expected a table of keys"),
        ("[lake", r"pipeline\.toml"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file_and_key(tmp_path: Path, pipeline: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_settings(config(tmp_path, pipeline=pipeline))


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ('[source.a]\nlocation = "x"', "unknown key 'source'. Did you mean 'sources'"),
        ('[sources.a]\nlocaton = "x"', r"\[sources\.a\]: unknown key 'locaton'. Did you mean 'location'"),
        ("[sources.a]\nyear = 2024", "needs location"),
        ('[sources.a]\nlocation = "x"\nyear = 20244', "year = 20244 should be of four digits"),
        ('[sources.a]\nlocation = "x"\nprecedence = 9_999_999_999_999_999_999_999', "should be at most 1000000"),
        ('[sources.command_line]\nlocation = "x"', "is kept for paths"),
    ],
)
def test_a_wrong_source_is_named_with_its_block(tmp_path: Path, sources: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_settings(config(tmp_path, sources=sources))


def test_where_a_sources_files_lie_has_no_say_in_the_tables_but_its_year_has(tmp_path: Path) -> None:
    def key(text: str) -> str:
        return load_settings(config(tmp_path, sources=text)).tables_key

    here = key('[sources.a]\nlocation = "x"\nyear = 2024')
    assert key('[sources.a]\nlocation = "y"\nyear = 2024') == here
    assert key('[sources.a]\nlocation = "x"\nyear = 2025') != here


@pytest.mark.parametrize(
    "text", ["", "alias,venue\nICLR,iclr\n", "alias,venue_id,name\nICLR,iclr,x\n", "alias,venue_id,name,kind\nICLR,,x,book\n"]
)
def test_a_broken_venue_list_is_an_error_and_not_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "venues.csv").write_text(text)
    with pytest.raises(ConfigError, match=r"venues\.csv"):
        load_venue_aliases(load_settings(tmp_path))
