"""Rows some of whose features are hidden, under a normal density: the density of what is known.

With the precision P of all features, H the hidden and K the known ones, and d the distance from the mean, the
density of x_K has the exponent −½ dᵀPd where d_H = −P_HH⁻¹ P_HK d_K (the mean of H given K), and the log of
its constant is smaller by ½ log |P_HH|.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.typing import BoolArray, FloatArray, IntArray

MOST_ENTRIES = 1 << 21
"""Of the matrices that are held at once."""


@dataclass(frozen=True, eq=False)
class HiddenFeatures:
    """Rows with hidden features, by the number of these: rows, patterns, and the pattern of each row."""

    groups: tuple[tuple[IntArray, IntArray, IntArray], ...]

    @classmethod
    def of(cls, hidden: BoolArray) -> HiddenFeatures:
        """Group the rows of [row, feature].

        >>> found = HiddenFeatures.of(np.array([[False, False], [True, False], [True, True]]))
        >>> [(rows.tolist(), patterns.tolist()) for rows, patterns, _ in found.groups]
        [([1], [[0]]), ([2], [[0, 1]])]
        """
        many, groups = hidden.sum(axis=1), []
        for size in np.unique(many[many > 0]).tolist():
            rows = np.flatnonzero(many == size)
            patterns, of_row = np.unique(
                np.nonzero(hidden[rows])[1].reshape(len(rows), size), axis=0, return_inverse=True
            )
            most = max(1, MOST_ENTRIES // size**2)
            order = of_row.ravel().argsort(kind="stable")
            for begin in range(0, len(rows), most):
                some = order[begin : begin + most]
                used, places = np.unique(of_row.ravel()[some], return_inverse=True)
                groups.append((rows[some], patterns[used], places.ravel()))
        return cls(tuple(groups))

    def fill(self, away: FloatArray, precision: FloatArray) -> FloatArray:
        """Put the means of hidden features in their places in ``away``, and return what constants lose."""
        lost = np.zeros(len(away))
        for rows, patterns, of_row in self.groups:
            inverses, logs = _inverted(precision[patterns[:, :, None], patterns[:, None, :]])
            places = patterns[of_row]
            known = away[rows]
            np.put_along_axis(known, places, 0.0, axis=1)
            pull = np.take_along_axis(known @ precision, places, axis=1)
            np.put_along_axis(known, places, -np.einsum("rij,rj->ri", inverses[of_row], pull), axis=1)
            away[rows] = known
            lost[rows] = 0.5 * logs[of_row]
        return lost


def _inverted(matrices: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The inverses of positive definite matrices, and the logs of their determinants."""
    roots = np.linalg.cholesky(matrices)
    logs = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64), np.asarray(logs, dtype=np.float64)
