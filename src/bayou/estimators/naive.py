"""Naive Bayes on a table as it is: each feature with its own distribution given the class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.distributions import Laplace, prior_from
from bayou.errors import BadPrior, BadQuestion, listed
from bayou.estimators.base import BayesClassifier
from bayou.estimators.choosing import AutoFeature, Choice
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.evidence_weight import best_weight
from bayou.estimators.feature_kinds import (
    AUTO,
    Estimation,
    FeatureKind,
    TableFeature,
    kinds_from,
)
from bayou.estimators.matrix_source import collect
from bayou.estimators.naive_model import NaiveModel
from bayou.estimators.table_input import FeatureTable
from bayou.estimators.training import Training
from bayou.models.coding import check_policy
from bayou.schema import Variable
from bayou.sources.columns import NumberColumn
from bayou.statistics import CountTable, Moments, Request, RowSample, Statistics
from bayou.typing import Name


class NaiveBayes(BayesClassifier):
    """Naive Bayes: strings, booleans, integers, floats and gaps as they are.

    >>> weather = {"outlook": ["sunny", "rain", "rain", "sunny"], "windy": [False, False, True, True]}
    >>> model = NaiveBayes().fit(weather, ["no", "yes", "yes", "no"])
    >>> model.predict_proba({"outlook": ["rain"], "windy": [None]}).round(3).tolist()
    [[0.25, 0.75]]
    """

    def __init__(
        self,
        features: Any = "auto",
        *,
        prior: Any = 1.0,
        class_prior: Any = None,
        evidence_weight: Any = "auto",
        unknown: str = "missing",
        var_smoothing: float = 1e-9,
    ) -> None:
        self.features = features
        self.prior = prior
        self.class_prior = class_prior
        self.evidence_weight = evidence_weight
        self.unknown = unknown
        self.var_smoothing = var_smoothing

    def _collect(self, training: Training) -> Statistics:
        check_policy(self.unknown)
        self._choose_kinds(training.features)
        requests: list[Request] = [
            CountTable((training.target,)),
            *(kind.needs(name, training.target) for name, kind in self.feature_kinds_.items()),
        ]
        if self._weighs_evidence():
            requests.append(RowSample((training.target, *self.feature_kinds_)))
        return collect(training, list(dict.fromkeys(requests)))

    def _choose_kinds(self, features: FeatureTable) -> None:
        if hasattr(self, "feature_kinds_"):
            return
        types = {name: _type(features, name) for name in features.names}
        stated = kinds_from(self.features, features.names, types)
        self.feature_kinds_: dict[Name, FeatureKind] = {
            name: stated.get(name) or automatic(types[name]) for name in features.names
        }

    def _estimate(self, statistics: Statistics, classes: Variable) -> NaiveModel:
        counts = statistics[CountTable((classes.name,))].aligned([classes])
        priors = _priors(self.prior, tuple(self.feature_kinds_))
        floor = self.var_smoothing * _widest_variance(statistics)
        self.choices_: dict[Name, Choice] = {}
        densities = tuple(
            kind.estimate(
                name, Estimation(statistics, classes, priors(name), self.unknown, floor, self.choices_)
            )
            for name, kind in self.feature_kinds_.items()
        )
        log_prior = log_class_prior(self.class_prior, counts, priors(classes.name))
        model = NaiveModel(classes, log_prior, densities)
        self.evidence_weight_ = self._weight(model, statistics)
        return replace(model, weight=self.evidence_weight_)

    def _weighs_evidence(self) -> bool:
        """An exponent is looked for only where the features' kinds are chosen automatically too."""
        return (
            isinstance(self.evidence_weight, str) and isinstance(self.features, str) and self.features == AUTO
        )

    def _weight(self, model: NaiveModel, statistics: Statistics) -> float:
        if isinstance(self.evidence_weight, str):
            if self.evidence_weight != AUTO:
                raise BadQuestion(f"evidence_weight={self.evidence_weight!r}: use 'auto' or a number.")
            if not self._weighs_evidence():
                return 1.0
            sample = statistics[RowSample((model.classes.name, *self.feature_kinds_))]
            return best_weight(model, sample, statistics.rows)
        return float(self.evidence_weight)


def automatic(type_of_column: str) -> FeatureKind:
    """Numbers are looked at more closely; everything else is a table of states."""
    if type_of_column in ("int", "float"):
        return AutoFeature(whole=type_of_column == "int")
    return TableFeature()


def _type(features: FeatureTable, name: Name) -> str:
    if features.matrix is not None:
        return {"f": "float", "b": "bool"}.get(features.matrix.dtype.kind, "int")
    column = features.columns[name]
    if isinstance(column, NumberColumn):
        return column.kind
    if all(isinstance(label, bool) for label in column.labels):
        return "bool"
    return "text"


def _priors(given: Any, names: tuple[Name, ...]) -> Any:
    """The prior of each feature: one for all, or a mapping by name."""
    if not isinstance(given, Mapping):
        prior = prior_from(given)
        return lambda name: prior
    for name in given:
        if name not in names:
            raise BadPrior(f"prior= names {name!r}, which is no feature; the features are {listed(names)}.")
    chosen = {name: prior_from(prior) for name, prior in given.items()}
    return lambda name: chosen.get(name, Laplace(1.0))


def _widest_variance(statistics: Statistics) -> float:
    """The largest variance of any column over all classes: the yardstick of the smallest one allowed."""
    widest = 0.0
    for request in statistics:
        if isinstance(request, Moments):
            whole = statistics[request].marginal([])
            if whole.n > 0:
                widest = max(widest, float(np.max(np.diagonal(whole.scatter)) / whole.n))
    return widest


def check_rule(rule: str) -> None:
    """MAP weighs the classes by their prior, ML does not."""
    if rule not in ("map", "ml"):
        raise BadQuestion(f"rule={rule!r}: use 'map' (with the class prior) or 'ml' (without).")
