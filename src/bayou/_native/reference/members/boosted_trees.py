"""The reference of the kernel of boosted trees: folds, rounds and scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bayou._native.reference.members.boosted_growth import (
    NO_COLUMN,
    BoostedNode,
    grow_boosted,
    leaf_value,
    reached_nodes,
)
from bayou._native.reference.members.tree_growth import key_below, mixed
from bayou.typing import FloatArray, IntArray

_GOLDEN = 0x9E3779B97F4A7C15
_ROUNDS_AT_ONCE, _PATIENCE, _MOST_WEIGHT = 5, 15, 2.0**40

Codes = npt.NDArray[np.uint8]
Classes = npt.NDArray[np.int32]
Hashes = npt.NDArray[np.uint64]
Tree = list[BoostedNode]


class BoostedTrees:
    """As ``bayou._native.BoostedTrees``: gradient boosting with a model for each fold.

    >>> trees = BoostedTrees([3], [True], 2, 2, 10, 4, 0.1, 1.0, 0)
    >>> codes = np.array([[0, 1] * 40], dtype=np.uint8)
    >>> trees.grow(codes, codes[0].astype(np.int32), None, np.arange(80, dtype=np.uint64))
    >>> trees.predict(codes[:, :2]).argmax(axis=1).tolist()
    [0, 1]
    """

    def __init__(
        self,
        cards: list[int],
        ordered: list[bool],
        n_classes: int,
        folds: int,
        most_rounds: int,
        leaves: int,
        rate: float,
        ridge: float,
        seed: int,
    ) -> None:
        self.cards, self.ordered, self.n_classes, self.folds = cards, ordered, n_classes, folds
        self.most_rounds, self.leaves, self.rate, self.ridge = most_rounds, leaves, rate, ridge
        self.seed, self.rounds = seed, 0
        self.outputs = 1 if n_classes == 2 else n_classes
        self.models: list[tuple[FloatArray, list[Tree]]] = []

    def grow(
        self, codes: Codes, y: Classes, weights: FloatArray | None, row_hashes: Hashes, threads: int = 0
    ) -> None:
        """Learn a model without the rows of each fold, and after how many rounds these are likeliest."""
        units, scale = _whole_weights(weights, len(y))
        fold_of = np.array([self._fold(int(each)) for each in row_hashes])
        folds = [_Fold(self, codes, y, units, scale, fold_of == fold) for fold in range(self.folds)]
        while True:
            losses = np.sum([fold.losses for fold in folds], axis=0)
            best = int(np.argmin(losses))
            if len(losses) > self.most_rounds or len(losses) - 1 - best >= _PATIENCE:
                break
            for _ in range(min(_ROUNDS_AT_ONCE, self.most_rounds + 1 - len(losses))):
                for fold in folds:
                    fold.boost()
        self.rounds = best
        self.models = [(fold.base, fold.trees[: best * self.outputs]) for fold in folds]

    def held_out(self, codes: Codes, row_hashes: Hashes, threads: int = 0) -> FloatArray:
        """Log P(class | row) by the model that did not see the row."""
        scores = [
            self._scores(self.models[self._fold(int(each))], codes[:, row])
            for row, each in enumerate(row_hashes)
        ]
        return log_chances(np.array(scores).reshape(-1, self.outputs))

    def predict(self, codes: Codes, threads: int = 0) -> FloatArray:
        """Log P(class | row) by the mean scores of all models."""
        scores = [
            np.mean([self._scores(model, codes[:, row]) for model in self.models], axis=0)
            for row in range(codes.shape[1])
        ]
        return log_chances(np.array(scores).reshape(-1, self.outputs))

    def contributions(self, codes: Codes, row: int) -> FloatArray:
        """Scores of the classes without columns, then what each column adds."""
        found = np.zeros((1 + len(self.cards), self.n_classes))
        first = self.n_classes - self.outputs
        for base, trees in self.models:
            found[0, first:] += base
            for number, tree in enumerate(trees):
                label = first + number % self.outputs
                for at in reached_nodes(tree, codes[:, row]):
                    found[1 + at.column, label] += at.share * (at.node.value - at.value_above)
        return found / len(self.models)

    def state(self) -> tuple[Any, ...]:
        """(base, sizes, columns, left, codes, left_shares, values)"""
        trees = [tree for _, of_model in self.models for tree in of_model]
        nodes = [node for tree in trees for node in tree]
        splits = [node for node in nodes if node.column != NO_COLUMN]
        words = (max(self.cards) + 63) // 64
        codes = [
            sum(1 << code - 64 * word for code in side if code // 64 == word)
            for node in splits
            for side in (node.left_codes, node.right_codes)
            for word in range(words)
        ]
        return (
            np.concatenate([base for base, _ in self.models]),
            np.array([len(tree) for tree in trees], dtype=np.int64),
            np.array([node.column for node in nodes], dtype=np.uint16),
            np.array([node.left for node in nodes], dtype=np.uint32),
            np.array(codes, dtype=np.uint64),
            np.array([node.left_share for node in splits], dtype=np.float64),
            np.array([node.value for node in nodes], dtype=np.float64),
        )

    def restore(
        self,
        base: FloatArray,
        sizes: IntArray,
        columns: npt.NDArray[np.uint16],
        left: npt.NDArray[np.uint32],
        codes: npt.NDArray[np.uint64],
        left_shares: FloatArray,
        values: FloatArray,
        rounds: int,
    ) -> None:
        """Become the trees of a saved state."""
        masks = iter(codes.reshape(-1, 2, (max(self.cards) + 63) // 64).tolist())
        shares = iter(left_shares.tolist())
        nodes = []
        for column, child, value in zip(columns.tolist(), left.tolist(), values.tolist(), strict=True):
            node = BoostedNode(column, left=child, value=value)
            if column != NO_COLUMN:
                node.left_codes, node.right_codes = (_codes_of(mask) for mask in next(masks))
                node.left_share = next(shares)
            nodes.append(node)
        ends = np.cumsum(sizes).astype(int)
        trees = [nodes[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        of = rounds * self.outputs
        self.rounds = rounds
        self.models = [
            (base[fold * self.outputs : (fold + 1) * self.outputs], trees[fold * of : (fold + 1) * of])
            for fold in range(self.folds)
        ]

    def _fold(self, row_hash: int) -> int:
        key = key_below(mixed((self.seed + _GOLDEN) % 2**64), 2**32 - 1)
        return mixed(row_hash ^ key) * self.folds >> 64

    def _scores(self, model: tuple[FloatArray, list[Tree]], codes: Codes) -> FloatArray:
        scores = model[0].copy()
        for number, tree in enumerate(model[1]):
            scores[number % self.outputs] += leaf_value(tree, codes)
        return scores


class _Fold:
    """The model of one fold while it is learned."""

    def __init__(
        self, shape: BoostedTrees, codes: Codes, y: Classes, units: list[int], scale: float, held: Any
    ) -> None:
        self.shape, self.codes, self.y, self.units, self.scale = shape, codes, y, units, scale
        rows = [row for row in range(len(y)) if units[row] > 0]
        self.held = [row for row in rows if held[row]]
        self.training = [row for row in rows if not held[row]]
        counts = np.zeros(shape.n_classes)
        for row in self.training:
            counts[y[row]] += units[row]
        logs = np.log((counts + 1.0 / shape.n_classes) / (counts.sum() + 1.0))
        self.base = np.array([logs[1] - logs[0]]) if shape.outputs == 1 else logs
        self.scores = np.tile(self.base, (len(y), 1))
        self.trees: list[Tree] = []
        self.losses: list[int] = []
        self._judge()

    def boost(self) -> None:
        """One more round."""
        shares = np.exp(log_chances(self.scores))
        for output in range(self.shape.outputs):
            label = 1 if self.shape.outputs == 1 else output
            slopes, curves = {}, {}
            for row in self.training:
                share = shares[row, label]
                slopes[row] = self.units[row] * _rounded((share - (self.y[row] == label)) * 2.0**20)
                curves[row] = self.units[row] * _rounded(share * (1 - share) * 2.0**20)
            tree = grow_boosted(self.shape, self.codes, self.training, slopes, curves, self.units, self.scale)
            self.trees.append(tree)
            for row in self.training + self.held:
                self.scores[row, output] += leaf_value(tree, self.codes[:, row])
        self._judge()

    def _judge(self) -> None:
        logs = log_chances(self.scores)
        losses = (self.units[row] * _rounded(-logs[row, self.y[row]] * 2.0**16) for row in self.held)
        self.losses.append(sum(losses))


def log_chances(scores: FloatArray) -> FloatArray:
    """Log P(class) from scores of the classes, or of the second of two.

    >>> np.exp(log_chances(np.array([[0.0]]))).tolist()
    [[0.5, 0.5]]
    """
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    shifted = scores - scores.max(axis=1, keepdims=True)
    logs: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def _codes_of(mask: list[int]) -> frozenset[int]:
    """The codes whose bits are set in the words of a mask."""
    return frozenset(code for code in range(64 * len(mask)) if mask[code // 64] >> code % 64 & 1)


def _rounded(number: float) -> int:
    """The nearest whole number, halves away from zero."""
    return int(np.floor(abs(number) + 0.5)) * (1 if number >= 0 else -1)


def _whole_weights(weights: FloatArray | None, rows: int) -> tuple[list[int], float]:
    if weights is None:
        return [1] * rows, 2.0**20
    total, unit = float(weights.sum()), 1.0
    if total > 0 and not (np.array_equal(weights, np.floor(weights)) and total < _MOST_WEIGHT):
        unit = float(2.0 ** np.ceil(np.log2(total * 1.37 / _MOST_WEIGHT)))
    return [_rounded(weight / unit) for weight in weights], 2.0**20 / unit
