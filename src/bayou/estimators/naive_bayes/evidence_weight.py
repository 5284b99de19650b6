"""The exponent of the likelihood in naive Bayes, chosen by the likelihood of left-out rows.

Redundant features make naive Bayes count the same evidence several times, so it becomes overconfident.
P(class) · (Π P(feature | class))ʷ, with the w that predicts left-out rows best, corrects most of that; the
smaller w, the stronger the redundancy. A w above 1 is rarer: findings say more together than one by one,
as where the class follows from rules (on the car table of the accuracy page w is 1.7: the log-loss is .28
instead of .34, the accuracy .863 instead of .851).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from bayou.arguments import real_number
from bayou.errors import BadQuestion, warn_user
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.sources import read_columns
from bayou.special_functions import log_sum_exp, weighted_sum
from bayou.statistics import SampledRows, Source
from bayou.typing import FloatArray, IntArray, Name

FEWEST_ROWS = 50
"""With fewer rows texts and Gaussian classes keep the exponent 1, the textbook's."""
NO_ROWS, ALL_ROWS = 25.0, 50.0
"""Between so many rows exponents pass from 1 to what left-out rows say, so that no row makes a jump.

From 10 rows on would be better still (titanic, soybean, mushroom, pima, credit_approval), but then the
examples of textbooks, of up to 24 rows, would not have the textbook's results."""
LEAST, MOST = 1 / 64, 2.0
"""The bounds of the exponent: no finding counts for more than twice its evidence."""
DIGITS = 9
"""Weights are rounded to this many decimals: the order of states, and so of sums, must not change them."""
CHANCE = 2.0
"""An exponent above 1 must raise the log-likelihood of all left-out rows by this much, which chance seldom
does (with probability .05). Else rows that are predicted almost surely would raise it for nothing."""


def given_weight(given: Any) -> float | None:
    """Return the exponent that the user gave; None for "auto".

    >>> given_weight("auto"), given_weight(0.5)
    (None, 0.5)
    """
    if isinstance(given, str):
        if given != "auto":
            raise BadQuestion(f"evidence_weight={given!r}: give 'auto' or a number above 0.")
        return None
    expected = "give 'auto' or a number above 0"
    return real_number("evidence_weight", given, 0, above=True, expected=expected)


def gives_sample(rows: Source, names: tuple[Name, ...]) -> bool:
    """Whether the data gives a sample of rows for the evidence weight; tell the user if it does not."""
    if rows.gives_sample(names):
        return True
    warn_user(
        "evidence_weight='auto' compares weights on a sample of rows, which this data does not give "
        '(transport="cells", with numbers or too many different rows): the weight 1 is used. Give '
        "evidence_weight=1 to say so, or let rows be read."
    )
    return False


@dataclass(frozen=True, eq=False)
class ClassRecords:
    """The rows of each class, and the records behind P(class): rows and virtual ones; None: it was given."""

    rows: FloatArray
    behind_prior: FloatArray | None


@dataclass(frozen=True, eq=False)
class LeftOutRows:
    """Rows of the data, each left out of the model that scores it: log P(class) and evidence [row, class]."""

    log_prior: FloatArray
    evidence: FloatArray
    own: IntArray
    weights: FloatArray
    terms: FloatArray | None = None
    """The part of each column in the evidence, [row, class, column]; None if they were not asked for."""

    def of_classes_that_stay(self, classes: ClassRecords) -> LeftOutRows:
        """Return the rows without those whose class vanishes without them: they say nothing about weights."""
        stay = classes.rows[self.own] > np.minimum(self.weights, 1.0) * (1 + 1e-9)
        terms = None if self.terms is None else self.terms[stay]
        return LeftOutRows(
            self.log_prior[stay], self.evidence[stay], self.own[stay], self.weights[stay], terms
        )

    def best_weight(self) -> float:
        """Return the exponent of the evidence with the least log-loss."""
        if not len(self.own):
            return 1.0

        def loss(log_weight: float) -> float:
            return joint_log_loss(self.log_prior + np.exp(log_weight) * self.evidence, self.own, self.weights)

        bounds = np.log(LEAST), np.log(MOST)
        found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
        gain, rows = loss(0.0) - loss(found.x), float(self.weights.sum())
        told = joint_log_loss(self.log_prior, self.own, self.weights) - loss(found.x)
        if told * rows <= CHANCE:
            return LEAST  # the features tell no more of the class than chance would
        return beyond_chance(round(float(np.exp(found.x)), DIGITS), gain, rows)


