"""Classifiers between naive Bayes and a general network: trees and k-dependence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bayou.arguments import whole_number
from bayou.errors import NotAvailable, listed, warn_user
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.input.column_kinds import few_whole_numbers
from bayou.estimators.input.declared_columns import with_declared_states
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.naive_bayes.evidence_weight import given_weight, gives_sample
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.estimators.networks.left_out_tables import weighed_model
from bayou.estimators.networks.network_model import NetworkModel, TablesToLearn, axes_of, pooled_pairs
from bayou.learning.search.classifier_structures import (
    Parents,
    chow_liu_parents,
    k_dependence_parents,
    tan_parents,
)
from bayou.learning.search.spanning_tree import TreeStep
from bayou.models.network import Network
from bayou.models.rows.row_coding import check_policy
from bayou.schema import Variable
from bayou.sources import NumberColumn
from bayou.sources.row_tables import first_table
from bayou.statistics import CountTable, PairCounts, Request, RowSample, Statistics
from bayou.statistics.pairs.pair_counting import check_pairs
from bayou.typing import Name


class TableClassifier(BayesClassifier):
    """Base class of classifiers made of tables of counts; numbers are cut into ranges.

    The cuts are learned from the rows of the first call of ``partial_fit`` and kept; if all columns are
    states, ``partial_fit`` gives exactly ``fit`` on all rows. ``states`` declares states of columns and the
    classes, as lists or ``bayou.Cuts``: those without a row are smoothed too, and other values in training
    rows are an error.
    """

    prior: Any
    unknown: str
    evidence_weight: Any = 1
    """The exponent of the likelihood; "auto" in classifiers that learn it from a sample of rows."""
    evidence_weight_: float
    column_weights_: dict[Name, float]
    """The exponent of each feature's table, where it was learned; empty where all have the same."""
    domain_: DiscreteDomain
    features_: tuple[Name, ...]

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        """Return the requests for the counts that structure and tables are learned from."""
        raise NotImplementedError

    def _collect(self, rows: LabelledSource) -> Statistics:
        self._check_unknown()
        TableClassifier._decide(self, rows)
        requests = [*self._requests(self.features_, rows.target), *self._sample(rows)]
        return self._counted(rows, requests)

    def _sample(self, rows: LabelledSource) -> list[Request]:
        """The request for the rows that the evidence weight is learned from; none if it is given."""
        if given_weight(self.evidence_weight) is not None:
            return []
        request = RowSample((rows.target, *self.features_))
        if hasattr(self, "statistics_") and request not in set(self.statistics_):
            return []  # a file of an earlier version has no sample
        return [request] if gives_sample(rows.with_cuts(self.domain_.cut), request.variables) else []

    def _decide(self, rows: LabelledSource) -> None:
        """Learn the cuts, and which features identify rows, unless they are known."""
        if not hasattr(self, "domain_"):
            self._check_size(rows)
            self.domain_ = DiscreteDomain.learned(rows, self._declared(rows))
            self.features_ = self._useful_features(rows)

    def _needs_all_rows(self, rows: LabelledSource) -> str:
        first, declared = first_table(rows.source, rows.features), self._declared(rows)
        cut = [
            name
            for name in rows.features
            if name not in declared
            and isinstance(column := first[name], NumberColumn)
            and not few_whole_numbers(column)
        ]
        return (
            f"the cuts of {listed(cut)} (declare them: states={{{cut[0]!r}: bayou.Cuts([…])}})" if cut else ""
        )

    def _counted(self, rows: LabelledSource, requests: Sequence[Request]) -> Statistics:
        """The counts of rows, with numbers as ranges and all declared states on their axes."""
        found = rows.with_cuts(self.domain_.cut).collect(list(dict.fromkeys(requests)))
        return with_declared_states(found, self._declared(rows))

    def _check_unknown(self) -> None:
        """Check ``unknown=``."""
        check_policy(self.unknown)

    def _check_size(self, rows: LabelledSource) -> None:
        """Refuse more columns than pairs can be counted of, before anything is read."""
        check_pairs(len(rows.features))

    def _useful_features(self, rows: LabelledSource) -> tuple[Name, ...]:
        """The features without those that identify rows, which would have huge tables of single rows."""
        chosen = {*self.domain_.cut, *(self.states or ())}
        identifiers = [name for name in rows.identifiers() if name not in chosen]
        if identifiers:
            warn_user(
                f"Nearly every row has a different value of {listed(identifiers)}: nothing can be learned "
                "from such a column, so it is left out. Drop it from the data to avoid this warning."
            )
        return tuple(name for name in rows.features if name not in identifiers)

    def _pooled(self, earlier: Statistics, fresh: Statistics) -> Statistics:
        both = set(earlier) & set(fresh)

        def kept(statistics: Statistics) -> Statistics:
            return statistics.only({r for r in statistics if r in both or not isinstance(r, RowSample)})

        return pooled_pairs(kept(earlier), kept(fresh))


