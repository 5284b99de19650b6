"""Rows drawn exactly from P(all variables | findings), where the tables of exact inference fit into memory.

The hidden discrete variables are drawn backwards through an elimination (:mod:`.look_ahead`), the densities
of real findings among its tables. Hidden real variables that depend on a finding are then drawn from their
Gaussian given the discrete states of the row; all others from their distribution given their parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from bayou._native import sample_normal
from bayou.codes import code_type
from bayou.distributions.gaussian.covariance_root import covariance_root
from bayou.errors import TooWide
from bayou.graphs.ordering import elimination_cost
from bayou.inference.mixed.components import Component, components
from bayou.inference.mixed.gaussian_conditioning import component_moments
from bayou.inference.query import impossible_evidence
from bayou.inference.question import Question, evidence_columns
from bayou.inference.sampling.factor_graph import FactorGraph, question_graph
from bayou.inference.sampling.forward_sampling import add_columns
from bayou.inference.sampling.look_ahead import drawing_plan
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.statistics.rows.distinct_rows import distinct_rows
from bayou.typing import ColumnArray, FloatArray, Name


class ConditionalRows:
    """Draws rows given findings; the tables are computed once.

    >>> import bayou
    >>> net = bayou.examples.rain_and_wet_grass().frozen
    >>> rows = ConditionalRows(net, Question((), {"WetGrass": 1})).draw(100_000, seed=1)
    >>> round(float(rows["Rain"].mean()), 2), set(rows["WetGrass"].tolist())
    (0.69, {1})
    """

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        network.require(network.dag.nodes)
        self.network, self.question = network, question
        names = [name for name in network.dag.nodes if name not in question.do]
        self.graph = question_graph(network, names, question)
        _refuse_if_too_wide(self.graph)
        plan = drawing_plan(self.graph, inf)
        if plan.log_bound == -inf:
            raise impossible_evidence(network, question)
        self.sampler = plan.sampler if self.graph.numbers else None
        self.groups = _groups_with_findings(network, names, question)

    def draw(self, n: int, seed: int, first_row: int = 0) -> dict[Name, ColumnArray]:
        """Rows ``first_row … first_row + n − 1`` of the infinite sample defined by ``seed``."""
        network = self.network
        drawn = self._discrete_columns(n, seed, first_row)
        for name, column in evidence_columns(network, self.question).items():
            if network.schema[name].is_continuous:
                drawn[name] = np.repeat(column, n)
        for group in self.groups:
            drawn.update(self._group_columns(group, drawn, n, seed, first_row))
        rest = [name for name in network.dag.topological_order if name not in drawn]
        add_columns(network, drawn, rest, n, seed, first_row)
        return {name: drawn[name] for name in network.dag.nodes}

    def _discrete_columns(self, n: int, seed: int, first_row: int) -> dict[Name, ColumnArray]:
        schema, graph = self.network.schema, self.graph
        columns: dict[Name, ColumnArray] = {}
        for number, code in graph.known.items():
            if number < len(schema):
                variable = schema.variables[number]
                columns[variable.name] = np.full(n, code, dtype=code_type(variable.cardinality))
        if self.sampler is None:
            return columns
        own = [place for place, number in enumerate(graph.numbers) if number < len(schema)]
        found, _ = self.sampler.draw(seed, first_row, n, own, False)
        for place, codes in zip(own, found, strict=True):
            variable = schema.variables[graph.numbers[place]]
            kind = code_type(variable.cardinality)
            if len(graph.states[place]) == variable.cardinality:
                columns[variable.name] = codes.astype(kind, copy=False)
            else:
                columns[variable.name] = graph.states[place].astype(kind)[codes]
        return columns

    def _group_columns(
        self, group: Component, drawn: dict[Name, ColumnArray], n: int, seed: int, first_row: int
    ) -> dict[Name, ColumnArray]:
        """Draws of hidden real variables that depend on each other and on findings."""
        evidence = evidence_columns(self.network, self.question)
        border = [np.ascontiguousarray(drawn[name]) for name in group.border]
        first, which = distinct_rows(border, n) if border else (np.zeros(1, np.int64), np.zeros(n, np.int64))
        columns = {name: drawn[name][first].astype(np.int64) for name in group.border}
        moments = component_moments(self.network, group, group.hidden, columns, evidence, len(first))
        noise = np.stack([self._noise(name, n, seed, first_row) for name in group.hidden], axis=1)
        values = np.empty((n, len(group.hidden)))
        for k in range(len(first)):
            mine = which == k
            values[mine] = moments.means[k] + noise[mine] @ covariance_root(moments.covariances[k]).T
        return {name: values[:, k].copy() for k, name in enumerate(group.hidden)}

    def _noise(self, name: Name, n: int, seed: int, first_row: int) -> FloatArray:
        return sample_normal(seed, self.network.schema.index(name), first_row, n)


def _groups_with_findings(
    network: FrozenNetwork, names: Sequence[Name], question: Question
) -> list[Component]:
    if not any(variable.is_continuous for variable in network.schema):
        return []
    parts, _ = components(network, names, {**question.evidence, **question.do})
    return [part for part in parts if part.has_findings and part.hidden]


def _refuse_if_too_wide(graph: FactorGraph) -> None:
    """Raise TooWide if the tables of all steps together exceed the memory limit."""
    scopes, cards = [factor.scope for factor in graph.factors], dict(enumerate(graph.cards))
    largest, total = elimination_cost(scopes, cards, graph.order)
    # A step keeps its table, its cumulative probabilities and, while it is made, two copies.
    needed, allowed = 16 * total + 24 * largest, current_limits().memory
    if needed > allowed:
        raise TooWide(
            f"Drawing rows given these findings needs tables of {amount_text(needed)} (the limit is "
            f"{amount_text(allowed)}). Give more findings, raise the limit (with bayou.limits(memory=…)), or "
            'ask for posteriors instead: net.query(…, engine="weighting").'
        )
