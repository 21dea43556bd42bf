"""This module makes sure that what a person gives as a condition on papers is one expression, and only reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from warehouse.exports.request import ExportError
from warehouse.query_errors import query_error
from warehouse.sandbox import QueryLimits, admit

if TYPE_CHECKING:
    import duckdb


def checked_condition(connection: duckdb.DuckDBPyConnection, condition: str) -> str:
    """`condition`, once it is sure to be one expression over the columns of `papers` that only reads.

    Raises:
        ExportError: it is more than a condition.
        QueryError: it does not parse, or does more than read.
    """
    import duckdb

    if not condition.strip():
        raise ExportError("--where is empty; write a condition on papers, such as \"year >= 2020 and venue_id = 'iclr'\"")
    sql = _CONDITION_SQL.format(condition=condition)
    try:
        statement = admit(connection, sql)
        # Without parentheses, too: `true) or (false` is in them what it is not by itself.
        alone = _CONDITION_SQL.replace("(", "").replace(")", "").format(condition=condition)
        given, by_itself, bare = (_tree(connection, text) for text in (sql, alone, _CONDITION_SQL.format(condition="true")))
    except duckdb.Error as error:
        raise query_error(error, QueryLimits(), timed_out=False, sql=sql) from error
    if statement.type.name != "SELECT" or not given == by_itself == bare:
        raise ExportError(f"--where '{condition}' is no condition on papers; write one, such as \"year >= 2020\"")
    return condition


_CONDITION_SQL = "select paper_id from papers where (\n{condition}\n)"


def _tree(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The syntax tree of a SELECT without its condition: the same whatever stands in that."""
    row = connection.execute("select json_serialize_sql(?::varchar)", [sql]).fetchall()[0]
    tree = json.loads(row[0], object_hook=lambda node: {k: v for k, v in node.items() if not k.startswith("query_location")})
    for statement in tree.get("statements", []):
        statement["node"].pop("where_clause", None)
    return tree
