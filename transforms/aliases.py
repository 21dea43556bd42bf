"""This module keeps paper ids resolving for ever: where each id that was published once, and is no paper now, has gone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from transforms.frames import conform, frame_of
from transforms.schemas import PAPER_ALIASES

_PAPERS_SCHEMA = {"record_key": pl.String, "paper_id": pl.String}


def paper_aliases(previous: pl.DataFrame | None, previous_aliases: pl.DataFrame | None, current: pl.DataFrame) -> pl.DataFrame:
    """The aliases (schema PAPER_ALIASES) of the release to come: each leads to a paper of it, or to none, in one step.

    `previous` and `current` have record_key and paper_id: which record was, and is, of which paper; None, or a repeated row,
    is no matter. An id that is not current any more is

    - `gone` where none of its records is left;
    - `split` where they went to several papers: it leads to the one with most of them, of equals to the least id;
    - `merged` where they share a paper with records of another previous paper;
    - `renamed` else.

    Older aliases are followed on: their reason stands unless what they led to has since merged, split or gone. An id that
    is a paper again has no alias. An id that had gone and whose least record is back in another paper is `merged`.
    """
    ids = current.select("paper_id").unique()
    moved = _moved_papers(_papers(previous), _papers(current), ids)
    older = frame_of(PAPER_ALIASES) if previous_aliases is None else previous_aliases.select(PAPER_ALIASES.column_names())
    kept = older.join(ids, on="paper_id", how="anti").join(moved, on="paper_id", how="anti")
    step = moved.select(current_paper_id="paper_id", next_paper_id="current_paper_id", next_reason="reason")
    led_on = kept.join(step, on="current_paper_id", how="left", maintain_order="left").join(
        ids.select(current_paper_id="paper_id", is_current=True), on="current_paper_id", how="left", maintain_order="left"
    )
    is_current = pl.col("is_current").fill_null(False)
    leads_to = pl.when(is_current).then("current_paper_id").otherwise("next_paper_id")
    reason = (
        pl.when(is_current | (pl.col("next_reason") == "renamed"))
        .then("reason")
        .otherwise(pl.col("next_reason").fill_null("gone"))
    )
    followed = led_on.select("paper_id", "record_key", current_paper_id=leads_to, reason=reason)
    aliases = pl.concat([moved.select(followed.columns), followed])
    back = _papers(current).rename({"paper_id": "returned_paper_id"})
    found = aliases.join(back, on="record_key", how="left", maintain_order="left")
    has_returned = pl.col("current_paper_id").is_null() & pl.col("returned_paper_id").is_not_null()
    return conform(
        found.with_columns(
            current_paper_id=pl.coalesce("current_paper_id", "returned_paper_id"),
            reason=pl.when(has_returned).then(pl.lit("merged")).otherwise("reason"),
        ),
        PAPER_ALIASES,
    )


def aliases_of_all(previous: Sequence[tuple[pl.DataFrame, pl.DataFrame]], current: pl.DataFrame) -> pl.DataFrame:
    """The same where several earlier releases have ids to resolve: records and aliases of each, the most trusted first.

    After a rollback the releases published since the one that is current have ids that it does not know. Where an id leads
    to different papers, or to one and to none, the first release in which it leads to a paper has the word.
    """
    if len(previous) < 2:
        records, older = previous[0] if previous else (None, None)
        return paper_aliases(records, older, current)
    found = pl.concat(
        [
            paper_aliases(records, older, current).with_columns(place=pl.lit(place))
            for place, (records, older) in enumerate(previous)
        ]
    )
    first = found.sort("paper_id", pl.col("current_paper_id").is_null(), "place").unique(
        "paper_id", keep="first", maintain_order=True
    )
    return conform(first.drop("place"), PAPER_ALIASES)


def _papers(records: pl.DataFrame | None) -> pl.DataFrame:
    if records is None:
        return pl.DataFrame(schema=_PAPERS_SCHEMA)
    return records.select(pl.col(name).cast(dtype) for name, dtype in _PAPERS_SCHEMA.items()).unique()


def _moved_papers(previous: pl.DataFrame, current: pl.DataFrame, ids: pl.DataFrame) -> pl.DataFrame:
    """Aliases of the ids that were papers in the previous release and are none now."""
    went = previous.join(current.rename({"paper_id": "current_paper_id"}), on="record_key")
    flows = went.group_by("paper_id", "current_paper_id").agg(record_count=pl.len())
    flows = flows.with_columns(targets=pl.len().over("paper_id"), origins=pl.len().over("current_paper_id"))
    most = flows.sort("paper_id", "record_count", "current_paper_id", descending=[False, True, False]).unique(
        "paper_id", keep="first", maintain_order=True
    )
    reason = (
        pl.when(pl.col("targets").is_null())
        .then(pl.lit("gone"))
        .when(pl.col("targets") > 1)
        .then(pl.lit("split"))
        .when(pl.col("origins") > 1)
        .then(pl.lit("merged"))
        .otherwise(pl.lit("renamed"))
    )
    lost = previous.join(ids, on="paper_id", how="anti").group_by("paper_id").agg(pl.col("record_key").min())
    return lost.join(most, on="paper_id", how="left").select(
        "paper_id", "record_key", "current_paper_id", reason.alias("reason")
    )
