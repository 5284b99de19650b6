"""How the reference of boosted trees grows one: every threshold of every column, best leaf first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from bayou._native.reference.members.boosted_trees import BoostedTrees

NO_COLUMN = 0xFFFF
_LEAST_CURVE, _LEAST_GAIN, _CATEGORY_RIDGE, _FEW_CATEGORIES = 1.0, 1e-6, 10.0, 4


@dataclass
class BoostedNode:
    """Rows with one of ``left_codes`` go left, to a child before the right one. A leaf has no column.

    Those with a code on neither side go both ways: ``left_share`` of them to the left.
    """

    column: int = NO_COLUMN
    left_codes: frozenset[int] = frozenset()
    right_codes: frozenset[int] = frozenset()
    left: int = 0
    value: float = 0.0
    left_share: float = 0.0


@dataclass
class _Leaf:
    node: int
    rows: list[int]
    gain: float = _LEAST_GAIN
    column: int = NO_COLUMN
    left_codes: frozenset[int] = frozenset()


@dataclass
class Reached:
    """A node, and how much of a row reaches it: in the end, the leaves of a row have shares that sum to 1."""

    node: BoostedNode
    share: float
    column: int
    """By which it was reached; −1: the root."""
    value_above: float


def reached_nodes(tree: Sequence[BoostedNode], codes: npt.NDArray[Any]) -> list[Reached]:
    """The nodes that a row passes, on all its ways.

    >>> leaves = [BoostedNode(value=2.0), BoostedNode(value=3.0)]
    >>> stump = [BoostedNode(0, frozenset({1}), frozenset({2}), 1, left_share=0.25), *leaves]
    >>> [leaf_value(stump, np.array([code])) for code in (0, 1, 2)]
    [2.75, 2.0, 3.0]
    """
    found, open_nodes = [], [Reached(tree[0], 1.0, -1, 0.0)]
    while open_nodes:
        at = open_nodes.pop()
        found.append(at)
        node = at.node
        if node.column == NO_COLUMN:
            continue
        code = int(codes[node.column])
        left = 1.0 if code in node.left_codes else 0.0 if code in node.right_codes else node.left_share
        for child, part in ((tree[node.left], left), (tree[node.left + 1], 1.0 - left)):
            if part > 0 or code not in node.left_codes | node.right_codes:
                open_nodes.append(Reached(child, at.share * part, node.column, node.value))
    return found


def leaf_value(tree: Sequence[BoostedNode], codes: npt.NDArray[Any]) -> float:
    """What the tree adds to the score of a row."""
    ends = (at for at in reached_nodes(tree, codes) if at.node.column == NO_COLUMN)
    return float(sum(at.share * at.node.value for at in ends))


def grow_boosted(
    shape: BoostedTrees,
    codes: npt.NDArray[np.uint8],
    rows: list[int],
    slopes: dict[int, int],
    curves: dict[int, int],
    units: list[int],
    scale: float,
) -> list[BoostedNode]:
    """A tree for rows with these gradients."""
    grower = _Grower(shape, codes, slopes, curves, scale)
    tree = [BoostedNode(value=grower.value(rows))]
    leaves = [grower.leaf(0, rows)]
    while len(leaves) < shape.leaves:
        best = max(leaves, key=lambda leaf: (leaf.gain, -leaf.node))
        if best.gain <= _LEAST_GAIN:
            break
        node = tree[best.node]
        node.column, node.left_codes, node.left = best.column, best.left_codes, len(tree)
        of_column = codes[best.column]
        sides = (
            [row for row in best.rows if int(of_column[row]) in best.left_codes],
            [row for row in best.rows if int(of_column[row]) not in best.left_codes],
        )
        seen = {int(of_column[row]) for row in best.rows}
        if shape.ordered[best.column]:
            seen |= set(range(shape.cards[best.column] - 1))
        node.right_codes = frozenset(seen - best.left_codes)
        node.left_share = sum(units[row] for row in sides[0]) / sum(units[row] for row in best.rows)
        leaves.remove(best)
        for side in sides:
            leaves.append(grower.leaf(len(tree), side))
            tree.append(BoostedNode(value=grower.value(side)))
    return tree


class _Grower:
    def __init__(self, shape: BoostedTrees, codes: Any, slopes: Any, curves: Any, scale: float) -> None:
        self.shape, self.codes, self.slopes, self.curves, self.scale = shape, codes, slopes, curves, scale

    def value(self, rows: list[int]) -> float:
        slope, curve = self._sums(rows)
        return -self.shape.rate * (slope / self.scale) / (curve / self.scale + self.shape.ridge)

    def leaf(self, node: int, rows: list[int]) -> _Leaf:
        """A leaf with its best split."""
        leaf = _Leaf(node, rows)
        for column, card in enumerate(self.shape.cards):
            by_code: dict[int, list[int]] = {}
            for row in rows:
                by_code.setdefault(int(self.codes[column, row]), []).append(row)
            sums = {code: self._sums(of_code) for code, of_code in by_code.items()}
            ridge = self.shape.ridge
            if self.shape.ordered[column]:
                plain, gap = list(range(card - 1)), card - 1
                orders = [[*plain, gap]]
                if sums.get(gap, (0, 0))[1] != 0:
                    orders.append([gap, *plain])
            else:
                present = sorted(code for code in sums if sums[code][1] > 0)
                smooth = _CATEGORY_RIDGE * self.scale
                orders = [sorted(present, key=lambda code: sums[code][0] / (sums[code][1] + smooth))]
                ridge += _CATEGORY_RIDGE if len(present) > _FEW_CATEGORIES else 0.0
            for order in orders:
                self._try(leaf, column, order, sums, ridge)
        return leaf

    def _try(self, leaf: _Leaf, column: int, order: list[int], sums: Any, ridge: float) -> None:
        slope, curve = self._sums(leaf.rows)
        least, left = int(_LEAST_CURVE * self.scale), (0, 0)
        for at, code in enumerate(order[:-1]):
            left = left[0] + sums.get(code, (0, 0))[0], left[1] + sums.get(code, (0, 0))[1]
            right = slope - left[0], curve - left[1]
            if left[1] < least or right[1] < least:
                continue
            gain = self._gain(left, ridge) + self._gain(right, ridge) - self._gain((slope, curve), ridge)
            if gain > leaf.gain:
                leaf.gain, leaf.column, leaf.left_codes = gain, column, frozenset(order[: at + 1])

    def _gain(self, sums: tuple[int, int], ridge: float) -> float:
        slope = sums[0] / self.scale
        return slope * slope / (sums[1] / self.scale + ridge)

    def _sums(self, rows: list[int]) -> tuple[int, int]:
        return sum(self.slopes[row] for row in rows), sum(self.curves[row] for row in rows)
