"""The heaviest tree over some variables, by Prim's algorithm, its steps kept to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.typing import FloatArray, Name

NEGLIGIBLE = 1e-12
"""Information below this is rounding: such variables stay unconnected."""


@dataclass(frozen=True)
class TreeStep:
    """One step: the arc that was added, its information, and the best one that was passed over."""

    parent: Name
    child: Name
    weight: float
    runner_up: float


def heaviest_tree(
    names: Sequence[Name], weights: FloatArray, root: Name | None = None, least: float = NEGLIGIBLE
) -> list[TreeStep]:
    """A maximum spanning tree (a forest, where no edge weighs more than ``least``), grown from the root.

    Arcs point away from the root. Equal weights are taken in the order of the names.

    >>> steps = heaviest_tree(["a", "b", "c"], np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]], dtype=float))
    >>> [(step.parent, step.child, step.weight) for step in steps]
    [('a', 'c', 3.0), ('c', 'b', 2.0)]
    """
    count = len(names)
    waiting = set(range(count))
    best = np.full(count, -np.inf)
    parent = np.full(count, -1)
    steps: list[TreeStep] = []
    start = names.index(root) if root is not None else 0
    while waiting:
        # The strongest edge out of the tree; without one a new tree begins.
        reachable = [k for k in sorted(waiting) if best[k] > least]
        chosen = max(reachable, key=lambda k: best[k]) if reachable else _next_root(waiting, start)
        if reachable:
            others = [best[k] for k in reachable if k != chosen]
            runner_up = float(max(others, default=0.0))
            steps.append(TreeStep(names[parent[chosen]], names[chosen], float(best[chosen]), runner_up))
        waiting.remove(chosen)
        for k in waiting:
            if weights[chosen, k] > best[k]:
                best[k], parent[k] = weights[chosen, k], chosen
    return steps


def _next_root(waiting: set[int], start: int) -> int:
    return start if start in waiting else min(waiting)
