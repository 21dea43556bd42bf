"""This module knows a column of OpenReview ids by its values, where its name does not tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transforms.readers.columns import column_map

_ID = re.compile(r"[A-Za-z0-9_-]{9,12}")
"""The form of an id: 10 to 12 characters now, 9 in the years up to 2018."""

_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[\d_-]).+")
"""What most ids have: letters of both cases, and something else. No column of words or of numbers does."""

_MIN_MIXED_RATIO = 0.6
"""Of the ids in five real lists of ICLR (2021, 2022, 2024; 2,600 to 7,200 each) 82 to 89 % are mixed."""

MIN_ID_ROWS = 3
"""Fewest rows below a header that only the ids tell, as no column has a known name: the form of one or two may be chance."""

_ID_NAMES = ("id", "paperid", "urlid", "noteid", "submissionid", "forumid")
_UNNAMED = ("column_1", "Unnamed: 0", "__index_level_0__")
"""What a first column without a name is called here, by pandas and in Parquet."""


def openreview_columns(names: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, str]:
    """The field that the values of a column tell, where each of its filled values has the form of an OpenReview id.

    Only a column named as an id, or without a name, is looked at (`unique_names` calls the latter `column_1`).

    >>> openreview_columns(["paper_id", "0"], [["2p_5F9sHN9", 6.0], ["vyn49BUAkoD", 3.0]])
    {'paper_id': 'openreview_id_raw'}
    >>> openreview_columns(["paper_id"], [["Transformer"], ["Pretraining"]])
    {}
    """
    if "openreview_id_raw" in column_map(names).values():
        return {}
    for position, name in enumerate(names):
        if is_id_name(name):
            values = [row[position] for row in rows if position < len(row) and row[position] not in (None, "")]
            if _are_ids(values):
                return {name: "openreview_id_raw"}
    return {}


def is_id_name(name: str) -> bool:
    """Whether a column of this name may hold ids: it is called so, or has no name and is the first."""
    return name in _UNNAMED or re.sub(r"[\W_]", "", name).casefold() in _ID_NAMES


def _are_ids(values: Sequence[object]) -> bool:
    texts = [value for value in values if isinstance(value, str) and _ID.fullmatch(value)]
    return 0 < len(texts) == len(values) and sum(map(bool, map(_MIXED.fullmatch, texts))) >= _MIN_MIXED_RATIO * len(texts)
