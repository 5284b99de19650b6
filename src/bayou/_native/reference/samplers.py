"""Numpy references of the samplers: rows drawn step by step with weights, and Gibbs chains."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from bayou._native.reference.sampling import _uniforms, philox
from bayou.typing import CodeArray, FloatArray, IntArray

Scope = Sequence[int]


class RowSampler:
    """Draws variables one after the other, each from the product of its factors given those before.

    A single factor without divisors is a conditional distribution. Otherwise the weight of a row is
    multiplied by (sum of the product) / (product of the divisors), and by each of ``weights``.

    >>> coin = RowSampler([2], [0], [0], [[[0]]], [[np.array([0.0, 1.0])]], [[]], [[]], [], [])
    >>> coin.draw(7, 0, 3, [0], False)[0][0].tolist()
    [1, 1, 1]
    """

    def __init__(
        self,
        cards: Scope,
        variables: Scope,
        streams: Sequence[int],
        factor_scopes: Sequence[Sequence[Scope]],
        factors: list[list[FloatArray]],
        divisor_scopes: Sequence[Sequence[Scope]],
        divisors: list[list[FloatArray]],
        weight_scopes: Sequence[Scope],
        weights: list[FloatArray],
    ) -> None:
        self.cards, self.variables, self.streams = list(cards), list(variables), list(streams)
        self.factors = [list(zip(s, t, strict=True)) for s, t in zip(factor_scopes, factors, strict=True)]
        self.divisors = [list(zip(s, t, strict=True)) for s, t in zip(divisor_scopes, divisors, strict=True)]
        self.weights = list(zip(weight_scopes, weights, strict=True))
        drawn: set[int] = set()
        for variable, own, divided in zip(self.variables, self.factors, self.divisors, strict=True):
            if variable in drawn or not own or any(list(scope)[-1] != variable for scope, _ in own):
                raise ValueError(f"variable {variable} is drawn twice, or is not the last in its scopes")
            before = {v for scope, _ in own for v in list(scope)[:-1]} | {v for s, _ in divided for v in s}
            if not before <= drawn:
                raise ValueError("a table needs a variable before it is drawn")
            for scope, table in (*own, *divided):
                self._check(scope, table)
            drawn.add(variable)
        for scope, table in self.weights:
            self._check(scope, table)
        if drawn != set(range(len(self.cards))):
            raise ValueError("a variable is not drawn by any step")

    def _check(self, scope: Scope, table: FloatArray) -> None:
        if table.size != prod(self.cards[v] for v in scope) or not (table >= 0).all():
            raise ValueError("a table does not fit its scope, or has a negative entry")

    def draw(
        self, seed: int, first_row: int, n: int, variables: Scope, weighted: bool, threads: int = 0
    ) -> tuple[list[CodeArray], FloatArray]:
        """Codes of these variables in rows first_row … first_row + n − 1, and the logs of the weights."""
        codes, logs = self._rows(seed, first_row, n)
        kinds = [
            np.uint8 if card <= 0xFF else np.uint16 if card <= 0xFFFF else np.uint32 for card in self.cards
        ]
        return [codes[v].astype(kinds[v]) for v in variables], logs if weighted else np.zeros(0)

    def weighted_sums(
        self, seed: int, first_row: int, n: int, targets: Sequence[Scope], threads: int = 0
    ) -> tuple[float, float, float, float, int, FloatArray, FloatArray]:
        """Sums of weights and their squares over rows, in all and by cell of the targets."""
        codes, logs = self._rows(seed, first_row, n)
        sizes = [prod(self.cards[v] for v in target) for target in targets]
        sums, squares = np.zeros(sum(sizes)), np.zeros(sum(sizes))
        several = any(
            len(own) > 1 or divided for own, divided in zip(self.factors, self.divisors, strict=True)
        )
        top = float(logs.max(initial=-np.inf)) if several or self.weights else 0.0
        if top == -np.inf:
            return top, 0.0, 0.0, 0.0, 0, sums, squares
        weights = np.exp(logs - top)
        start = 0
        for target, size in zip(targets, sizes, strict=True):
            cell = self._cells(target, codes, n)
            sums[start : start + size] = np.bincount(cell, weights, minlength=size)
            squares[start : start + size] = np.bincount(cell, weights**2, minlength=size)
            start += size
        positive = int((logs > -np.inf).sum())
        total, square = float(weights.sum()), float((weights**2).sum())
        return top, total, square, float(weights.max(initial=0.0)), positive, sums, squares

    def _cells(self, scope: Scope, codes: dict[int, IntArray], n: int) -> IntArray:
        cell = np.zeros(n, dtype=np.int64)
        for variable in scope:
            cell = cell * self.cards[variable] + codes[variable]
        return cell

    def _rows(self, seed: int, first_row: int, n: int) -> tuple[dict[int, IntArray], FloatArray]:
        codes: dict[int, IntArray] = {}
        logs = np.zeros(n)
        steps = zip(self.variables, self.streams, self.factors, self.divisors, strict=True)
        for variable, stream, factors, divisors in steps:
            u = _uniforms(seed, stream, first_row, n)[0]
            p = np.ones((n, self.cards[variable]))
            for scope, table in factors:
                p = p * table.reshape(-1, self.cards[variable])[self._cells(list(scope)[:-1], codes, n)]
            plain = len(factors) == 1 and not divisors
            total = np.ones(n) if plain else _sequential_sum(p)
            cumulative = np.cumsum(p, axis=1)
            last = p.shape[1] - 1 - (p[:, ::-1] > 0).argmax(axis=1)
            last = np.where((p > 0).any(axis=1), last, 0)
            codes[variable] = np.minimum((cumulative <= (u * total)[:, None]).sum(axis=1), last)
            if plain:
                continue
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = logs + np.log(total)
                for scope, table in divisors:
                    logs = np.where(
                        logs == -np.inf, logs, logs - np.log(table.ravel())[self._cells(scope, codes, n)]
                    )
        with np.errstate(divide="ignore"):
            for scope, table in self.weights:
                logs = logs + np.log(table.ravel())[self._cells(scope, codes, n)]
        return codes, logs


def _sequential_sum(values: FloatArray) -> FloatArray:
    """The sum of each row, added from left to right as the core does."""
    total: FloatArray = np.cumsum(values, axis=1)[:, -1]
    return total


class GibbsChains:
    """Gibbs sampling from a product of tables; each block of variables is drawn together given all others.

    The variables of a block are drawn in the reverse of their order, each given those drawn before.

    >>> chains = GibbsChains([2], [[0]], [np.array([0.25, 0.75])], [[0]], np.zeros((1, 1), np.uint32), 7)
    >>> chains.run(4, [])[0].tolist()
    [[1.0, 3.0]]
    """

    def __init__(
        self,
        cards: Scope,
        scopes: Sequence[Scope],
        tables: list[FloatArray],
        blocks: Sequence[Scope],
        starts: npt.NDArray[np.uint32],
        seed: int,
    ) -> None:
        self.cards, self.blocks, self.seed = list(cards), [list(block) for block in blocks], seed
        self.factors = list(zip(scopes, tables, strict=True))
        for scope, table in self.factors:
            if table.size != prod(self.cards[v] for v in scope):
                raise ValueError("a table does not fit its scope")
        if {v for block in self.blocks for v in block} != set(range(len(self.cards))):
            raise ValueError("a variable is in no block")
        if starts.shape[1] != len(self.cards) or (starts >= np.array(self.cards)).any():
            raise ValueError("a start is not a state")
        self.codes = starts.astype(np.int64)
        self.swept = 0

    def run(self, sweeps: int, joint: Scope, threads: int = 0) -> tuple[FloatArray, FloatArray]:
        """By chain: sums of the probabilities that states were drawn with, and counts of joint states."""
        ends = np.cumsum([0, *self.cards])
        sums = np.zeros((len(self.codes), ends[-1]))
        cells = prod(self.cards[v] for v in joint) if len(joint) else 0
        joint_sums = np.zeros((len(self.codes), cells))
        for chain, state in enumerate(self.codes):
            for sweep in range(self.swept, self.swept + sweeps):
                drawn = 0
                for block in self.blocks:
                    weights = self._weights(block, state)
                    for variable in reversed(block):
                        share = self._share(block, weights, variable, state)
                        sums[chain, ends[variable] : ends[variable + 1]] += share
                        u = self._uniform(chain, sweep, drawn)
                        last = int(np.flatnonzero(share > 0)[-1])
                        state[variable] = min(int((np.cumsum(share) <= u).sum()), last)
                        drawn += 1
                if cells:
                    place = np.ravel_multi_index(state[list(joint)], [self.cards[v] for v in joint])
                    joint_sums[chain, place] += 1
        self.swept += sweeps
        return sums, joint_sums

    def _uniform(self, chain: int, sweep: int, drawn: int) -> float:
        counter = np.array([[sweep & 0xFFFFFFFF, sweep >> 32, chain, drawn // 2]], np.uint64)
        words = philox(counter, (self.seed & 0xFFFFFFFF, self.seed >> 32))[0]
        low, high = (int(w) for w in words[2 * (drawn % 2) : 2 * (drawn % 2) + 2])
        return ((high << 32 | low) >> 11) * 2.0**-53

    def _weights(self, block: Scope, state: IntArray) -> FloatArray:
        """The product of the tables over all states of a block, an axis for each of its variables."""
        weights = np.ones([self.cards[v] for v in block])
        for scope, table in self.factors:
            inside = [v for v in scope if v in block]
            index = tuple(slice(None) if v in block else int(state[v]) for v in scope)
            part = np.asarray(table.reshape([self.cards[v] for v in scope])[index])
            part = np.transpose(part, [inside.index(v) for v in block if v in inside])
            weights = weights * part.reshape([self.cards[v] if v in inside else 1 for v in block])
        return weights

    def _share(self, block: Scope, weights: FloatArray, variable: int, state: IntArray) -> FloatArray:
        """The distribution of a variable given those after it in the block's order, the others summed out."""
        place = list(block).index(variable)
        later = [int(state[v]) for v in list(block)[place + 1 :]]
        for code in reversed(later):
            weights = weights[..., code]
        own = weights.reshape(-1, self.cards[variable]).sum(axis=0)
        share: FloatArray = own / own.sum()
        return share
