"""P(counts) with the table's numbers integrated out: the evidence that data give for a structure."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bayou.errors import BadPrior
from bayou.typing import CountArray, FloatArray


def log_marginal_likelihood(counts: CountArray, pseudocounts: FloatArray) -> float:
    """log of ∫ Π θ^counts Dirichlet(θ; pseudocounts) dθ, for each row of the table (states on the last axis).

    It is the probability of these records in the order in which they came, each predicted from those before.

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
    held = prior > 0
    cells = np.where(
        held, gammaln(np.where(held, prior + table, 1.0)) - gammaln(np.where(held, prior, 1.0)), 0.0
    )
    before, after = prior.sum(axis=-1), (prior + table).sum(axis=-1)
    rows = np.where(before > 0, gammaln(np.where(before > 0, before, 1.0)), 0.0)
    rows = rows - np.where(after > 0, gammaln(np.where(after > 0, after, 1.0)), 0.0)
    return float(rows.sum() + cells.sum())
