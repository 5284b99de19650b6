"""AODE: the average of all classifiers in which one feature is a parent of all others (Webb et al. 2005)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou._native import one_dependence_scores, one_dependence_tables
from bayou.arguments import is_real
from bayou.distributions import Laplace, Prior, prior_from
from bayou.errors import BadQuestion
from bayou.estimators.input.code_positions import check_left_out, state_positions
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.naive_bayes.evidence_weight import faded, given_weight, learned_part
from bayou.estimators.naive_bayes.feature_densities import warn_of_never_seen
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.estimators.networks.tree_classifiers import TableClassifier, tan_requests
from bayou.learning.independence.information import mutual_information, pair_tables_of
from bayou.learning.search.spanning_tree import NEGLIGIBLE
from bayou.schema import Variable
from bayou.statistics import CountTable, PairTables, Request, RowSample, Statistics
from bayou.typing import FloatArray, Name


class AODE(TableClassifier):
    """Averaged one-dependence estimators: pairwise dependences without a structure to learn.

    P(class, row) is the mean over features i of P(class, x_i) Π_j P(x_j | class, x_i), weighted with
    ``weighting="information"`` by the mutual information of feature i and the class, or all alike with
    "uniform". Feature i takes part only if at least ``least_count`` training rows had its value.
    ``partial_fit`` keeps the cuts of numbers of its first call. ``evidence_weight`` w makes it P(class) ·
    P(row | class)ʷ: "auto" is the w that predicts left-out rows best, from 25 rows on (in full from
    50); 1 is the textbook's.

    >>> rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    >>> AODE().fit(rows, [0, 1, 1, 0] * 5).predict({"a": [0, 1], "b": [1, 1]}).tolist()
    [1, 0]
    """

    def __init__(
        self,
        *,
        prior: Any = 0.5,
        weighting: str = "information",
        least_count: float = 1,
        unknown: str = "missing",
        states: Mapping[Any, Any] | None = None,
        evidence_weight: Any = "auto",
    ) -> None:
        self.prior = prior
        self.weighting = weighting
        self.least_count = least_count
        self.unknown = unknown
        self.states = states
        self.evidence_weight = evidence_weight

    def _check_unknown(self) -> None:
        check_left_out(self.unknown)

    def _requests(self, features: tuple[Name, ...], target: Name) -> list[Request]:
        return tan_requests(features, target)

    def _estimate(self, statistics: Statistics, classes: Variable) -> AODEModel:
        if not (is_real(self.least_count) and self.least_count >= 0):
            raise BadQuestion(f"least_count={self.least_count!r}: give a number, 0 or more.")
        if self.weighting not in ("information", "uniform"):
            raise BadQuestion(f"weighting={self.weighting!r}: use 'information' or 'uniform'.")
        model = AODEModel.estimate(
            statistics,
            classes,
            self.features_,
            prior_from(self.prior),
            self.least_count,
            self.domain_,
            self.unknown,
        )
        if self.weighting == "information":
            tables = [
                statistics[CountTable((classes.name, variable.name))].values for variable in model.variables
            ]
            information = np.array([max(mutual_information(table), NEGLIGIBLE) for table in tables])
            model = replace(model, weights=information)
        self.evidence_weight_ = self._weight(model, statistics)
        return replace(model, weight=self.evidence_weight_)

    def _weight(self, model: AODEModel, statistics: Statistics) -> float:
        """The exponent of the likelihood: given, or that which predicts left-out rows best."""
        given = given_weight(self.evidence_weight)
        if given is not None:
            return given
        request, classes = RowSample((model.classes.name, *self.features_)), model.classes
        rows = statistics[CountTable((classes.name,))].total
        too_few = learned_part(rows) == 0 or classes.cardinality < 2 or len(model.variables) < 2
        if too_few or request not in set(statistics):
            return 1.0
        from bayou.estimators.networks.left_out_pairs import left_out_rows

        prior = prior_from(self.prior)
        found, records = left_out_rows(model, statistics[request], statistics, prior, self.least_count)
        return faded(found.of_classes_that_stay(records).best_weight(), rows)


@dataclass(frozen=True, eq=False)
class AODEModel:
    """log P(class, x_i) of every feature, and log P(x_j | class, x_i) of every ordered pair.

    The states of all features are numbered one after the other: ``own`` has the axes (state, class),
    ``frequent`` says which states may be parents, and ``given`` has the axes (parent's state, child's state,
    class), with zeros for two states of one feature.
    """

    classes: Variable
    log_prior: FloatArray
    variables: tuple[Variable, ...]
    own: FloatArray
    frequent: np.typing.NDArray[np.uint8]
    given: FloatArray
    domain: DiscreteDomain
    unknown: str
    weights: FloatArray | None = None
    weight: float = 1.0
    """The exponent of the evidence, P(row | class)."""

    @classmethod
    def estimate(
        cls,
        statistics: Statistics,
        classes: Variable,
        features: tuple[Name, ...],
        prior: Prior,
        least: float,
        domain: DiscreteDomain,
        unknown: str,
    ) -> AODEModel:
        """Return the model estimated from the counts of all pairs by class."""
        counts = statistics[CountTable((classes.name,))].aligned([classes]).values
        smoothed = counts + np.broadcast_to(prior.pseudocounts(classes, []), counts.shape)
        singles = [statistics[CountTable((classes.name, name))] for name in features]
        tables = [single.aligned([classes, single.axes[1]]) for single in singles if single.axes[1].states]
        variables = tuple(table.axes[1] for table in tables)
        nothing = np.zeros((0, classes.cardinality))
        own = [_log_joint(table.values, variables[k], classes, prior) for k, table in enumerate(tables)]
        seen = np.concatenate([np.zeros(0), *(table.values.sum(axis=0) for table in tables)])
        with np.errstate(divide="ignore"):
            log_prior: FloatArray = np.log(smoothed / smoothed.sum())
        return cls(
            classes,
            log_prior,
            variables,
            np.concatenate([nothing, *own]),
            (seen >= max(least, 1e-300)).astype(np.uint8),
            _log_pairs(statistics, classes, variables, prior),
            domain,
            unknown,
        )

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return the log of the weighted mean of P(class, row) over the parents that take part.

        With a ``weight`` w it is log P(class) + w · log P(row | class).
        """
        joint = self.joint_log_of(self._codes(rows), self.frequent)
        if self.weight == 1.0:
            return joint
        prior = np.maximum(self.log_prior, -1e300)
        weighed: FloatArray = prior + self.weight * (joint - prior)
        return weighed

    def joint_log_of(
        self, codes: np.typing.NDArray[np.uint32], frequent: np.typing.NDArray[np.uint8]
    ) -> FloatArray:
        """Return log P(class, row) of coded rows; ``frequent`` says which states may be parents."""
        cards = [variable.cardinality for variable in self.variables]
        weights = np.ones(len(cards)) if self.weights is None else self.weights
        joint = one_dependence_scores(codes, cards, self.own, frequent, np.log(weights), self.given)
        starts = np.cumsum([0, *cards])
        total_weight = np.zeros(codes.shape[1])
        for i, card in enumerate(cards):
            may_be_parent = np.append(frequent[starts[i] : starts[i + 1]], 0)
            total_weight += may_be_parent[np.minimum(codes[i], card)] * weights[i]
        no_parent = total_weight == 0
        if no_parent.any():
            joint[no_parent] = self._naive(codes[:, no_parent])
        result: FloatArray = joint - np.log(np.where(no_parent, 1, total_weight))[:, None]
        return result

    def pair_counts(
        self, statistics: Statistics, parent: Variable, child: Variable
    ) -> np.typing.NDArray[Any]:
        """The counts of one pair, axes (class, parent, child)."""
        pairs = pair_tables_of(statistics, (self.classes.name,))
        return _counted_pair(statistics, pairs, self.classes, parent, child)

    def _codes(self, rows: FeatureTable) -> np.typing.NDArray[np.uint32]:
        """The states of the rows as codes, [feature, row]; one warning names the unseen values."""
        columns = self.domain.rows(rows)
        codes = np.empty((len(self.variables), rows.rows), dtype=np.uint32)
        unseen: list[tuple[Name, int]] = []
        for k, variable in enumerate(self.variables):
            if variable.name not in columns:
                codes[k] = variable.cardinality
                continue
            codes[k], count = state_positions(variable, columns.coded(variable.name), self.unknown)
            unseen += [(variable.name, count)] if count else []
        warn_of_never_seen(unseen, "'error' or 'missing'")
        return codes

    def _naive(self, codes: np.typing.NDArray[np.uint32]) -> FloatArray:
        """log P(class, row) by naive Bayes, for rows without any frequent value."""
        total = np.tile(self.log_prior, (codes.shape[1], 1))
        start = 0
        for k, variable in enumerate(self.variables):
            seen = codes[k] < variable.cardinality
            state = start + np.where(seen, codes[k], 0)
            with np.errstate(invalid="ignore"):
                finding = self.own[state] - self.log_prior
            total += np.where(seen[:, None], finding, 0.0)
            start += variable.cardinality
        return total


