"""The reference of the kernel of class trees: node by node, with dictionaries of counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native.reference.members.tree_growth import Node, TreeGrower, bag_key, mixed, tree_key
from bayou.typing import BoolArray, FloatArray, IntArray

_NEVER_SEEN = 255
_SMOOTHINGS = (0.1, 0.18, 0.3, 0.55, 1.0, 1.7, 3.0)
_WHOLE_BITS = 44

Codes = npt.NDArray[np.uint8]
Classes = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]


class ClassTrees:
    """As ``bayou._native.ClassTrees``: trees of P(class | columns) that back off, and their pools.

    >>> trees = ClassTrees([3], [True], 2, 4, 1, 1.0, 100, 0)
    >>> codes, y = np.array([[0, 1]], dtype=np.uint8), np.array([0, 1], dtype=np.int32)
    >>> trees.grow(codes, y, None, np.array([1, 2], dtype=np.uint64))
    >>> trees.predict(codes)[0].argmax(axis=1).tolist()
    [0, 1]
    """

    def __init__(
        self,
        cards: list[int],
        ordered: list[bool],
        n_classes: int,
        n_trees: int,
        tried: int,
        bag_share: float,
        most_grown: int,
        seed: int,
    ) -> None:
        self.cards, self.ordered, self.n_classes, self.n_trees = cards, ordered, n_classes, n_trees
        self.tried, self.bag_share, self.most_grown, self.seed = tried, bag_share, most_grown, seed
        self.first = np.concatenate([[0], np.cumsum(np.array(cards) + 1)]).astype(int)
        self.smoothing, self.unit, self.bag_limit = 1.0, 1.0, 0
        self.ranks: list[list[int]] = []
        self.nodes: list[list[Node]] = []
        self.own: list[list[dict[int, float]]] = []

    def grow(
        self, codes: Codes, y: Classes, weights: FloatArray | None, row_hashes: Hashes, threads: int = 0
    ) -> None:
        """Learn where trees split, each on the rows in its bag, and count all rows."""
        self.unit = _unit(weights)
        units = self._in_units(weights, len(y))
        grower = TreeGrower(self, codes, y, units, row_hashes)
        self.bag_limit = grower.bag_limit
        grown = [grower.grow(number) for number in range(self.n_trees)]
        self.ranks, self.nodes = [ranks for ranks, _ in grown], [nodes for _, nodes in grown]
        self.own = [[{} for _ in nodes] for nodes in self.nodes]
        self.add(codes, y, weights)

    def add(self, codes: Codes, y: Classes, weights: FloatArray | None, threads: int = 0) -> None:
        """Count further rows; splits stay."""
        added = np.ones(len(y)) if weights is None else self._in_units(weights, len(y)) * self.unit
        for row in np.flatnonzero(added > 0):
            for tree, own in enumerate(self.own):
                counts, label = own[self._path(tree, codes[:, row])[-1]], int(y[row])
                counts[label] = counts.get(label, 0.0) + float(added[row])

    def choose_smoothing(
        self,
        codes: Codes,
        y: Classes,
        weights: FloatArray | None,
        row_hashes: Hashes,
        taken: FloatArray,
        threads: int = 0,
    ) -> None:
        """Use the m for which these rows are likeliest where they are held out."""
        if len(y) == 0:
            self.smoothing = 1.0
            return
        likelihoods = []
        for self.smoothing in _SMOOTHINGS:
            total = 0.0
            for row in range(len(y)):
                trees = [t for t in range(self.n_trees) if not self._in_bag(t, row_hashes[row])]
                found = [
                    self._posteriors(t, codes[:, row], int(y[row]), taken[row])[-1][y[row]] for t in trees
                ]
                weight = 1.0 if weights is None else weights[row]
                total += weight * np.log(max(np.mean(found), 1e-300)) if trees else 0.0
            likelihoods.append(total)
        self.smoothing = _SMOOTHINGS[int(np.argmax(likelihoods))]

    def held_out(
        self,
        codes: Codes,
        y: Classes,
        row_hashes: Hashes,
        taken: FloatArray,
        grown: BoolArray | None,
        threads: int = 0,
    ) -> tuple[FloatArray, FloatArray]:
        """Log P(class | row) of trees without the row, less ``taken`` in every count."""
        rows = []
        for row in range(len(y)):
            was_grown = grown is None or grown[row]
            trees = [t for t in range(self.n_trees) if not (was_grown and self._in_bag(t, row_hashes[row]))]
            each = [self._posteriors(t, codes[:, row], int(y[row]), taken[row])[-1] for t in trees]
            rows.append(each or [self._posteriors(0, codes[:, row], int(y[row]), taken[row])[0]])
        return self._pooled(rows)

    def predict(self, codes: Codes, threads: int = 0) -> tuple[FloatArray, FloatArray]:
        """Log P(class | row) of all trees: arithmetic and geometric mean."""
        return self._pooled(
            [
                [self._posteriors(tree, codes[:, row])[-1] for tree in range(self.n_trees)]
                for row in range(codes.shape[1])
            ]
        )

    def paths(self, codes: Codes, row: int) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
        """(first, columns, thresholds, posteriors) of the nodes that a row passes in each tree."""
        first, columns, thresholds, posteriors = [0], [], [], []
        for tree, nodes in enumerate(self.nodes):
            path = self._path(tree, codes[:, row])
            columns += [nodes[node].column for node in path[:-1]] + [-1]
            thresholds += [nodes[node].threshold for node in path[:-1]] + [-1]
            posteriors += self._posteriors(tree, codes[:, row])
            first.append(len(columns))
        whole = [np.array(values, dtype=np.int64) for values in (first, columns, thresholds)]
        return whole[0], whole[1], whole[2], np.array(posteriors)

    def splits(self) -> tuple[Any, ...]:
        """(ranks, sizes, columns, thresholds)"""
        return self.state()[:4]

    def counts_of_rows(
        self,
        ranks: npt.NDArray[np.uint8],
        sizes: IntArray,
        columns: npt.NDArray[np.uint16],
        thresholds: npt.NDArray[np.int16],
        unit: float,
        codes: Codes,
        y: Classes,
        weights: FloatArray | None,
        threads: int = 0,
    ) -> tuple[Any, ...]:
        """(lengths, classes, counts) of rows in the nodes of trees that split like this."""
        shape = self.cards, self.ordered, self.n_classes, self.n_trees
        trees = ClassTrees(*shape, self.tried, self.bag_share, self.most_grown, self.seed)
        nothing = np.zeros(len(columns), np.uint32), np.zeros(0, np.uint16), np.zeros(0)
        trees.restore(ranks, sizes, columns, thresholds, *nothing, 1.0, unit, 0)
        trees.add(codes, y, weights)
        return trees.state()[4:]

    def state(self) -> tuple[Any, ...]:
        """(ranks, sizes, columns, thresholds, lengths, classes, counts)"""
        nodes = [node for tree in self.nodes for node in tree]
        own = [sorted(counts.items()) for tree in self.own for counts in tree]
        return (
            np.array(self.ranks, dtype=np.uint8).ravel(),
            np.array([len(tree) for tree in self.nodes], dtype=np.int64),
            np.array([node.column for node in nodes], dtype=np.uint16),
            np.array([node.threshold for node in nodes], dtype=np.int16),
            np.array([len(counts) for counts in own], dtype=np.uint32),
            np.array([label for counts in own for label, _ in counts], dtype=np.uint16),
            np.array([count for counts in own for _, count in counts], dtype=np.float64),
        )

    def restore(
        self,
        ranks: npt.NDArray[np.uint8],
        sizes: IntArray,
        columns: npt.NDArray[np.uint16],
        thresholds: npt.NDArray[np.int16],
        lengths: npt.NDArray[np.uint32],
        classes: npt.NDArray[np.uint16],
        counts: FloatArray,
        smoothing: float,
        unit: float,
        bag_limit: int,
        threads: int = 0,
    ) -> None:
        """Become the trees of a saved state."""
        self.smoothing, self.unit, self.bag_limit = smoothing, unit, bag_limit
        self.ranks = [list(map(int, each)) for each in ranks.reshape(self.n_trees, -1)]
        ends = np.cumsum(lengths).astype(int)
        entries = list(zip(classes.tolist(), counts.tolist(), strict=True))
        self.nodes, self.own, node = [], [], 0
        for size in sizes:
            own = [dict(entries[ends[at] - lengths[at] : ends[at]]) for at in range(node, node + size)]
            tree = [Node(int(columns[at]), int(thresholds[at])) for at in range(node, node + size)]
            waiting: list[Node] = []
            for at, each in enumerate(tree):
                if each.threshold >= 0:
                    waiting.append(each)
                elif waiting:
                    waiting.pop().right = at + 1
            self.nodes.append(tree)
            self.own.append(own)
            node += size

    def _in_units(self, weights: FloatArray | None, rows: int) -> FloatArray:
        return np.ones(rows) if weights is None else np.rint(weights / self.unit)

    def _in_bag(self, tree: int, row_hash: np.uint64) -> bool:
        return mixed(int(row_hash) ^ bag_key(tree_key(self.seed, tree))) < self.bag_limit

    def _path(self, tree: int, codes: Codes) -> list[int]:
        path, nodes = [0], self.nodes[tree]
        while nodes[path[-1]].threshold >= 0:
            node = nodes[path[-1]]
            rank = self.ranks[tree][self.first[node.column] + codes[node.column]]
            if rank == _NEVER_SEEN:
                break
            path.append(node.right if rank > node.threshold else path[-1] + 1)
        return path

    def _counts(self, tree: int, node: int) -> FloatArray:
        """The counts of the rows that pass through a node."""
        counts = np.zeros(self.n_classes)
        for label, count in self.own[tree][node].items():
            counts[label] += count
        if self.nodes[tree][node].threshold >= 0:
            counts += self._counts(tree, node + 1) + self._counts(tree, self.nodes[tree][node].right)
        return counts

    def _posteriors(
        self, tree: int, codes: Codes, label: int | None = None, taken: float = 0.0
    ) -> list[FloatArray]:
        posterior, found = np.full(self.n_classes, 1.0 / self.n_classes), []
        for node in self._path(tree, codes):
            counts = self._counts(tree, node)
            if label is not None:
                counts[label] = max(0.0, counts[label] - taken)
            posterior = (counts + self.smoothing * posterior) / (counts.sum() + self.smoothing)
            found.append(posterior)
        return found

    @staticmethod
    def _pooled(rows: list[list[FloatArray]]) -> tuple[FloatArray, FloatArray]:
        arithmetic = np.log(np.array([np.mean(each, axis=0) for each in rows]))
        geometric = np.array([np.mean(np.log(each), axis=0) for each in rows])
        return arithmetic, geometric - np.log(np.exp(geometric).sum(axis=1, keepdims=True))


def _unit(weights: FloatArray | None) -> float:
    """Weights become whole multiples of this, so that their sums are exact in any order."""
    if weights is None or not weights.sum() > 0:
        return 1.0
    if np.array_equal(weights, np.floor(weights)) and weights.sum() < 2.0**_WHOLE_BITS:
        return 1.0
    return float(2.0 ** np.ceil(np.log2(weights.sum() * 1.37) - _WHOLE_BITS))
