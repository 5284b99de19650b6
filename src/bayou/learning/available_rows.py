"""Scores of families on the rows that have all of it, made comparable between families."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.learning.scores import AIC, BIC, LogLikelihood, Score, log_likelihood
from bayou.typing import CountArray


@dataclass(frozen=True)
class ScaledToAllRows:
    """A score as if the rows without gaps in a family spoke for all rows.

    Without it a parent with gaps would gain by the rows that it throws out.

    >>> import numpy as np
    >>> half, whole = np.array([[20, 30]]), np.array([[40, 60]])
    >>> round(ScaledToAllRows(BIC(), 100.0).of_counts(half, 1) - BIC().of_counts(whole, 1), 9)
    0.0
    """

    score: Score
    rows: float

    def of_counts(self, counts: CountArray, configurations: float) -> float:
        """The score of a discrete variable with this table."""
        seen = float(counts.sum())
        if isinstance(self.score, BIC | AIC | LogLikelihood):
            parameters = configurations * max(counts.shape[-1] - 1, 0)
            return self.of_likelihood(log_likelihood(counts), parameters, seen)
        return self.score.of_counts(counts, configurations) * self._scale(seen)

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        """The score of a variable with so many free parameters and rows."""
        return self.score.of_likelihood(log_likelihood * self._scale(rows), parameters, self.rows)

    def _scale(self, seen: float) -> float:
        return self.rows / seen if seen > 0 else 0.0


def price_of(score: Score, rows: float) -> float:
    """What a free parameter costs; scores that integrate the parameters out pay as BIC does."""
    return score.price(rows) if isinstance(score, BIC | AIC | LogLikelihood) else BIC().price(rows)


def score_name(score: Score) -> str:
    """How a score is called in reports.

    >>> score_name(BIC())
    'BIC'
    """
    if isinstance(score, ScaledToAllRows):
        return f"{score_name(score.score)} scaled to all rows"
    if isinstance(score, BIC | AIC):
        return type(score).__name__
    prior = getattr(score, "prior", None)
    return "log-likelihood" if prior is None else f"log {prior!r}"