def learned_part(rows: float) -> float:
    """How much of a learned exponent is used; the rest is 1, the textbook's.

    >>> learned_part(20), learned_part(40), learned_part(500)
    (0.0, 0.6, 1.0)
    """
    return float(np.clip((rows - NO_ROWS) / (ALL_ROWS - NO_ROWS), 0.0, 1.0))


def faded(weight: float, rows: float) -> float:
    """A learned exponent with few rows, nearer to 1.

    >>> faded(0.5, 20), faded(0.5, 40), faded(0.5, 500)
    (1.0, 0.7, 0.5)
    """
    part = learned_part(rows)
    return weight if part == 1 else round(1 + part * (weight - 1), DIGITS)


def faded_columns(columns: FloatArray | None, rows: float) -> FloatArray | None:
    """Learned exponents of columns with few rows, nearer to 1."""
    part = learned_part(rows)
    return columns if columns is None or part == 1 else np.round(1 + part * (columns - 1), DIGITS)


def weighed_model(model: NaiveModel, sample: SampledRows, classes: ClassRecords) -> NaiveModel:
    """Return the model with the weights of least log-loss on a sample, each row left out of its own model."""
    total = float(classes.rows.sum())
    if learned_part(total) == 0 or len(model.densities) < 2 or model.classes.cardinality < 2:
        return model
    from bayou.estimators.naive_bayes.column_weights import column_weights, usable_rows

    rows = usable_rows(len(sample.weights), model.classes.cardinality, len(model.densities))
    left_out = left_out_rows(model, sample, classes, with_terms=rows > 0).of_classes_that_stay(classes)
    weight = left_out.best_weight()
    columns = faded_columns(column_weights(left_out, weight), total)
    return replace(model, weight=faded(weight, total), column_weights=columns)


def left_out_rows(
    model: NaiveModel, sample: SampledRows, classes: ClassRecords, with_terms: bool = False
) -> LeftOutRows:
    """Return the rows of the sample, each scored by naive Bayes without it."""
    features = {density.variable.name: sample.values[density.variable.name] for density in model.densities}
    table = FeatureTable(read_columns(features))
    labels = sample.values[model.classes.name]
    own = np.array([model.classes.code(label) for label in labels], dtype=np.int64)
    # One record is left out of a row that stands for several; a row of weight below 1 is left out whole.
    one = np.minimum(sample.weights, 1.0)
    prior = left_out_prior(model.log_prior, classes, own, one)
    if not with_terms:
        return LeftOutRows(prior, left_out_evidence(model, table, own, one), own, sample.weights)
    terms = np.stack([density.log_density(table) for density in model.densities], axis=2)
    rows = np.arange(table.rows)
    for place, density in enumerate(model.densities):
        terms[rows, own, place] = density.left_out(table, own, one)
    return LeftOutRows(prior, terms.sum(axis=2), own, sample.weights, terms)


def left_out_prior(
    log_prior: FloatArray, classes: ClassRecords, own: IntArray, weights: FloatArray
) -> FloatArray:
    """Return log P(class) for each row, learned without it; as given, where it was not learned.

    >>> classes = ClassRecords(np.array([3.0, 1.0]), np.array([4.0, 2.0]))
    >>> np.exp(left_out_prior(np.log([4 / 6, 2 / 6]), classes, np.array([0]), np.ones(1))).tolist()
    [[0.6, 0.4]]
    """
    if classes.behind_prior is None:
        return np.tile(log_prior, (len(own), 1))
    left = np.tile(classes.behind_prior, (len(own), 1))
    left[np.arange(len(own)), own] -= weights
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(np.maximum(left, 0.0) / left.sum(axis=1, keepdims=True))
    return logs


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
