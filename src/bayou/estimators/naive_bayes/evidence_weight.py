"""The exponent of the likelihood in naive Bayes, chosen by the likelihood of left-out rows.

Redundant features make naive Bayes count the same evidence several times, so it becomes overconfident.
P(class) · (Π P(feature | class))ʷ, with the w that predicts left-out rows best, corrects most of that; the
smaller w, the stronger the redundancy.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from bayou.estimators.input.table_input import FeatureTable
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.sources import read_columns
from bayou.special_functions import log_sum_exp
from bayou.statistics import SampledRows
from bayou.typing import FloatArray, IntArray

FEWEST_ROWS = 200
"""With fewer rows the best exponent would be mostly noise: 1, the textbook's, is kept."""
_RANGE = (np.log(1 / 64), np.log(4))


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
        return log_loss(model.log_prior + np.exp(log_weight) * evidence, own, sample.weights)

    found = minimize_scalar(loss, bounds=_RANGE, method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x)) if loss(found.x) < loss(0.0) else 1.0


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


def log_loss(joint: FloatArray, own: IntArray, weights: FloatArray) -> float:
    """Return the mean of −log P(own class); infinite if a row is impossible in its own class."""
    if not np.all(np.isfinite(joint[np.arange(len(own)), own])):
        return float("inf")
    losses = log_sum_exp(joint)[:, 0] - joint[np.arange(len(own)), own]
    return float(weights @ losses / weights.sum())
