"""This module knows the shapes of records that well-known services and projects hand out, and finds the one of a record.

A shape is one entry of `SHAPES`. It is for records that a reader gives as objects with objects in them, or whose names mean
something else than they say; everything else is mapped by the names of its columns (`columns_known.COLUMN_NAMES`).
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.readers.shapes_archives import ARCHIVE_SHAPES
from transforms.readers.shapes_entry import Shape
from transforms.readers.shapes_lists import LIST_SHAPES
from transforms.readers.shapes_managers import MANAGER_SHAPES
from transforms.readers.shapes_services import SERVICE_SHAPES

SHAPES: tuple[Shape, ...] = (*LIST_SHAPES, *SERVICE_SHAPES, *ARCHIVE_SHAPES, *MANAGER_SHAPES)
"""The shapes, in the order in which they are tried. A new shape is one entry in one of the four modules."""


def find_shape(names: Sequence[str]) -> Shape | None:
    """The first shape that a record with these names at its top level is of.

    >>> found = find_shape(["id", "display_name", "abstract_inverted_index", "authorships"])
    >>> found and found.name
    'openalex_work'
    """
    known = frozenset(names)
    return next((shape for shape in SHAPES if shape.fits(known)), None)
