"""States: typed values, when two are the same state, which values mean 'missing', and their order."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from bayou.schema.intervals import Interval
from bayou.typing import State

# A fast path, because nearly all states are of these types.
_KINDS: dict[type, str] = {str: "text", int: "number", float: "number", bool: "truth", Interval: "interval"}
_NEVER_MISSING = frozenset({str, int, bool, Interval})


def plain(value: Any) -> State:
    """Return a numpy scalar as the Python object that it stands for, any other value unchanged.

    >>> plain(np.int64(3)), plain(np.bool_(True)), plain(np.str_("a"))
    (3, True, 'a')
    """
    result: State = value.item() if isinstance(value, np.generic) else value
    return result


def is_missing(value: Any) -> bool:
    """Whether a value means 'not observed': None, NaN, NA, NaT or masked.

    >>> [is_missing(value) for value in (None, float("nan"), np.ma.masked, 0, "", "nan")]
    [True, True, True, False, False, False]
    """
    if type(value) in _NEVER_MISSING:
        return False
    if value is None or value is np.ma.masked:
        return True
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()  # comparing a signalling NaN would raise
    return isinstance(value, numbers.Number) and value != value


def state_key(state: State) -> tuple[str, State]:
    """Return the key by which states are compared: unlike ``==``, it separates booleans, numbers and text.

    >>> state_key(1) == state_key(1.0), state_key(1) == state_key(True), state_key(1) == state_key("1")
    (True, False, False)
    >>> state_key(Decimal("0.1")) == state_key(0.1)
    True
    """
    kind = _KINDS.get(type(state))
    if kind is not None:
        return (kind, state)
    state = plain(state)
    if isinstance(state, bool):
        return ("truth", state)
    if isinstance(state, Decimal):
        return ("number", decimal_number(state))
    if isinstance(state, numbers.Number):
        return ("number", state)
    if isinstance(state, str):
        return ("text", state)
    return (type(state).__qualname__, state)


def decimal_number(value: Decimal) -> State:
    """Return a decimal as the number that data have for it: the nearest float, or a long integer exactly.

    >>> decimal_number(Decimal("0.10")), decimal_number(Decimal(2**70))
    (0.1, 1180591620717411303424)
    """
    number = float(value)
    if math.isinf(number):
        return number if value.is_infinite() else value  # no float is as large
    return int(value) if abs(number) >= 2**53 and value == value.to_integral_value() else number


def natural_order(states: Iterable[State]) -> tuple[State, ...]:
    """Sort states of any mixture of types: truth values, then numbers, then text, then the rest.

    >>> natural_order(["b", 10, 2, True, "a"])
    (True, 2, 10, 'a', 'b')
    """

    def rank(state: State) -> tuple[int, str, Any]:
        kind, value = state_key(state)
        if kind == "truth":
            return (0, "", value)
        if kind == "number" and not isinstance(value, complex):
            return (1, "", value)
        if kind == "text":
            return (2, "", value)
        # Times with and without a time zone cannot be compared, so they are sorted separately.
        zone = "with a zone" if getattr(value, "tzinfo", None) is not None else ""
        return (3, kind + zone, value if _sortable(value) else repr(value))

    return tuple(sorted((plain(state) for state in states), key=rank))


def _sortable(value: Any) -> bool:
    import datetime

    return isinstance(value, datetime.date | datetime.timedelta | datetime.time | bytes | Interval)


def label(state: State) -> str:
    """Return a state as text for people to read: text without quotes, every other value as ``str(value)``.

    >>> label("yes"), label(3), label(True)
    ('yes', '3', 'True')
    """
    return state if isinstance(state, str) else str(state)


def state_labels(states: Sequence[State]) -> list[str]:
    """Return the states of one variable as text; states that would look alike are written with ``repr``.

    >>> state_labels([1, "1", "x"])
    ['1', "'1'", 'x']
    """
    occurrences = Counter(map(label, states))
    return [repr(state) if occurrences[label(state)] > 1 else label(state) for state in states]


def is_number(state: State) -> bool:
    """Whether a state is a finite real number that a float holds (a truth value is not)."""
    if not isinstance(state, numbers.Real | Decimal) or isinstance(state, bool):
        return False
    try:
        return math.isfinite(float(state))
    except (OverflowError, ValueError):  # too large; a signalling NaN
        return False
