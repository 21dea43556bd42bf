"""This module knows the fixed texts around the table of a dataset-viewer page: what stands above it and below it."""

from __future__ import annotations

import re
from collections.abc import Callable

# What the page prints after its table. A line is one of these only as a whole, so a cell that merely speaks of one is safe.
_LAST_SENTENCE = "The top public SQL queries from the community will appear here once available."
_END_OF_PREVIEW = r"End of preview\.?(?: (?:Expand|Load) in .*)?|\[?Expand in (?:Data Studio|Dataset Viewer)\]?(?:\(\S*\))?\.?"
_OPENING = (
    rf"{_END_OF_PREVIEW}|Subsets and Splits|No community queries yet\.?|{re.escape(_LAST_SENTENCE[:-1])}\.?|"
    r"Downloads last month(?:\s*[\d,.]+[kKM]?)?|Downloads are not tracked for this dataset.*|Edit dataset card|"
    r"Use this dataset|Copy to bucket(?: new)?|README\.md exists but content is empty\.?.*|"
    r"Size of (?:downloaded dataset|the auto-converted Parquet) files:.*|Number of rows:.*|Total file size:.*"
)
_PAGES = r"(?:[\d,]+|\.\.\.|…)"
_PAGINATION = rf"(?:Previous\s+)?{_PAGES}(?:\s+{_PAGES})*(?:\s+Next)?|Previous|Next|Previous Next"
_FOLLOWING = (
    r"[\d,.]+ ?(?:[kMGT]?B)?|SQL|Console|SQL Console|Data Studio|Dataset card|Community|Report dataset card|System theme|"
    r"Company|TOS(?: Privacy.*)?|Privacy|About|Careers|Jobs|Website|Models(?: Datasets.*)?|Datasets|Spaces|Pricing|Docs|"
    r"View Conversation|© Hugging Face.*|Inference Endpoints|HuggingChat"
)
_OPENING_SEARCH = re.compile(
    rf"^[ \t]*+(?:[*+-][ \t]++)?+(?:{_OPENING}|Previous(?:[ \t].*)?)(?:⟨\d+⟩)?[ \t]*+(?:\r?\n|\Z)", re.IGNORECASE | re.MULTILINE
)
_OPENING_LINE = re.compile(_OPENING, re.IGNORECASE)
_PREVIOUS_LINE = re.compile(rf"Previous(?:\s+{_PAGES}.*)?")
_FOOTER_LINE = re.compile(rf"{_OPENING}|{_PAGINATION}|{_FOLLOWING}", re.IGNORECASE)
_END_LINE = re.compile(r"End of preview\. ")
_MAX_FOOTER_LINE_CHARACTERS = 500
_SENTENCES = ("Subsets and Splits", "No community queries yet", _LAST_SENTENCE, "End of preview. Expand in")
_MIN_CUT_CHARACTERS = 8
"""Shortest beginning of a footer's line that is taken for one at a text's end: "Subsets " and not "Sub"."""

_MARKS = re.compile(r"⟨\d+⟩|^[*+-][ \t]+(?=\S)|^#+[ \t]+")
_ONLY_MARKS = re.compile(r"(?:\*[ \t]*)+\Z|-{3,}\Z")

# What the page prints above its table: the block begins with one of the first and its last line is one of the second.
_CHROME_FIRST = re.compile(
    r"(?:!\[)?Hugging Face's logo.*|Datasets:.*|Dataset Viewer.*|(?:Subset|Split) \(\d+\).*|\[?\s*Auto-converted to Parquet.*",
    re.IGNORECASE,
)
_CHROME_LAST = re.compile(
    r"SQL|Console|SQL Console|Data Studio|API|Embed|Full Screen( Viewer)?|Search this dataset|"
    r".* \(?~?[\d,.]+[kMB]? rows(?:, showing the first [\d,.]+[kMB]?)?\)?|.*·\s*[\d,.]+[kMB]? rows|(?:Subset|Split) \(\d+\).*|"
    r"Dataset Viewer.*|Auto-converted to Parquet.*",
    re.IGNORECASE,
)
_MAX_CHROME_LINES = 400
"""A saved page with its whole menu and a hundred subsets has about 200 lines above the table."""


