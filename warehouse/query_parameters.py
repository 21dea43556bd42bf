"""This module compares the parameters that a query has with the values given for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from warehouse.sandbox import QueryError

if TYPE_CHECKING:
    import duckdb

Parameters = Sequence[object] | Mapping[str, object]
"""Values for `?` in their order, or for `$name` by name. They are bound, never pasted.

A text counts as one written in single quotes would: DuckDB casts it to what it is compared with, so that `year = $year`
works with "2024". Where nothing says a type, as in `year + $years`, it is written out: `year + $years::int`.
"""


class ParameterError(QueryError):
    """Values for the parameters of a query that are not those it has."""

    exit_code = 2

    def __init__(self, message: str, *, is_missing: bool) -> None:
        """`is_missing` tells a value that is missing from one that is too many."""
        super().__init__(message)
        self.is_missing = is_missing


def check_parameters(statement: duckdb.Statement, parameters: Parameters | None) -> None:
    """Checks that each parameter of the statement has a value, and that there is no value more.

    Raises:
        ParameterError: one is missing or one too many; the message has the names that the query wants.
    """
    wanted = {name.lower(): name for name in statement.named_parameters}
    parameters = {} if parameters is None else parameters
    if not isinstance(parameters, Mapping):
        given_count = len(parameters)
        if given_count != len(wanted) and (given_count or wanted):
            raise ParameterError(
                f"{_has(list(wanted.values()))}; {given_count or 'no'} value{'s' * (given_count != 1)} given",
                is_missing=given_count < len(wanted),
            )
        return
    given = {name.lower(): name for name in parameters}
    if missing := sorted(wanted.keys() - given.keys()):
        problem = f"no value is given for {_listed([wanted[name] for name in missing])}"
    elif unused := sorted(given.keys() - wanted.keys()):
        problem = f"{_listed([given[name] for name in unused])} {'is' if len(unused) == 1 else 'are'} none of its parameters"
    else:
        return
    raise ParameterError(f"{_has(list(wanted.values()))}; {problem}", is_missing=bool(missing))


def _has(names: list[str]) -> str:
    """What parameters a query has, as the beginning of a sentence."""
    if not names:
        return "the query has no parameter"
    return f"the query has the parameter{'s' * (len(names) > 1)} {_listed(sorted(names))}"


def _listed(names: list[str]) -> str:
    """
    >>> _listed(["venue", "1"])
    '$venue, $1'
    """
    return ", ".join(f"${name}" for name in names)
