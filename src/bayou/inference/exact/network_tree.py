"""The clique tree of a whole network: answers questions whose names were not asked about before.

To compile a plan takes far longer than to run it. The tree is compiled once, and each set of findings is
entered into it; only messages that a finding changes are computed. It needs tables that sum to 1, because a
plan leaves out the variables that sum to 1 and the tree does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from bayou._native._core import NetworkTree
from bayou.inference.exact.placed_tree import PlacedTree
from bayou.schema import Schema
from bayou.typing import FloatArray

ENTRIES_A_VARIABLE = 2000
MOST_ENTRIES = 2**17
"""The most table entries, per variable and in all: above, a plan for the findings at hand is faster."""


class CompiledTree(PlacedTree[NetworkTree]):
    """A network's clique tree."""


def compiled_tree(
    schema: Schema, scopes: Sequence[list[int]], tables: Sequence[FloatArray]
) -> CompiledTree | None:
    """Compile the tree of a network of tables; None if it would be large, or a table does not sum to 1."""
    cards = [variable.cardinality for variable in schema]
    most = min(MOST_ENTRIES, ENTRIES_A_VARIABLE * len(cards))
    try:
        return CompiledTree(NetworkTree(cards, list(scopes), list(tables), most), schema)
    except ValueError:
        return None