def is_footer_line(line: str) -> bool:
    """Whether a whole line is one that the page prints below its table.

    >>> is_footer_line("  *  Previous⟨29⟩"), is_footer_line("1,024"), is_footer_line("End of preview. Expand in Data Studio")
    (True, True, True)
    >>> is_footer_line("Subsets and Splits of a data set are studied.")
    False
    """
    text = _bare(line)
    return not text or bool(_FOOTER_LINE.fullmatch(text) or _ONLY_MARKS.match(text))


def is_footer_opening(line: str) -> bool:
    """Whether a footer may begin with this line; a number alone, say, may not.

    >>> is_footer_opening("Subsets and Splits"), is_footer_opening("Previous"), is_footer_opening("3")
    (True, True, False)
    """
    text = _bare(line)
    return bool(_OPENING_LINE.fullmatch(text) or _PREVIOUS_LINE.fullmatch(text))


def is_footer_beginning(line: str) -> bool:
    """Whether the last line of a text is a footer's line that was cut.

    >>> is_footer_beginning("Subsets an"), is_footer_beginning("Sub"), is_footer_beginning("Subsets of pebbles")
    (True, False, False)
    """
    return len(line) >= _MIN_CUT_CHARACTERS and any(sentence.startswith(line) for sentence in _SENTENCES)


def after_footer_sentence(line: str) -> str | None:
    """What follows the footer's last sentence on its line; None where the line does not hold it.

    >>> after_footer_sentence("The top public SQL queries from the community will appear here once available.title")
    'title'
    """
    _, sentence, rest = line.partition(_LAST_SENTENCE)
    return rest.strip() if sentence else None


def footers(text: str, start: int, end: int, is_row_end: Callable[[int], bool | None]) -> list[tuple[int, int]]:
    """The footers of one page, as ranges of characters; what stands between two of them is none of the page's own.

    The first one begins with a line that opens a footer, where `is_row_end` says of the line's place that rows can end
    there. Where it cannot say (None), the next line must be a footer's too, or there must be none, or the line must be
    one that no cell holds.
    """
    found: list[tuple[int, int]] = []
    position = start
    while match := _OPENING_SEARCH.search(text, position, end):
        position = match.end()
        if not is_footer_opening(match[0]):
            continue
        may_open = True if found else is_row_end(match.start())
        run_end = _run_end(text, match.end(), end)
        if may_open is None:
            may_open = text[match.end() : run_end].strip() != "" or not text[match.end() : end].strip()
            may_open = may_open or bool(_END_LINE.match(_bare(match[0])))
        if may_open:
            found.append((match.start(), run_end))
            position = run_end
        if position >= end:
            break
    line_start = text.rfind("\n", start, end) + 1
    if not found and line_start and is_footer_beginning(text[line_start:end]) and is_row_end(line_start) is not False:
        found.append((line_start, end))
    return found


def chrome_start(text: str) -> int | None:
    """Where in the text above a head the page's own lines begin; None where its last line is not one of them.

    >>> chrome_start("My notes\\nDataset Viewer\\nSplit (1)\\ntrain · 10 rows\\nSQL\\nConsole\\n\\n")
    9
    """
    lines = text.splitlines(keepends=True)[-_MAX_CHROME_LINES:]
    filled = [line for line in lines if line.strip()]
    if not filled or not _CHROME_LAST.fullmatch(_bare(filled[-1])):
        return None
    offset = len(text) - sum(map(len, lines))
    for line in lines:
        if _CHROME_FIRST.fullmatch(_bare(line)) or _CHROME_LAST.fullmatch(_bare(line)):
            return offset
        offset += len(line)
    return None


def _run_end(text: str, start: int, end: int) -> int:
    """Where a run of footer lines ends that goes on at `start`."""
    while start < end:
        line_end = text.find("\n", start, end)
        line_end = end if line_end < 0 else line_end + 1
        line = text[start : min(line_end, start + _MAX_FOOTER_LINE_CHARACTERS + 1)]
        is_known = is_footer_line(line) or (line_end == end and is_footer_beginning(line))
        if line_end - start > _MAX_FOOTER_LINE_CHARACTERS or not is_known:
            break
        start = line_end
    return start


def _bare(line: str) -> str:
    """The line without the marks of a list or of numbered links."""
    return _MARKS.sub("", line.strip()).strip()
