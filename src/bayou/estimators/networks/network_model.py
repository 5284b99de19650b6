"""The model of a classifier that is a network with a target: exact inference, row by row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from bayou.codes import missing_code
from bayou.errors import BadStatistics, ImpossibleEvidence, TooWide
from bayou.estimators.input.code_positions import position
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.networks.backoff_prior import backed_off
from bayou.estimators.networks.discrete_domain import DiscreteDomain
from bayou.estimators.networks.family_scores import FamilyScores, family_scores, looked_up, weighed_terms
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
    """P(class | row): rows without gaps by look-ups, others by exact inference, which sums gaps out.

    Its score is log P(class) + w · log P(row | class). With ``column_weights``, one for each family that has
    the class in it, w is that of the family wherever all of it is known, and ``weight`` elsewhere.
    """

    learned: FittedParameters
    target: Name
    domain: DiscreteDomain
    unknown: str
    tables: TablesToLearn
    weight: float = 1.0
    column_weights: FloatArray | None = None

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

    @cached_property
    def scores(self) -> tuple[FamilyScores, ...] | None:
        """The tables as look-ups; None if there are others than tables, or the class has parents."""
        return family_scores(self.network, self.target)

    def weights_by_name(self) -> dict[Name, float]:
        """The exponent of each family that has one of its own, by feature."""
        if self.column_weights is None:
            return {}
        names = [family.name for family in self.scores or () if family.has_class]
        return dict(zip(names, self.column_weights.tolist(), strict=True))

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, row) for every row and class, the evidence raised to its power."""
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
        """log P(class, row) of coded rows, the evidence raised to its power."""
        scores = self.scores if network is self.network else family_scores(network, self.target)
        logs = self.plain_logs(network, scores, coded)
        if scores is None or (self.weight == 1.0 and self.column_weights is None):
            return logs
        prior = np.log(np.maximum(network.table(self.target), 1e-300))
        weighed = prior + self.weight * (logs - prior)
        if self.column_weights is not None:
            weighed += weighed_terms(scores, coded.codes, self.column_weights - self.weight)
        return np.where(np.isfinite(logs), weighed, -np.inf)

    def plain_logs(
        self, network: FrozenNetwork, scores: Sequence[FamilyScores] | None, coded: CodedRows
    ) -> FloatArray:
        """log P(class, row): rows without gaps by look-ups, the others by inference."""
        if scores is None:
            return self._inferred(network, coded)
        known = np.ones(coded.rows, dtype=bool)
        for each in scores:
            known &= coded.codes[each.name] < each.features[-1].cardinality
        logs = np.empty((coded.rows, network.schema[self.target].cardinality))
        if known.any():
            with np.errstate(divide="ignore"):
                start = np.log(network.table(self.target))
            logs[known] = looked_up(scores, start, {name: own[known] for name, own in coded.codes.items()})
        if not known.all():
            rest = {name: own[~known] for name, own in coded.codes.items()}
            logs[~known] = self._inferred(network, CodedRows(int((~known).sum()), rest, {}))
        return logs

    def _inferred(self, network: FrozenNetwork, coded: CodedRows) -> FloatArray:
        """log P(class, row) of coded rows by exact inference, side by side if that is not too wide."""
        try:
            answers = rows_posteriors(network, (self.target,), coded.codes, coded.numbers, coded.rows)
        except TooWide:
            if any(variable.is_continuous for variable in network.schema):
                raise
            return np.concatenate([self._inferred_alone(network, coded, row) for row in range(coded.rows)])
        with np.errstate(divide="ignore"):
            logs = answers.log_evidence[:, None] + np.log(answers.tables[self.target])
        return np.where(np.isnan(logs), -np.inf, logs)

    def _inferred_alone(self, network: FrozenNetwork, coded: CodedRows, row: int) -> FloatArray:
        """The same of one row: what it has leaves less to sum out than what any of the rows may lack."""
        found = {v.name: int(coded.codes[v.name][row]) for v in network.schema if v.name in coded.codes}
        known = {n: code for n, code in found.items() if code < network.schema[n].cardinality}
        return self._asked(network, {name: code for name, code in known.items() if name != self.target})

    def _asked(self, network: FrozenNetwork, codes: Mapping[Name, int]) -> FloatArray:
        """log P(class, findings) of codes of states."""
        try:
            table, log_evidence = ask_codes(network, self.target, codes)
        except ImpossibleEvidence:
            return np.full((1, network.schema[self.target].cardinality), -np.inf)
        with np.errstate(divide="ignore"):
            logs: FloatArray = log_evidence + np.log(table)[None, :]
        return logs

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
        if self.scores is not None:
            gap = missing_code(np.uint32)
            found = {v.name: np.array([codes.get(v.name, gap)], dtype=np.uint32) for v in self.network.schema}
            return self._joint_log_of(self.network, CodedRows(1, found, {}))
        return self._asked(self.network, codes)

    def __getstate__(self) -> dict[str, Any]:
        """What copies and pickles need; what was computed from it is computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


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
