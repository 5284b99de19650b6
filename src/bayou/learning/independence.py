"""Independence tested on counts: the likelihood-ratio (G) and Pearson's chi-square test, with p-values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from bayou.errors import BadQuestion
from bayou.learning.information import conditional_mutual_information
from bayou.typing import CountArray, FloatArray

METHODS = ("g", "chi2")


@dataclass(frozen=True)
class CountsTest:
    """The outcome: how far the counts are from independence, and how often chance alone gets as far.

    ``information`` is the mutual information in nats; G is 2n times it.
    """

    method: str
    statistic: float
    degrees: int
    p_value: float
    information: float
    rows: float

    @property
    def reliable(self) -> bool:
        """Whether there are at least five rows a degree of freedom, so that the p-value means something."""
        return self.rows >= 5 * self.degrees


def counts_test(counts: CountArray, method: str = "g") -> CountsTest:
    """Test A ⟂ B | C on a table of counts with axes (C, A, B), or A ⟂ B on one with axes (A, B).

    States that do not occur (within a state of C) take no degree of freedom.

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
    return CountsTest(method, statistic, degrees, p_value, information, total)


def _pearson(table: FloatArray, rows: FloatArray, columns: FloatArray) -> float:
    groups = table.sum(axis=(1, 2))[:, None, None]
    expected = rows[:, :, None] * columns[:, None, :] / np.where(groups > 0, groups, 1.0)
    squares = np.divide((table - expected) ** 2, expected, out=np.zeros_like(table), where=expected > 0)
    return float(squares.sum())
