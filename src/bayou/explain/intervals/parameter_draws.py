"""Random draws of learned parameters, and the intervals of answers that are computed with them.

Each row of a table with counts n and pseudocounts α has the posterior Dirichlet(n + α). An answer is computed
under many draws, and its interval is between two quantiles. The seed is fixed: equal questions, equal ends.
"""

from __future__ import annotations

import numpy as np

from bayou.distributions import Family, Prior
from bayou.errors import BadPrior, counted
from bayou.typing import FloatArray

DRAWS = 2_000
SEED = 20_250_101
LANES = 64
"""The number of draws that are computed together."""
ANSWERS_AT_A_TIME = 2**23
"""The most answers (rows × states × draws) that are kept at a time: 64 MiB."""


def dirichlet_posterior(counts: FloatArray, family: Family, prior: Prior) -> FloatArray:
    """Return counts + pseudocounts of a table; a row without either is an error."""
    alpha = counts + prior.pseudocounts(family.child, family.parents)
    empty = int((alpha.sum(axis=-1) <= 0).sum())
    if empty:
        raise BadPrior(
            f"Neither records nor a prior: {counted(empty, 'row')} of the table of {family.child.name!r}, "
            "whose uncertainty is therefore unknown. Fit with a prior such as Laplace(1)."
        )
    return np.asarray(alpha, dtype=np.float64)


def drawn_tables(alpha: FloatArray, random: np.random.Generator) -> FloatArray:
    """Tables of shape (parents …, states, draws), each row from its Dirichlet distribution.

    Gamma draws are made in logs, Γ(a) = Γ(a + 1) · U^(1/a), so that tiny pseudocounts do not underflow.

    >>> drawn = drawn_tables(np.array([8.0, 2.0]), np.random.default_rng(1))
    >>> drawn.shape, bool(np.allclose(drawn.sum(axis=0), 1))
    ((2, 64), True)
    """
    shape = (*alpha.shape, LANES)
    spread = np.broadcast_to(alpha[..., None], shape)
    with np.errstate(divide="ignore"):
        logs = np.log(random.standard_gamma(spread + 1)) + np.log(random.random(shape)) / spread
    logs -= logs.max(axis=-2, keepdims=True)
    weights = np.exp(logs)
    table: FloatArray = np.ascontiguousarray(weights / weights.sum(axis=-2, keepdims=True))
    return table


def central_ends(answers: FloatArray, mass: float) -> tuple[FloatArray, FloatArray]:
    """Return the two ends of the central interval over the last axis, the draws.

    Draws under which the findings are impossible (NaN) are ignored; without any other the ends are NaN.

    >>> [end.tolist() for end in central_ends(np.array([[0.0, 1.0, 2.0, 3.0, 4.0]]), 0.5)]
    [[1.0], [3.0]]
    """
    tail = (1 - mass) / 2
    lower, upper = np.quantile(answers, [tail, 1 - tail], axis=-1)
    known = np.isnan(lower) & ~np.isnan(answers).all(axis=-1)
    if known.any():
        lower[known], upper[known] = np.nanquantile(answers[known], [tail, 1 - tail], axis=-1)
    return lower, upper
