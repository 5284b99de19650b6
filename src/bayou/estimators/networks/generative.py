"""Classification by generative models: one model of the rows per class, and Bayes' rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, TypeVar, cast

import numpy as np

from bayou.distributions import DEFAULT_SMOOTHING, prior_from
from bayou.errors import BadQuestion, BayouError, counted, listed, warn_user
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.input.code_positions import check_left_out
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.networks.class_densities import (
    ClassDensity,
    GivenRows,
    NetworkDensity,
    ObjectDensity,
    ObjectTable,
    check_scores,
    fitted_object,
    plain_rows,
)
from bayou.estimators.networks.class_networks import (
    Key,
    class_networks,
    class_statistics,
    independent_network,
    require_comparable,
    structure_for,
)
from bayou.models.network import Network
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.networks import Structure
from bayou.schema import Variable, plain, state_key
from bayou.statistics import Counts, CountTable, Source, Statistics
from bayou.typing import FloatArray, Name, State

Self = TypeVar("Self", bound="GenerativeClassifier")
FEW_ROWS = 10
"""A class with fewer rows than this may be too small for its model; that of all rows then stands in."""


@dataclass(frozen=True)
class ClassStatistics:
    """The counts of the classes, and for each class the statistics (or rows) that its model learns from, or
    the model of sequences that has learned from them.
    """

    counts: Counts
    by_class: Mapping[Key, Statistics | GivenRows | HMM]

    def __add__(self, other: ClassStatistics) -> ClassStatistics:
        both: dict[Key, Any] = dict(self.by_class)
        for key, fresh in other.by_class.items():
            both[key] = both[key] + fresh if key in both else fresh
        return ClassStatistics(self.counts + other.counts, both)

    def __sub__(self, other: ClassStatistics) -> ClassStatistics:
        left: dict[Key, Any] = dict(self.by_class)
        for key, removed in other.by_class.items():
            if key in left:
                left[key] = left[key] - removed
        counts = self.counts - other.counts
        present = {
            state_key(state)
            for state, count in zip(counts.axes[0].states, counts.values.tolist(), strict=True)
            if count
        }
        return ClassStatistics(counts, {key: rest for key, rest in left.items() if key in present})

    def __mul__(self, weight: float) -> ClassStatistics:
        weighted = {key: cast(Any, part) * weight for key, part in self.by_class.items()}
        return ClassStatistics(self.counts * weight, weighted)


@dataclass(frozen=True, eq=False)
class GenerativeModel:
    """log P(class) + log P(row | class)."""

    log_prior: FloatArray
    class_densities: tuple[ClassDensity, ...]

    def with_log_prior(self, log_prior: FloatArray) -> GenerativeModel:
        """The same densities with other class probabilities."""
        return GenerativeModel(log_prior, self.class_densities)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the networks, with the same states in every class; empty for other models."""
        networks = [d.model for d in self.class_densities if isinstance(d, NetworkDensity)]
        return tuple(networks[0].variables) if networks else ()

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row) for every row and class."""
        logs = [density.log_density(rows, warn=k == 0) for k, density in enumerate(self.class_densities)]
        return self.log_prior + np.column_stack(logs)


class GenerativeClassifier(BayesClassifier):
    """One generative model per class, and Bayes' rule: P(class | row) ∝ P(class) P(row | class).

    ``models`` is a template that is copied for every class, or a mapping class → model; each is a Network or
    any object with ``fit`` and ``score_samples`` (or ``log_probability``). By default the features are
    independent given the class. ``prefit=True`` uses models that are fitted already. With ``tabular=False`` X
    is a list of any objects, such as sequences, and is passed to the models as it is. ``class_prior`` is
    "empirical", "uniform" (maximum likelihood), a mapping or an array.

    >>> rows = {"A": [0, 0, 1, 1] * 5, "B": [0, 0, 1, 1] * 4 + [0, 1, 0, 1]}
    >>> y = ["alike"] * 16 + ["mixed"] * 4
    >>> GenerativeClassifier(Network("A -> B")).fit(rows, y).predict({"A": [0, 0], "B": [0, 1]}).tolist()
    ['alike', 'mixed']
    """

    structures_: dict[Key, Structure]

    def __init__(
        self,
        models: Any = None,
        *,
        prior: Any = DEFAULT_SMOOTHING,
        class_prior: Any = None,
        prefit: bool = False,
        tabular: bool = True,
        unknown: str = "missing",
        var_smoothing: float = 1e-9,
    ) -> None:
        self.models = models
        self.prior = prior
        self.class_prior = class_prior
        self.prefit = prefit
        self.tabular = tabular
        self.unknown = unknown
        self.var_smoothing = var_smoothing

    @property
    def models_(self) -> dict[State, Any]:
        """The fitted model of each class."""
        model = self._fitted_model()
        assert isinstance(model, GenerativeModel)
        return {
            state: density.model
            for state, density in zip(self._class_variable.states, model.class_densities, strict=True)
        }

    def _learn(
        self: Self, X: Any, y: Any, sample_weight: Any, classes: Any, half_life: float | None = None
    ) -> Self:
        check_left_out(self.unknown)
        if self.prefit and not isinstance(self.models, Mapping):
            raise BadQuestion("prefit=True needs models= as a mapping: class → fitted model.")
        declared = [] if classes is None else np.asarray(classes).tolist()
        if self.prefit:
            declared = [*declared, *map(plain, self.models)]
        return super()._learn(X, y, sample_weight, declared, half_life)

    def _labelled(self, X: Any, y: Any, sample_weight: Any, first: bool) -> LabelledSource:
        if not self.tabular:
            X, y, sample_weight = _with_weight(ObjectTable.of(X), y, sample_weight)
        return super()._labelled(X, y, sample_weight, first)

    def _read(self, X: Any) -> FeatureTable:
        return super()._read(X) if self.tabular else ObjectTable.of(X)

    def _tables(self, X: Any) -> Iterator[tuple[int, FeatureTable]]:
        return super()._tables(X) if self.tabular else iter([(0, self._read(X))])

    def _collect(self, rows: LabelledSource) -> ClassStatistics:
        request = CountTable((rows.target,))
        counts = rows.collect([request])[request]
        templates = {state_key(state): self._template(state) for state in rows.classes}
        if self.prefit:
            return ClassStatistics(counts, {})
        if not hasattr(self, "structures_"):
            self.structures_ = {}
        by_class: dict[Key, Any] = {}
        whole, before = rows.only_features(), self._known_variables()
        for state in rows.classes:
            key, template = state_key(state), templates[state_key(state)]
            if not self.tabular or not (template is None or isinstance(template, Network)):
                by_class[key] = self._of_objects(rows, state, template)
                continue
            if key not in self.structures_:
                self.structures_[key] = self._structure(template, whole)
            by_class[key] = class_statistics(self.structures_[key], rows, state, whole, before)
        return ClassStatistics(counts, by_class)

    def _of_objects(self, rows: LabelledSource, state: State, template: Any) -> Any:
        """What is kept of the rows of a class whose model is not a network."""
        part = rows.in_memory.taken(state)
        return GivenRows(plain_rows(part.table), part.weights)

    def _structure(self, template: Network | None, whole: Source) -> Structure:
        """The structure of a new class; classes with a common template have the same structure."""
        if self.structures_ and not isinstance(self.models, Mapping):
            return next(iter(self.structures_.values()))
        return structure_for(independent_network(whole) if template is None else template, whole)

    def _known_variables(self) -> dict[Name, Variable]:
        """The variables of the networks fitted so far; they have the same states in every class."""
        if not hasattr(self, "_model"):
            return {}
        model = self._fitted_model()
        assert isinstance(model, GenerativeModel)
        return {variable.name: variable for variable in model.variables}

    def _merge_decisions(self, one: GenerativeClassifier, other: GenerativeClassifier) -> None:
        """Take the structures of the classes of both, which must agree."""
        ours, theirs = (getattr(model, "structures_", {}) for model in (one, other))
        for key in set(ours) & set(theirs):
            if _layout(ours[key]) != _layout(theirs[key]):
                raise BadQuestion(
                    f"The networks of class {key[1]!r} have other columns, arcs or kinds of variables in the "
                    "two classifiers: declare them in the template, GenerativeClassifier(Network(…))."
                )
        if ours or theirs:
            self.structures_ = {**theirs, **ours}

    def _template(self, state: State) -> Any:
        """The unfitted model of a class; None: the default, independent features."""
        if not isinstance(self.models, Mapping):
            template = self.models
        else:
            by_class = {state_key(plain(known)): model for known, model in self.models.items()}
            if state_key(state) not in by_class:
                raise BadQuestion(
                    f"models= has no model for class {state!r}; it has models for {listed(self.models)}."
                )
            template = by_class[state_key(state)]
        if template is None and self.tabular:
            return None
        check_scores(template, state)
        return template

    def _estimate(self, statistics: ClassStatistics, classes: Variable) -> GenerativeModel:
        log_prior = log_class_prior(
            self.class_prior, statistics.counts.aligned([classes]), prior_from(self.prior)
        )
        if self.prefit:
            return GenerativeModel(log_prior, self._given_densities(classes))
        networks = class_networks(
            self.structures_,
            {key: known for key, known in statistics.by_class.items() if isinstance(known, Statistics)},
            self.prior,
            self.var_smoothing,
        )
        densities: list[ClassDensity] = []
        for state in classes.states:
            key = state_key(state)
            if key not in statistics.by_class:
                raise BadQuestion(f"Class {state!r} has no rows, so its model cannot be fitted.")
            collected = statistics.by_class[key]
            if isinstance(collected, Statistics):
                densities.append(NetworkDensity(networks[key], self.unknown))
            else:
                densities.append(self._density(collected, state, statistics))
        return GenerativeModel(log_prior, tuple(densities))

    def _density(self, collected: Any, state: State, statistics: ClassStatistics) -> ClassDensity:
        """The density of a class whose model is not a network; that of all rows, if it has too few."""
        try:
            return fitted_object(self._template(state), collected, state)
        except ValueError as error:
            rows = [part for part in statistics.by_class.values() if isinstance(part, GivenRows)]
            if len(collected.rows) >= FEW_ROWS or len(rows) < 2 or isinstance(error, BayouError):
                raise
            warn_user(
                f"Class {state!r} has {counted(len(collected.rows), 'row')}, too few for its model ({error}) "
                "The model of all rows stands in for it."
            )
            return fitted_object(self._template(state), reduce(add, rows), state)

    def _given_densities(self, classes: Variable) -> tuple[ClassDensity, ...]:
        """The densities of models that are fitted already."""
        models = {state: self._template(state) for state in classes.states}
        require_comparable([model for model in models.values() if isinstance(model, Network)])
        return tuple(
            NetworkDensity(model, self.unknown) if isinstance(model, Network) else ObjectDensity(model, state)
            for state, model in models.items()
        )


def _layout(structure: Structure) -> tuple[Any, ...]:
    """What must agree in two structures whose statistics add."""
    real = {name for name, variable in structure.declared.items() if variable.is_continuous}
    return structure.dag, dict(structure.sharing), dict(structure.kinds), real


def _with_weight(rows: ObjectTable, y: Any, weights: Any) -> tuple[ObjectTable, Any, Any]:
    """Leave out objects of weight 0."""
    if weights is None or len(weights) != rows.rows or y is None or len(y) != rows.rows:
        return rows, y, weights  # lengths that do not match are refused by the checks of all rows
    given = np.asarray(weights)
    kept = np.flatnonzero(given != 0)
    if not len(kept) or len(kept) == rows.rows:
        return rows, y, weights
    return rows.taken(kept), [y[k] for k in kept], given[kept]
