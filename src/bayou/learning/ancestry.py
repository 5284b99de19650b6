"""Who is whose ancestor in a graph whose arcs come and go one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bayou.learning.found import Parents
from bayou.typing import BoolArray


class Ancestry:
    """Ancestors as matrices for the many and as bits of whole numbers for the changes, kept equal.

    ``ancestors[a, b]`` says that there is a way from b to a, or that they are the same; ``indirect[a, b]``
    that there is one over others (so that an arc b → a can not be turned).

    >>> lines = Ancestry(3)
    >>> lines.link(0, 1); lines.link(1, 2); lines.link(0, 2)
    array([1])
    array([2])
    array([2])
    >>> lines.ancestors[2].tolist(), lines.indirect[2].tolist()
    ([True, True, True], [True, False, False])
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.parents: list[tuple[int, ...]] = [()] * size
        self.ancestors: BoolArray = np.eye(size, dtype=bool)
        self.indirect: BoolArray = np.zeros((size, size), dtype=bool)
        self._all = [1 << node for node in range(size)]
        self._far = [0] * size
        self._width = (size + 7) // 8

    def rebuild(self, parents: Parents) -> None:
        """Take over a whole graph (without circles)."""
        self.parents = list(parents)
        for node in topological(parents):
            self._trace(node)
        self._write(range(self.size))

    def link(self, parent: int, child: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Add an arc that closes no circle; returns who may have got ancestors."""
        self.parents[child] = tuple(sorted((*self.parents[child], parent)))
        below = np.flatnonzero(self.ancestors[:, child])
        new = self._all[parent]
        for node in below.tolist():
            self._all[node] |= new
            self._far[node] |= new if node != child else new ^ (1 << parent)
        self.ancestors[below] |= self.ancestors[parent]
        self.indirect[below] |= self.ancestors[parent]
        self.indirect[child, parent] = bool(self._far[child] >> parent & 1)
        return below

    def unlink(self, parent: int, child: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """Take an arc away; returns who may have lost ancestors."""
        self.parents[child] = tuple(other for other in self.parents[child] if other != parent)
        below = np.flatnonzero(self.ancestors[:, child])
        # Whoever has fewer ancestors can not come after: so this is a topological order.
        for node in sorted(below.tolist(), key=lambda node: self._all[node].bit_count()):
            self._trace(node)
        self._write(below.tolist())
        return below

    def _trace(self, node: int) -> None:
        """Find the ancestors of a node from those of its parents."""
        near, far = 1 << node, 0
        for parent in self.parents[node]:
            near |= self._all[parent]
            far |= self._all[parent] ^ (1 << parent)
        self._all[node], self._far[node] = near, far

    def _write(self, nodes: Sequence[int]) -> None:
        self.ancestors[nodes] = self._matrix(self._all[node] for node in nodes)
        self.indirect[nodes] = self._matrix(self._far[node] for node in nodes)

    def _matrix(self, rows: Iterable[int]) -> BoolArray:
        packed = b"".join(row.to_bytes(self._width, "little") for row in rows)
        table = np.frombuffer(packed, dtype=np.uint8).reshape(-1, self._width)
        return np.unpackbits(table, axis=1, count=self.size, bitorder="little").view(np.bool_)


def topological(parents: Parents) -> list[int]:
    """The nodes, parents before children.

    >>> topological(((1,), (), (0,)))
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
