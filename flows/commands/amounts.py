"""This module writes sizes, spans of time and times for people."""

from __future__ import annotations

from datetime import datetime


def size_in_words(size_bytes: int) -> str:
    """A size in the unit that leaves it one to three digits before the point.

    >>> [size_in_words(size) for size in (0, 999, 1_000, 12_345_678, 999_960, 8_100_000_000)]
    ['0 bytes', '999 bytes', '1.0 kB', '12.3 MB', '1.0 MB', '8.1 GB']
    """
    if size_bytes < 1_000:
        return f"{size_bytes} byte{'' if size_bytes == 1 else 's'}"
    size = float(size_bytes)
    for unit in ("kB", "MB", "GB"):
        size /= 1_000
        if size < 999.95:
            return f"{size:.1f} {unit}"
    return f"{size / 1_000:.1f} TB"


def span_in_words(seconds: float) -> str:
    """A span of time in one unit, rounded down; one that is negative is said to lie ahead by who calls.

    >>> [span_in_words(seconds) for seconds in (0.3, 59, 61, 3 * 3600, 47 * 3600, 10 * 86400)]
    ['0 s', '59 s', '1 min', '3 h', '47 h', '10 days']
    """
    seconds = abs(seconds)
    for unit, length, below in (("s", 1, 60), ("min", 60, 3_600), ("h", 3_600, 172_800)):
        if seconds < below:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds // 86_400)} days"


def ago(seconds: float) -> str:
    """How long ago something was, or, below zero, how far ahead it lies.

    >>> ago(7200), ago(-7200)
    ('2 h ago', '2 h ahead')
    """
    return f"{span_in_words(seconds)} {'ahead' if seconds <= -1 else 'ago'}"


def moment_in_words(moment: datetime | None) -> str:
    """A time in UTC, to the minute; a question mark where it is not known."""
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "?"
