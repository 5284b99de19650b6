"""How the reference of class trees grows one: what is random follows from keys, splits from whole numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from bayou._native.reference.members.class_trees import ClassTrees

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = 2**64 - 1


@dataclass
class Node:
    """A row goes left (to the next node) if its rank is at most the threshold; a leaf has -1."""

    column: int = 0
    threshold: int = -1
    right: int = 0


def mixed(bits: int) -> int:
    """The finaliser of SplitMix64.

    >>> mixed(0), mixed(1)
    (0, 6238072747940578789)
    """
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _WORD
    return bits ^ (bits >> 31)


def key_below(key: int, number: int) -> int:
    """The key of a thing below another key."""
    return mixed((key + (number + 1) * _GOLDEN) & _WORD)


def tree_key(seed: int, tree: int) -> int:
    """From which all random things of a tree follow."""
    return key_below(mixed((seed + _GOLDEN) & _WORD), tree)


def bag_key(tree: int) -> int:
    """A row is in the bag of the tree with this key if its hash, mixed with this, is small."""
    return key_below(tree, 0)


class TreeGrower:
    """Grows trees on rows; ``units`` are their weights as whole numbers."""

    def __init__(
        self,
        shape: ClassTrees,
        codes: npt.NDArray[np.uint8],
        y: npt.NDArray[np.int32],
        units: npt.NDArray[np.float64],
        row_hashes: npt.NDArray[np.uint64],
    ) -> None:
        self.shape, self.codes, self.y, self.units = shape, codes, y, units
        self.hashes = [int(each) for each in row_hashes]
        share = shape.bag_share
        if share * len(y) > shape.most_grown:
            distinct = len({h for h, unit in zip(self.hashes, units, strict=True) if unit > 0})
            share = min(share, shape.most_grown / max(distinct, 1))
        self.bag_limit = _WORD if share >= 1 else int(share * 2.0**64)
        total = float(units.sum())
        self.scale = 2.0**20 / 2.0 ** (int(np.log2(total)) - 30) if total > 2**31 else 2.0**20

    def grow(self, number: int) -> tuple[list[int], list[Node]]:
        """The ranks and the nodes of one tree."""
        key = tree_key(self.shape.seed, number)
        ranks = self._ranks(key)
        limit, of_bag = self.bag_limit, bag_key(key)
        bag = [r for r, h in enumerate(self.hashes) if self.units[r] > 0 and mixed(h ^ of_bag) < limit]
        nodes: list[Node] = []
        self._split(bag, key_below(key, 2), ranks, nodes)
        return ranks, nodes

    def _ranks(self, key: int) -> list[int]:
        ranks: list[int] = []
        for column, card in enumerate(self.shape.cards):
            of_column, gap = key_below(key_below(key, 1), column), card - 1
            seen = set(self.codes[column][self.units > 0].tolist())
            if self.shape.ordered[column]:
                first = of_column >> 63
                own = [code + first for code in range(gap)] + [0 if first else gap]
                own[gap] = own[gap] if gap in seen else 255
            else:
                order = sorted(range(card), key=lambda code: (key_below(of_column, code), code))
                own = [order.index(code) if code in seen else 255 for code in range(card)]
            ranks += [*own, 255]  # the last one: of values that are unknown
        return ranks

    def _split(self, rows: list[int], key: int, ranks: list[int], nodes: list[Node]) -> None:
        node = Node(right=len(nodes))
        nodes.append(node)
        best = self._best(rows, key, ranks)
        if best is None:
            return
        node.column, node.threshold = best
        of_rows = self._of_rows(rows, node.column, ranks)
        self._split([r for r in rows if of_rows[r] <= node.threshold], key_below(key, 0), ranks, nodes)
        node.right = len(nodes)
        self._split([r for r in rows if of_rows[r] > node.threshold], key_below(key, 1), ranks, nodes)

    def _of_rows(self, rows: list[int], column: int, ranks: list[int]) -> dict[int, int]:
        return {r: ranks[self.shape.first[column] + self.codes[column, r]] for r in rows}

    def _best(self, rows: list[int], key: int, ranks: list[int]) -> tuple[int, int] | None:
        if len({self.y[r] for r in rows}) < 2:
            return None
        columns, wanted, tried = list(range(len(self.shape.cards))), self.shape.tried, 0
        best: tuple[int, int] | None = None
        best_score: float = -np.inf
        for draw in range(len(columns)):
            if tried == wanted or (draw >= 4 * wanted and tried > 0):
                break
            other = draw + (key_below(key, 2 + draw) * (len(columns) - draw) >> 64)
            columns[draw], columns[other] = columns[other], columns[draw]
            of_rows = self._of_rows(rows, columns[draw], ranks)
            present = sorted(set(of_rows.values()))
            tried += len(present) > 1
            for lower, upper in pairwise(present):
                sides = [r for r in rows if of_rows[r] <= lower], [r for r in rows if of_rows[r] >= upper]
                score = sum(self._score(side) for side in sides)
                if score > best_score:
                    best, best_score = (columns[draw], (lower + upper) // 2), score
        return best

    def _score(self, rows: list[int]) -> int:
        counts: Counter[Any] = Counter()
        for r in rows:
            counts[self.y[r]] += self.units[r]
        return sum(map(self._entropy, counts.values())) - self._entropy(sum(counts.values()))

    def _entropy(self, count: float) -> int:
        scaled = count * log(count) * self.scale
        return int(np.floor(scaled + 0.5))