def _log_joint(
    counts: np.typing.NDArray[Any], variable: Variable, classes: Variable, prior: Prior
) -> FloatArray:
    """log P(class, state), axes (state, class)."""
    smoothed = counts + np.broadcast_to(prior.pseudocounts(variable, [classes]), counts.shape)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(smoothed / smoothed.sum()).T
    return logs


def _log_pairs(
    statistics: Statistics, classes: Variable, variables: tuple[Variable, ...], prior: Prior
) -> FloatArray:
    """log P(child's state | class, parent's state) of all states of all features; see :class:`AODEModel`."""
    cards = [variable.cardinality for variable in variables]
    pairs = pair_tables_of(statistics, (classes.name,))
    if pairs is not None and type(prior) is Laplace:
        known = {variable.name: variable for variable in variables}
        axes = [known.get(axis.name, axis) for axis in pairs.axes]
        if [axis.name for axis in axes if axis.name in known] == list(known):
            counts = np.ascontiguousarray(pairs.aligned([classes, *axes]).values)
            return one_dependence_tables(counts, cards, float(prior.strength))
    starts = np.cumsum([0, *cards])
    given = np.zeros((starts[-1], starts[-1], classes.cardinality))
    for i, parent in enumerate(variables):
        for j in range(i + 1, len(variables)):
            child = variables[j]
            cube = _counted_pair(statistics, pairs, classes, parent, child)
            rows, columns = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            given[rows, columns] = _log_given(cube, child, (classes, parent), prior)
            given[columns, rows] = _log_given(cube.transpose(0, 2, 1), parent, (classes, child), prior)
    return given


def _counted_pair(
    statistics: Statistics, pairs: PairTables | None, classes: Variable, parent: Variable, child: Variable
) -> np.typing.NDArray[Any]:
    """The counts of one pair, axes (class, parent, child)."""
    if pairs is not None:
        pair = pairs.table(parent.name, child.name)
    else:  # a file of an earlier version
        pair = statistics[CountTable((classes.name, parent.name, child.name))]
    return pair.aligned([classes, parent, child]).values


def _log_given(
    cube: np.typing.NDArray[Any], child: Variable, parents: tuple[Variable, Variable], prior: Prior
) -> FloatArray:
    """log P(child | class, parent), axes (parent, child, class)."""
    smoothed = cube + np.broadcast_to(prior.pseudocounts(child, list(parents)), cube.shape)
    totals = smoothed.sum(axis=2, keepdims=True)
    uniform = np.full(cube.shape, 1 / child.cardinality)
    shares = np.divide(smoothed, totals, out=uniform, where=totals > 0)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares).transpose(1, 2, 0)
    return logs
