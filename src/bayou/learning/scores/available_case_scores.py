"""Scores of families from the rows where the family is complete, made comparable between families."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.learning.scores.scores import AIC, BIC, LogLikelihood, Score
from bayou.typing import CountArray

UNKNOWN = -1e6
"""The score per row of a family that is complete in no row: so low that it is never chosen."""


@dataclass(frozen=True)
class ScaledToAllRows:
    """A score (penalty included) scaled from the rows where a family is complete to all ``rows``.

    The factor is rows / complete rows. Without it a parent with gaps would gain because its family has fewer
    rows, and so a log-likelihood closer to 0.

    >>> import numpy as np
    >>> half = np.array([[20, 30]])
    >>> ScaledToAllRows(BIC(), 100.0).of_counts(half, 1) == 2 * BIC().of_counts(half, 1)
    True
    """

    score: Score
    rows: float

    def of_counts(self, counts: CountArray, configurations: float) -> float:
        """The score of a discrete variable with this table."""
        return self._scaled(self.score.of_counts(counts, configurations), float(counts.sum()))

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        """The score of a variable, from its maximal log-likelihood, free parameters and complete rows."""
        return self._scaled(self.score.of_likelihood(log_likelihood, parameters, rows), rows)

    def _scaled(self, value: float, seen: float) -> float:
        return value * self.rows / seen if seen > 0 else UNKNOWN * self.rows


def price_of(score: Score, rows: float) -> float:
    """The penalty per free parameter; for marginal likelihoods, which have none, that of BIC."""
    return score.price(rows) if isinstance(score, BIC | AIC | LogLikelihood) else BIC().price(rows)


def score_name(score: Score) -> str:
    """The name of a score in reports.

    >>> score_name(BIC())
    'BIC'
    """
    if isinstance(score, ScaledToAllRows):
        return f"{score_name(score.score)} scaled to all rows"
    if isinstance(score, BIC | AIC):
        return type(score).__name__
    prior = getattr(score, "prior", None)
    return "log-likelihood" if prior is None else f"log {prior!r}"
