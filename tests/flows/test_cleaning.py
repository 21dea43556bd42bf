"""Batches side by side: each is done once, and a failure is told and ends it."""

from __future__ import annotations

import time

import pytest

from flows.cleaning import each_side_by_side


def test_each_batch_is_done_once() -> None:
    done: list[tuple[str, int]] = []
    each_side_by_side(lambda source, batch: done.append((source, batch)), [("a", 1), ("a", 2), ("b", 1)])
    assert sorted(done) == [("a", 1), ("a", 2), ("b", 1)]


def test_a_failure_is_told_and_batches_that_wait_are_not_begun() -> None:
    begun: list[int] = []

    def fail(source: str, batch: int) -> None:
        begun.append(batch)
        if batch == 0:
            raise ValueError(f"{source} {batch}")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="a 0"):
        each_side_by_side(fail, [("a", batch) for batch in range(1000)])
    assert len(begun) < 500
