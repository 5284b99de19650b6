"""Numpy reference of the scores of families for structure search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bayou._native.reference.counting import count_families
from bayou.typing import CodeArray, CountArray, FloatArray, IntArray

_PENALISED = ("loglik", "aic", "bic")
_MARGINAL = ("bdeu", "bds", "laplace")
_LARGE = 1e4


class FamilyScorer:
    """Keeps coded columns; scores columns as children of others.

    ``kind`` is loglik, aic, bic, bdeu or bds (``parameter``: the equivalent sample size) or laplace
    (``parameter``: what is added to every cell).

    >>> codes = np.array([0, 0, 1, 1] * 9, np.uint8)
    >>> scorer = FamilyScorer([codes, codes], [2, 2])
    >>> scorer.additions(1, [], np.array([0]), "bic").round(3).tolist()
    [-3.584]
    """

    def __init__(self, columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> None:
        count_families(columns, cards, [[at] for at in range(len(columns))], None, threads)
        self.columns = columns
        self.cards = cards

    def families(
        self, children: IntArray, offsets: IntArray, parents: IntArray, kind: str, parameter: float = 0.0
    ) -> FloatArray:
        """The score of each child with its parents: ``parents[offsets[i]:offsets[i + 1]]``."""
        if len(offsets) != len(children) + 1 or offsets[0] != 0 or offsets[-1] != len(parents):
            raise ValueError("offsets: expected one more than children, from 0 to the number of parents")
        if np.any(np.diff(offsets) < 0):
            raise ValueError("offsets: expected an ascending array")
        bounds = zip(children.tolist(), offsets[:-1], offsets[1:], strict=True)
        return np.array(
            [
                self._score(child, parents[begin:end].tolist(), kind, parameter)
                for child, begin, end in bounds
            ],
            dtype=np.float64,
        )

    def additions(
        self, child: int, parents: Sequence[int], candidates: IntArray, kind: str, parameter: float = 0.0
    ) -> FloatArray:
        """The score of a child with these parents and one more, for each candidate."""
        scores = [self._score(child, [*parents, other], kind, parameter) for other in candidates.tolist()]
        return np.array(scores, dtype=np.float64)

    def pairs(self, kind: str, parameter: float = 0.0) -> FloatArray:
        """``[parent, child]``: scores with one parent; on the diagonal, without any."""
        everything = range(len(self.columns))
        return np.array(
            [
                [
                    self._score(child, [parent] if parent != child else [], kind, parameter)
                    for child in everything
                ]
                for parent in everything
            ],
            dtype=np.float64,
        ).reshape(len(self.columns), len(self.columns))

    def _score(self, child: int, parents: list[int], kind: str, parameter: float) -> float:
        _check_rule(kind, parameter)
        (table,) = count_families(self.columns, self.cards, [[*parents, child]])
        configurations = math.prod(float(self.cards[parent]) for parent in parents)
        states = self.cards[child]
        table = table.reshape(-1, states) if states else np.zeros((0, 0), np.int64)
        table = table[table.sum(axis=1) > 0]
        if kind in _PENALISED:
            return _log_likelihood(table) - _price(kind, int(table.sum())) * configurations * max(
                states - 1, 0
            )
        if not len(table):
            return 0.0
        size = {"bdeu": configurations, "bds": float(len(table))}.get(kind)
        return _log_marginal(table, parameter if size is None else parameter / (size * states))


class FamilyMemory:
    """Scores of families by one rule, as a :class:`FamilyScorer` gives them.

    >>> codes = np.array([0, 0, 1, 1] * 9, np.uint8)
    >>> memory = FamilyMemory(FamilyScorer([codes, codes], [2, 2]), "bic")
    >>> memory.families([(1, ()), (1, (0,))]).round(3).tolist(), memory.remembered()
    ([-26.745, -3.584], 2)
    """

    def __init__(self, scorer: FamilyScorer, kind: str, parameter: float = 0.0) -> None:
        _check_rule(kind, parameter)
        self._scorer, self._rule = scorer, (kind, parameter)
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}
        self._added: dict[tuple[int, tuple[int, ...]], float] = {}

    def families(self, wanted: Sequence[tuple[int, Sequence[int]]]) -> FloatArray:
        """The score of each child with its parents."""
        return np.array([self._family(child, tuple(parents)) for child, parents in wanted], dtype=np.float64)

    def additions(self, child: int, parents: Sequence[int], candidates: IntArray) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""
        self._check(child, tuple(parents))
        for other in candidates.tolist():
            self._check(child, (other,))
            if other in parents:
                raise ValueError(f"candidate {other} is in the family already")
        scores = self._scorer.additions(child, parents, candidates, *self._rule)
        for other, score in zip(candidates.tolist(), scores.tolist(), strict=True):
            self._added[child, tuple(sorted((*parents, other)))] = score
        return scores

    def remembered(self) -> int:
        """The number of families in the memory, without those scored by ``additions``."""
        return len(self._known)

    def _family(self, child: int, parents: tuple[int, ...]) -> float:
        self._check(child, parents)
        if (child, parents) in self._added:
            return self._added[child, parents]
        if (child, parents) not in self._known:
            flat = np.array(parents, dtype=np.int64)
            ends = np.array([0, len(parents)])
            found = self._scorer.families(np.array([child]), ends, flat, *self._rule)
            self._known[child, parents] = float(found[0])
        return self._known[child, parents]

    def _check(self, child: int, parents: tuple[int, ...]) -> None:
        if not all(0 <= member < len(self._scorer.columns) for member in (child, *parents)):
            raise ValueError("expected a number from 0 to the last column")
        if child in parents or list(parents) != sorted(set(parents)):
            raise ValueError("parents: expected other columns than the child, ascending")


def _check_rule(kind: str, parameter: float) -> None:
    if kind not in (*_PENALISED, *_MARGINAL):
        raise ValueError(f"kind is {kind!r}: expected loglik, aic, bic, bdeu, bds or laplace")
    if kind in _MARGINAL and not 0 < parameter < math.inf:
        raise ValueError(f"parameter is {parameter}: expected a positive number")


def _price(kind: str, rows: int) -> float:
    """The penalty per free parameter: ln(n) / 2 for BIC, 1 for AIC, 0 for the log-likelihood."""
    if kind == "bic":
        return 0.5 * math.log(rows) if rows else 0.0
    return 1.0 if kind == "aic" else 0.0


def _log_likelihood(table: CountArray) -> float:
    """The maximum log-likelihood Σ n_jk ln(n_jk / n_j), with j a row of parents and k a state."""
    cells = [n * math.log(n) for n in table.ravel().tolist() if n]
    return math.fsum([*cells, *(-n * math.log(n) for n in table.sum(axis=1).tolist())])


def _log_marginal(table: CountArray, alpha: float) -> float:
    """The log marginal likelihood with ``alpha`` pseudo-counts per cell (Heckerman et al. 1995).

    Σ_j [ln Γ(r α) − ln Γ(n_j + r α)] + Σ_jk [ln Γ(n_jk + α) − ln Γ(α)], with r states.
    """
    states = table.shape[1]
    cells = [_log_rising(alpha, n) for n in table.ravel().tolist() if n]
    whole = states * alpha
    return math.fsum([*cells, *(-_log_rising(whole, n) for n in table.sum(axis=1).tolist())])


def _log_rising(alpha: float, n: int) -> float:
    """ln Γ(α + n) − ln Γ(α); for a large α a difference of Stirling's formulas, which keeps its digits."""
    if alpha < _LARGE:
        return math.lgamma(alpha + n) - math.lgamma(alpha)
    ends = _stirling_series(alpha + n) - _stirling_series(alpha)
    return n * math.log(alpha) + ((alpha + n - 0.5) * math.log1p(n / alpha) - n) + ends


def _stirling_series(x: float) -> float:
    """ln Γ(x) − [(x − ½) ln x − x + ½ ln 2π], for large x."""
    return (1 / 12 - 1 / 360 / x / x) / x
