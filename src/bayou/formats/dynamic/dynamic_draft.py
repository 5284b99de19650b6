"""The contents of a file with a dynamic network as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayou.formats.draft import NetworkDraft
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class DynamicDraft:
    """A dynamic network: its first slice as a static draft, and the tables of later slices.

    ``arcs`` has (parent, child, lag) of all arcs; those of a child stand in the order of its tables' axes.
    ``later`` has the table of a variable from its second slice on, by (name, number of the slice); a parent
    that does not exist in the slice has no axis. The last table serves all later slices. ``constant``
    variables have one value, ``first`` and ``last`` ones exist in the first and in the last slice only.
    """

    static: NetworkDraft
    arcs: tuple[tuple[Name, Name, int], ...]
    later: Mapping[tuple[Name, int], FloatArray]
    constant: frozenset[Name] = frozenset()
    first: frozenset[Name] = frozenset()
    last: frozenset[Name] = frozenset()
