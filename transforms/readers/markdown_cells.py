"""This module takes the rows of Markdown tables apart, and the links in their cells.

Source of the rules: GitHub Flavored Markdown, "Tables (extension)".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_CELL_END = re.compile(r"(?<!\\)(?:\\\\)*\|")
_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t\r\n]*+\Z")
_WHOLE = re.compile(r"`[^`\r\n]{1,300}`|\$[^$\r\n]{1,300}\$|\[[^\]\[\r\n]{1,500}\]\([^()\s]{1,1000}\)")
"""What may hold a pipe that a careless writer did not mask: code, mathematics, a link."""

_LINK = re.compile(
    r"!?\[((?:[^\[\]\\]|\\.|\[[^\[\]]*+\]){0,500}+)\]"
    r"\(\s{0,9}<?((?:[^\s()<>]|\([^\s()<>]*+\)){1,1000}+)>?(?:\s{1,9}\"[^\"]*+\")?\s{0,9}\)"
    r"|<a\s[^>]{0,500}?href\s*=\s*[\"']([^\"'>]{1,2000})[\"'][^>]{0,500}>(.{0,2000}?)</a>",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\[\]]{0,500}\]\([^()]{0,2000}\)|<img\s[^>]{0,2000}>", re.IGNORECASE)
_MAX_CELL_CHARACTERS = 5_000
"""No links are looked for in a longer cell, such as an abstract; finding them takes time by their number and length."""

_WORD = re.compile(r"\w")
_EMOJI_SIGNS = r"(?::[a-z][a-z0-9_+-]{1,30}:|[\U0001f300-\U0001faff\u2600-\u27bf\u2b50\ufe0f])"
_EMOJI = re.compile(rf"\A(?:{_EMOJI_SIGNS}\s{{0,3}})+|(?:\s{{0,3}}{_EMOJI_SIGNS})+\s{{0,3}}\Z")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows, and where its links lead."""

    text: str
    targets: tuple[str, ...]


def is_rule(line: str) -> bool:
    """Whether a line is the rule below a table's head: dashes between pipes, at least one pipe.

    >>> is_rule("|:---|---:|"), is_rule("--- | ---"), is_rule("---")
    (True, True, False)
    """
    return "|" in line and _RULE.match(line) is not None


def split_row(line: str, cell_count: int | None = None) -> list[str]:
    r"""The cells of a row as given, without the spaces around them and the mask of a pipe.

    Where there are more than `cell_count`, pipes within code, mathematics and links part no cells.

    >>> split_row(r"| A \| B | C |"), split_row("$p(x|y)$ | C", 2)
    (['A | B', 'C'], ['$p(x|y)$', 'C'])
    """
    text = line.strip(" \t\r\n").removeprefix("|")
    cells = _split(text)
    if cell_count is not None and len(cells) > cell_count:
        whole = _split(_WHOLE.sub(lambda found: found[0].replace("|", "\0"), text))
        if len(whole) == cell_count:
            cells = [cell.replace("\0", "|") for cell in whole]
    return cells


def _split(text: str) -> list[str]:
    edges = [0, *(end.end() for end in _CELL_END.finditer(text))]
    if edges[-1] < len(text) or len(edges) == 1:
        edges.append(len(text) + 1)
    return [text[start : end - 1].strip(" \t").replace("\\|", "|") for start, end in pairwise(edges)]


def read_cell(cell: str) -> Cell:
    """What a cell shows and where its links lead; images are left out.

    >>> read_cell("**[Pebbles](https://a.org/1)** ![new](x.png)")
    Cell(text='**Pebbles**', targets=('https://a.org/1',))
    >>> read_cell('<a href="https://a.org/2">Tides</a><br>Ann Lee')
    Cell(text='Tides Ann Lee', targets=('https://a.org/2',))
    """
    if ("[" not in cell and "<" not in cell) or len(cell) > _MAX_CELL_CHARACTERS:
        return Cell(cell, ())
    plain, targets = _BREAK.sub(" ", _IMAGE.sub("", cell)), []

    def shown(link: re.Match[str]) -> str:
        targets.append(link[2] or link[3])
        return link[1] or link[4] or ""

    text = _LINK.sub(shown, plain)
    return Cell(text.strip(), tuple(targets))


def read_title(cell: str) -> tuple[Cell, str]:
    """A title without the emoji at its ends, and what stands below it, where the cell's first line with words is a link.

    >>> read_title("![Star](s.svg) <br> [**Pebbles**](https://a.org/1) :fire: <br> Ann Lee, Bo Li")
    (Cell(text='**Pebbles**', targets=('https://a.org/1',)), 'Ann Lee, Bo Li')
    >>> read_title("Pebbles<br>and Tides")
    (Cell(text='Pebbles and Tides', targets=()), '')
    """
    whole, below = read_cell(cell), ""
    if len(cell) <= _MAX_CELL_CHARACTERS:
        lines = [line for line in map(read_cell, _BREAK.split(cell)) if _WORD.search(line.text)]
        if len(lines) > 1 and lines[0].targets:
            whole, below = lines[0], " ".join(line.text.strip() for line in lines[1:])
    return Cell(_EMOJI.sub("", whole.text), whole.targets), below
