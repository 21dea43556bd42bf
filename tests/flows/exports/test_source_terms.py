"""The terms of a source in sources.toml: what is taken, what is refused, and that they have no say in the tables."""

from pathlib import Path

import pytest

from flows.settings import ConfigError, load_settings


def settings_with(folder: Path, lines: str) -> object:
    (folder / "sources.toml").write_text(f'[sources.a]\nlocation = "x"\n{lines}\n')
    return load_settings(folder)


@pytest.mark.parametrize("license", ["CC-BY-4.0", "CC0-1.0", "ODbL-1.0", "0BSD", "https://example.org/terms?v=2"])
def test_a_licence_is_an_spdx_id_or_an_address(tmp_path: Path, license: str) -> None:
    settings = settings_with(tmp_path, f'license = "{license}"\nhomepage = "https://example.org"\ncitation = "Lee et al."')
    (source,) = settings.sources
    assert (source.license, source.homepage, source.citation) == (license, "https://example.org", "Lee et al.")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('license = "cc by 4.0"', "Did you mean 'CC-BY-4.0'"),
        ('license = "cc-by-4.0"', "Did you mean 'CC-BY-4.0'"),
        ('license = "free for all"', "should be an SPDX id"),
        ('license = ""', "should be an SPDX id"),
        ('license = "javascript:alert(1)"', "should be an SPDX id"),
        ("license = 4", "should be str"),
        ('licence = "MIT"', "Did you mean 'license'"),
        ('homepage = "example.org"', "should be an address"),
        ('citation = " "', "should be a text"),
    ],
)
def test_what_is_no_licence_page_or_citation_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        settings_with(tmp_path, line)


def test_terms_have_no_say_in_the_tables(tmp_path: Path) -> None:
    keys = {settings_with(tmp_path, line).tables_key for line in ("", 'license = "MIT"', 'homepage = "https://example.org"')}
    assert len(keys) == 1