class AugmentedClassifier(TableClassifier):
    """Base class of classifiers that are a network of tables with the class in it; prediction is exact."""

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        """Return the parents of every variable."""
        raise NotImplementedError

    def _estimate(self, statistics: Statistics, classes: Variable) -> NetworkModel:
        axes = {**axes_of(statistics), classes.name: classes}
        # Features without any value have no states, and are left out.
        features = tuple(name for name in self.features_ if name in axes and axes[name].states)
        used = {classes.name, *features}
        parents = {
            name: tuple(parent for parent in own if parent in used)
            for name, own in self._parents(features, classes.name, statistics).items()
            if name in used
        }
        declared = {classes.name: classes, **{n: v for n, v in self.domain_.cut.items() if n in features}}
        tables = TablesToLearn(parents, declared, statistics, self.prior, classes.name)
        model = NetworkModel(tables.learned(), classes.name, self.domain_, self.unknown, tables)
        weighed = weighed_model(model, self.evidence_weight, statistics, self.features_)
        self.evidence_weight_, self.column_weights_ = weighed.weight, weighed.weights_by_name()
        return weighed

    @property
    def network_(self) -> Network:
        """The classifier as a network, for queries, plots and files."""
        model = self._fitted_model()
        if not isinstance(model, NetworkModel):
            raise NotAvailable(
                "with_class_prior changes the answers, not the tables: the classifier that it was called on "
                "has the network."
            )
        if model.weight != 1.0 or model.column_weights is not None:
            warn_user(
                "The network has the tables as they were counted; this classifier raises them to powers "
                f"(near {model.weight:.3g}) that predict left-out rows best (evidence_weight=1 does not)."
            )
        return Network.from_parts(model.network, model.learned, {v.name: v for v in model.network.schema})


class TreeClassifier(AugmentedClassifier):
    """Base class of classifiers whose arcs between features form a tree that is learned.

    ``evidence_weight`` is the power of the features' tables: 1 is the textbook's; "auto" gives each table the
    power that predicts left-out rows best (``column_weights_``), from 25 rows on (in full from 50). Cuts and
    arcs stay.
    """

    steps_: list[TreeStep]

    def __init__(
        self,
        *,
        prior: Any = "back-off",
        unknown: str = "missing",
        correction: bool = True,
        states: Mapping[Any, Any] | None = None,
        evidence_weight: Any = "auto",
    ) -> None:
        self.prior = prior
        self.unknown = unknown
        self.correction = correction
        self.states = states
        self.evidence_weight = evidence_weight


class TAN(TreeClassifier):
    """Tree-augmented naive Bayes (Friedman, Geiger and Goldszmidt 1997).

    Besides the class each feature has at most one other feature as a parent. The tree maximises the sum of
    the mutual information of its arcs given the class, each minus what chance alone would give
    (``correction=False`` subtracts nothing); ``steps_`` lists its arcs in the order they were added.
    ``partial_fit`` keeps the cuts of numbers of its first call, and learns the tree again.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 0, 1, 1] * 5, "c": [0, 1, 0, 1] * 5}
    >>> model = TAN().fit(rows, [0, 1, 1, 0] * 5)
    >>> [(step.parent, step.child) for step in model.steps_]
    [('a', 'b'), ('a', 'c')]
    """

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return tan_requests(features, target)

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        parents, self.steps_ = tan_parents(features, target, statistics, correction=self.correction)
        return parents


class ChowLiuClassifier(TreeClassifier):
    """The Chow–Liu tree (1968) over features and class together, with the class as its root.

    Each arc weighs the mutual information of its ends minus what chance alone would give
    (``correction=False`` subtracts nothing).
    ``partial_fit`` keeps the cuts of numbers of its first call, and learns the tree again.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    >>> model = ChowLiuClassifier().fit(rows, [0, 0, 1, 1] * 5)
    >>> [(step.parent, step.child) for step in model.steps_]
    [('class', 'a')]
    """

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return [CountTable((target,)), PairCounts((target, *features))]

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        names = (target, *features)
        parents, self.steps_ = chow_liu_parents(names, target, statistics, correction=self.correction)
        return parents


class KDependence(AugmentedClassifier):
    """Sahami's k-dependence classifier (1996): besides the class each feature has up to ``k`` parents.

    ``partial_fit`` keeps the cuts of numbers and the arcs of its first call, and adds to the counts.
    ``evidence_weight`` is the power of the features' tables: 1 is the textbook's; "auto" gives each table the
    power that predicts left-out rows best (``column_weights_``), from 25 rows on (in full from 50).

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    >>> KDependence(1).fit(rows, [0, 1, 1, 0] * 5).predict({"a": [0], "b": [1]}).tolist()
    [1]
    """

    parents_: Parents

    def __init__(
        self,
        k: int = 2,
        *,
        prior: Any = "back-off",
        unknown: str = "missing",
        states: Mapping[Any, Any] | None = None,
        evidence_weight: Any = "auto",
    ) -> None:
        self.k = k
        self.prior = prior
        self.unknown = unknown
        self.states = states
        self.evidence_weight = evidence_weight

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return tan_requests(features, target)

    def _collect(self, rows: LabelledSource) -> Statistics:
        k = self._checked_k()
        pairs = super()._collect(rows)
        if not hasattr(self, "parents_"):
            self.parents_ = k_dependence_parents(self.features_, rows.target, pairs, k)
        families = [CountTable((*parents, name)) for name, parents in self.parents_.items()]
        counted = self._counted(rows, [family for family in families if family not in set(pairs)])
        return Statistics({**pairs, **counted}, pairs.rows)

    def _checked_k(self) -> int:
        expected = "give the number of parents besides the class, a whole number, 0 or more"
        return whole_number("k", self.k, expected=expected)

    def _decide(self, rows: LabelledSource) -> None:
        super()._decide(rows)
        if not hasattr(self, "parents_"):
            pairs = self._counted(rows, self._requests(self.features_, rows.target))
            self.parents_ = k_dependence_parents(self.features_, rows.target, pairs, self._checked_k())

    def _needs_all_rows(self, rows: LabelledSource) -> str:
        return super()._needs_all_rows(rows) or "the parents of the features"

    def _parents(self, features: tuple[Name, ...], target: Name, statistics: Statistics) -> Parents:
        return self.parents_


def tan_requests(features: tuple[Name, ...], target: Name) -> list[Request]:
    """Return the requests for the counts of the class, of features and of pairs of features by class."""
    single: list[Request] = [CountTable((target,)), *(CountTable((target, name)) for name in features)]
    return [*single, PairCounts(features, (target,))]
