"""Weights of hypotheses by stacking: the mixture that predicts the classes of held-out rows best.

P(h | data) of all rows together is all or nothing: with many rows the hypothesis that is better by a hair in
each gets all the weight, although none of them is true. Stacking asks for the weights of the vote instead:
they maximise Σ log Σ w_h P(class | row, h) over held-out rows (Wolpert 1992, Breiman 1996). It is concave,
and the steps of EM for a mixture reach its maximum. The prior P(h) counts as one more row, which it divides
among the hypotheses.
"""

from __future__ import annotations

import numpy as np

from bayou.typing import FloatArray

_STEPS = 5000
_TOLERANCE = 1e-9


def stacked_weights(logs: FloatArray, prior: FloatArray) -> FloatArray:
    """Return the weight of each hypothesis; ``logs`` are log P(true class), [row, hypothesis].

    Rows that all hypotheses rule out say nothing of their weights.

    >>> rows = np.log([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]] * 100)  # the first is right twice in three times
    >>> stacked_weights(rows, np.full(2, 0.5)).round(2).tolist()
    [0.84, 0.16]
    """
    largest = logs[:, prior > 0].max(axis=1, initial=-np.inf)
    usable = np.isfinite(largest)
    chance = np.where(prior > 0, np.exp(np.minimum(logs[usable] - largest[usable, None], 700.0)), 0.0)
    weights = prior / prior.sum()
    for _ in range(_STEPS):
        shares = chance * weights
        shares /= shares.sum(axis=1, keepdims=True)
        moved = (shares.sum(axis=0) + prior / prior.sum()) / (len(chance) + 1)
        done = np.abs(moved - weights).max() < _TOLERANCE
        weights = moved
        if done:
            break
    result: FloatArray = weights
    return result
