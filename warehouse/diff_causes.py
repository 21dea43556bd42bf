"""This module tells why a row of one release is not in another: other records, another grouping, or other rules.

Of the causes that a paper has, the first in this order stands:

- `decision`: its records are grouped otherwise, and a person's decision on one of them came or was taken back;
- `source`: a record of it came, went, or says something else;
- `match`: the same records are grouped otherwise;
- `rule`: the same records in the same group give something else, as the code or the settings are others.

A paper shares the cause of the papers that its records were in before, or went to. What is not told so has the cause that
the inputs of the two releases leave: other rules, else other files, else other decisions, else (the same inputs) `history`.
"""

from __future__ import annotations

from typing import Literal

import duckdb

from warehouse.diff_tables import Compared
from warehouse.inputs import InputChanges

Cause = Literal["decision", "source", "match", "rule", "history", "unknown"]
CAUSES: tuple[Cause, ...] = ("decision", "source", "match", "rule", "history", "unknown")

_RANKED = "list_extract(['decision', 'source', 'match'], {0})"


def left_cause(changes: InputChanges) -> Cause:
    """The cause of what no record tells of."""
    if changes.has_other_rules:
        return "rule"
    if changes.has_other_files:
        return "source"
    if changes.has_other_decisions:
        return "decision"
    return "unknown" if changes.unknown else "history"


def note_inputs(connection: duckdb.DuckDBPyConnection, changes: InputChanges) -> None:
    """Makes the tables `other_files` and `decided`: raw files of one release only, and the records of changed decisions."""
    connection.execute("create temp table other_files (file_sha256 varchar, is_new boolean)")
    for files, is_new in ((changes.files_removed, False), (changes.files_added, True)):
        connection.execute("insert into other_files select unnest($files), $is_new", {"files": sorted(files), "is_new": is_new})
    pairs = sorted(changes.decisions_added | changes.decisions_removed)
    connection.execute("create temp table decided (record_key_l varchar, record_key_r varchar)")
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    connection.execute("insert into decided select unnest($left), unnest($right)", {"left": left, "right": right})


