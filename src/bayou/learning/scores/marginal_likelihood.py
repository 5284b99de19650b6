"""The marginal likelihood of counts: their probability with the table's parameters integrated out."""

from __future__ import annotations

import numpy as np

from bayou.errors import BadPrior
from bayou.special_functions import log_rising
from bayou.typing import CountArray, FloatArray


def log_marginal_likelihood(counts: CountArray, pseudocounts: FloatArray) -> float:
    """The sum over the table's rows of log ∫ Π θ^counts Dirichlet(θ; pseudocounts) dθ (states: last axis).

    For counts n and pseudocounts a, a row adds ln Γ(Σa) − ln Γ(Σa + Σn) + Σ [ln Γ(a + n) − ln Γ(a)]. This is
    the log-probability of the data rows in the order in which they came, each predicted from those before it.

    >>> np.exp(log_marginal_likelihood(np.array([2, 1]), np.array([1.0, 1.0])))  # 1/2 · 2/3 · 1/4
    np.float64(0.08333...)
    """
    table = np.asarray(counts, dtype=np.float64)
    prior = np.broadcast_to(np.asarray(pseudocounts, dtype=np.float64), table.shape)
    if np.any((prior <= 0) & (table > 0)):
        raise BadPrior(
            "The marginal likelihood needs a prior that gives every state some mass, such as Laplace(1); "
            "this one adds 0 to a state that occurs."
        )
    possible = prior > 0
    # A prior of 0 has counts of 0, whose factor is 1.
    cells = log_rising(np.where(possible, prior, 1.0), table)
    before = prior.sum(axis=-1)
    rows = np.where(before > 0, log_rising(np.where(before > 0, before, 1.0), table.sum(axis=-1)), 0.0)
    return float(cells.sum() - rows.sum())
