"""Scores of Gaussian families, all from one matrix of scatter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from bayou.distributions import LinearGaussian
from bayou.learning.local_scores import Family
from bayou.learning.scores import Score
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments, Source
from bayou.typing import BoolArray, FloatArray, IntArray

_CLEAR = 1e-6
"""A share of a variable's scatter above this is no rounding; below, the careful way is taken."""


class GaussianScores:
    """Scores of continuous variables without gaps: any regression follows from the scatter of all.

    >>> from bayou.learning.scores import BIC
    >>> scatter = np.array([[4.0, 2.0], [2.0, 2.0]])
    >>> moments = GroupMoments(("x", "y"), (), np.array(8.0), np.zeros(2), scatter)
    >>> scores = GaussianScores(moments, [Variable("x"), Variable("y")], BIC())
    >>> scores.families([(1, ()), (1, (0,))]).round(4).tolist()
    [-7.8858, -6.1529]
    """

    def __init__(self, moments: GroupMoments, variables: Sequence[Variable], score: Score) -> None:
        self.variables = tuple(variables)
        self.score = score
        self._moments = moments
        self._known: dict[Family, float] = {}

    def families(self, wanted: Sequence[Family]) -> FloatArray:
        """The score of each family."""
        new = [family for family in dict.fromkeys(wanted) if family not in self._known]
        for (child, most), group in groupby(new, lambda family: (family[0], family[1][:-1])):
            last = [parents[-1] for _, parents in group if parents]
            scores = self._added(child, most, last)
            self._known.update(
                {(child, (*most, other)): float(s) for other, s in zip(last, scores, strict=True)}
            )
        for child, parents in new:
            if not parents:
                self._known[child, ()] = self._carefully(child, ())
        return np.array([self._known[family] for family in wanted], dtype=np.float64)

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""
        return self.families([(child, tuple(sorted((*parents, int(other))))) for other in candidates])

    def _added(self, child: int, parents: tuple[int, ...], candidates: Sequence[int]) -> FloatArray:
        """Scores by Schur complements, where they are clear of rounding."""
        others = np.asarray(candidates, dtype=np.int64)
        residual, clear = self._residuals(child, parents, others)
        n = float(self._moments.n)
        scores = np.empty(len(others))
        for at, other in enumerate(others.tolist()):
            if clear[at] and n > 0:
                logs = -0.5 * n * (math.log(2 * math.pi * residual[at] / n) + 1)
                scores[at] = self.score.of_likelihood(logs, len(parents) + 3, n)
            else:
                scores[at] = self._carefully(child, (*parents, other))
        return scores

    def _residuals(
        self, child: int, parents: tuple[int, ...], others: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        """The child's scatter about its regression on the parents and each other, and whether it is sure."""
        scatter = self._moments.scatter
        own = np.diagonal(scatter)
        columns = np.concatenate([[child], others]).astype(np.int64)
        rest, straight = own[columns], scatter[child, columns]
        if parents:
            given = np.array(parents, dtype=np.int64)
            inner = scatter[np.ix_(given, given)]
            scale = np.sqrt(np.diagonal(inner))
            if not np.all(scale > 0) or np.linalg.cond(inner / np.outer(scale, scale)) > 1 / _CLEAR:
                return np.zeros(len(others)), np.zeros(len(others), dtype=bool)
            across = scatter[np.ix_(given, columns)]
            solved = np.linalg.solve(inner / np.outer(scale, scale), across / scale[:, None]) / scale[:, None]
            rest = rest - (across * solved).sum(axis=0)
            straight = straight - across[:, 0] @ solved
        sure = (rest[1:] > _CLEAR * own[others]) & (own[others] > 0)
        residual: FloatArray = rest[0] - straight[1:] ** 2 / np.where(sure, rest[1:], 1.0)
        return residual, sure & (residual > _CLEAR * own[child])

    def _carefully(self, child: int, parents: tuple[int, ...]) -> float:
        members = [*sorted(parents), child]
        part = GroupMoments(
            tuple(self.variables[member].name for member in members),
            (),
            self._moments.n,
            self._moments.mean[members],
            self._moments.scatter[np.ix_(members, members)],
        )
        return self.score.of_likelihood(*LinearGaussian.evidence(part))


def gaussian_scores(source: Source, variables: Sequence[Variable], score: Score) -> GaussianScores | None:
    """Scores from one request, or None where values are missing: then every family has its own rows."""
    request = Moments(tuple(variable.name for variable in variables))
    statistics = source.collect([request])
    moments = statistics[request]
    if not math.isclose(moments.total, statistics.rows, rel_tol=1e-12):
        return None
    return GaussianScores(moments, variables, score)
