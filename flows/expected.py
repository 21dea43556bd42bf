"""This module turns the content of `config/expected.toml` into expectations, which the checks hold every release to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from flows.settings import Settings, load_venue_aliases
from flows.source_settings import MAX_YEAR
from flows.toml_values import ConfigError, build, check_keys
from transforms.schemas import TABLES
from warehouse.expectations import Expectations, ExpectedNulls, ExpectedPapers
from warehouse.names import did_you_mean

_T = TypeVar("_T")


def read_expectations(content: Mapping[str, Any], settings: Settings) -> Expectations:
    """What expected.toml says, given as its content.

    Raises:
        ConfigError: a key is unknown, missing or of the wrong kind, or there is no such venue, table or column.
    """
    check_keys(content, ["papers", "nulls"], "expected.toml")
    for key, blocks in content.items():
        if not isinstance(blocks, list):
            raise ConfigError(f"expected.toml: {key} should be blocks that begin with [[{key}]]")
    papers = [
        _expected(ExpectedPapers, block, ("venue_id",), f"expected.toml [[papers]] {number}")
        for number, block in enumerate(content.get("papers", []), start=1)
    ]
    nulls = [
        _expected(ExpectedNulls, block, ("table", "column", "max_null_ratio"), f"expected.toml [[nulls]] {number}")
        for number, block in enumerate(content.get("nulls", []), start=1)
    ]
    venue_ids = {venue_id for _, venue_id, _, _ in load_venue_aliases(settings)} if papers else set()
    for number, expected in enumerate(papers, start=1):
        _check_papers(expected, sorted(venue_ids), f"expected.toml [[papers]] {number}")
    for number, bound in enumerate(nulls, start=1):
        _check_nulls(bound, f"expected.toml [[nulls]] {number}")
    return Expectations(tuple(papers), tuple(nulls))


def _check_papers(expected: ExpectedPapers, venue_ids: list[str], where: str) -> None:
    _check_known("venue_id", expected.venue_id, venue_ids, where)
    if expected.min is None and expected.max is None:
        raise ConfigError(f"{where}: needs min, max or both")
    if expected.min is not None and expected.max is not None and expected.min > expected.max:
        raise ConfigError(f"{where}: min = {expected.min} is more than max = {expected.max}")
    if expected.year is not None and expected.year > MAX_YEAR:
        raise ConfigError(f"{where}: year = {expected.year} should be of four digits")


def _check_nulls(bound: ExpectedNulls, where: str) -> None:
    _check_known("table", bound.table, list(TABLES), where)
    _check_known("column", bound.column, TABLES[bound.table].column_names(), where)
    if bound.max_null_ratio > 1:
        raise ConfigError(f"{where}: max_null_ratio = {bound.max_null_ratio} is a share, from 0 to 1")


def _expected(kind: type[_T], block: Any, required: tuple[str, ...], where: str) -> _T:
    """One block of expected.toml."""
    missing = [key for key in required if not isinstance(block, Mapping) or key not in block]
    if missing:
        raise ConfigError(f"{where}: needs {', '.join(missing)}")
    return build(kind, block, where)


def _check_known(key: str, value: str, known: list[str], where: str) -> None:
    if value not in known:
        hint = did_you_mean(value, known, f"Known: {', '.join(known[:20])}{', …' if len(known) > 20 else ''}.")
        raise ConfigError(f"{where}: {key} = '{value}' is not known. {hint}")
