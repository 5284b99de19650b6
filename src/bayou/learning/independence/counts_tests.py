"""Tests of independence: G and Pearson's χ² on counts, Fisher's z on partial correlations.

For A ⟂ B | C on counts n_cab with the expected counts e_cab = n_ca n_cb / n_c:

- G = 2 Σ n_cab ln(n_cab / e_cab) = 2n · I(A; B | C), Pearson's X² = Σ (n_cab − e_cab)² / e_cab. Under
  independence both are about χ² distributed with Σ_c (a_c − 1)(b_c − 1) degrees of freedom, where a_c and
  b_c are the numbers of states of A and B that occur in the stratum C = c.
- For numbers, with the partial correlation ρ given k variables: z = √(n − k − 3) · artanh ρ is about standard
  normal (Fisher 1924), and the p-value is P(|Z| ≥ |z|).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bayou.errors import BadQuestion
from bayou.learning.independence.information import conditional_mutual_information
from bayou.special_functions import chdtrc, erfc
from bayou.typing import CountArray, FloatArray, IntArray

METHODS = ("g", "chi2")


@dataclass(frozen=True)
class CountsTest:
    """The result of a test on counts.

    ``p_value`` is the probability of a statistic at least as large under independence; ``information`` is the
    (conditional) mutual information in nats, and G is 2n times it.
    """

    method: str
    statistic: float
    degrees: int
    p_value: float
    information: float
    rows: float
    telling_rows: float = 0.0
    """The rows in strata with a degree of freedom: rows in other strata do not contribute to the test."""
    strata: int = 1
    """The number of strata: combinations of C's states that occur."""

    def counts(self, rows_each: float) -> bool:
        """Whether there are enough rows for the test: ``rows_each`` telling rows per degree of freedom.

        Without any degree of freedom, A or B is constant in every stratum; then ``rows_each`` rows per
        stratum are needed, since in a stratum of one row every variable is constant.
        """
        if self.degrees > 0:
            return self.telling_rows >= rows_each * self.degrees
        return 0 < self.rows >= rows_each * self.strata

    @property
    def reliable(self) -> bool:
        """Whether there are at least five rows per degree of freedom, so that the p-value is meaningful."""
        return self.rows >= 5 * self.degrees


def counts_test(counts: CountArray, method: str = "g") -> CountsTest:
    """Test A ⟂ B | C on a table of counts with axes (C, A, B), or A ⟂ B on one with axes (A, B).

    States that do not occur within a state of C do not count for its degrees of freedom.

    >>> found = counts_test(np.array([[30, 10], [10, 30]]))
    >>> round(found.statistic, 3), found.degrees, found.p_value < 0.001
    (20.93, 1, True)
    >>> round(counts_test(np.array([[30, 10], [10, 30]]), "chi2").statistic, 3)
    20.0
    """
    if method not in METHODS:
        raise BadQuestion(f"method={method!r}: use 'g' (likelihood ratio) or 'chi2' (Pearson).")
    table = np.asarray(counts, dtype=np.float64)
    table = table[None] if table.ndim == 2 else table
    rows, columns = table.sum(axis=2), table.sum(axis=1)
    total = float(table.sum())
    information = conditional_mutual_information(table)
    statistic = 2 * total * information if method == "g" else _pearson(table, rows, columns)
    free = np.maximum((rows > 0).sum(axis=1) - 1, 0) * np.maximum((columns > 0).sum(axis=1) - 1, 0)
    degrees = int(free.sum())
    p_value = float(chdtrc(degrees, statistic)) if degrees else 1.0
    telling = float(rows.sum(axis=1)[free > 0].sum())
    strata = int(np.count_nonzero(rows.sum(axis=1)))
    return CountsTest(method, statistic, degrees, p_value, information, total, telling, strata)


def _pearson(table: FloatArray, rows: FloatArray, columns: FloatArray) -> float:
    groups = table.sum(axis=(1, 2))[:, None, None]
    expected = rows[:, :, None] * columns[:, None, :] / np.where(groups > 0, groups, 1.0)
    squares = np.divide((table - expected) ** 2, expected, out=np.zeros_like(table), where=expected > 0)
    return float(squares.sum())


def partial_correlations(scatter: FloatArray, members: IntArray) -> FloatArray:
    """The correlation of the first two members of each row given the others, from a scatter matrix.

    It is 0 where the others determine one of the two.

    >>> scatter = np.array([[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 1.0]])
    >>> partial_correlations(scatter, np.array([[0, 1], [1, 0]])).tolist()
    [0.5, 0.5]
    >>> partial_correlations(scatter, np.array([[0, 1, 2]])).round(12).tolist()
    [0.0]
    """
    deviation = np.sqrt(np.maximum(np.diagonal(scatter), 0.0))
    scale = np.where(deviation > 0, deviation, 1.0)
    correlation = scatter / np.outer(scale, scale)
    blocks = correlation[members[:, :, None], members[:, None, :]]
    # The Schur complement of the others: the 2 × 2 residual scatter of the first two.
    own, cross, others = blocks[:, :2, :2], blocks[:, :2, 2:], blocks[:, 2:, 2:]
    left = own - cross @ np.linalg.pinv(others, hermitian=True) @ cross.transpose(0, 2, 1)
    varies = np.minimum(left[:, 0, 0], left[:, 1, 1]) > 1e-12
    spread = np.sqrt(np.where(varies, left[:, 0, 0] * left[:, 1, 1], 1.0))
    return np.where(varies, np.clip(left[:, 0, 1] / spread, -1.0, 1.0), 0.0)


def correlation_p_values(correlations: FloatArray, rows: float, given: int) -> FloatArray:
    """The p-values of partial correlations given this many other variables, by Fisher's z.

    >>> correlation_p_values(np.array([0.0, 0.5, 1.0]), 103, 0).round(9).tolist()
    [1.0, 4e-08, 0.0]
    """
    with np.errstate(divide="ignore"):
        z = np.sqrt(rows - given - 3) * np.abs(np.arctanh(correlations))
    p_values: FloatArray = erfc(z / np.sqrt(2))
    return p_values
