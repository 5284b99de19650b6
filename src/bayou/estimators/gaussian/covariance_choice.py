"""``covariance="auto"``: the covariance, and the exponent of the densities, that predict held-out rows best.

Normal densities of many columns make a classifier overconfident. P(class) · densityʷ, with the w that
predicts the classes of held-out rows best, corrects that, as in naive Bayes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import brentq

from bayou import _native
from bayou.errors import BayouWarning
from bayou.estimators.gaussian.gaussian_estimation import GaussianSettings, gaussian_model
from bayou.estimators.gaussian.regularised_covariance import Regulariser, require_finite
from bayou.estimators.naive_bayes.evidence_weight import FEWEST_ROWS, LEAST, MOST, beyond_chance
from bayou.schema import state_key
from bayou.special_functions import weighted_sum
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.statistics.matrix.matrix_sample import MatrixSample
from bayou.text.tables import PrintedLines
from bayou.typing import FloatArray, IntArray

SHRINKAGES = (0.0, 0.1)
"""The shrinkages of regularised covariances towards the columns' variances that are tried."""
FOLDS = 5
LEAST_GAIN = 0.005
"""Each less simple candidate must have a loss that is smaller by this share to be preferred."""
_LAPSES = 1e-3
"""ε of the loss: the share of rows that may have any class."""
_PULL = 1e-6
"""The penalty on (log w)²: where all exponents do equally well, w = 1 is chosen."""
_ROUNDING = 1e-9
_LOG_WEIGHTS = np.linspace(np.log(LEAST), np.log(MOST), 25)
Prior = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Candidate:
    """A covariance with its best exponent; ``loss`` is the log-loss of the classes of held-out rows."""

    covariance: str
    shrinkage: float
    evidence_weight: float
    loss: float

    def __str__(self) -> str:
        shrunk = f", shrinkage {self.shrinkage:g}" if self.shrinkage else ""
        return f"{self.covariance}{shrunk}: {self.loss:.4f} with w = {self.evidence_weight:.3g}"


@dataclass(frozen=True)
class CovarianceChoice(PrintedLines):
    """The candidates, the chosen one first; empty if there were too few rows for a choice.

    >>> print(CovarianceChoice((Candidate("shared", 0, 0.9, 0.4), Candidate("regularised", 0.1, 0.6, 0.5))))
    Held-out log-loss of the class on rows without gaps, chosen model first:
      shared: 0.4000 with w = 0.9
      regularised, shrinkage 0.1: 0.5000 with w = 0.6
    """

    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        if not self.candidates:
            return f"shared: no choice (fewer than {FEWEST_ROWS} rows without missing cells, or one class)"
        title = "Held-out log-loss of the class on rows without gaps, chosen model first:"
        return "\n  ".join([title, *map(str, self.candidates)])


def choose_covariance(
    settings: GaussianSettings, moments: ClassMoments, prior: Prior
) -> tuple[GaussianSettings, CovarianceChoice]:
    """Compare the candidates on held-out rows; ``prior`` returns log P(class) for weights of the classes."""
    plain = replace(settings, covariance="shared")
    sample = moments.sample
    if sample is None or sample.weights.sum() < FEWEST_ROWS or np.count_nonzero(moments.rows) < 2:
        return plain, CovarianceChoice(())
    require_finite(moments)
    tried_settings = [replace(plain, variances=moments.total_variance)]
    for share in SHRINKAGES:
        found = Regulariser.of(moments, share, settings.ddof)
        tried_settings.append(replace(settings, covariance="regularised", shrinkage=share, regulariser=found))
    held_out = _held_out(tried_settings, moments, sample, prior)
    if not len(held_out.own):
        return plain, CovarianceChoice(())
    tried = []
    for k, each in enumerate(tried_settings):
        weight = held_out.best_weight(k)
        tried.append(Candidate(each.covariance, each.shrinkage or 0.0, weight, held_out.loss(k, weight)))
    order = sorted(range(len(tried)), key=lambda k: tried[k].loss * (1 + LEAST_GAIN * k))
    best = replace(tried_settings[order[0]], weight=tried[order[0]].evidence_weight)
    return best, CovarianceChoice(tuple(tried[k] for k in order))


