"""Rows in a request: the names of the columns once, then the values of each row; null is a gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from bayou.errors import BadData
from bayou.server.messages import Message, Value, decoded
from bayou.typing import Name

MOST_ROWS = 100_000
Rows = Annotated[list[list[Value | None]], Meta(max_length=MOST_ROWS)]


class GivenRows(Message):
    """Rows as lists of values, in the order of the columns."""

    columns: Annotated[list[Value], Meta(min_length=1)]
    rows: Rows


def columns_given(columns: Sequence[Value], rows: Sequence[Sequence[Value | None]]) -> dict[Name, list[Any]]:
    """Return rows as columns by name, with Python's values.

    >>> columns_given(["a", "b"], [["yes", None], ["no", 2.5]])
    {'a': ['yes', 'no'], 'b': [None, 2.5]}
    """
    names = [decoded(name) for name in columns]
    found: dict[Name, list[Any]] = {name: [] for name in names}
    if len(found) < len(names):
        raise BadData("Two columns have the same name: name each column once.")
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise BadData(
                f"Row {number} (counting from 0) has {len(row)} values; there are {len(names)} columns."
            )
        for name, value in zip(names, row, strict=True):
            found[name].append(None if value is None else decoded(value))
    return found
