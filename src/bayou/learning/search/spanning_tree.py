"""The maximum spanning tree over some variables, by Prim's algorithm, with a record of its steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.typing import FloatArray, Name

NEGLIGIBLE = 1e-12
"""Information up to this is rounding: it does not connect two variables."""


@dataclass(frozen=True)
class TreeStep:
    """One step: the arc that was added, its weight, and the weight of the next best arc (0 if none)."""

    parent: Name
    child: Name
    weight: float
    runner_up: float


def heaviest_tree(
    names: Sequence[Name], weights: FloatArray, root: Name | None = None, least: float = NEGLIGIBLE
) -> list[TreeStep]:
    """A maximum spanning tree grown from the root, or a forest where edges weigh no more than ``least``.

    Arcs point away from the root. Equal weights are taken in the order of the names.

    >>> steps = heaviest_tree(["a", "b", "c"], np.array([[0, 1, 3], [1, 0, 2], [3, 2, 0]], dtype=float))
    >>> [(step.parent, step.child, step.weight) for step in steps]
    [('a', 'c', 3.0), ('c', 'b', 2.0)]
    """
    count = len(names)
    best = np.full(count, -np.inf)
    parent = np.full(count, -1)
    waiting = np.ones(count, dtype=bool)
    steps: list[TreeStep] = []
    start = names.index(root) if root is not None else 0
    for _ in range(count):
        # The heaviest edge out of the tree; if there is none, a new tree begins.
        chosen = int(best.argmax())
        if best[chosen] > least:
            weight, best[chosen] = float(best[chosen]), -np.inf
            other = float(best.max())
            runner_up = other if other > least else 0.0
            steps.append(TreeStep(names[parent[chosen]], names[chosen], weight, runner_up))
        else:
            chosen = start if waiting[start] else int(waiting.argmax())
        waiting[chosen] = False
        best[chosen] = -np.inf
        better = (weights[chosen] > best) & waiting
        best[better] = weights[chosen][better]
        parent[better] = chosen
    return steps
