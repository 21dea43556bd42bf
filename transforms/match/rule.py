"""This module says what a rule of matching is: its verdict, when it holds, and how strong it is against other verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

IDENTIFIER, TITLE, LOOSE_TITLE, CUT_TITLE, ABSTRACT = 5, 4, 3, 2, 1
"""How strong the evidence of a match is, and how strong a match a verdict of another kind forbids; see clustering."""

VETO = 9
"""Forbids a match of any strength."""

VERSION, KIND, PART = "version", "kind", "part"
"""What a rule says of how two papers of one work are related; see `transforms.match.decision`."""

APART = "apart"
"""Status of a pair that is worth no row in `paper_matches`, but that weak evidence must not join by way of a third record."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A verdict and when it holds.

    `strength` is, for a match, how strong its evidence is; for any other status, up to what strength it keeps the two
    records apart when other records would join them (0: it does not). `work_strength` is the same for works: how strong the
    link of a version is, and for any other status up to what strength it keeps two works apart. `relation` is what a version
    says of the two, for `paper_relations`.
    """

    status: str
    strength: int
    holds: pl.Expr
    relation: str | None = None
    work_strength: int = 0
