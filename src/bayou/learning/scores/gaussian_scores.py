"""Scores of Gaussian families, all from one scatter matrix.

A child c with parents P is a linear regression. With the scatter matrix S of all variables over n rows, let
S_ab·P = S_ab − S_aP S_PP⁻¹ S_Pb. The residual sum of squares is R = S_cc·P, with one more parent x it is
S_cc·P − S_cx·P² / S_xx·P, and the maximal log-likelihood is −n/2 · (ln(2π R/n) + 1). The free parameters are
|P| slopes, an intercept and a variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from bayou.distributions.gaussian.gaussian_evidence import gaussian_evidence
from bayou.errors import BadData
from bayou.learning.scores.local_scores import FamilyNumbers
from bayou.learning.scores.scores import Score
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments, Source
from bayou.typing import BoolArray, FloatArray, IntArray

_CLEAR = 1e-6
"""If the unexplained share of a variable's scatter is above this, rounding does not matter; below it, the
slower :func:`family_evidence` is used, which handles collinear variables."""


class GaussianScores:
    """Scores of continuous variables without missing values: one scatter matrix gives every regression.

    >>> from bayou.learning.scores.scores import BIC
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
        self._known: dict[FamilyNumbers, float] = {}

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
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
        """The scores with each candidate as one more parent: Schur complements where these are accurate."""
        others = np.asarray(candidates, dtype=np.int64)
        residual, clear = self._residuals(child, parents, others)
        scores = np.empty(len(others))
        scores[clear] = self._of(residual[clear], len(parents) + 1)
        for at in np.flatnonzero(~clear).tolist():
            scores[at] = self._carefully(child, (*parents, int(others[at])))
        return scores

    def _residuals(
        self, child: int, parents: tuple[int, ...], others: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        """The residual sum of squares with each of ``others`` as one more parent, and whether it is accurate.

        With the notation at the top of the file, ``rest`` is S_cc·P and each S_xx·P, ``straight`` each S_cx·P
        (after S_cc·P).
        """
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
        return residual, sure & (residual > _CLEAR * own[child]) & (self._moments.n > 0)

    def unremembered(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family, not remembered: for searches that store millions of scores themselves."""
        scores = np.empty(len(wanted))
        sizes = np.array([len(parents) for _, parents in wanted], dtype=np.int64)
        for size in np.unique(sizes).tolist():
            places = np.flatnonzero(sizes == size)
            members = np.array([(*wanted[place][1], wanted[place][0]) for place in places.tolist()])
            residual, clear = self._eliminated(members)
            scores[places[clear]] = self._of(residual[clear], size)
            for place in places[~clear].tolist():
                scores[place] = self._carefully(*wanted[place])
        return scores

    def _eliminated(self, members: IntArray) -> tuple[FloatArray, BoolArray]:
        """The residual sum of squares of each row's last member, and whether it is accurate.

        Each row of ``members`` lists a family, the child last. One parent after the other is eliminated from
        the correlation matrices of all families at once.
        """
        own = np.diagonal(self._moments.scatter)
        scale = np.sqrt(np.where(own > 0, own, 1.0))
        left = (self._moments.scatter / np.outer(scale, scale))[members[:, :, None], members[:, None, :]]
        sure: BoolArray = np.all(own[members] > 0, axis=1) & bool(self._moments.n > 0)
        for _ in range(members.shape[1] - 1):
            pivot = left[:, 0, 0]
            sure &= pivot > _CLEAR
            slopes = left[:, 0, 1:] / np.where(sure, pivot, 1.0)[:, None]
            left = left[:, 1:, 1:] - left[:, 1:, :1] * slopes[:, None, :]
        return left[:, 0, 0] * own[members[:, -1]], sure & (left[:, 0, 0] > _CLEAR)

    def most(self, child: int, parents: Sequence[int]) -> float:
        """An upper bound on the log-likelihood with any subset of these parents: that with all of them.

        It is infinite where the parents determine the child.
        """
        found = family_evidence(self._moments, child, parents)[0]
        return found if found > -math.inf else math.inf

    @property
    def rows(self) -> float:
        """The number of rows (or the sum of their weights)."""
        return self._moments.total

    def _of(self, residuals: FloatArray, parents: int) -> FloatArray:
        """Scores from residual sums of squares; ``parents`` is the number of parents of each child."""
        n = float(self._moments.n)
        logs = -0.5 * n * (np.log(2 * math.pi * residuals / n) + 1)
        return np.array([self.score.of_likelihood(one, parents + 2, n) for one in logs.tolist()])

    def _carefully(self, child: int, parents: Sequence[int]) -> float:
        return self.score.of_likelihood(*family_evidence(self._moments, child, parents))


def family_evidence(moments: GroupMoments, child: int, parents: Sequence[int]) -> tuple[float, int, float]:
    """The maximal log-likelihood, free parameters and rows of a family, given by positions in the moments.

    >>> scatter = np.array([[4.0, 2.0], [2.0, 1.0]])
    >>> moments = GroupMoments(("x", "y"), (), np.array(8.0), np.zeros(2), scatter)
    >>> family_evidence(moments, 1, [0])  # y is x / 2: it has no density given x
    (-inf, 3, 8.0)
    """
    members = [*sorted(parents), child]
    part = GroupMoments(
        tuple(moments.variables[member] for member in members),
        (),
        moments.n,
        moments.mean[members],
        moments.scatter[np.ix_(members, members)],
    )
    return gaussian_evidence(part)


def gaussian_scores(source: Source, variables: Sequence[Variable], score: Score) -> GaussianScores | None:
    """Scores from one request for moments, or None where values are missing.

    With missing values every family has its own complete rows, so one scatter matrix does not serve all.
    """
    request = Moments(tuple(variable.name for variable in variables))
    statistics = source.collect([request])
    moments = statistics[request]
    if not math.isclose(moments.total, statistics.rows, rel_tol=1e-12):
        return None
    refuse_overflow(moments)
    return GaussianScores(moments, variables, score)


def refuse_overflow(moments: GroupMoments) -> None:
    """Refuse variables whose squares overflow: their scatter is infinite or NaN."""
    wrong = ~(np.isfinite(np.diagonal(moments.scatter)) & np.isfinite(moments.mean))
    if np.any(wrong):
        name = moments.variables[int(np.argmax(wrong))]
        raise BadData(
            f"{name!r} has values too large to square, so its variance is not a finite number. Convert it to "
            "a larger unit, or clean the data."
        )