def note_renamed(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes the table `renamed(old_id, new_id)` of `a_rows` and `b_rows` of the table `records`.

    A paper that is gone and one that is new are one paper with another id where each shares more records with the other
    than with any third; or, where they share none, where the aliases of one release lead from the one to the other.
    """
    connection.execute("""
        create temp table renamed as
        with lost as (
            select distinct paper_id from a_rows anti join b.papers using (paper_id)
        ),
        new as (
            select distinct paper_id from b_rows anti join a.papers using (paper_id)
        ),
        candidates as (
            select a_rows.paper_id as old_id, b_rows.paper_id as new_id, count(distinct record_key) as shared
            from a_rows
            join b_rows using (record_key)
            group by all
            union all
            select paper_id, current_paper_id, 0 from b.paper_aliases
            union all
            select current_paper_id, paper_id, 0 from a.paper_aliases
        ),
        ranked as (
            select
                old_id,
                new_id,
                row_number() over (partition by old_id order by shared desc, new_id) as place_of_new,
                row_number() over (partition by new_id order by shared desc, old_id) as place_of_old
            from candidates
            where old_id in (select paper_id from lost) and new_id in (select paper_id from new)
        )
        select distinct old_id, new_id from ranked where place_of_new = 1 and place_of_old = 1
    """)


def note_paper_causes(connection: duckdb.DuckDBPyConnection) -> None:
    """Makes `a_causes` and `b_causes` (paper_id, cause) of `a_rows` and `b_rows` of the table `records`."""
    connection.execute("""
        create temp table source_keys as
        with before as (
            select record_key, list_sort(list(hash(raw))) as texts
            from a.records
            where file_sha256 in (select file_sha256 from other_files where not is_new)
            group by record_key
        ),
        after as (
            select record_key, list_sort(list(hash(raw))) as texts
            from b.records
            where file_sha256 in (select file_sha256 from other_files where is_new)
            group by record_key
        )
        select record_key
        from before
        full join after using (record_key)
        where before.texts is distinct from after.texts
    """)
    connection.execute("""
        create temp table links as
        select a_rows.paper_id as old_id, b_rows.paper_id as new_id,
            bool_or(coalesce(renamed.new_id, a_rows.paper_id) <> b_rows.paper_id) as has_moved
        from a_rows
        join b_rows using (record_key)
        left join renamed on renamed.old_id = a_rows.paper_id
        group by all
    """)
    for schema, side in (("a", "old_id"), ("b", "new_id")):
        connection.execute(f"""
            create temp table {schema}_hits as
            select paper_id, 2 as rank from {schema}_rows where record_key in (select record_key from source_keys)
            union
            select {side}, 3 from links where has_moved
            union
            select paper_id, 1
            from {schema}.records
            where record_key in (select unnest([record_key_l, record_key_r]) from decided)
                and paper_id in (select {side} from links where has_moved)
        """)
    connection.execute("""
        create temp table all_links as
        select old_id, new_id from links
        union
        select old_id, new_id from renamed
        union
        select paper_id, paper_id from (select paper_id from a_hits union select paper_id from b_hits)
    """)
    for mine, side, theirs, other in (("a", "old_id", "b", "new_id"), ("b", "new_id", "a", "old_id")):
        connection.execute(f"""
            create temp table {mine}_causes as
            with hits as (
                select paper_id, rank from {mine}_hits
                union all
                select all_links.{side}, rank from all_links join {theirs}_hits as hits on hits.paper_id = all_links.{other}
            )
            select paper_id, {_RANKED.format("min(rank)")} as cause from hits group by paper_id
        """)


def note_causes(connection: duckdb.DuckDBPyConnection, table: Compared, left: Cause) -> None:
    """Adds the column `cause` to the table `changed_<table>`."""
    connection.execute(f"""
        create or replace temp table changed_{table.name} as
        select changed.*, coalesce({_cause(table)}, '{left}') as cause
        from changed_{table.name} as changed
        {_joins(table)}
    """)
    if table.name == "papers":
        _share_cause_of_work(connection)


def _joins(table: Compared) -> str:
    ids = [name for name in table.kept if name in ("paper_id", "other_paper_id", "current_paper_id")]
    return "\n".join(
        f"left join {side}_causes as {side}_{name} on {side}_{name}.paper_id = changed.{side}_{name}"
        for name in ids
        for side in ("a", "b")
    )


def _cause(table: Compared) -> str:
    """The cause of a changed row, null where nothing tells of it."""
    by_paper = [
        f"{side}_{name}.cause"
        for name in ("paper_id", "other_paper_id", "current_paper_id")
        if name in table.kept
        for side in ("b", "a")
    ]
    by_file = f"case when {_is_of_other_file(table)} then 'source' end"
    if table.name == "paper_matches":
        keys = (
            "coalesce(changed.b_record_key_l, changed.a_record_key_l), coalesce(changed.b_record_key_r, changed.a_record_key_r)"
        )
        return (
            f"case when ({keys}) in (select (record_key_l, record_key_r) from decided) then 'decision' "
            f"when len(list_intersect([{keys}], (select list(record_key) from source_keys))) > 0 then 'source' else 'match' end"
        )
    told = [by_file, *by_paper] if table.name == "records" else [*by_paper, by_file]
    return ", ".join(told)


def _is_of_other_file(table: Compared) -> str:
    files = {"file_sha256": "changed.{0}_file_sha256", "record_id": "split_part(changed.{0}_record_id, ':', 1)"}
    found = [expression.format(side) for name, expression in files.items() if name in table.kept for side in ("a", "b")]
    return " or ".join(f"{each} in (select file_sha256 from other_files)" for each in found) or "false"


def _share_cause_of_work(connection: duckdb.DuckDBPyConnection) -> None:
    """Gives papers that only went to another work the cause of a paper of one of their works: a version came or went."""
    if connection.execute("select 1 from changed_papers where fields = ['work_id'] limit 1").fetchone() is None:
        return
    connection.execute("""
        create or replace temp table changed_papers as
        with works as (
            select work_id, min(cause) as cause from a.papers join a_causes using (paper_id) group by work_id
            union all
            select work_id, min(cause) as cause from b.papers join b_causes using (paper_id) group by work_id
        ),
        moved as (
            select changed.b_rn, min(works.cause) as cause
            from changed_papers as changed
            join a.papers as old on old.paper_id = changed.a_paper_id
            join b.papers as new on new.paper_id = changed.b_paper_id
            join works on works.work_id in (old.work_id, new.work_id)
            where changed.fields = ['work_id']
                and changed.b_paper_id not in (select paper_id from b_causes)
            group by changed.b_rn
        )
        select changed.* replace (coalesce(moved.cause, changed.cause) as cause)
        from changed_papers as changed
        left join moved using (b_rn)
    """)
