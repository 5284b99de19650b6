"""Missing cells of many rows replaced by their regression on the other cells, and what it leaves open.

With the precision K = Σ⁻¹, missing cells m and observed cells o, the regression of m on o is
−K[m,m]⁻¹ K[m,o], and the covariance that it leaves open is K[m,m]⁻¹ (Lauritzen, Graphical models, app. C).
So Σ is inverted once, and a pattern needs only an inverse of the size of its gaps.

If columns almost determine each other, K[m,m] has lost its digits: Σ[o,o] is inverted for each pattern.
Products and inverses of this file are made without BLAS, so that its number of threads changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bayou.statistics.matrix.incomplete_moments import IncompleteMoments
from bayou.typing import FloatArray, IntArray

_CELLS = 1 << 18
_LEAST_REMAINDER = 1e-6
"""The least share of a column's variance that other columns may leave open for K to be used."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Patterns with the same number of missing columns, each with the covariance of one class or of all.

    ``columns`` are the missing ones, [case, gap]; ``points`` and ``matrices`` are places in
    :class:`IncompleteMoments`, ``case_of_point`` and ``case_of_matrix`` places here.
    """

    columns: IntArray
    covariance: IntArray
    weight: FloatArray
    points: IntArray
    case_of_point: IntArray
    matrices: IntArray
    case_of_matrix: IntArray


def cases_of(patterns: IncompleteMoments) -> list[Cases]:
    """Return all patterns by their number of gaps, some at a time, so that they take little memory."""
    k, d = 1 if patterns.pooled else patterns.classes, patterns.seen.shape[1]
    group = patterns.pattern * k + (0 if patterns.pooled else patterns.label)
    names, case, counts = np.unique(group, return_inverse=True, return_counts=True)
    case = case.ravel()
    weight = np.bincount(case, weights=patterns.n, minlength=len(names))
    matrix = np.searchsorted(names, patterns.scatter_pattern * k + patterns.scatter_label)
    gaps = d - patterns.seen.sum(axis=1)[names // k]
    by_case, by_matrix = np.argsort(case, kind="stable"), np.argsort(matrix, kind="stable")
    found = []
    for some in _parts(gaps, counts, d):
        # Places of the chosen cases are not next to each other: those of their points are found by a table.
        place = np.full(len(names), -1, dtype=np.int64)
        place[some] = np.arange(len(some))
        points = by_case[place[case[by_case]] >= 0]
        matrices = by_matrix[place[matrix[by_matrix]] >= 0]
        missing = ~patterns.seen[names[some] // k]
        columns = np.nonzero(missing)[1].reshape(len(some), -1)
        own = (points, place[case[points]], matrices, place[matrix[matrices]])
        found.append(Cases(columns, names[some] % k, np.asarray(weight[some], dtype=np.float64), *own))
    return found


def _parts(gaps: IntArray, counts: IntArray, columns: int) -> Iterator[IntArray]:
    """Places of cases with equal numbers of gaps, with about ``_CELLS`` cells of regressions."""
    for m in np.unique(gaps).tolist():
        same = np.flatnonzero(gaps == m)
        part = np.cumsum((counts[same] + 1) * max(m, 1) * columns) // _CELLS
        yield from np.split(same, np.flatnonzero(np.diff(part)) + 1)


class GapRegressions:
    """The regressions of missing cells on others, for these covariances [covariance, column, column]."""

    def __init__(self, covariances: FloatArray) -> None:
        self._covariances = covariances
        self._precisions = _inverses_by_case(covariances)
        diagonals = (np.einsum("kii->ki", each) for each in (covariances, self._precisions))
        self._by_precision = bool((np.multiply(*diagonals) < 1 / _LEAST_REMAINDER).all())

    def fill(self, cases: Cases, rows: FloatArray, matrices: FloatArray, sums: FloatArray) -> None:
        """Write expected deviations into the gaps of ``rows``; add expected products of gaps to ``sums``.

        ``rows`` are deviations from the mean, 0 in gaps; ``sums`` is [covariance, column, column].
        """
        left, mix, pull = (self._of_precision if self._by_precision else self._of_covariance)(cases)
        columns, owner = cases.columns, cases.covariance
        near, case = rows[cases.points], cases.case_of_point
        seen_part = np.einsum("rmd,rd->mr", pull[case], near)
        rows[cases.points[:, None], columns[case]] = (mix[:, :, case] * seen_part).sum(axis=1).T
        one, other = columns.T[:, None, :], columns.T[None, :, :]
        np.add.at(sums, (owner, one, other), left * cases.weight)
        if len(cases.matrices):
            case = cases.case_of_matrix
            own, slope = mix[:, :, case], pull[case]
            half = np.einsum("mnt,tnj->tmj", own, np.einsum("tmi,tij->tmj", slope, matrices[cases.matrices]))
            whole = np.einsum("mnt,tnl->mlt", own, np.einsum("tni,tli->tnl", slope, half))
            place, every = columns[case][:, :, None], np.arange(sums.shape[1])
            np.add.at(sums, (owner[case][:, None, None], place, every), half)
            np.add.at(sums, (owner[case][:, None, None], every, place), half)
            np.add.at(sums, (owner[case], one[:, :, case], other[:, :, case]), whole)

    def _of_precision(self, cases: Cases) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(what is left open, A, B): the regression of each case is the product A B."""
        columns, owner = cases.columns, cases.covariance
        own = self._precisions[owner, columns.T[:, None, :], columns.T[None, :, :]]
        left = inverses(own)
        return left, left, -self._precisions[owner[:, None], columns]

    def _of_covariance(self, cases: Cases) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same by inverses of Σ[o,o]; rows and columns of gaps are made those of the identity."""
        columns, owner = cases.columns, cases.covariance
        c, m, d = len(columns), columns.shape[1], self._covariances.shape[1]
        left, pull = np.empty((m, m, c)), np.empty((c, m, d))
        size = max(1, _CELLS // d**2)
        for start in range(0, c, size):
            part = slice(start, start + size)
            sigma = self._covariances[owner[part]]
            seen = np.ones((len(sigma), d), dtype=np.bool_)
            seen[np.arange(len(sigma))[:, None], columns[part]] = False
            both = seen[:, :, None] & seen[:, None, :]
            observed = np.where(both, sigma, np.eye(d))
            across = self._covariances[owner[part][:, None], columns[part]]
            pull[part] = np.einsum("cmi,cij->cmj", across * seen[:, None], _inverses_by_case(observed))
            pull[part] *= seen[:, None]
            own = self._covariances[owner[part], columns[part].T[:, None, :], columns[part].T[None, :, :]]
            left[:, :, part] = own - np.einsum("cmi,cni->mnc", pull[part], across)
        return left, np.broadcast_to(np.eye(m)[:, :, None], left.shape), pull


def inverses(matrices: FloatArray) -> FloatArray:
    """The inverses of positive definite matrices [column, column, matrix], by sweeps of Gauss and Jordan.

    >>> inverses(np.array([[2.0, 1.0], [1.0, 1.0]])[:, :, None])[:, :, 0].tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    swept = np.array(matrices, dtype=np.float64)
    for j in range(len(swept)):
        pivot = 1.0 / swept[j, j]
        row, column = swept[j] * pivot, swept[:, j].copy()
        swept -= column[:, None] * row[None]
        swept[j] = row
        swept[:, j] = -column * pivot
        swept[j, j] = pivot
    return swept


def _inverses_by_case(matrices: FloatArray) -> FloatArray:
    """The same for matrices [matrix, column, column]."""
    return np.ascontiguousarray(np.moveaxis(inverses(np.moveaxis(matrices, 0, 2)), 2, 0))
