"""Classifiers between naive Bayes and a free network: features may depend on each other, a little."""

from __future__ import annotations

from typing import Any

from bayou.arguments import whole_number
from bayou.estimators.base import BayesClassifier
from bayou.estimators.input.code_positions import check_left_out
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.networks.backoff_prior import backed_off
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.estimators.networks.network_model import NetworkModel, axes_of, network_from, pooled_pairs
from bayou.learning.search.classifier_structures import (
    Parents,
    chow_liu_parents,
    k_dependence_parents,
    tan_parents,
)
from bayou.learning.search.spanning_tree import TreeStep
from bayou.models.network import Network
from bayou.schema import Variable
from bayou.statistics import CountTable, PairCounts, Request, Statistics
from bayou.typing import Name


class TableClassifier(BayesClassifier):
    """Classifiers made of tables of counts: numbers are cut inside the training rows.

    ``partial_fit`` cuts numbers where the rows of its first call say; with columns of states it is exactly
    ``fit`` on all rows.
    """

    prior: Any
    unknown: str
    domain_: DiscreteDomain
    features_: tuple[Name, ...]

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        """The counts that structure and tables are learned from."""
        raise NotImplementedError

    def _collect(self, rows: LabelledSource) -> Statistics:
        check_left_out(self.unknown)
        if not hasattr(self, "domain_"):
            self.domain_ = DiscreteDomain.learned(rows)
            self.features_ = rows.features
        requests = self._requests(self.features_, rows.target)
        return rows.with_cuts(self.domain_.cut).collect(list(dict.fromkeys(requests)))

    def _pooled(self, fresh: Statistics) -> Statistics:
        return pooled_pairs(self.statistics_, fresh)


class AugmentedClassifier(TableClassifier):
    """What the recipes below share: a network of tables with the class in it, and exact prediction."""

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        """The arcs: every variable with its parents."""
        raise NotImplementedError

    def _estimate(self, statistics: Statistics, classes: Variable) -> NetworkModel:
        axes = {**axes_of(statistics), classes.name: classes}
        # Features without any value in any row have no states, and take no part.
        features = tuple(name for name in self.features_ if name in axes and axes[name].states)
        known = {classes.name, *features}
        parents = {
            name: tuple(parent for parent in own if parent in known)
            for name, own in self._parents(features, classes.name, statistics).items()
            if name in known
        }
        declared = {classes.name: classes, **{n: v for n, v in self.domain_.cut.items() if n in features}}
        priors = backed_off(self.prior, parents, classes.name, statistics, {**axes, **declared})
        learned = network_from(parents, declared, statistics, priors)
        return NetworkModel(learned, classes.name, self.domain_, self.unknown)

    @property
    def network_(self) -> Network:
        """The classifier as a network: ask it, draw it, save it."""
        model = self._fitted_model()
        assert isinstance(model, NetworkModel)
        return Network.from_parts(model.network, model.learned, {v.name: v for v in model.network.schema})


class TAN(AugmentedClassifier):
    """Tree-augmented naive Bayes: beside the class each feature has one other feature as a parent.

    The tree is the one with the most information between features given the class; ``steps_`` shows how it
    grew, arc by arc. ``partial_fit`` cuts numbers where its first call says, and grows the tree anew.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5, "c": [0, 1, 0, 1] * 5}
    >>> model = TAN().fit(rows, [0, 1, 1, 0] * 5)
    >>> [(step.parent, step.child) for step in model.steps_]
    [('a', 'b'), ('a', 'c')]
    """

    steps_: list[TreeStep]

    def __init__(self, *, prior: Any = "back-off", unknown: str = "missing") -> None:
        self.prior = prior
        self.unknown = unknown

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return tan_requests(features, target)

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        parents, self.steps_ = tan_parents(features, target, statistics)
        return parents


class ChowLiuClassifier(AugmentedClassifier):
    """The Chow–Liu tree over features and class together, the class at its root.

    ``partial_fit`` cuts numbers where its first call says, and grows the tree anew.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    >>> model = ChowLiuClassifier().fit(rows, [0, 0, 1, 1] * 5)
    >>> [(step.parent, step.child) for step in model.steps_]
    [('class', 'a')]
    """

    steps_: list[TreeStep]

    def __init__(self, *, prior: Any = "back-off", unknown: str = "missing") -> None:
        self.prior = prior
        self.unknown = unknown

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return [CountTable((target,)), PairCounts((target, *features))]

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        parents, self.steps_ = chow_liu_parents((target, *features), target, statistics)
        return parents


class KDependence(AugmentedClassifier):
    """Sahami's k-dependence classifier: beside the class each feature has up to ``k`` features as parents.

    ``partial_fit`` keeps the cuts of numbers and the arcs of the first call, and adds to their tables.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    >>> KDependence(1).fit(rows, [0, 1, 1, 0] * 5).predict({"a": [0], "b": [1]}).tolist()
    [1]
    """

    parents_: Parents

    def __init__(self, k: int = 2, *, prior: Any = "back-off", unknown: str = "missing") -> None:
        self.k = k
        self.prior = prior
        self.unknown = unknown

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return tan_requests(features, target)

    def _collect(self, rows: LabelledSource) -> Statistics:
        expected = "give the number of parents beside the class, a whole number, 0 or more"
        k = whole_number("k", self.k, expected=expected)
        pairs = super()._collect(rows)
        if not hasattr(self, "parents_"):
            self.parents_ = k_dependence_parents(self.features_, rows.target, pairs, k)
        families = [CountTable((*parents, name)) for name, parents in self.parents_.items()]
        counted = rows.with_cuts(self.domain_.cut).collect(
            [family for family in families if family not in set(pairs)]
        )
        return Statistics({**pairs, **counted}, pairs.rows)

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        return self.parents_


def tan_requests(features: tuple[Name, ...], target: Name) -> list[Request]:
    """Counts of the class, of every feature by class, and of every pair of features by class."""
    single: list[Request] = [CountTable((target,)), *(CountTable((target, name)) for name in features)]
    return [*single, PairCounts(features, (target,))]
