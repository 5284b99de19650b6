"""Trees that correct each other, learned from histograms of gradients: a model for each fold of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou._native import BoostedTrees as BoostedKernel
from bayou.estimators.class_trees.grown_trees import Classes, Codes, GrownTrees, Hashes
from bayou.estimators.class_trees.saved_trees import columns_read, narrowest, saved_columns
from bayou.typing import FloatArray, IntArray

FOLDS = 4
MOST_ROUNDS = 200
MOST_TREES = 800  # of a model: many classes have fewer rounds
MOST_GROWN = 65536
MANY_ROWS = 10_000  # have larger trees, and half as many rounds
LEAVES, LEAVES_OF_MANY = 16, 31
RATE = 0.1
RIDGE = 1.0
_NAMES = ("base", "sizes", "columns", "left", "codes", "left_shares", "values")
_DTYPES = (np.float64, np.int64, np.uint16, np.uint32, np.uint64, np.float64, np.float64)


class BoostedTrees(GrownTrees[dict[str, Any], BoostedKernel, FloatArray]):
    """Gradient boosting whose probabilities of the rows that it learned from are held out.

    The rows are dealt into four folds by their hashes. A model for each fold learns from the rows of the
    others: each round, a tree (for more than two classes, one for each class) is grown on the gradients of
    the log-loss, best leaf first, and adds a tenth of its step. As many rounds are kept as make the rows held
    out likeliest, of all models together. A row that was learned from is judged by the model that did not see
    it, another row by the mean of the models' scores.

    Columns are coded as for ``ClassTrees``. A row whose value is unknown, or whose gap or category no row in
    a node had, goes both ways from there: its value is the mean of both sides by the weights of their
    training rows. Gradients are whole numbers, so neither order nor batches nor threads change a bit of the
    result; a row of weight 2 is the same as the row twice, and one of weight 0 as none.

    >>> codes = np.array([[0, 0, 1, 1] * 25, [0, 1, 0, 1] * 25], dtype=np.uint8)
    >>> y = np.array([0, 1, 1, 1] * 25, dtype=np.int32)
    >>> hashes = np.arange(100, dtype=np.uint64)
    >>> trees = BoostedTrees.grow(codes, y, 2, row_hashes=hashes, cards=[3, 3], ordered=[True, True])
    >>> trees.predict(codes[:, :4]).argmax(axis=1).tolist()
    [0, 1, 1, 1]
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
        seed: int = 0,
        folds: int = FOLDS,
        most_rounds: int | None = None,
        leaves: int | None = None,
        most_grown: int = MOST_GROWN,
        threads: int = 0,
    ) -> BoostedTrees:
        """Learn from rows; ``held_out`` has log P(class | row) of the ``kept`` ones.

        There are at most 200 rounds and 16 leaves; 100 and 31 for more than 10,000 distinct rows; fewer
        rounds with more than four classes. Of more than ``most_grown`` distinct rows, those with the smallest
        hashes are taken.
        """
        distinct = np.unique(row_hashes if weights is None else row_hashes[weights > 0])
        many = len(distinct) > MANY_ROWS
        if most_rounds is None:
            most_rounds = max(20, min(MOST_ROUNDS // (2 if many else 1), MOST_TREES // n_classes))
        if leaves is None:
            leaves = LEAVES_OF_MANY if many else LEAVES
        shape: dict[str, Any] = {
            "cards": list(cards),
            "ordered": list(ordered),
            "n_classes": n_classes,
            "folds": folds,
            "most_rounds": most_rounds,
            "leaves": leaves,
            "rate": RATE,
            "ridge": RIDGE,
            "seed": seed,
        }
        kernel, codes = BoostedKernel(**shape), np.ascontiguousarray(codes)
        if len(distinct) > most_grown:
            taken = row_hashes < distinct[most_grown]
            of_rows = None if weights is None else weights[taken]
            kernel.grow(np.ascontiguousarray(codes[:, taken]), y[taken], of_rows, row_hashes[taken], threads)
        else:
            kernel.grow(codes, y, weights, row_hashes, threads)
        trees = cls(shape, kernel)
        if kept is not None:
            trees._held_out = trees.held_out_rows(codes[:, kept], row_hashes[kept], threads)
        return trees

    @property
    def rounds(self) -> int:
        """How many rounds were kept; 0 says that columns did not help."""
        return self._kernel.rounds

    def held_out_rows(self, codes: Codes, row_hashes: Hashes, threads: int = 0) -> FloatArray:
        """log P(class | row) of rows learned from, each by the model that did not see it."""
        return self._kernel.held_out(np.ascontiguousarray(codes), row_hashes, threads)

    def predict(self, codes: Codes, threads: int = 0) -> FloatArray:
        """log P(class | row) by the mean scores of the models."""
        return self._kernel.predict(np.ascontiguousarray(codes), threads)

    def contributions(self, codes: Codes, row: int = 0) -> tuple[FloatArray, FloatArray]:
        """(base, columns): scores of the classes without columns, and what each column adds to them.

        They add up to the scores of the row: differences between two classes to its log-odds. A column that
        no path asks for has exactly 0.
        """
        scores = self._kernel.contributions(np.ascontiguousarray(codes), row)
        return scores[0], scores[1:]

    def state(self) -> dict[str, Any]:
        """Numbers and flat arrays from which ``from_state`` makes the same trees."""
        arrays: dict[str, Any] = dict(zip(_NAMES, self._kernel.state(), strict=True))
        arrays |= {name: narrowest(arrays[name]) for name in ("sizes", "columns", "left")}
        columns = saved_columns(self.shape["cards"], self.shape["ordered"])
        return {**self.shape, **columns, "rounds": self.rounds, **arrays}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> BoostedTrees:
        """The trees of a state; they remember no kept rows."""
        cards, ordered = columns_read(state)
        shape: dict[str, Any] = {
            "cards": cards,
            "ordered": ordered,
            **{name: int(state[name]) for name in ("n_classes", "folds", "most_rounds", "leaves")},
            "rate": float(state["rate"]),
            "ridge": float(state["ridge"]),
            "seed": int(state["seed"]),
        }
        kernel = BoostedKernel(**shape)
        arrays = [
            np.ascontiguousarray(state[name], dtype=dtype)
            for name, dtype in zip(_NAMES, _DTYPES, strict=True)
        ]
        base, sizes, columns, left, sides, left_shares, values = arrays
        kernel.restore(base, sizes, columns, left, sides, left_shares, values, int(state["rounds"]))
        return cls(shape, kernel)
