"""A fitted classifier as one SELECT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayou.distributions import CODES
from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
from bayou.errors import BadQuestion
from bayou.estimators.gaussian.gaussian_model import DiagonalModel, FullModel, SharedModel
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.networks.aode import AODEModel
from bayou.estimators.networks.network_model import NetworkModel
from bayou.sources.databases.prediction_query import PredictionQuery
from bayou.sources.databases.score_terms import Component, NormalMatrix, NormalTable, ScoreTable, Term
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import Name


def prediction_sql(classifier: Any, table: str, dialect: str, keep: Sequence[str]) -> str:
    """Return the query for the predictions of a fitted classifier; raise BadQuestion if it has none."""
    model = classifier._fitted_model()
    if isinstance(model, NaiveModel):
        components = _of_naive(model)
    elif isinstance(model, NetworkModel):
        components = _of_network(model)
    elif isinstance(model, AODEModel):
        components = _of_aode(model)
    elif isinstance(model, DiagonalModel | FullModel | SharedModel):
        components = _of_gaussian(model, tuple(classifier.feature_names_in_))
    else:
        raise BadQuestion(
            "Naive Bayes over states and normal densities, networks over states (TAN, NetworkClassifier …), "
            f"AODE and GaussianBayes become a query; a {type(model).__name__} does not."
        )
    prior = components[0].start if isinstance(model, NetworkModel) else model.log_prior
    return PredictionQuery(classifier._class_variable, prior, components, dialect).text(table, keep)


def _of_naive(model: NaiveModel) -> list[Component]:
    terms = [term for density in model.densities if (term := _of_density(density, model.weight)) is not None]
    return [Component(model.log_prior, terms)]


def _of_density(density: FeatureDensity, weight: float) -> Term | None:
    """What one feature of naive Bayes adds; None for a column without any value."""
    name, distribution = density.variable.name, density.distribution
    if isinstance(distribution, LinearGaussian) and not distribution.coefficients.size:
        return NormalTable(name, distribution.intercept, distribution.variance, weight)
    if distribution.values_are != CODES:
        raise BadQuestion(
            f"The feature {name!r} is modelled as a {distribution.kind}, which the query has no formula for. "
            "Use NaiveBayes('gaussian'), or NaiveBayes('discretised'), which cuts numbers into ranges."
        )
    _refuse_smooth(density.unknown)
    if not density.variable.cardinality:
        return None
    codes = np.arange(density.variable.cardinality, dtype=np.uint32)
    logs = distribution.log_density_by_group(codes).T
    weighed = np.where(np.isfinite(logs), weight * np.where(np.isfinite(logs), logs, 0), -np.inf)
    return ScoreTable((density.variable,), weighed, needed=False)


def _of_network(model: NetworkModel) -> list[Component]:
    network, target = model.network, model.target
    _refuse_smooth(model.unknown)
    own = network.schema[target]
    tables, prior = [], np.zeros(own.cardinality)
    for variable in network.schema:
        family = (*(parent.name for parent in network.parents(variable.name)), variable.name)
        if any(network.schema[name].is_continuous for name in family):
            raise BadQuestion(
                f"{variable.name!r} depends on real numbers, which the query has no formula for."
            )
        if target not in family:
            continue
        with np.errstate(divide="ignore"):
            logs = np.log(network.table(variable.name))
        logs = np.moveaxis(logs, family.index(target), 0)
        features = tuple(network.schema[name] for name in family if name != target)
        if features:
            tables.append(ScoreTable(features, logs, needed=True))
        else:
            prior = logs
    return [Component(np.asarray(prior), tables)]


def _of_aode(model: AODEModel) -> list[Component]:
    """One component for each parent; naive Bayes for rows in which no value may be a parent."""
    _refuse_smooth(model.unknown)
    cards = [variable.cardinality for variable in model.variables]
    places = [slice(end - card, end) for card, end in zip(cards, np.cumsum(cards).tolist(), strict=True)]
    weights = np.ones(len(cards)) if model.weights is None else model.weights
    own = [ScoreTable((v,), model.own[places[i]].T, needed=False) for i, v in enumerate(model.variables)]
    frequent = [(v, model.frequent[places[i]] > 0) for i, v in enumerate(model.variables)]
    components = []
    for i, parent in enumerate(model.variables):
        if not weights[i] > 0:
            continue
        others = [
            ScoreTable((parent, child), np.moveaxis(model.given[places[i], places[j]], 2, 0), needed=False)
            for j, child in enumerate(model.variables)
            if j != i
        ]
        start = np.full(model.classes.cardinality, float(np.log(weights[i])))
        components.append(Component(start, [own[i], *others], (frequent[i],)))
    taking_part = tuple(each for i, each in enumerate(frequent) if weights[i] > 0)
    alone = [
        ScoreTable((v,), (model.own[places[i]] - model.log_prior).T, needed=False)
        for i, v in enumerate(model.variables)
    ]
    return [*components, Component(model.log_prior, alone, taking_part, unless=True)]


def _of_gaussian(model: DiagonalModel | FullModel | SharedModel, features: Sequence[Name]) -> list[Component]:
    if isinstance(model, DiagonalModel):
        used = [k for k in range(len(features)) if model.ignored is None or not model.ignored[k]]
        terms = [NormalTable(features[k], model.means[:, k], model.variances[:, k]) for k in used]
        return [Component(model.log_prior, terms)]
    if model.ignored is not None and model.ignored.any():
        raise BadQuestion(
            "A column had no value in training, so that its covariances are unknown: fit without it, then "
            "use to_sql."
        )
    shared = isinstance(model, SharedModel)
    classes = range(len(model.log_prior))
    whitenings = [model.whitening if isinstance(model, SharedModel) else model.whitenings[k] for k in classes]
    logs = np.array(
        [0.0 if shared else white.log_determinant + len(features) * LOG_TWO_PI for white in whitenings]
    )
    whiteners = np.sqrt(model.weight) * np.array([white.whitener for white in whitenings])
    term = NormalMatrix(tuple(features), model.means, whiteners, -0.5 * model.weight * logs)
    return [Component(model.log_prior, [term])]


def _refuse_smooth(unknown: str) -> None:
    if unknown == "smooth":
        raise BadQuestion("unknown='smooth' has no form in SQL; fit with unknown='missing'.")
