"""Ancestors in a graph, and a topological order."""

from __future__ import annotations

import numpy as np

from bayou.learning.search.search_result import Parents
from bayou.typing import BoolArray


class Ancestry:
    """``ancestors[a, b]``: a directed path leads from b to a, or a = b; ``indirect[a, b]``: a path of two or
    more arcs leads from b to a.

    (An arc b → a can be turned only if there is no indirect path, which would close a cycle.)

    >>> lines = Ancestry(((), (0,), (0, 1)))
    >>> lines.ancestors[2].tolist(), lines.indirect[2].tolist()
    ([True, True, True], [True, False, False])
    """

    def __init__(self, parents: Parents) -> None:
        self.parents = parents
        self.ancestors: BoolArray = np.eye(len(parents), dtype=bool)
        self.indirect: BoolArray = np.zeros_like(self.ancestors)
        for node in topological_order(parents):
            for parent in parents[node]:
                self.ancestors[node] |= self.ancestors[parent]
                above = self.ancestors[parent].copy()
                above[parent] = False
                self.indirect[node] |= above


def topological_order(parents: Parents) -> list[int]:
    """The nodes in topological order (parents before children), otherwise in the order of their numbers.

    >>> topological_order(((1,), (), (0,)))
    [1, 0, 2]
    """
    order: list[int] = []
    done: set[int] = set()
    waiting = list(reversed(range(len(parents))))
    while waiting:
        node = waiting[-1]
        missing = [parent for parent in parents[node] if parent not in done]
        if missing:
            waiting.extend(missing)
            continue
        waiting.pop()
        if node not in done:
            done.add(node)
            order.append(node)
    return order
