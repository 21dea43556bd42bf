"""This module finds the reading of a stretch of a dataset-viewer page that the evidence speaks least against.

A stretch is a text with tokens in it: pipes or line ends that may part cells or end rows, or may stand within a cell. A
reading says which of them do what. All readings together are paths through a lattice (token, column), so the best is
found by dynamic programming without listing them; where two are equally good between two certain row ends, the stretch
between is ambiguous.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from transforms.readers.viewer_evidence import Evidence, is_address
from transforms.readers.viewer_pieces import Costs, Piece, Token

_CUT_REACH_TOKENS = 64
"""How many tokens lines taken out as one cut row may hold."""

_CHARACTERS_A_LOOK = 4_096
"""A cell of so many characters takes twice as long to look at as a short one."""

_REACH_BEYOND_TOKENS = 3
"""How many of them once the cell is longer than its column's figures allow, in the form without pipes."""


class TooManyReadings(Exception):
    """The search for a stretch's best reading was given up at its budget."""


class Lattice:
    """The search over one stretch: characters `start` to `end`, whose first cell begins at `after`.

    `is_last` says that the stretch ends with its page, so that it may end within a row.
    """

    def __init__(
        self, text: str, tokens: Sequence[Token], stretch: tuple[int, int, int], evidence: Sequence[Evidence], costs: Costs
    ) -> None:
        self.text, self.tokens, self.evidence, self.costs = text, tokens, evidence, costs
        self.start, self.after, self.end = stretch
        self.count = len(evidence)
        self.width = self.count + 2
        self.best: dict[int, int] = {}
        self.before: dict[int, list[tuple[int, str]]] = {}
        self.spent = 0
        self.filled_end = self.start + len(text[self.start : self.end].rstrip())
        # How many separators stand after each token, the first figure being that of the whole stretch.
        self.parts_after = [*accumulate((token.may_part for token in reversed(tokens)), initial=0)][::-1]

    def pieces(self, *, is_last: bool, budget: int) -> list[Piece]:
        """The stretch in pieces that cover it, in order.

        Raises:
            TooManyReadings: more than `budget` cells would have to be looked at.
        """
        self._search(is_last, budget)
        goal = self._code(len(self.tokens), self.count) if is_last else self._code(len(self.tokens) - 1, self.count)
        if goal not in self.best:
            return [Piece("cut", self.start, self.end)]
        return self._pieces_to(goal)

    def _code(self, token: int, state: int) -> int:
        """A node: after token number `token` (-1 is the start), column `state` ended there, or a row did, or one begins."""
        return (token + 1) * self.width + state

    def _begin(self, token: int, column: int) -> int:
        """Where the column's cell begins whose row or left neighbour ends at `token`."""
        if token < 0:
            return self.after
        return self.tokens[token].inner if column else self.tokens[token].after

    def _edge(self, source: int, target: int, cost: int, kind: str) -> None:
        known = self.best.get(target)
        if known is None or cost < known:
            self.best[target] = cost
            self.before[target] = [(source, kind)]
        elif cost == known:
            self.before[target].append((source, kind))

    def _search(self, is_last: bool, budget: int) -> None:
        row_ended, row_begins = self.count, self.count + 1
        self.best[self._code(-1, row_ended)] = 0
        for token in range(-1, len(self.tokens)):
            boundary = self._code(token, row_ended)
            cost = self.best.get(boundary)
            if cost is not None:
                self._leave_out(token, boundary, cost, is_last)
                self._edge(boundary, self._code(token, row_begins), cost, "open")
            for column in range(self.count):
                source = self._code(token, row_begins if column == 0 else column - 1)
                if source in self.best:
                    self._extend(token, column, source)
            if self.spent > budget:
                raise TooManyReadings

    def _extend(self, token: int, column: int, source: int) -> None:
        """Edges for every place where the column's cell may end that begins after `token`."""
        text, tokens, costs, evidence = self.text, self.tokens, self.costs, self.evidence[column]
        is_last_column = column == self.count - 1
        begin = self._begin(token, column)
        cost, piece_start = self.best[source], begin
        is_table = not costs.line
        limit = evidence.longest + _REACH_BEYOND_TOKENS if costs.line else float("inf")
        for place in range(token + 1, min(token + 1 + evidence.reach, len(tokens))):
            this = tokens[place]
            if this.start - begin > limit and place - token > _REACH_BEYOND_TOKENS:
                break
            if this.may_end if is_last_column else this.may_part:
                self.spent += 1 + (this.start - begin) // _CHARACTERS_A_LOOK
                against = costs.against(evidence.points(text[begin : this.start].strip(" ")))
                if piece_start != begin and is_address(text[piece_start : this.start].strip(" ")):
                    against += costs.point
                if is_table and this.may_end and not is_last_column:
                    against += 2 * (costs.part + costs.end)
                target = self._code(place, self.count if is_last_column else column)
                self._edge(source, target, cost + against, "cell")
            # An address alone between two separators is a cell of its own rather than a part of a text.
            if this.may_part:
                if is_address(text[piece_start : this.start].strip(" ")):
                    cost += costs.point
                piece_start = this.inner
            cost += costs.part * this.may_part + costs.end * this.may_end + costs.line * (this.is_line and not this.may_part)

    def _leave_out(self, token: int, boundary: int, cost: int, is_last: bool) -> None:
        """Edges for what may stand between rows: a blank line, lines of a row that was cut, the page's unfinished end."""
        tokens, costs = self.tokens, self.costs
        begin = tokens[token].after if token >= 0 else self.after
        if token + 1 < len(tokens) and tokens[token + 1].is_line and not self.text[begin : tokens[token + 1].start].strip():
            self._edge(boundary, self._code(token + 1, self.count), cost + costs.line, "blank")
        parts = against = ends = beginning = 0
        for place in range(token + 1, min(token + 1 + _CUT_REACH_TOKENS, len(tokens))):
            this = tokens[place]
            if this.may_part:
                if parts + 1 >= self.count:
                    break
                self.spent += 1
                column, cell = self.evidence[parts], self.text[begin : this.start].strip(" ")
                # With one token a line the row is cut within the last of its lines.
                beginning = against + column.points_of_beginning(cell) if costs.line else 0
                against += column.points(cell)
                parts, begin = parts + 1, this.inner
            ends += this.may_end
            if parts and (this.is_line or this.may_end) and place + 1 < len(tokens):
                cut = self._cut(parts) if costs.line else min(costs.part * parts, self._cut(parts)) + costs.end * ends
                cut += costs.against(beginning if costs.line and parts > 1 else against)
                self._edge(boundary, self._code(place, self.count + 1), cost + cut, "cut")
        if is_last:
            self._leave_open(token, boundary, cost)

    def _leave_open(self, token: int, boundary: int, cost: int) -> None:
        """The edge for the page's end after `token`, with the row or without that its end cuts."""
        goal = self._code(len(self.tokens), self.count)
        if (self.tokens[token].end if token >= 0 else self.start) >= self.filled_end:
            self._edge(boundary, goal, cost, "blank")
            return
        parts = self.parts_after[token + 1]
        if self.costs.line and parts < self.count:
            begins = [self._begin(token, 0), *(this.inner for this in self.tokens[token + 1 :])]
            cells = [
                self.text[begin : this.start].strip(" ") for begin, this in zip(begins, self.tokens[token + 1 :], strict=False)
            ]
            against = sum(column.points(cell) for column, cell in zip(self.evidence, cells[:-1], strict=False))
            against += self.evidence[parts - 1].points_of_beginning(cells[-1])
            cost += self.costs.part * parts + self.costs.against(against)
        else:
            cost += self._cut(parts)
        self._edge(boundary, goal, cost, "cut")

    def _cut(self, parts: int) -> int:
        """The cost of taking lines with so many separators out as a row that was cut; dear where they could be a row.

        With one token a line, two lines or more cost as much as within a cell, so that only the evidence can choose.
        """
        if self.costs.line and 1 < parts < self.count:
            return self.costs.part * parts
        cost = self.costs.cut_base + self.costs.cut * parts
        return cost if parts < self.count else cost + self.costs.part * parts

    def _pieces_to(self, goal: int) -> list[Piece]:
        """The best readings' common row ends, and between each two of them the one reading, or what is ambiguous."""
        nodes = self._nodes_to(goal)
        size = goal // self.width + 1
        over = [0] * (size + 1)
        inside = bytearray(size)
        for node in nodes:
            place, state = divmod(node, self.width)
            inside[place] |= state < self.count or (state > self.count and any(kind == "cut" for _, kind in self.before[node]))
            for source, _ in self.before.get(node, ()):
                over[source // self.width + 1] += 1
                over[max(place, source // self.width + 1)] -= 1
        pieces, depth, last = [], 0, self._code(-1, self.count)
        for place in range(size):
            depth += over[place]
            boundary = place * self.width + self.count
            if place and depth == 0 and not inside[place] and boundary in nodes:
                pieces += self._between(last, boundary)
                last = boundary
        return pieces

    def _nodes_to(self, goal: int) -> set[int]:
        """The nodes on any of the best paths."""
        nodes, waiting = {goal}, [goal]
        while waiting:
            for source, _ in self.before.get(waiting.pop(), ()):
                if source not in nodes:
                    nodes.add(source)
                    waiting.append(source)
        return nodes

    def _between(self, first: int, last: int) -> list[Piece]:
        path, is_sole = self._path(first, last, 0)
        pieces = self._pieces_of(path)
        if is_sole:
            return pieces
        other = self._pieces_of(self._path(first, last, -1)[0])
        readings = tuple(tuple(piece.cells for piece in reading if piece.kind == "row") for reading in (pieces, other))
        return [Piece("ambiguous", pieces[0].start, pieces[-1].end, readings=readings)]

    def _path(self, first: int, last: int, choice: int) -> tuple[list[tuple[int, str, int]], bool]:
        """One best path between two nodes, and whether it is the only one."""
        path, node, is_sole = [], last, True
        while node != first:
            sources = self.before[node]
            is_sole = is_sole and len(sources) == 1
            source, kind = sources[choice]
            path.append((source, kind, node))
            node = source
        return path[::-1], is_sole

    def _pieces_of(self, path: list[tuple[int, str, int]]) -> list[Piece]:
        pieces: list[Piece] = []
        cells: list[tuple[int, int]] = []
        begin = self.start
        for source, kind, target in path:
            left, right = source // self.width - 1, target // self.width - 1
            if kind == "open":
                continue
            if not cells:
                begin = self.tokens[left].end if left >= 0 else self.start
            end = self.tokens[right].end if right < len(self.tokens) else self.end
            if kind != "cell":
                pieces.append(Piece(kind, begin, end))
                continue
            cells.append((self._begin(left, len(cells)), self.tokens[right].start))
            if target % self.width == self.count:
                pieces.append(Piece("row", begin, end, tuple(cells)))
                cells = []
        return pieces
