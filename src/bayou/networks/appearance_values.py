"""Checks of the values that describe what a network shows: texts, points, colours, numbers."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any

from bayou.errors import BadVariable

_COLOUR = re.compile(r"#[0-9a-f]{6}")
_SHOWN = 60


def checked_texts(owner: Any, names: Iterable[str]) -> None:
    """Refuse a field that is not a text."""
    for name in names:
        value = getattr(owner, name)
        if not isinstance(value, str):
            raise BadVariable(f"{name} must be a text; got {value!r}.")


def checked_points(owner: Any, names: Iterable[str]) -> None:
    """Make fields pairs of finite floats, or None; anything else is refused."""
    for name in names:
        object.__setattr__(owner, name, point(name, getattr(owner, name)))


def point(name: str, value: Any) -> tuple[float, float] | None:
    """Return two finite numbers as floats.

    >>> point("position", [40, 30])
    (40.0, 30.0)
    >>> point("position", (1, "a"))
    Traceback (most recent call last):
    bayou.errors.BadVariable: position must be two finite numbers, such as (120, 80); got (1, 'a').
    """
    if value is None:
        return None
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_finite, value)):
        return float(value[0]), float(value[1])
    raise BadVariable(f"{name} must be two finite numbers, such as (120, 80); got {value!r}.")


def checked_number(owner: Any, name: str) -> None:
    """Make a field a finite float, or None; anything else is refused."""
    value = getattr(owner, name)
    if value is None:
        return
    if not _is_finite(value):
        raise BadVariable(f"{name} must be a finite number; got {value!r}.")
    object.__setattr__(owner, name, float(value))


def checked_colours(owner: Any, names: Iterable[str]) -> None:
    """Make fields colours in small letters, or empty; anything else is refused."""
    for name in names:
        value = getattr(owner, name)
        small = value.lower() if isinstance(value, str) else value
        if small != "" and not (isinstance(small, str) and _COLOUR.fullmatch(small)):
            raise BadVariable(f"{name} must be a colour such as '#e5f6f7'; got {value!r}.")
        object.__setattr__(owner, name, small)


def short_texts(text: str) -> list[str]:
    """The first line of a text for a table, shortened if it is long.

    >>> short_texts("Rain today\\nin Ghent")
    ['Rain today …']
    """
    first, _, rest = text.partition("\n")
    cut = first[:_SHOWN].rstrip() if len(first) > _SHOWN else first
    return [f"{cut} …" if rest or cut != first else cut]


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
