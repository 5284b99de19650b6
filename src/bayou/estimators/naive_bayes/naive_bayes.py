"""Naive Bayes for tables of mixed columns: each feature has its own distribution given the class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import interval_mass, real_number
from bayou.distributions import (
    DEFAULT_PRIOR,
    DEFAULT_SMOOTHING,
    DistributionKind,
    Family,
    Laplace,
    Prior,
)
from bayou.errors import BadQuestion
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.impossible_rows import ImpossibleRows
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.naive_bayes.declared_states import declared_kinds, with_truth_values
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity, refuse_below
from bayou.estimators.naive_bayes.feature_kinds import (
    EstimationInput,
    learned,
    needed,
)
from bayou.estimators.naive_bayes.feature_words import AUTO, feature_kinds_from
from bayou.estimators.naive_bayes.naive_model import NaiveModel
from bayou.estimators.naive_bayes.naive_settings import (
    check_rule,
    kind_by_type,
    priors_of,
    warn_of_identifiers,
)
from bayou.estimators.naive_bayes.sparse_presence import (
    LazyDensities,
    PresenceScores,
    SparseStatistics,
    sparse_statistics,
)
from bayou.estimators.widest_variance import widest_variance
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, Request, RowSample, Statistics
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bayou.estimators.naive_bayes.auto_feature import Choice
    from bayou.estimators.naive_bayes.class_intervals import ClassIntervals
    from bayou.estimators.naive_bayes.evidence_weight import ClassRecords
    from bayou.models.network import Network


class NaiveBayes(BayesClassifier):
    """Naive Bayes: takes strings, booleans, integers, floats, texts and missing cells without encoding.

    ``features`` is the model of P(feature | class): "auto" (of each numeric column the model that predicts
    held-out values best, see ``choices_``), one word for all columns ("table", "gaussian", "kernel",
    "discretised", "bernoulli", "poisson", "words"), or a mapping of column names or types to words.
    ``prior`` smooths tables: a number to add to each count (0: raw fractions), Laplace, MEstimate, Dirichlet,
    a mapping by column, or "cv": the number that predicts left-out records best. (Kernel densities and
    Poisson rates have virtual records of their own: ``bayou.features.PoissonFeature(virtual_records=0)``.)
    ``class_prior`` is None (as in the data, smoothed by ``prior``), "empirical" (as in the data), "uniform",
    a mapping or an array; ``rule="ml"`` ignores it. ``evidence_weight`` is the exponent of the likelihood:
    1 is the textbook's naive Bayes; "auto" finds the best one up to 2, and one for each feature near it
    (``column_weights_``), if ``features`` are "auto" too and there are more than 25 rows, in full from 50
    (redundant features make naive Bayes overconfident). ``unknown`` is the treatment of
    values that were not in the training rows: "missing" (ignored, with one warning), "smooth" or "error".
    ``states`` declares states of columns, as lists or ``bayou.Cuts``; those without a row are smoothed too,
    and other values in training rows are an error.

    >>> weather = {"outlook": ["sunny", "rain", "rain", "sunny"], "windy": [False, False, True, True]}
    >>> model = NaiveBayes().fit(weather, ["no", "yes", "yes", "no"])
    >>> model.predict_proba({"outlook": ["rain"], "windy": [None]}).round(3).tolist()
    [[0.25, 0.75]]
    """

    feature_kinds_: dict[Name, DistributionKind]
    choices_: dict[Name, Choice]
    evidence_weight_: float
    column_weights_: dict[Name, float]
    """The exponent of each feature, where they were learned; empty where all have the same."""
    smoothing_: float

    def __init__(
        self,
        features: Any = "auto",
        *,
        prior: Any = DEFAULT_SMOOTHING,
        class_prior: Any = None,
        rule: str = "map",
        evidence_weight: Any = "auto",
        unknown: str = "missing",
        var_smoothing: float = 1e-9,
        states: Mapping[Any, Any] | None = None,
    ) -> None:
        self.features = features
        self.prior = prior
        self.class_prior = class_prior
        self.rule = rule
        self.evidence_weight = evidence_weight
        self.unknown = unknown
        self.var_smoothing = var_smoothing
        self.states = states

    def _collect(self, rows: LabelledSource) -> Statistics:
        from bayou.models.rows.row_coding import check_policy

        check_policy(self.unknown)
        check_rule(self.rule)
        self._choose_kinds(rows)
        self._refuse_numbers_below(rows)
        kinds = self.feature_kinds_
        weighs = self._weighs_evidence() and self._gives_sample(rows, (rows.target, *kinds))

        def requests() -> list[Request]:
            classes = Variable(rows.target, [0, 1])  # only its name matters here: no pass to find the classes
            by_feature = [needed(kind, name, classes) for name, kind in kinds.items()]
            sample = [RowSample((rows.target, *kinds))] if weighs else []
            return list(dict.fromkeys([CountTable((rows.target,)), *by_feature, *sample]))

        of_sparse = sparse_statistics(rows, kinds, requests)
        return rows.collect(requests()) if of_sparse is None else of_sparse

    def _refuse_numbers_below(self, rows: LabelledSource) -> None:
        """Refuse numbers that a distribution cannot produce, such as negative counts."""
        distinct = {id(kind): kind for kind in self.feature_kinds_.values()}
        if all(kind.smallest == -np.inf for kind in distinct.values()):
            return
        smallest = {n: kind.smallest for n, kind in self.feature_kinds_.items() if kind.smallest > -np.inf}
        for batch in rows.batches([Variable(name) for name in smallest]):
            for name, least in smallest.items():
                refuse_below(name, batch.numbers[name], least, batch.first)

    def _choose_kinds(self, rows: LabelledSource) -> None:
        """Set ``feature_kinds_`` at the first call; later only for columns that had no value until now."""
        names = rows.features
        chosen: dict[Name, DistributionKind] = getattr(self, "feature_kinds_", {})
        declared = self._declared_kinds(rows)
        if not chosen and isinstance(self.features, str) and self.features != AUTO:
            asked = feature_kinds_from(self.features, names, {})
            self.feature_kinds_ = {**with_truth_values(asked, rows.has_truth_values), **declared}
            return
        undecided = {name for name in names if name not in chosen or self._has_no_value(name)}
        if not undecided:
            return
        types = {name: rows.kind(name) for name in names}
        asked = feature_kinds_from(self.features, names, types)
        requested = {**with_truth_values(asked, rows.has_truth_values), **declared}
        self.feature_kinds_ = {
            name: (requested.get(name) or kind_by_type(types[name])) if name in undecided else chosen[name]
            for name in names
        }
        if not chosen:
            warn_of_identifiers(rows, [name for name, kind in types.items() if kind == "states"])

    def _declared_kinds(self, rows: LabelledSource) -> dict[Name, DistributionKind]:
        """The kinds of the columns that ``states`` declares."""
        if not self.states:
            return {}
        return declared_kinds(self._declared(rows), self.features, rows.target)

    def _has_no_value(self, name: Name) -> bool:
        """Whether a column had missing cells only: then it is a table without states."""
        if not hasattr(self, "statistics_"):
            return False
        request = needed(self.feature_kinds_[name], name, self._class_variable)
        return isinstance(request, CountTable) and not self.statistics_[request].values.size

    def _pooled(self, earlier: Statistics, fresh: Statistics) -> Statistics:
        """Add statistics; those of a column without a value until now may be new requests."""
        shared = set(fresh) & set(earlier)
        both = earlier.only(shared) + fresh.only(shared)
        alone = {**earlier, **fresh}
        classes = Variable(self.target_, [0, 1])  # only its name matters here
        used = {needed(kind, name, classes) for name, kind in self.feature_kinds_.items()}
        new = {request: result for request, result in alone.items() if request in used - shared}
        return Statistics({**new, **both}, both.rows)

    def _merge_decisions(self, one: NaiveBayes, other: NaiveBayes) -> None:
        """Take the kinds of features of both: numbers are whole if they are so in both; gaps have no kind."""
        from bayou.estimators.naive_bayes.auto_feature import AutoFeature

        kinds = dict(one.feature_kinds_)
        for name, theirs in other.feature_kinds_.items():
            if kinds[name] == theirs or other._has_no_value(name):
                continue
            if one._has_no_value(name):
                kinds[name] = theirs
            elif isinstance(kinds[name], AutoFeature) and isinstance(theirs, AutoFeature):
                kinds[name] = AutoFeature()
            else:
                raise BadQuestion(
                    f"The classifiers model {name!r} in different ways, because its values are of another "
                    f"type: give both the same features={{{name!r}: …}}, or convert the column."
                )
        self.feature_kinds_ = kinds

    def _estimate(self, statistics: Statistics, classes: Variable) -> NaiveModel:
        counts = statistics[CountTable((classes.name,))].aligned([classes])
        priors = priors_of(self._smoothing(statistics), tuple(self.feature_kinds_))
        share = real_number("var_smoothing", self.var_smoothing, 0, expected="give a number, 0 or more")
        self.choices_ = {}
        settings = EstimationInput(
            statistics, classes, DEFAULT_PRIOR, self.unknown, choices=self.choices_, var_smoothing=share
        )
        estimate = partial(_densities, dict(self.feature_kinds_), settings, priors)
        presence = None
        if isinstance(statistics, SparseStatistics) and not isinstance(self.prior, Mapping):
            presence = PresenceScores.estimate(statistics, classes, priors(classes.name))
        densities = estimate() if presence is None else LazyDensities(len(self.feature_kinds_), estimate)
        given = "uniform" if self.rule == "ml" else self.class_prior
        log_prior = log_class_prior(given, counts, self._class_smoothing(classes))
        model = NaiveModel(classes, log_prior, densities, presence=presence)
        model = self._weighed(model, statistics)
        self.evidence_weight_, columns = model.weight, model.column_weights
        names = () if columns is None else [density.variable.name for density in model.densities]
        self.column_weights_ = {} if columns is None else dict(zip(names, columns.tolist(), strict=True))
        return model

    def predict_interval(self, X: Any, level: float = 0.95) -> ClassIntervals:
        """Return how far the learned parameters leave P(class | row) open: lower and upper ends of each.

        Both are arrays of rows × classes. They are quantiles over 2,000 draws (with a fixed seed) of all
        tables from their Dirichlet posteriors and of all Gaussians; columns that are modelled otherwise are
        an error. Class probabilities are drawn where they were learned, and certain where they were given.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for a table without any
        column of a feature, and ``BadQuestion`` for a ``level`` that is not between 0 and 1.

        >>> model = NaiveBayes().fit({"wind": ["weak", "weak", "strong"] * 9}, ["yes", "yes", "no"] * 9)
        >>> lower, upper = model.predict_interval({"wind": ["weak"]}, level=0.9)
        >>> lower.round(2).tolist(), upper.round(2).tolist()
        ([[0.0, 0.86]], [[0.14, 1.0]])
        """
        from bayou.estimators.naive_bayes.class_intervals import ClassIntervals, DrawnClasses

        mass = interval_mass("level", level)
        model = self._fitted_model()
        assert isinstance(model, NaiveModel)
        drawn = DrawnClasses(model, self._class_posterior(model))

        def both_ends(rows: FeatureTable, first: int, found: ImpossibleRows) -> FloatArray:
            self._joint_or_prior(rows, first, found)  # this warns of impossible rows and unseen values
            return np.stack(drawn.ends(rows, mass), axis=-1)

        ends: FloatArray = self._over_rows(X, both_ends)
        return ClassIntervals(ends[..., 0], ends[..., 1])

    def _class_records(self, model: NaiveModel, counts: Counts | None = None) -> ClassRecords:
        """The rows of each class, and what P(class) was learned from; ``counts``: those of the model."""
        from bayou.estimators.naive_bayes.evidence_weight import ClassRecords

        if counts is None:
            counts = self.statistics_[CountTable((model.classes.name,))].aligned([model.classes])
        return ClassRecords(np.asarray(counts.values, dtype=np.float64), self._class_posterior(model, counts))

    def _class_posterior(self, model: NaiveModel, counts: Counts | None = None) -> FloatArray | None:
        """Counts + pseudocounts of the classes; None if the user has given the class probabilities."""
        from bayou.explain.intervals.parameter_draws import dirichlet_posterior

        given = "uniform" if self.rule == "ml" else self.class_prior
        if given is not None and not (isinstance(given, str) and given == "empirical"):
            return None
        classes = model.classes
        if counts is None:
            counts = self.statistics_[CountTable((classes.name,))].aligned([classes])
        prior = self._class_smoothing(classes) if given is None else Laplace(0.0)
        alpha = dirichlet_posterior(counts.values, Family(classes), prior)
        # with_class_prior gives other probabilities after learning.
        return alpha if np.allclose(np.exp(model.log_prior), alpha / alpha.sum(), atol=1e-12) else None

    def _class_smoothing(self, classes: Variable) -> Prior:
        """The prior of P(class); a strength chosen for the tables of the features is not used for it."""
        if hasattr(self, "smoothing_"):
            return DEFAULT_PRIOR
        found: Prior = priors_of(self.prior, tuple(self.feature_kinds_))(classes.name)
        return found

    @property
    def network_(self) -> Network:
        """The same model as a network in which the class is the parent of every feature.

        Only for features with tables and Gaussians; with others there is no such attribute.

        >>> model = NaiveBayes().fit({"wind": ["weak", "weak", "strong"]}, ["yes", "yes", "no"])
        >>> round(model.network_.query("class", given={"wind": "weak"})["yes"], 4)
        0.7714
        """
        from bayou.estimators.naive_bayes.naive_network import network_of

        model = self._fitted_model()
        assert isinstance(model, NaiveModel)
        return network_of(model)

    def plot_density(self, column: Name, ax: Axes | None = None) -> Axes:
        """Draw P(``column`` | class): curves over numbers, bars over states (needs matplotlib).

        ``ax`` are axes to draw on; without it there is a new figure. Returns the axes. A column that is no
        feature raises UnknownVariable, one of texts BadQuestion.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``UnknownVariable`` for a feature
        that is not there.

        >>> model = NaiveBayes().fit({"wind": ["weak", "weak", "strong"]}, ["yes", "yes", "no"])
        >>> model.plot_density("wind").get_xlabel()
        'wind'
        """
        from bayou.estimators.naive_bayes.density_picture import density_picture

        model = self._fitted_model()
        assert isinstance(model, NaiveModel)
        return density_picture(model, column, ax)

    def _smoothing(self, statistics: Statistics) -> Any:
        """The prior of the features; "cv" becomes the number that predicts left-out records best."""
        if not (isinstance(self.prior, str) and self.prior == "cv"):
            return self.prior
        from bayou.estimators.naive_bayes.smoothing_choice import best_strength

        tables = [
            statistics[request].values
            for request in statistics
            if isinstance(request, CountTable) and len(request.variables) > 1
        ]
        self.smoothing_ = best_strength(tables)
        return self.smoothing_

    def _weighs_evidence(self) -> bool:
        """Whether the exponent is to be learned: both ``evidence_weight`` and ``features`` are "auto"."""
        return (
            isinstance(self.evidence_weight, str) and isinstance(self.features, str) and self.features == AUTO
        )

    def _weighed(self, model: NaiveModel, statistics: Statistics) -> NaiveModel:
        """The model with the exponents of its features, given or learned."""
        from bayou.estimators.naive_bayes.evidence_weight import given_weight, weighed_model

        given = given_weight(self.evidence_weight)
        if given is not None:
            return replace(model, weight=given)
        request = RowSample((model.classes.name, *self.feature_kinds_))
        # Without a sample the user was told: see gives_sample.
        if not self._weighs_evidence() or request not in set(statistics):
            return model
        counts = statistics[CountTable((model.classes.name,))].aligned([model.classes])
        return weighed_model(model, statistics[request], self._class_records(model, counts))

    def _gives_sample(self, rows: LabelledSource, names: tuple[Name, ...]) -> bool:
        from bayou.estimators.naive_bayes.evidence_weight import gives_sample

        return gives_sample(rows, names)


def _densities(
    kinds: Mapping[Name, DistributionKind], settings: EstimationInput, priors: Callable[[Name], Prior]
) -> tuple[FeatureDensity, ...]:
    """P(feature | class) of every feature; the kinds of all automatic ones are chosen first."""
    from bayou.estimators.naive_bayes.auto_feature import decisions

    floor = settings.var_smoothing * widest_variance(settings.statistics.values())
    decided = decisions(kinds, settings.statistics, settings.classes, priors, settings.var_smoothing)
    known = replace(settings, floor=floor, decided=decided)
    densities = []
    for name, kind in kinds.items():
        if known.prior is not (prior := priors(name)):
            known = replace(known, prior=prior)
        densities.append(learned(kind, name, known))
    return tuple(densities)
