"""Scores of structures: how well a variable is explained by its parents, with a penalty for parameters.

A discrete child with r states, whose parents have q combinations of states, has counts n_jk: the rows with
the j-th combination and the child's k-th state; n_j = Σ_k n_jk and n = Σ_j n_j.

- Maximal log-likelihood: L = Σ_jk n_jk ln(n_jk / n_j).
- BIC (Schwarz 1978): L − ½ ln(n) · q(r − 1). AIC (Akaike 1974): L − q(r − 1).
- Marginal likelihood with the pseudocount a in every cell (Cooper & Herskovits 1992, Heckerman et al. 1995):
  Σ_j [ln Γ(ra) − ln Γ(ra + n_j) + Σ_k (ln Γ(a + n_jk) − ln Γ(a))]. K2 has a = 1. BDeu with the equivalent
  sample size s has a = s / (qr). BDs (Scutari 2016) has a = s / (q'r), where q' combinations occur.

For continuous children L is the likelihood of linear regressions (one per combination of discrete parents).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayou.distributions import BDeu, Laplace
from bayou.errors import BadPrior, listed
from bayou.special_functions import log_rising, xlogy
from bayou.typing import CountArray, FloatArray


class Score(Protocol):
    """A decomposable score: a network's score is the sum of the scores of its families. Larger is better."""

    def of_counts(self, counts: CountArray, configurations: float) -> float:
        """The score of a discrete variable.

        ``counts`` has one row for each combination of the parents' states that occurs (rows of zeros for
        others are allowed) and one column per state; ``configurations`` is the number of all combinations.
        """

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        """The score of a continuous variable, from its maximal log-likelihood, free parameters and rows."""


def log_likelihood(counts: CountArray) -> float:
    """The maximal log-likelihood Σ n_jk ln(n_jk / n_j) of a table of counts with one row per combination j.

    >>> log_likelihood(np.array([[2, 2], [3, 0]]))
    -2.7725887222397816
    """
    table = np.asarray(counts, dtype=np.float64)
    return float(xlogy(table, table).sum() - xlogy(table.sum(axis=-1), table.sum(axis=-1)).sum())


@dataclass(frozen=True)
class _Penalised(ABC):
    """The maximal log-likelihood minus a penalty per free parameter."""

    @abstractmethod
    def price(self, rows: float) -> float:
        """The penalty per free parameter."""

    def of_counts(self, counts: CountArray, configurations: float) -> float:
        """The score of a discrete variable with this table."""
        parameters = configurations * max(counts.shape[-1] - 1, 0)
        return self.of_likelihood(log_likelihood(counts), parameters, float(counts.sum()))

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        """The score of a variable, from its maximal log-likelihood, free parameters and rows."""
        return log_likelihood - self.price(rows) * parameters


@dataclass(frozen=True)
class BIC(_Penalised):
    """The Bayesian information criterion: log-likelihood minus ½ ln n per free parameter.

    >>> round(BIC().of_counts(np.array([[30, 10]]), 1), 3)
    -24.338
    """

    def price(self, rows: float) -> float:
        """Half the logarithm of the number of rows."""
        return 0.5 * math.log(rows) if rows > 0 else 0.0


@dataclass(frozen=True)
class AIC(_Penalised):
    """Akaike's information criterion: log-likelihood minus 1 per free parameter.

    >>> import bayou
    >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
    >>> bayou.learn_structure(rows, score=bayou.AIC()).arcs
    (('wet', 'rain'),)
    """

    def price(self, rows: float) -> float:
        """The penalty per free parameter: 1."""
        return 1.0


@dataclass(frozen=True)
class LogLikelihood(_Penalised):
    """The maximal log-likelihood alone.

    It never falls when a parent is added, so limit the number of parents (``max_parents``).

    >>> import bayou
    >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
    >>> bayou.learn_structure(rows, score=bayou.LogLikelihood()).arcs
    (('wet', 'rain'),)
    """

    def price(self, rows: float) -> float:
        """The penalty per free parameter: 0."""
        return 0.0


