"""The linear form of a classifier's log-odds, if they are linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.distributions import CODES
from bayou.errors import BadQuestion
from bayou.estimators.explain.class_pair import ClassPair, chosen_pair
from bayou.estimators.gaussian.discriminant import discriminant_of
from bayou.estimators.gaussian.gaussian_model import DiagonalModel, FullModel, GaussianModel, SharedModel
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.explain.linear_weights import LinearWeights
from bayou.schema import Variable
from bayou.typing import Name, State

GAUSSIANS = (DiagonalModel, FullModel, SharedModel)


def linear_weights(estimator: Any, of: State, against: State) -> LinearWeights:
    """Return the linear form of the log-odds of two classes; an error if they are not linear."""
    model = estimator._fitted_model()
    if isinstance(model, GAUSSIANS):
        return _flat_gaussian(estimator, model, of, against)
    if not isinstance(model, NaiveModel):
        raise BadQuestion(
            f"{type(estimator).__name__} is not linear in its features, because they interact. "
            "model.explain(row) shows the effect of each finding."
        )
    pair = chosen_pair(model.classes, model.log_prior, of, against)
    states: dict[Name, tuple[Variable, tuple[float, ...]]] = {}
    lines: dict[Name, tuple[float, float]] = {}
    unseen: dict[Name, float] = {}
    for density, weight in zip(model.densities, model.weights.tolist(), strict=True):
        name = density.variable.name
        if density.distribution.values_are == CODES:
            every = density.distribution.log_density_by_group(np.arange(density.variable.cardinality))
            gaps = [weight * pair.gap(logs) for logs in every]
            states[name] = (density.variable, tuple(gaps))
            unseen[name] = weight * pair.gap(density.unseen)
        else:
            slope, offset = _line(density, pair)
            lines[name] = (weight * slope, weight * offset)
    named = (model.classes.states[pair.of], model.classes.states[pair.against])
    slopes = {name: line[0] for name, line in lines.items()}
    offsets = {name: line[1] for name, line in lines.items()}
    return LinearWeights(*named, pair.gap(model.log_prior), states, slopes, offsets, unseen)


def _flat_gaussian(estimator: Any, model: GaussianModel, of: State, against: State) -> LinearWeights:
    """The weights and the bias of two Gaussian classes with the same covariance."""
    states = estimator._class_variable.states
    pair = chosen_pair(estimator._class_variable, model.log_prior, of, against)
    flat = discriminant_of(model, pair.of, pair.against, (states[pair.of], states[pair.against]))
    if flat.quadratic is not None:
        raise BadQuestion(
            f"The covariances of {flat.first!r} and {flat.second!r} differ, so their log-odds are curved. "
            "Use covariance='shared' or 'spherical' for a linear model, or see model.discriminant(a, b)."
        )
    names = estimator.statistics_.variables
    slopes = dict(zip(names, flat.w.tolist(), strict=True))
    return LinearWeights(flat.first, flat.second, flat.bias, {}, slopes, dict.fromkeys(names, 0.0))


def _line(density: FeatureDensity, pair: ClassPair) -> tuple[float, float]:
    """Slope and offset of log P(x | of) − log P(x | against)."""
    line = density.distribution.line(pair.of, pair.against)
    if line is None:
        shape = (
            "has a different variance in each class" if density.distribution.gaussian else "is not a table"
        )
        raise BadQuestion(
            f"Feature {density.variable.name!r} {shape}, so its log-odds are not linear. Cut it into ranges "
            "(features='table' on discretised columns), or see model.explain(row)."
        )
    return line
