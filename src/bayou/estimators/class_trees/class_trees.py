"""Many class trees learned from coded columns: grown on part of the rows, counted from all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native import ClassTrees as TreeKernel
from bayou.estimators.class_trees.grown_trees import Classes, Codes, GrownTrees, Hashes
from bayou.estimators.class_trees.saved_trees import (
    NAMES,
    SPLITS,
    columns_read,
    packed_arrays,
    saved_columns,
    unpacked_arrays,
)
from bayou.estimators.class_trees.tree_paths import RowPaths, row_paths
from bayou.typing import BoolArray, FloatArray, IntArray

BAG_SHARE = 0.632
MOST_GROWN = 65536


@dataclass(frozen=True)
class TreePools:
    """log P(class | row), a row for each row: of the arithmetic and of the geometric mean of the trees."""

    arithmetic: FloatArray
    geometric: FloatArray


@dataclass(frozen=True, eq=False)
class LeafCounts:
    """How many classes have rows that end in each node of all trees; which ones, and how many rows."""

    lengths: npt.NDArray[np.uint32]
    classes: npt.NDArray[np.uint16]
    counts: FloatArray


@dataclass(frozen=True)
class TreeShape:
    """What is fixed before trees grow: of columns, the numbers of codes and which ones are ordered."""

    cards: tuple[int, ...]
    ordered: tuple[bool, ...]
    n_classes: int
    n_trees: int = 80
    tried: int = 1
    seed: int = 0
    bag_share: float = BAG_SHARE
    most_grown: int = MOST_GROWN

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> TreeShape:
        """The shape in a state of trees."""
        cards, ordered = columns_read(state)
        return cls(
            tuple(cards),
            tuple(ordered),
            int(state["n_classes"]),
            int(state["n_trees"]),
            int(state["tried"]),
            int(state["seed"]),
            float(state["bag_share"]),
            int(state["most_grown"]),
        )

    def kernel(self) -> TreeKernel:
        """Trees of this shape, not grown yet."""
        return TreeKernel(
            list(self.cards),
            list(self.ordered),
            self.n_classes,
            self.n_trees,
            self.tried,
            self.bag_share,
            self.most_grown,
            self.seed,
        )


class ClassTrees(GrownTrees[TreeShape, TreeKernel, TreePools]):
    """Class trees that know which rows they were grown on.

    A tree splits the rows in its bag (63 % of them) until each node has one class or no column that differs;
    each node tries some columns drawn for it and takes the best information gain. Then all rows are counted
    into every node, and P(class) backs off from the leaf to the root: (n(class, node) + m P(class | parent))
    / (n(node) + m).

    Codes are bytes, a row of the array for each column. The last code of a column means a gap; it is one more
    value. The code after it, which no row of training has, means a value that is unknown. Codes of ordered
    columns are split by a threshold (gaps on either side of all others, drawn for each tree), those of
    categories by a threshold in an order drawn for each tree. A row whose category or gap was never seen in
    training, or whose value is unknown, stops in the node that asks for it.

    Whether a row is in a bag follows from the seed, the tree and the row's hash: neither order nor batches
    nor threads change a bit of the result, a row of weight 2 is the same as the row twice, and one of weight
    0 as none.

    >>> codes = np.array([[0, 0, 1, 1] * 25, [0, 1, 0, 1] * 25], dtype=np.uint8)
    >>> y = np.array([0, 1, 1, 0] * 25, dtype=np.int32)
    >>> hashes = np.arange(100, dtype=np.uint64)
    >>> trees = ClassTrees.grow(codes, y, 2, row_hashes=hashes, cards=[3, 3], ordered=[True, True])
    >>> trees.predict(codes[:, :4]).arithmetic.argmax(axis=1).tolist()
    [0, 1, 1, 0]
    """

    @classmethod
    def grow(
        cls,
        codes: Codes,
        y: Classes,
        n_classes: int,
        *,
        row_hashes: Hashes,
        cards: list[int],
        ordered: list[bool],
        weights: FloatArray | None = None,
        kept: IntArray | None = None,
        kept_weights: FloatArray | None = None,
        seed: int = 0,
        n_trees: int = 80,
        tried: int | None = None,
        most_grown: int = MOST_GROWN,
        threads: int = 0,
    ) -> ClassTrees:
        """Learn from rows; ``held_out`` has the probabilities of the ``kept`` ones, by which m is chosen.

        ``kept_weights`` are their weights in that choice (those of the rows, if not given). What is taken off
        the counts for a kept row is its weight, at most 1: one of the rows that it stands for. ``tried``
        columns are tried at each node (the square root of their number). Trees grow on about ``most_grown``
        distinct rows at most; all rows are counted.
        """
        tried = tried or max(1, round(sqrt(len(cards))))
        shape = TreeShape(
            tuple(cards), tuple(ordered), n_classes, n_trees, tried, seed, BAG_SHARE, most_grown
        )
        kernel, codes = shape.kernel(), np.ascontiguousarray(codes)
        kernel.grow(codes, y, weights, row_hashes, threads)
        trees = cls(shape, kernel)
        if kept is not None:
            own = np.ones(len(kept)) if weights is None else weights[kept]
            taken = np.minimum(own, 1.0)
            rows = np.ascontiguousarray(codes[:, kept]), y[kept]
            hashes = row_hashes[kept]
            kernel.choose_smoothing(
                *rows, own if kept_weights is None else kept_weights, hashes, taken, threads
            )
            trees._held_out = trees.held_out_rows(*rows, hashes, taken, threads=threads)
        else:
            kernel.choose_smoothing(codes[:, :0].copy(), y[:0], None, row_hashes[:0], np.zeros(0), threads)
        return trees

    def judge(self, codes: Codes, y: Classes, row_hashes: Hashes, weights: FloatArray) -> None:
        """Choose m anew by counted rows; ``held_out`` has their probabilities from now on."""
        taken = np.minimum(weights, 1.0)
        codes = np.ascontiguousarray(codes)
        self._kernel.choose_smoothing(codes, y, weights, row_hashes, taken, 0)
        self._held_out = self.held_out_rows(codes, y, row_hashes, taken)

    @property
    def smoothing(self) -> float:
        """The m of the back-off: how many rows the parent's posterior counts for."""
        return self._kernel.smoothing

    def held_out_rows(
        self,
        codes: Codes,
        y: Classes,
        row_hashes: Hashes,
        taken: FloatArray,
        *,
        grown: BoolArray | None = None,
        threads: int = 0,
    ) -> TreePools:
        """The probabilities of counted rows by trees grown without them.

        ``taken`` is taken off every count of a row's class. Rows that are not ``grown`` were added after the
        trees had grown: no bag has them, and all trees judge them.
        """
        return TreePools(
            *self._kernel.held_out(np.ascontiguousarray(codes), y, row_hashes, taken, grown, threads)
        )

    def predict(self, codes: Codes, threads: int = 0) -> TreePools:
        """The probabilities of rows by all trees."""
        return TreePools(*self._kernel.predict(np.ascontiguousarray(codes), threads))

    def add(self, codes: Codes, y: Classes, weights: FloatArray | None = None, threads: int = 0) -> None:
        """Count further rows into the nodes; splits and m stay. What ``held_out`` has stays as it was."""
        self._kernel.add(np.ascontiguousarray(codes), y, weights, threads)

    def paths(self, codes: Codes, row: int = 0) -> RowPaths:
        """The way of one row through each tree: what is asked, and P(class) in each node."""
        ranks = self._kernel.state()[0].reshape(self.shape.n_trees, -1)
        return row_paths(
            codes[:, row], self.shape.cards, ranks, *self._kernel.paths(np.ascontiguousarray(codes), row)
        )

    def state(self) -> dict[str, Any]:
        """Numbers and flat arrays from which ``from_state`` makes the same trees."""
        return {**self._shape_state(), **packed_arrays(NAMES, self._kernel.state())}

    def splits(self) -> dict[str, Any]:
        """The part of ``state`` that says where trees split: all but the counts."""
        return {**self._shape_state(), **packed_arrays(SPLITS, self._kernel.splits())}

    def _shape_state(self) -> dict[str, Any]:
        return {
            **saved_columns(self.shape.cards, self.shape.ordered),
            "n_classes": self.shape.n_classes,
            "n_trees": self.shape.n_trees,
            "tried": self.shape.tried,
            "seed": self.shape.seed,
            "bag_share": self.shape.bag_share,
            "most_grown": self.shape.most_grown,
            "smoothing": self._kernel.smoothing,
            "unit": self._kernel.unit,
            "bag_limit": self._kernel.bag_limit,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any], threads: int = 0) -> ClassTrees:
        """The trees of a state; they remember no kept rows."""
        shape = TreeShape.from_state(state)
        kernel = shape.kernel()
        kernel.restore(
            **unpacked_arrays(NAMES, state),
            smoothing=float(state["smoothing"]),
            unit=float(state["unit"]),
            bag_limit=int(state["bag_limit"]),
            threads=threads,
        )
        return cls(shape, kernel)


def counts_of_rows(
    splits: Mapping[str, Any], codes: Codes, y: Classes, n_classes: int, weights: FloatArray | None = None
) -> LeafCounts:
    """Count rows into trees that split as ``ClassTrees.splits`` says; there may be further classes.

    The trees are made one by one: a forest of many rows would fill the memory.
    """
    kernel = TreeShape.from_state({**splits, "n_classes": n_classes}).kernel()
    found = kernel.counts_of_rows(
        **unpacked_arrays(SPLITS, splits),
        unit=float(splits["unit"]),
        codes=np.ascontiguousarray(codes),
        y=y,
        weights=weights,
    )
    return LeafCounts(*found)
