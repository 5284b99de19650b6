"""The exponent of the likelihood in naive Bayes, chosen by the likelihood of left-out rows.

Redundant features make naive Bayes count the same evidence several times, so it becomes overconfident.
P(class) · (Π P(feature | class))ʷ, with the w that predicts left-out rows best, corrects most of that; the
smaller w, the stronger the redundancy. A w above 1 is rarer: findings say more together than one by one,
as where the class follows from rules (on the car table of the accuracy page w is 1.7: the log-loss is .28
instead of .34, the accuracy .863 instead of .851).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.sources import read_columns
from bayou.special_functions import log_sum_exp, weighted_sum
from bayou.statistics import SampledRows
from bayou.typing import FloatArray, IntArray

FEWEST_ROWS = 200
"""With fewer rows the best exponent would be mostly noise: 1, the textbook's, is kept."""
LEAST, MOST = 1 / 64, 2.0
"""The bounds of the exponent: no finding counts for more than twice its evidence."""
CHANCE = 2.0
"""An exponent above 1 must raise the log-likelihood of all left-out rows by this much, which chance seldom
does (with probability .05). Else rows that are predicted almost surely would raise it for nothing."""


def best_weight(model: NaiveModel, sample: SampledRows, rows: float) -> float:
    """Return the exponent with the least log-loss on the sample, each row left out of its own model."""
    if rows < FEWEST_ROWS or len(model.densities) < 2 or model.classes.cardinality < 2:
        return 1.0
    features = {density.variable.name: sample.values[density.variable.name] for density in model.densities}
    table = FeatureTable(read_columns(features))
    labels = sample.values[model.classes.name]
    own = np.array([model.classes.code(label) for label in labels], dtype=np.int64)
    # One record is left out of a row that stands for several; a row of weight below 1 is left out whole.
    evidence = left_out_evidence(model, table, own, np.minimum(sample.weights, 1.0))

    def loss(log_weight: float) -> float:
        return joint_log_loss(model.log_prior + np.exp(log_weight) * evidence, own, sample.weights)

    bounds = np.log(LEAST), np.log(MOST)
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return beyond_chance(float(np.exp(found.x)), loss(0.0) - loss(found.x), float(sample.weights.sum()))


def beyond_chance(weight: float, gain: float, rows: float) -> float:
    """Return the exponent, or 1 if its gain (of mean log-loss) is none, or above 1 no more than chance.

    >>> beyond_chance(0.9, 0.001, 300), beyond_chance(1.5, 0.001, 300), beyond_chance(1.5, 0.01, 300)
    (0.9, 1.0, 1.5)
    """
    enough = gain > 0 if weight <= 1 else gain * rows > CHANCE
    return weight if enough else 1.0


def left_out_evidence(
    model: NaiveModel, table: FeatureTable, own: IntArray, weights: FloatArray
) -> FloatArray:
    """Return Σ log P(feature | class); in the column of a row's own class, the row is left out."""
    evidence = model.evidence(table)
    held_out = np.zeros(table.rows)
    for density in model.densities:
        held_out += density.left_out(table, own, weights)
    evidence[np.arange(table.rows), own] = held_out
    return evidence


def joint_log_loss(joint: FloatArray, own: IntArray, weights: FloatArray) -> float:
    """Return the mean of −log P(own class); infinite if a row is impossible in its own class."""
    if not np.all(np.isfinite(joint[np.arange(len(own)), own])):
        return float("inf")
    losses = log_sum_exp(joint)[:, 0] - joint[np.arange(len(own)), own]
    return weighted_sum(weights, losses) / float(weights.sum())
