"""Draws that look ahead at the findings: an elimination of bounded size, run backwards.

Variables are summed out of the product of the tables one by one, as in exact inference, and then drawn in
the reverse order, each given those drawn before. With v the variable, its bucket (all tables with v, those
made of earlier variables among them) has the product p(v, c), and m(c) = Σ_v p(v, c) is a table of the rest:

    drawn from q(v | c) = p(v, c) / m(c).

As long as every bucket fits, the rows are exact draws from P(hidden | findings). A bucket that does not fit
is split into groups g of tables that do, Π_g p_g(v, c_g) = p(v, c); the first sends m_1 = Σ_v p_1, the others
send m_g = max_v p_g, which together bound the sum from above (mini-buckets). The row is still drawn from the
whole product, now with the weight

    w = Π_(split buckets) [Σ_v Π_g p_g(v, c_g)] / [Π_g m_g(c_g)]  ≤  1,      P(findings) = bound · E[w].

With no tables sent at all this is likelihood weighting; the larger they may be, the nearer to exact it is.
Dechter and Rish (2003), Mini-buckets: a general scheme for bounded inference, J. ACM 50; Fung and Chang
(1990), Weighing and integrating evidence for stochastic simulation in Bayesian networks, UAI 5; Gogate and
Dechter (2011), SampleSearch: importance sampling in presence of determinism, Artificial Intelligence 175.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, prod

import numpy as np

from bayou._native import RowSampler
from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.inference.sampling.zero_propagation import PlainFactor, Scope
from bayou.typing import FloatArray

MOST_CELLS = 2**16
"""The most cells of one table of a look-ahead."""
MOST_CELLS_IN_ALL = 2**24
"""The most cells of all tables together, about: networks of many variables get smaller tables."""
CELLS_A_SECOND = 2**23
"""The most cells of all tables for each second that the answer may take: they are a small part of it."""
CONSTANT = 1e-12
"""A table whose entries differ by less than this share is a constant."""


@dataclass
class DrawingStep:
    """Draws a variable from the product of ``factors``; ``divisors`` are the tables sent in its place."""

    variable: int
    factors: list[PlainFactor]
    divisors: list[PlainFactor] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class DrawingPlan:
    """A sampler of rows of the hidden variables, with weights of at most 1.

    P(findings) is exp(``log_bound``) times the mean weight; all weights are 1 if the plan ``is_exact``.
    ``log_bound`` is -inf if the findings are impossible.
    """

    sampler: RowSampler | None
    log_bound: float
    is_exact: bool


def cells_allowed(variables: int, seconds: float = inf) -> int:
    """The most cells of one table in a network of this many hidden variables, if the answer has this time.

    >>> cells_allowed(37), cells_allowed(700), cells_allowed(700, 0.5)
    (65536, 23967, 5991)
    """
    in_all = min(MOST_CELLS_IN_ALL, int(min(seconds, 1e6) * CELLS_A_SECOND))
    return max(16, min(MOST_CELLS, in_all // max(variables, 1)))


def drawing_plan(
    graph: FactorGraph, most_cells: float | None = None, seconds: float = inf, until: float = inf
) -> DrawingPlan:
    """Return the plan for these tables, none of its own larger than ``most_cells``.

    Without ``most_cells`` it depends on the number of variables and on the ``seconds`` for the whole answer.
    The order of the variables is looked for ``until`` this time on the clock of ``time.monotonic``.
    """
    if graph.log_scale == -inf:
        return DrawingPlan(None, -inf, True)
    cards = graph.cards
    most = cells_allowed(len(cards), seconds) if most_cells is None else most_cells
    order = graph.order_by(until)
    buckets = _Buckets(graph, order)
    steps: list[DrawingStep] = []
    for variable in order:
        if not buckets.eliminate(variable, most, steps):
            return DrawingPlan(None, -inf, True)
    return DrawingPlan(row_sampler(graph, steps[::-1]), buckets.log_scale, not any(s.divisors for s in steps))


class _Buckets:
    """The tables that are left while variables are summed out one by one, by the variable that goes next."""

    def __init__(self, graph: FactorGraph, order: Sequence[int]) -> None:
        self.cards, self.log_scale = graph.cards, graph.log_scale
        self.rank = {variable: place for place, variable in enumerate(order)}
        self.waiting: dict[int, list[PlainFactor]] = {variable: [] for variable in order}
        for factor in graph.factors:
            self.send(factor)

    def send(self, factor: PlainFactor) -> None:
        self.waiting[min(factor.scope, key=self.rank.__getitem__)].append(factor)

    def eliminate(self, variable: int, most: float, steps: list[DrawingStep]) -> bool:
        """Sum one variable out and add the step that draws it; False if nothing is possible any more."""
        # A variable may be left without a table: all states are equally probable then.
        tables = self.waiting.pop(variable) or [PlainFactor((variable,), np.ones(self.cards[variable]))]
        groups = self._groups(tables, most)
        products: list[PlainFactor] = []
        messages: list[PlainFactor] = []
        for number, group in enumerate(groups):
            table, log_unit = _product(group, variable, self.cards)
            if log_unit == -inf:
                return False
            self.log_scale += log_unit
            sent = table.values.max(axis=-1) if number else table.values.sum(axis=-1)
            products.append(table)
            messages.append(PlainFactor(table.scope[:-1], sent))
        if len(groups) == 1:
            steps.append(DrawingStep(variable, [_conditional(products[0], messages[0].values)]))
        else:
            steps.append(DrawingStep(variable, products, list(messages)))
        for message in messages:
            most = float(message.values.max())
            if most - float(message.values.min()) > CONSTANT * most:
                self.send(message)
            else:
                # Such as the sum over a variable that nothing was found out about: 1 for all parents' states.
                self.log_scale += log(most)
        return True

    def _groups(self, tables: Sequence[PlainFactor], most: float) -> list[list[PlainFactor]]:
        """Tables put together while their product has at most ``most`` cells; the largest tables first."""
        groups: list[tuple[set[int], list[PlainFactor]]] = []
        for table in sorted(tables, key=lambda table: -table.values.size):
            for scope, group in groups:
                joined = scope | {*table.scope}
                if prod(self.cards[v] for v in joined) <= most or joined == scope:
                    scope |= joined
                    group.append(table)
                    break
            else:
                groups.append(({*table.scope}, [table]))
        return [group for _, group in groups]


def _product(tables: Sequence[PlainFactor], variable: int, cards: Sequence[int]) -> tuple[PlainFactor, float]:
    """The product of tables with ``variable`` as its last axis, divided by its largest entry; log of that."""
    scope = (*sorted({v for table in tables for v in table.scope} - {variable}), variable)
    spread = [_spread(table, scope, cards) for table in sorted(tables, key=lambda table: table.values.size)]
    try:
        with np.errstate(under="raise"):
            merged, log_unit = _multiplied(spread)
    except FloatingPointError:
        # Findings that contradict each other: the product of some is 0 where others are large.
        merged, log_unit = _added_logs(spread)
    return PlainFactor(scope, np.ascontiguousarray(merged)), log_unit


def _multiplied(arrays: Sequence[FloatArray]) -> tuple[FloatArray, float]:
    merged, log_unit = np.ones(1), 0.0
    for array in arrays:
        merged = merged * array
        most = float(merged.max())
        if most <= 0.0:
            return merged, -inf
        merged = merged / most
        log_unit += log(most)
    return merged, log_unit


def _added_logs(arrays: Sequence[FloatArray]) -> tuple[FloatArray, float]:
    with np.errstate(divide="ignore"):
        logs: FloatArray = sum((np.log(array) for array in arrays), np.zeros(1))
    most = float(logs.max())
    return np.exp(logs - (most if most > -inf else 0.0)), most


def _spread(table: PlainFactor, scope: Scope, cards: Sequence[int]) -> FloatArray:
    """The values with an axis for every variable of ``scope``, ready to broadcast."""
    place = {variable: axis for axis, variable in enumerate(table.scope)}
    moved = np.transpose(table.values, [place[variable] for variable in scope if variable in place])
    return moved.reshape([cards[variable] if variable in place else 1 for variable in scope])


def _conditional(table: PlainFactor, total: FloatArray) -> PlainFactor:
    """The table divided by its sums over the last axis; rows without probability, never met, stay 0."""
    safe = np.where(total > 0, total, 1.0)[..., None]
    return PlainFactor(table.scope, table.values / safe)


def row_sampler(
    graph: FactorGraph, steps: Sequence[DrawingStep], weights: Sequence[PlainFactor] = ()
) -> RowSampler:
    """The sampler of the core for these steps; each variable has the random numbers of its number."""
    return RowSampler(
        graph.cards,
        [step.variable for step in steps],
        [graph.numbers[step.variable] for step in steps],
        [[list(factor.scope) for factor in step.factors] for step in steps],
        [[np.ascontiguousarray(factor.values) for factor in step.factors] for step in steps],
        [[list(factor.scope) for factor in step.divisors] for step in steps],
        [[np.ascontiguousarray(factor.values) for factor in step.divisors] for step in steps],
        [list(factor.scope) for factor in weights],
        [np.ascontiguousarray(factor.values) for factor in weights],
    )
