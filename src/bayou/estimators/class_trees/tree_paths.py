"""The way of one row through class trees, and what each column does to P(class) on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Condition:
    """What a node asked: the codes of a column that go the way of the row."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class TreePath:
    """The conditions that a row met, and P(class) in the root and after each of them."""

    conditions: tuple[Condition, ...]
    posteriors: FloatArray


@dataclass(frozen=True)
class RowPaths:
    """The paths of one row, one for each tree."""

    paths: tuple[TreePath, ...]
    n_columns: int

    def contributions(self) -> tuple[FloatArray, FloatArray]:
        """(root, columns): log P(class) of the roots, and what each column adds: means over the trees.

        The root and all columns add up to the mean of the trees' log P(class | row), so their differences
        between two classes add up to the log-odds of the geometric pool. A column that no path asks for has
        exactly 0.
        """
        n_classes = self.paths[0].posteriors.shape[1]
        root, columns = np.zeros(n_classes), np.zeros((self.n_columns, n_classes))
        for path in self.paths:
            logs = np.log(path.posteriors)
            root += logs[0]
            for depth, condition in enumerate(path.conditions):
                columns[condition.column] += logs[depth + 1] - logs[depth]
        return root / len(self.paths), columns / len(self.paths)


def row_paths(
    codes: npt.NDArray[np.uint8],
    cards: Sequence[int],
    ranks: npt.NDArray[np.uint8],
    first: IntArray,
    columns: IntArray,
    thresholds: IntArray,
    posteriors: FloatArray,
) -> RowPaths:
    """The paths of a row with these codes, from the arrays of the kernel and the ranks of each tree."""
    starts = np.concatenate([[0], np.cumsum(np.array(cards) + 1)])  # one more: of unknown values
    paths = []
    for tree in range(len(first) - 1):
        nodes = slice(int(first[tree]), int(first[tree + 1]))
        conditions = []
        for column, threshold in zip(columns[nodes][:-1], thresholds[nodes][:-1], strict=True):
            of_column = ranks[tree, starts[column] : starts[column + 1]]
            conditions.append(
                Condition(int(column), _same_side(of_column, int(codes[column]), int(threshold)))
            )
        paths.append(TreePath(tuple(conditions), posteriors[nodes]))
    return RowPaths(tuple(paths), len(cards))


def _same_side(ranks: npt.NDArray[np.uint8], code: int, threshold: int) -> tuple[int, ...]:
    seen: BoolArray = ranks != 255
    same = seen & ((ranks <= threshold) == (ranks[code] <= threshold))
    return tuple(int(each) for each in np.flatnonzero(same))
