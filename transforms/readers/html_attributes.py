"""This module keeps tags of HTML from having attributes without end, on which libxml2 spends quadratic time.

A tag of 40,000 attributes (350 kB) takes it half a minute, one of a megabyte four; nothing can stop it meanwhile.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

MAX_ATTRIBUTES = 64
"""More than a tag of a real page has."""

_MAX_CROWDED_TAGS = 1_000
"""A page with more tags that have too many attributes is none; what looks like one in a script is rare."""

_SPACE = r"[ \t\n\f\r]"
_ATTRIBUTE = (
    rf"(?:{_SPACE[:-1]}/]*+[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+(?:{_SPACE}*+={_SPACE}*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\f\r>]*+))?+)"
)
_CROWDED = re.compile(rf"(?=(<[A-Za-z][^ \t\n\f\r/>]*+{_ATTRIBUTE}{{{MAX_ATTRIBUTES}}}))")
"""A tag, or what may be one, as HTML's standard has it, up to the last attribute that it may have.

It is looked for at every `<`, also within another tag, a comment or a script: which of them is a tag need not be known.
"""


def with_few_attributes(text: str) -> str | None:
    """A page each tag of which ends after `MAX_ATTRIBUTES` attributes, None where too many tags have more.

    >>> with_few_attributes("<td class='a'>A</td>")
    "<td class='a'>A</td>"
    """
    ends = sorted({tag.end(1) for tag in islice(_CROWDED.finditer(text), _MAX_CROWDED_TAGS + 1)})
    if len(ends) > _MAX_CROWDED_TAGS:
        return None
    edges = [0, *ends, len(text)]
    return ">".join(text[start:end] for start, end in pairwise(edges)) if ends else text
