"""Credible intervals of P(class | row) of naive Bayes: quantiles over draws of its tables and Gaussians.

Under each draw, log P(class, row) = log P(class) + w · Σ log P(feature | class), as in the model itself; the
exponent w is taken as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bayou.distributions import LinearGaussian
from bayou.distributions.gaussian.gaussian_posterior import drawn_lines, require_line_posterior
from bayou.errors import BadQuestion
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.explain.intervals.parameter_draws import (
    ANSWERS_AT_A_TIME,
    DRAWS,
    LANES,
    SEED,
    central_ends,
    dirichlet_posterior,
    drawn_tables,
)
from bayou.statistics.rows.distinct_rows import distinct_rows
from bayou.typing import CodeArray, FloatArray


class ClassIntervals(NamedTuple):
    """The ends of the intervals: arrays of rows × classes."""

    lower: FloatArray
    upper: FloatArray


class DrawnTable:
    """Draws of log P(state | class) of a feature with states."""

    def __init__(self, density: FeatureDensity) -> None:
        self._alpha = dirichlet_posterior(density.answer.values, density.family, density.prior)
        silent = np.zeros((density.family.groups, 1))
        # The codes after the last state: missing, and never seen in training.
        self._others = np.concatenate([silent, density.unseen[:, None]], axis=-1)

    def logs(self, codes: CodeArray, random: np.random.Generator) -> FloatArray:
        """Log P of each row's state: axes of rows, classes and draws."""
        with np.errstate(divide="ignore"):
            drawn = np.log(drawn_tables(self._alpha, random))
        others = np.repeat(self._others[..., None], LANES, axis=-1)
        by_state = np.concatenate([drawn, others], axis=1).transpose(1, 0, 2)
        logs: FloatArray = np.take(np.ascontiguousarray(by_state), codes, axis=0)
        return logs


class DrawnGaussian:
    """Draws of the log density of a number given the class."""

    def __init__(self, density: FeatureDensity, gaussian: LinearGaussian) -> None:
        require_line_posterior(density.answer)
        self._moments = density.answer
        self._fitted = gaussian.variance

    def logs(self, numbers: FloatArray, random: np.random.Generator) -> FloatArray:
        """Log density of each row's number (0 if missing): axes of rows, classes and draws."""
        lines = drawn_lines(self._moments, LANES, random)
        # A class whose numbers are all equal has no drawn variance: it keeps the fitted one.
        varies = lines.variance > 0
        lines = lines._replace(variance=np.where(varies, lines.variance, self._fitted[..., None]))
        logs = lines.log_density(numbers[:, None, None], np.zeros(0))
        return np.where(np.isnan(numbers)[:, None, None], 0.0, logs)


class DrawnClasses:
    """P(class | row) under draws of all parameters.

    ``class_counts`` are counts + pseudocounts of the classes; None: their probabilities are given, not drawn.
    """

    def __init__(self, model: NaiveModel, class_counts: FloatArray | None) -> None:
        self._model, self._class_counts = model, class_counts
        names = [density.variable.name for density in model.densities]
        self._weights = dict(zip(names, model.weights.tolist(), strict=True))
        self._features: list[tuple[FeatureDensity, DrawnTable | DrawnGaussian]] = []
        for density in model.densities:
            distribution = density.distribution
            if distribution.has_dirichlet_posterior:
                if density.variable.cardinality:
                    self._features.append((density, DrawnTable(density)))
            elif isinstance(distribution, LinearGaussian):
                if density.answer.total > 0 and density.answer.whole.scatter[0, 0] > 0:
                    self._features.append((density, DrawnGaussian(density, distribution)))
            else:
                raise BadQuestion(
                    "Intervals can be computed for tables and Gaussians only; the column "
                    f"{density.variable.name!r} is modelled otherwise ({distribution.title}). Fit with "
                    f"features={{{density.variable.name!r}: 'discretised'}} (or 'table', 'gaussian')."
                )

    def ends(self, rows: FeatureTable, mass: float) -> ClassIntervals:
        """Return the ends of the central intervals; equal rows are computed once."""
        columns = [np.ascontiguousarray(density.values(rows)) for density, _ in self._features]
        bits = [column.view(np.uint64) if column.dtype.kind == "f" else column for column in columns]
        first, which = distinct_rows(bits, rows.rows)
        classes = self._model.classes.cardinality
        lower, upper = np.empty((len(first), classes)), np.empty((len(first), classes))
        step = max(1, ANSWERS_AT_A_TIME // (DRAWS * classes))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            answers = self._answers([column[first[part]] for column in columns], len(first[part]))
            lower[part], upper[part] = central_ends(answers, mass)
        return ClassIntervals(lower[which], upper[which])

    def _answers(self, columns: Sequence[npt.NDArray[Any]], rows: int) -> FloatArray:
        """P(class | row) under each draw: axes of rows, classes and draws."""
        random = np.random.default_rng(SEED)
        answers = np.empty((rows, self._model.classes.cardinality, DRAWS))
        for start in range(0, DRAWS, LANES):
            prior = self._log_prior(random)
            evidence: FloatArray = np.zeros((rows, *prior.shape))
            for (density, feature), column in zip(self._features, columns, strict=True):
                evidence += self._weights[density.variable.name] * feature.logs(column, random)
            joint = prior + evidence
            best = joint.max(axis=1, keepdims=True)
            # A row that is impossible in every class says nothing about the class.
            joint = np.where(np.isfinite(best), joint, prior)
            weights = np.exp(joint - joint.max(axis=1, keepdims=True))
            shares = weights / weights.sum(axis=1, keepdims=True)
            answers[..., start : start + LANES] = shares[..., : DRAWS - start]
        return answers

    def _log_prior(self, random: np.random.Generator) -> FloatArray:
        """Log P(class) under some draws: axes of classes and draws."""
        if self._class_counts is None:
            return np.repeat(self._model.log_prior[:, None], LANES, axis=-1)
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(drawn_tables(self._class_counts, random))
        return logs