@dataclass(frozen=True)
class _HeldOut:
    """Held-out rows: log P(class) [row, class], log densities [candidate, row, class], classes and weights.

    The loss is −log((1 − ε) P + ε/K) with K classes: otherwise a few rows that fit no class, or have a wrong
    label, would decide alone.
    """

    log_prior: FloatArray
    evidence: FloatArray
    own: IntArray
    weights: FloatArray

    def loss(self, candidate: int, weight: float) -> float:
        """The mean loss over the rows, with this exponent."""
        chance = self._posterior(candidate, weight)[np.arange(len(self.own)), self.own]
        return weighted_sum(self.weights, -np.log(self._with_lapses(chance))) / float(self.weights.sum())

    def best_weight(self, candidate: int) -> float:
        """The exponent with the least loss; one above 1 only if its gain is beyond chance."""
        found = self._least_loss(candidate)
        if found <= 1:
            return found
        gain = self.loss(candidate, 1.0) - self.loss(candidate, found)
        return beyond_chance(found, gain, float(self.weights.sum()))

    def _least_loss(self, candidate: int) -> float:
        """The exponent with the least loss: the best of a grid, then the root of the derivative near it."""
        evidence = self.evidence[candidate]
        rows = np.arange(len(self.own))
        seen = evidence[rows, self.own]

        def slope(log_weight: float) -> float:
            posterior = self._posterior(candidate, float(np.exp(log_weight)))
            chance = posterior[rows, self.own]
            share = (1 - _LAPSES) * chance / self._with_lapses(chance)
            excess = share * ((posterior * evidence).sum(axis=1) - seen)
            mean = weighted_sum(self.weights, excess) / float(self.weights.sum())
            return float(np.exp(log_weight)) * mean + 2 * _PULL * log_weight

        losses = [self.loss(candidate, float(np.exp(log))) + _PULL * log**2 for log in _LOG_WEIGHTS]
        at = int(np.argmin(losses))
        low, high = _LOG_WEIGHTS[max(at - 1, 0)], _LOG_WEIGHTS[min(at + 1, len(_LOG_WEIGHTS) - 1)]
        if slope(low) < 0 < slope(high):
            return float(np.exp(brentq(slope, low, high, xtol=1e-13)))
        return float(np.exp(_LOG_WEIGHTS[at]))

    def _posterior(self, candidate: int, weight: float) -> FloatArray:
        return _native.softmax_rows(self.log_prior + weight * self.evidence[candidate])

    def _with_lapses(self, chance: FloatArray) -> FloatArray:
        result: FloatArray = (1 - _LAPSES) * chance + _LAPSES / self.log_prior.shape[1]
        return result


def _held_out(
    tried_settings: list[GaussianSettings], moments: ClassMoments, sample: MatrixSample, prior: Prior
) -> _HeldOut:
    """Score each fold of the sample by models of all rows without that fold."""
    codes = {state_key(state): code for code, state in enumerate(moments.classes.states)}
    own = np.array([codes[state_key(label)] for label in sample.labels], dtype=np.int64)
    shares = _fold_weights(own, sample.weights)
    parts = []
    for weights in shares:
        mine = np.flatnonzero(weights)
        rest = moments.without(_moments(moments, sample.matrix[mine], own[mine], weights[mine]))
        mine = mine[rest.n[own[mine], 0] > 0]  # a class without other rows cannot be predicted
        log_prior = np.tile(prior(rest.n[:, 0]), (len(mine), 1))
        evidence = np.array([_log_densities(each, rest, sample.matrix[mine]) for each in tried_settings])
        parts.append(_HeldOut(log_prior, evidence, own[mine], weights[mine]))
    return _HeldOut(
        np.concatenate([part.log_prior for part in parts]),
        np.concatenate([part.evidence for part in parts], axis=1),
        np.concatenate([part.own for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def _fold_weights(own: IntArray, weights: FloatArray) -> FloatArray:
    """Distribute the rows of each class over the folds in turn; a row of weight w counts as w rows.

    Return the weights [fold, row]. The sample is ordered by hashes of its rows, so the folds do not depend on
    the order of the data.
    """
    result = np.empty((FOLDS, len(own)))
    for code in np.unique(own):
        mine = np.flatnonzero(own == code)
        ends = np.concatenate([[0.0], np.cumsum(weights[mine])])
        turns = np.floor(ends / FOLDS)
        for fold in range(FOLDS):
            so_far = turns + np.clip(ends - FOLDS * turns - fold, 0.0, 1.0)
            result[fold, mine] = np.diff(so_far)
    result[result < _ROUNDING * weights] = 0.0
    return result


def _moments(moments: ClassMoments, matrix: FloatArray, own: IntArray, weights: FloatArray) -> ClassMoments:
    """The moments of some rows of the sample."""
    k = moments.classes.cardinality
    weight, mean, scatter = _native.class_scatter(matrix, own.astype(np.uint32), k, weights, False)
    n = np.repeat(weight[:, None], len(moments.variables), axis=1)
    return ClassMoments(moments.variables, moments.classes, moments.form, weight, n, mean, scatter)


def _log_densities(settings: GaussianSettings, moments: ClassMoments, matrix: FloatArray) -> FloatArray:
    """Log densities of the rows under a model of these moments, without errors or warnings.

    Covariances of fewer rows may be singular; if that of all rows is singular too, its own model warns.
    """
    settings = replace(settings, var_smoothing=max(settings.var_smoothing, _ROUNDING))
    flat = np.zeros(moments.classes.cardinality)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)
        return gaussian_model(settings, replace(moments, rows=moments.n[:, 0]), flat).scores(matrix, False)
