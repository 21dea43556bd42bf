"""This module gives the values that binary formats hold as JSON has them.

Dates and times become ISO 8601, decimals digits, bytes UTF-8 where they are that, else Base64 after `base64:`. NaN is null,
and an infinity its name as text, as in the JSON readers.
"""

from __future__ import annotations

import base64
import datetime
import math


def plain_value(value: object) -> object:
    """One value as JSON has it, nested ones too.

    >>> plain_value({"a": [b"b", float("inf"), datetime.date(2024, 5, 6)]})
    {'a': ['b', 'Infinity', '2024-05-06']}
    """
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, dict):
        return {name: plain_value(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(inner) for inner in value]
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, bytes):
        return _bytes_text(value)
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(value).decode()
