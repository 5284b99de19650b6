"""The clique tree of a whole network without the combinations of states that cannot occur.

Where tables have many zeros, most entries of large cliques are 0 whatever is found. The tree stores the
others only (Jensen and Andersen 1990): munin1 has 12 million of them instead of 275 million. To make it takes
as long as several large plans take to run, so it is made once plans have gone through that many entries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from threading import Lock

import numpy as np

from bayou._native._core import InferencePlan, SparseTree
from bayou.inference.exact.placed_tree import PlacedTree
from bayou.memory import current_limits
from bayou.schema import Schema
from bayou.typing import FloatArray

LEAST_ENTRIES = 2**20
"""Plans with fewer table entries take a few milliseconds: they are run as they are."""
WORTH_A_TREE = 1e8
"""So many table entries of plans take about as long as making the tree."""
WORDS_AN_ENTRY = 1.0
"""A number of a tree takes about as long as an entry of a plan."""
MOST_ENTRIES = 4e9
"""For larger plans there is no tree: to find out that it is too large would take long."""
BYTES_A_WORD = 8
"""About the bytes of a tree, its messages included, for each number that describes its runs."""


class CompiledSparseTree(PlacedTree[SparseTree]):
    """A network's sparse tree."""

    def marginals(
        self, observed: Sequence[int], codes: Sequence[int], weights: Mapping[int, FloatArray] | None = None
    ) -> tuple[float, FloatArray] | None:
        """Return log P(findings), -inf if impossible, and all marginals; None where a plan must be asked.

        ``weights`` are the likelihoods of variables by number.
        """
        variables, arrays, log_scale = list(observed), [], 0.0
        for number, code in zip(observed, codes, strict=True):
            found = np.zeros(self.schema.variables[number].cardinality)
            found[code] = 1.0
            arrays.append(found)
        for number, given in (weights or {}).items():
            largest = float(given.max())
            if not largest > 0:
                return None
            variables.append(number)
            arrays.append(np.ascontiguousarray(given / largest, dtype=np.float64))
            log_scale += float(np.log(largest))
        log_evidence, flat = self.core.marginals(variables, arrays)
        return None if isnan(log_evidence) else (log_evidence + log_scale, flat)


class SparseChoice:
    """A network's sparse tree, made when it pays off, and whether it is faster than a plan.

    ``scopes`` and ``tables`` are those of all variables, by number.
    """

    def __init__(
        self,
        schema: Schema,
        scopes: Mapping[int, list[int]],
        tables: Mapping[int, FloatArray],
        is_possible: bool,
    ) -> None:
        self._schema, self._scopes, self._tables = schema, scopes, tables
        self._tree: CompiledSparseTree | None = None
        self._is_open = is_possible
        self._entries = 0.0
        self._lock = Lock()

    @property
    def tree(self) -> CompiledSparseTree | None:
        """The tree, if it has been made and a run stays within the current limits."""
        return self._tree if self._tree is not None and self._tree.is_allowed else None

    def instead_of(self, plan: InferencePlan) -> CompiledSparseTree | None:
        """The tree, if it answers faster than this plan; None: run the plan."""
        if plan.entries < LEAST_ENTRIES:
            return None
        # Where the limits allow less work than making a tree takes, somebody waits for quick answers only.
        if current_limits().work >= WORTH_A_TREE and plan.entries <= MOST_ENTRIES:
            self._count(plan)
        tree = self.tree
        is_faster = tree is not None and tree.core.words < WORDS_AN_ENTRY * plan.entries
        return tree if is_faster else None

    def forget(self) -> None:
        """Drop the tree (used to measure a cold start); it is made again if it pays off."""
        with self._lock:
            self._is_open = self._is_open or self._tree is not None
            self._tree, self._entries = None, 0.0

    def _count(self, plan: InferencePlan) -> None:
        """Make the tree as soon as plans have gone through enough entries, this one included."""
        with self._lock:
            if not self._is_open:
                return
            self._entries += plan.entries
            if self._entries >= WORTH_A_TREE:
                self._tree, self._is_open = self._made(plan), False

    def _made(self, plan: InferencePlan) -> CompiledSparseTree | None:
        """Make the tree; None if it would be larger than this plan, or a table does not sum to 1."""
        most = min(WORDS_AN_ENTRY * plan.entries, current_limits().memory / BYTES_A_WORD)
        cards = [variable.cardinality for variable in self._schema]
        scopes = [self._scopes[number] for number in range(len(cards))]
        tables = [self._tables[number] for number in range(len(cards))]
        try:
            return CompiledSparseTree(SparseTree(cards, scopes, tables, most), self._schema)
        except ValueError:
            return None
