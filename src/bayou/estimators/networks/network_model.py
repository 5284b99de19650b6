"""The model of a classifier that is a network with a target: exact inference, row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from bayou.errors import BadStatistics, ImpossibleEvidence
from bayou.estimators.input.code_positions import position
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.networks.backoff_prior import backed_off
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.graphs import Dag
from bayou.inference.query import ask_codes
from bayou.inference.rows.batch_posteriors import rows_posteriors
from bayou.learning import PriorChoice, estimate
from bayou.learning.parameters import requests_for
from bayou.models.rows.row_coding import CodedRows, code_rows
from bayou.models.rows.unseen_states import parts_by_unseen, with_other_state
from bayou.networks import FrozenNetwork, Structure
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, PairCounts, PairTables, Request, Result, Statistics
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True, eq=False)
class TablesToLearn:
    """The tables of a classifier before they are estimated: arcs, declared variables, counts and prior."""

    parents: Mapping[Name, Sequence[Name]]
    declared: Mapping[Name, Variable]
    statistics: Statistics
    prior: Any
    target: Name

    def learned(self, more: Collection[Name] = ()) -> FittedParameters:
        """Return the network; the variables ``more`` have one more state, for values that were never seen."""
        axes = {**axes_of(self.statistics), **self.declared}
        declared = {**self.declared, **{name: with_other_state(axes[name]) for name in more}}
        variables = {**axes, **declared}
        priors = backed_off(self.prior, self.parents, self.target, self.statistics, variables)
        return network_from(self.parents, declared, self.statistics, priors)


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """P(class | row) by exact inference; missing cells are summed out."""

    learned: FittedParameters
    target: Name
    domain: DiscreteDomain
    unknown: str
    tables: TablesToLearn

    @property
    def network(self) -> FrozenNetwork:
        """The fitted network."""
        return self.learned.network

    @property
    def log_prior(self) -> FloatArray | None:
        """log P(class); None if the class has parents."""
        if self.network.parents(self.target):
            return None
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.network.table(self.target))
        return logs

    def log_marginal(self) -> FloatArray:
        """log P(class), also if the class has parents."""
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(ask_codes(self.network, self.target, {})[0])
        return logs

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row) for every row and class."""
        if (cells := rows.only_row) is not None and (codes := self._codes(cells)) is not None:
            return self._joint_log_of_one(codes)
        table = self.domain.rows(rows)
        if self.unknown != "smooth":
            coded = code_rows(self.network, table, self.unknown)
            return self._joint_log_of(self.network, coded)
        logs = np.empty((rows.rows, self.network.schema[self.target].cardinality))
        for members, network, part in parts_by_unseen(self.network, table, self._widened):
            logs[members] = self._joint_log_of(network, part)
        return logs

    def _widened(self, unseen: Collection[Name]) -> FrozenNetwork:
        """The network with one more state for these variables."""
        return self.tables.learned(unseen).network

    def _joint_log_of(self, network: FrozenNetwork, coded: CodedRows) -> FloatArray:
        """log P(class, row) of coded rows."""
        answers = rows_posteriors(network, (self.target,), coded.codes, coded.numbers, coded.rows)
        with np.errstate(divide="ignore"):
            logs = answers.log_evidence[:, None] + np.log(answers.tables[self.target])
        return np.where(np.isnan(logs), -np.inf, logs)

    def _codes(self, cells: Mapping[Name, State]) -> dict[Name, int] | None:
        """The states of one row as codes; None if a value is not a state, or a variable is continuous."""
        codes: dict[Name, int] = {}
        for variable in self.network.schema:
            if variable.name == self.target:
                continue
            code = position(variable, cells.get(variable.name), "error")
            if code is None or variable.is_continuous:
                return None
            if code < variable.cardinality:
                codes[variable.name] = code
        return codes

    def _joint_log_of_one(self, codes: Mapping[Name, int]) -> FloatArray:
        """log P(class, row) of one row."""
        try:
            table, log_evidence = ask_codes(self.network, self.target, codes)
        except ImpossibleEvidence:
            return np.full((1, self.network.schema[self.target].cardinality), -np.inf)
        with np.errstate(divide="ignore"):
            logs: FloatArray = log_evidence + np.log(table)[None, :]
        return logs


def network_from(
    parents: Mapping[Name, Sequence[Name]],
    declared: Mapping[Name, Variable],
    statistics: Statistics,
    priors: PriorChoice,
) -> FittedParameters:
    """Return the network with these arcs, estimated from counts of its families or of larger tables."""
    dag = Dag(list(parents), {name: list(own) for name, own in parents.items()})
    structure = Structure(dag, declared, {})
    needed = requests_for(structure, {**axes_of(statistics), **declared})
    results: dict[Request, Result] = dict(_families(needed.values(), statistics))
    families = Statistics(results, statistics.rows)
    return FittedParameters(estimate(structure, families, priors), families, priors)


def axes_of(statistics: Statistics) -> dict[Name, Variable]:
    """Return every counted variable with its states."""
    axes: dict[Name, Variable] = {}
    for result in statistics.values():
        if isinstance(result, PairTables):
            axes.update({axis.name: axis for axis in (*result.given, *result.axes)})
        elif isinstance(result, Counts):
            axes.update({axis.name: axis for axis in result.axes})
    return axes


def pooled_pairs(earlier: Statistics, fresh: Statistics) -> Statistics:
    """Add statistics; files of earlier versions hold one table per pair, so new pairs are split likewise."""
    if any(isinstance(request, PairCounts) for request in earlier):
        return earlier + fresh
    results: dict[Request, Result] = {}
    for request, result in fresh.items():
        if isinstance(result, PairTables):
            for a, b in combinations(result.names, 2):
                results[CountTable((*result.given_names, a, b))] = result.table(a, b)
        else:
            results[request] = result
    return earlier + Statistics(results, fresh.rows)


def _families(requests: Iterable[Request], statistics: Statistics) -> Iterator[tuple[Request, Counts]]:
    """Each request with its counts: its own table, else a marginal of the smallest table that has them."""
    tables = {frozenset(result.names): result for result in statistics.values() if isinstance(result, Counts)}
    pairs = [result for result in statistics.values() if isinstance(result, PairTables)]
    for request in requests:
        names = frozenset(request.variables)
        found = tables[names].marginal(request.variables) if names in tables else None
        for pair in pairs if found is None else ():
            found = pair.family(request.variables) if found is None else found
        if found is None:
            larger = [others for others in tables if names <= others]
            if not larger or not isinstance(request, CountTable):
                raise BadStatistics(f"These statistics have no counts for {request}.")
            found = tables[min(larger, key=len)].marginal(request.variables)
        yield request, found
