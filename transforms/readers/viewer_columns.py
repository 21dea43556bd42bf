"""This module knows how the Hugging Face dataset viewer describes a column: its name, its kind, its statistics."""

from __future__ import annotations

import re
from dataclasses import dataclass

GAP = r"(?:\s|<br\s*/?>)++"
"""What parts the tokens of a column's head: white space, newlines, or the `<br>` of a page saved as Markdown."""

_NUMBER = r"[-+]?\d[\d,]{0,24}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,2})?[kKMBGT]?(?![\w.])"
_DATE = r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
_STRING = r"(?:large_)?string[ \t]*+(?:·[ \t]*+)?"
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12}

# family -> (kind as printed, how its figures are printed: "range" is two numbers, "dates" two dates, "count" N values)
_KINDS = {
    "text": (_STRING + "lengths", "range"),
    "classes": (_STRING + "classes", "count"),
    "label": (r"class[ \t]*label", "count"),
    "bool": (r"bool(?:ean)?", "count"),
    "items": (r"(?:large_)?(?:list|sequence)[ \t]*+(?:·[ \t]*+)?lengths", "range"),
    "integer": (r"u?int(?:8|16|32|64)?", "range"),
    "number": (r"(?:b?float|double|decimal)(?:16|32|64|128|256)?(?:\([^()\n]{0,20}\))?", "range"),
    "width": (r"(?:image|video)[ \t]*width \(px\)", "range"),
    "duration": (r"(?:audio|video)[ \t]*duration \(s\)", "range"),
    "date": (
        r"(?:(?:large_)?string|timestamp|date(?:32|64|time)?|time(?:32|64)?)(?:\[[^\]\n]{0,40}\])?(?:[ \t]*+dates?)?",
        "dates",
    ),
}
_FIGURES = {
    "range": rf"(?P<FAMILY_low>{_NUMBER}){GAP}(?P<FAMILY_high>{_NUMBER})",
    "dates": rf"(?P<FAMILY_low>{_DATE}){GAP}(?P<FAMILY_high>{_DATE})",
    "count": rf"(?P<FAMILY_count>\d[\d,.]*[kKMB]?){GAP}(?:values?|class(?:es)?)\b",
}
_BARE = (
    r"(?:null|unknown|dict|json|struct|binary|image|audio|video|pdf|mesh|translation|list|sequence|large_string|string|"
    r"bool|class[ \t]?label|u?int(?:8|16|32|64)|float(?:16|32|64)|double|timestamp(?:\[[^\]\n]{0,40}\])?|date(?:32|64)?)"
)
_ALTERNATIVES = (
    rf"(?P<{family}>{kind}){GAP}{_FIGURES[figures].replace('FAMILY', family)}" for family, (kind, figures) in _KINDS.items()
)
SPEC_WITH_FIGURES = rf"(?:{'|'.join(_ALTERNATIVES)})(?:{GAP}⌀)?"
"""A kind with its statistics; `⌀` follows where the column holds nulls."""

SPEC = rf"(?:{SPEC_WITH_FIGURES}|(?P<bare>{_BARE})(?:{GAP}⌀)?)"

_NAMED = re.compile(rf"(?P<name>[^\n|]{{1,200}}?){GAP}{SPEC}(?:{GAP})?\Z")
_STATISTICS = {
    "text": ("min_length", "max_length"),
    "items": ("min_items", "max_items"),
    "integer": ("min_value", "max_value"),
    "number": ("min_value", "max_value"),
    "date": ("min_value", "max_value"),
    "width": ("min_width", "max_width"),
    "duration": ("min_duration", "max_duration"),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A stated figure: its number (None for a date), half of its last printed digit's unit, and its text."""

    number: float | None
    slack: float
    text: str

    @property
    def low(self) -> float:
        """The least number that is printed so; minus infinity for a date."""
        return float("-inf") if self.number is None else self.number - self.slack

    @property
    def high(self) -> float:
        """The greatest number that is printed so; infinity for a date."""
        return float("inf") if self.number is None else self.number + self.slack


@dataclass(frozen=True, slots=True)
class ViewerColumn:
    """A column of a page's head: its name, its family of kinds ("other" where it has no statistics), its figures.

    `least` and `most` bound lengths, items, values or dates; `classes` is how many different values there are.
    """

    name: str
    family: str
    least: Figure | None = None
    most: Figure | None = None
    classes: Figure | None = None

    def statistics(self) -> list[tuple[str, Figure]]:
        """The stated figures with the names their control totals bear."""
        if self.classes:
            return [("classes", self.classes)]
        if self.least and self.most:
            first, second = _STATISTICS[self.family]
            return [(first, self.least), (second, self.most)]
        return []


def figure(text: str, *, is_rounded: bool = False) -> Figure:
    """The figure that the viewer printed as `text`; a plain whole number is exact, unless `is_rounded` says otherwise.

    >>> figure("3.09k")
    Figure(number=3090.0, slack=5.0, text='3.09k')
    >>> figure("42").slack, figure("76.8").slack, figure("2M").high
    (0.0, 0.05, 2500000.0)
    """
    digits = text.replace(",", "")
    scale = _SCALES.get(digits[-1].lower(), 1.0)
    if scale != 1.0:
        digits = digits[:-1]
    mantissa, _, exponent = digits.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = scale * 10.0 ** (int(exponent or 0) - decimals)
    is_exact = scale == 1.0 and decimals == 0 and not exponent and not is_rounded
    return Figure(round(float(digits) * scale, 6), 0.0 if is_exact else unit / 2, text)


def column_from(match: re.Match[str], name: str) -> ViewerColumn:
    """The column that a match of `SPEC` or `SPEC_WITH_FIGURES` describes."""
    groups = match.groupdict()
    family = next((family for family in _KINDS if groups.get(family)), None)
    if family is None:
        return ViewerColumn(name, "other")
    if _KINDS[family][1] == "count":
        return ViewerColumn(name, family, classes=figure(groups[f"{family}_count"]))
    low, high = groups[f"{family}_low"], groups[f"{family}_high"]
    if family == "date":
        return ViewerColumn(name, family, Figure(None, 0.0, low), Figure(None, 0.0, high))
    is_rounded = family in ("number", "duration")
    return ViewerColumn(name, family, figure(low, is_rounded=is_rounded), figure(high, is_rounded=is_rounded))


def column_of(piece: str) -> tuple[ViewerColumn, bool]:
    """The column that one piece of a table's head describes, and whether its kind is one the viewer prints.

    A piece of an unknown kind gives a column without statistics, named by its first line.

    >>> column, is_known = column_of("Tag set\\nstringclasses 1\\nvalue ⌀")
    >>> column.name, column.classes.text, is_known
    ('Tag set', '1', True)
    >>> column_of("embedding\\nfancytype 3 4")
    (ViewerColumn(name='embedding', family='other', least=None, most=None, classes=None), False)
    """
    text = re.sub(r"<br\s*/?>", "\n", piece).strip()
    if match := _NAMED.match(text):
        return column_from(match, match["name"].strip()), True
    return ViewerColumn(text.split("\n")[0].strip()[:200], "other"), False
