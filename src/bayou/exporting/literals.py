"""Plain values as the text of a literal: names and states stay data, whatever they contain."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from bayou.errors import BadQuestion
from bayou.schema.intervals import Interval

_WIDTH = 110
_LARGEST_EXACT = 2**53


def literal(value: Any, spelled: Callable[[Any], str], indent: int = 0) -> str:
    """Return the text of a value; ``spelled`` writes what is no list and no mapping.

    What fits a line stands in one, so that a row of a table is a line.

    >>> print(literal({"name": "a", "logs": [[-1.0, -2.0]]}, python_value))
    {"name": 'a', "logs": [[-1.0, -2.0]]}
    """
    plain = _plain(value, spelled)
    if plain is not None and len(plain) + indent <= _WIDTH:
        return plain
    pad = " " * (indent + 2)
    if isinstance(value, Mapping):
        parts = [f'{pad}"{key}": {literal(own, spelled, indent + 2)},\n' for key, own in value.items()]
        return "{\n" + "".join(parts) + " " * indent + "}"
    if isinstance(value, list):
        parts = [f"{pad}{literal(own, spelled, indent + 2)},\n" for own in value]
        return "[\n" + "".join(parts) + " " * indent + "]"
    return spelled(value)


def _plain(value: Any, spelled: Callable[[Any], str], room: int = _WIDTH) -> str | None:
    """The text in one line; None if it is much too long for one."""
    if isinstance(value, Mapping):
        parts = [(f'"{key}": ', own) for key, own in value.items()]
        ends = "{}"
    elif isinstance(value, list):
        parts = [("", own) for own in value]
        ends = "[]"
    else:
        return spelled(value)
    texts = []
    for before, own in parts:
        text = _plain(own, spelled, room)
        if text is None or (room := room - len(before) - len(text) - 2) < 0:
            return None
        texts.append(before + text)
    return ends[0] + ", ".join(texts) + ends[1]


def python_value(value: Any) -> str:
    """A number, a name or a state in Python.

    >>> python_value(-math.inf), python_value('"; DROP TABLE x')
    ('-inf', '\\'"; DROP TABLE x\\'')
    """
    if type(value) is tuple:
        return f"({', '.join(map(python_value, value))}{',' if len(value) == 1 else ''})"
    if type(value) is Interval:
        return repr(str(value))
    known = (str, int, float, bool, datetime.date, datetime.datetime, datetime.time)
    if type(value) in known and getattr(value, "tzinfo", None) is None:
        return repr(value)
    raise _unknown(value, "Python")


def javascript_value(value: Any) -> str:
    """A number, a name or a state in JavaScript; dates as texts.

    >>> print(javascript_value("</script>\\u2028"), javascript_value(-math.inf))
    "\\u003c/script>\\u2028" -Infinity
    """
    if isinstance(value, (datetime.date, datetime.time)):
        value = value.isoformat()
    if type(value) is Interval:
        value = str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    exact = not isinstance(value, int) or abs(value) <= _LARGEST_EXACT
    if type(value) in (str, int, float, bool) and exact:
        return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
    raise _unknown(value, "JavaScript")


def _unknown(value: Any, language: str) -> BadQuestion:
    return BadQuestion(
        f"{value!r} cannot be written in {language}; texts, numbers, truth values and dates can. Rename it "
        "before the export."
    )
