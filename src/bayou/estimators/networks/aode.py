"""AODE: the average of all classifiers in which one feature is a parent of all others (Webb et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.arguments import is_real
from bayou.distributions import Prior, prior_from
from bayou.errors import BadQuestion
from bayou.estimators.input.code_positions import positions
from bayou.estimators.input.table_input import FeatureTable
from bayou.estimators.naive_bayes.feature_densities import warn_of_never_seen
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.estimators.networks.tree_classifiers import TableClassifier, tan_requests
from bayou.learning.independence.information import mutual_information, pairs_of
from bayou.learning.search.spanning_tree import NEGLIGIBLE
from bayou.schema import Variable
from bayou.statistics import CountTable, Request, Statistics
from bayou.typing import FloatArray, IntArray, Name

BLOCK_ROWS = 1 << 12
"""Rows are scored in blocks of this size, to bound memory."""


class AODE(TableClassifier):
    """Averaged one-dependence estimators: pairwise dependences without a structure to learn.

    P(class, row) is the mean over features i of P(class, x_i) Π_j P(x_j | class, x_i), weighted with
    ``weighting="information"`` by the mutual information of feature i and the class, or all alike with
    "uniform". Feature i takes part only if at least ``least_count`` training rows had its value.
    ``partial_fit`` keeps the cuts of numbers of its first call.

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
    ) -> None:
        self.prior = prior
        self.weighting = weighting
        self.least_count = least_count
        self.unknown = unknown

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
        if self.weighting == "uniform":
            return model
        tables = [
            statistics[CountTable((classes.name, variable.name))].values for variable in model.variables
        ]
        information = np.array([max(mutual_information(table), NEGLIGIBLE) for table in tables])
        return replace(model, weights=information)


@dataclass(frozen=True, eq=False)
class AODEModel:
    """log P(class, x_i) of every feature, and log P(x_j | class, x_i) of every ordered pair.

    Each table has two more states, 'missing' and 'never seen', with zeros: they do not change the sum.
    """

    classes: Variable
    log_prior: FloatArray
    variables: tuple[Variable, ...]
    own: tuple[FloatArray, ...]
    frequent: tuple[np.typing.NDArray[np.bool_], ...]
    given: dict[tuple[int, int], FloatArray]
    domain: DiscreteDomain
    unknown: str
    weights: FloatArray | None = None

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
        own = tuple(_log_joint(table.values, variables[k], classes, prior) for k, table in enumerate(tables))
        frequent = tuple(_frequent(table.values, least) for table in tables)
        given: dict[tuple[int, int], FloatArray] = {}
        pairs = pairs_of(statistics, (classes.name,))
        for i, parent in enumerate(variables):
            for j in range(i + 1, len(variables)):
                child = variables[j]
                if pairs is not None:
                    pair = pairs.table(parent.name, child.name)
                else:  # a file of an earlier version
                    pair = statistics[CountTable((classes.name, parent.name, child.name))]
                cube = pair.aligned([classes, parent, child]).values
                given[i, j] = _log_given(cube, child, (classes, parent), prior)
                given[j, i] = _log_given(cube.transpose(0, 2, 1), parent, (classes, child), prior)
        with np.errstate(divide="ignore"):
            log_prior: FloatArray = np.log(smoothed / smoothed.sum())
        return cls(classes, log_prior, variables, own, frequent, given, domain, unknown)

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return the log of the weighted mean of P(class, row) over the parents that take part."""
        columns = self.domain.rows(rows)
        codes: list[IntArray] = []
        unseen: list[tuple[Name, int]] = []
        for variable in self.variables:
            if variable.name not in columns:
                codes.append(np.full(rows.rows, variable.cardinality))
                continue
            places, count = positions(variable, columns.coded(variable.name), self.unknown)
            codes.append(places.astype(np.int64))
            unseen += [(variable.name, count)] if count else []
        warn_of_never_seen(unseen, "'error' or 'missing'")
        blocks = [
            self._block(
                [code[start : start + BLOCK_ROWS] for code in codes], min(BLOCK_ROWS, rows.rows - start)
            )
            for start in range(0, rows.rows, BLOCK_ROWS)
        ]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.classes.cardinality))

    def _block(self, codes: list[IntArray], rows: int) -> FloatArray:
        """log P(class, row) of a block of rows, given as codes of each feature."""
        total = np.full((rows, self.classes.cardinality), -np.inf)
        total_weight = np.zeros(rows)
        weights = np.ones(len(self.variables)) if self.weights is None else self.weights
        for i in range(len(self.variables)):
            part = self.own[i][codes[i]]
            for j in range(len(self.variables)):
                if j != i:
                    part += self.given[i, j][codes[i], codes[j]]
            takes_part = self.frequent[i][codes[i]]
            total = np.where(takes_part[:, None], np.logaddexp(total, part + np.log(weights[i])), total)
            total_weight += takes_part * weights[i]
        no_parent = total_weight == 0
        if no_parent.any():
            total[no_parent] = self._naive([code[no_parent] for code in codes], int(no_parent.sum()))
        result: FloatArray = total - np.log(np.where(no_parent, 1, total_weight))[:, None]
        return result

    def _naive(self, codes: list[IntArray], rows: int) -> FloatArray:
        """log P(class, row) by naive Bayes, for rows without any frequent value."""
        total = np.tile(self.log_prior, (rows, 1))
        for k, variable in enumerate(self.variables):
            seen = codes[k] < variable.cardinality
            with np.errstate(invalid="ignore"):
                finding = self.own[k][codes[k]] - self.log_prior
            total += np.where(seen[:, None], finding, 0.0)
        return total


def _frequent(counts: np.typing.NDArray[Any], least: float) -> np.typing.NDArray[np.bool_]:
    """Which states may be parents; 'missing' and 'never seen' may not."""
    return np.append(counts.sum(axis=0) >= max(least, 1e-300), [False, False])


def _log_joint(
    counts: np.typing.NDArray[Any], variable: Variable, classes: Variable, prior: Prior
) -> FloatArray:
    """log P(class, state), axes (state, class), and two more states with zeros that are not used."""
    smoothed = counts + np.broadcast_to(prior.pseudocounts(variable, [classes]), counts.shape)
    with np.errstate(divide="ignore"):
        logs = np.log(smoothed / smoothed.sum()).T
    return np.vstack([logs, np.zeros((2, len(counts)))])


def _log_given(
    cube: np.typing.NDArray[Any], child: Variable, parents: tuple[Variable, Variable], prior: Prior
) -> FloatArray:
    """log P(child | class, parent), axes (parent, child, class); zeros for 'missing' and 'never seen'."""
    smoothed = cube + np.broadcast_to(prior.pseudocounts(child, list(parents)), cube.shape)
    totals = smoothed.sum(axis=2, keepdims=True)
    uniform = np.full(cube.shape, 1 / child.cardinality)
    shares = np.divide(smoothed, totals, out=uniform, where=totals > 0)
    table = np.zeros((cube.shape[1] + 2, cube.shape[2] + 2, cube.shape[0]))
    with np.errstate(divide="ignore"):
        table[:-2, :-2] = np.log(shares).transpose(1, 2, 0)
    return table