@dataclass(frozen=True)
class MarginalLikelihood:
    """The probability of the counts with the table integrated out, under the same pseudocount in every cell.

    ``BDeu(10)`` divides its sample size among all cells; ``Laplace(1)`` adds 1 to every cell, which is K2.
    """

    prior: BDeu | BDs | Laplace

    def per_cell(self, configurations: float, seen: int, states: int) -> float:
        """The pseudocount of a cell, if ``seen`` of the ``configurations`` occur in the data."""
        if isinstance(self.prior, Laplace):
            return self.prior.strength
        size = seen if isinstance(self.prior, BDs) else configurations
        return self.prior.equivalent_sample_size / (max(size, 1) * states)

    def of_counts(self, counts: CountArray, configurations: float) -> float:
        """The score of a discrete variable: log P(its column | its parents' columns)."""
        table = np.asarray(counts, dtype=np.float64)
        table = table[table.sum(axis=-1) > 0]
        states = table.shape[-1]
        alpha = self.per_cell(configurations, len(table), states)
        return _log_marginal(table, alpha) if alpha > 0 else -math.inf

    @property
    def _shown(self) -> str:
        """The score as users write it: its word if it has one, else the prior."""
        return next((repr(word) for word, score in WORDS.items() if score == self), repr(self.prior))

    def of_likelihood(self, log_likelihood: float, parameters: float, rows: float) -> float:
        """Refuse continuous variables: the score is defined for tables only."""
        raise BadPrior(
            f"score={self._shown} scores tables of counts only, and there are continuous variables: use "
            "score='bic' or 'aic', or cut the numbers into ranges (states={'x': bayou.Cuts([…])})."
        )


@dataclass(frozen=True)
class BDs:
    """BDeu with its sample size divided among the parents' combinations that occur (BDs, Scutari 2016).

    ``equivalent_sample_size`` is how many virtual records the prior is worth. Raises ``BadPrior`` if it is
    negative.

    >>> import bayou
    >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
    >>> bayou.learn_structure(rows, score=bayou.BDs(1)).arcs
    (('wet', 'rain'),)
    """

    equivalent_sample_size: float = 10.0

    def __post_init__(self) -> None:
        size = BDeu(self.equivalent_sample_size).equivalent_sample_size
        object.__setattr__(self, "equivalent_sample_size", size)


def _log_marginal(table: FloatArray, alpha: float) -> float:
    """The log marginal likelihood of a table with the pseudocount ``alpha`` in every cell."""
    states = table.shape[-1]
    cells = log_rising(alpha, table)
    rows = log_rising(states * alpha, table.sum(axis=-1))
    return float(cells.sum() - rows.sum())


WORDS: dict[str, Score] = {
    "bic": BIC(),
    "aic": AIC(),
    "loglik": LogLikelihood(),
    "bdeu": MarginalLikelihood(BDeu(10.0)),
    "bds": MarginalLikelihood(BDs(10.0)),
    "k2": MarginalLikelihood(Laplace(1.0)),
}
"""The scores that users may give by name."""


def score_from(given: object) -> Score:
    """The score that a user's argument means: a name, a score, or a prior (for its marginal likelihood).

    >>> score_from("k2")
    MarginalLikelihood(prior=Laplace(strength=1.0))
    """
    if isinstance(given, _Penalised | MarginalLikelihood):
        return given
    if hasattr(given, "of_counts") and hasattr(given, "of_likelihood"):
        own: Score = given  # a score of the user's own
        return own
    if isinstance(given, BDeu | BDs | Laplace):
        strength = given.strength if isinstance(given, Laplace) else given.equivalent_sample_size
        if strength <= 0:
            raise BadPrior(f"{given!r} cannot be used as a score: its strength must be above 0.")
        return MarginalLikelihood(given)
    if isinstance(given, str) and given.lower() in WORDS:
        return WORDS[given.lower()]
    raise BadPrior(
        f"{given!r} is not a score. Use one of {listed(WORDS)}, or BIC(), AIC(), LogLikelihood(), BDeu(10), "
        "BDs(10), Laplace(1)."
    )
