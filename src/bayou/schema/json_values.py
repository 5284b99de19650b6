"""Typed values as JSON: types that JSON has are written as they are, others with a tag of their type."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any

from bayou.errors import BadFile, BadVariable
from bayou.registry import loaded
from bayou.schema.intervals import Interval

_WRITERS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "datetime.datetime": ("datetime", datetime.datetime.isoformat),
    "datetime.date": ("date", datetime.date.isoformat),
    "datetime.time": ("time", datetime.time.isoformat),
    "datetime.timedelta": ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    "decimal.Decimal": ("decimal", str),
    "fractions.Fraction": ("fraction", str),
    "bayou.schema.intervals.Interval": ("interval", lambda value: value.notation),
    "builtins.bytes": ("bytes", lambda value: loaded("base64:b64encode")(value).decode("ascii")),
    "builtins.tuple": ("tuple", lambda value: [encode_value(item) for item in value]),
    "builtins.frozenset": (
        "frozenset",
        lambda value: [encode_value(item) for item in sorted(value, key=repr)],
    ),
}
"""Type → its tag in files and its writer. Types by name: modules that few programs need load when used."""
_READERS: dict[str, Callable[[Any], Any]] = {
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda parts: datetime.timedelta(*parts),
    "decimal": lambda text: loaded("decimal:Decimal")(text),
    "fraction": lambda text: _fraction(text),
    "bytes": lambda text: loaded("base64:b64decode")(text, validate=True),
    "tuple": lambda items: tuple(decode_value(item) for item in items),
    "frozenset": lambda items: frozenset(decode_value(item) for item in items),
    "interval": Interval.from_notation,
    "float": float,
}


_FRACTION = re.compile(r"-?[0-9]{1,4000}(?:/[0-9]{1,4000})?")


def _fraction(text: str) -> Any:
    """A fraction as it is written here; "1e1000000000" would be computed for minutes."""
    if not _FRACTION.fullmatch(text):
        raise ValueError(text)
    return loaded("fractions:Fraction")(text)


def encode_value(value: Any) -> Any:
    """Return a name or a state as JSON data.

    >>> [encode_value(value) for value in (1, "1", True, 1.5, (1, "a"))]
    [1, '1', True, 1.5, {'type': 'tuple', 'value': [1, 'a']}]
    """
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"type": "float", "value": repr(value)}
    kind = type(value)
    if f"{kind.__module__}.{kind.__qualname__}" in _WRITERS:
        tag, write = _WRITERS[f"{kind.__module__}.{kind.__qualname__}"]
        return {"type": tag, "value": write(value)}
    raise BadVariable(
        f"{value!r} is a {type(value).__name__}, which cannot be stored in a model file. "
        "Use text, numbers, truth values, dates or tuples of these."
    )


def decode_value(encoded: Any) -> Any:
    """Return the value that :func:`encode_value` wrote; other data are an error of the file."""
    if not isinstance(encoded, dict):
        if isinstance(encoded, list):
            raise BadFile("expected a value, found a list.")
        return encoded
    try:
        return _READERS[encoded["type"]](encoded["value"])
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise BadFile(f"{encoded!r} is not a typed value.") from None
