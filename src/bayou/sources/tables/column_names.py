"""Names of columns: where each is in a table, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Sequence

from bayou.errors import BadData, UnknownVariable
from bayou.schema import state_key
from bayou.typing import Name


def name_index(names: Sequence[Name]) -> dict[tuple[str, Name], int]:
    """Return the position of each name, by its key; an empty list or a repeated name is refused."""
    if not names:
        raise BadData("The table has no columns.")
    index: dict[tuple[str, Name], int] = {}
    for position, name in enumerate(names):
        try:
            first = index.setdefault(state_key(name), position)
        except TypeError:
            raise BadData(f"A column's name must be hashable; {name!r} is not.") from None
        if first != position:
            raise BadData(
                f"Two columns are called {name!r} (columns {first + 1} and {position + 1}). Rename one."
            )
    return index


def find_name(index: dict[tuple[str, Name], int], name: Name, known: Sequence[Name]) -> int:
    """Return the position of a name; the error for an unknown one suggests the nearest name."""
    try:
        return index[state_key(name)]
    except (KeyError, TypeError):
        raise UnknownVariable.named(name, known, "in the data") from None


class IfPresent(tuple[Name, ...]):
    """Names of columns to read, of which the data may lack some but not all.

    >>> from bayou.sources import read_columns
    >>> read_columns({"a": [1], "b": [2]}, names=IfPresent(["b", "c"])).names
    ('b',)
    """

    __slots__ = ()


def wanted_positions(known: Sequence[Name], names: Sequence[Name] | None) -> list[int]:
    """Return the positions of these names among the known ones; None means all of them."""
    index = name_index(known)
    if names is None:
        return list(range(len(known)))
    if isinstance(names, IfPresent):
        found = [index[state_key(name)] for name in names if state_key(name) in index]
        if not found:
            raise BadData.lacks(names, known)
        return found
    return [find_name(index, name, known) for name in names]
