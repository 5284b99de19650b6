"""The expected counts of incomplete rows: the E-step of EM, for networks of discrete variables.

With w_r the weight of row r and θ the current tables, the expected count of a cell of a family's table is

    n(x, u) = Σ_r w_r · P(x, u | observed cells of row r) = Σ_r w_r · θ(x, u) · ∂ log P(row r) / ∂ θ(x, u).

The core computes it from messages up and down the clique tree (cpp/src/inference/expected_counts.cpp).
Lauritzen (1995), The EM algorithm for graphical association models with missing data, Computational
Statistics and Data Analysis 19; Darwiche (2003), A differential approach to inference in Bayesian networks,
J. ACM 50.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from bayou._native import ExpectedCounts
from bayou.codes import missing_code
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide, listed
from bayou.inference.exact.kept_plans import KeptPlans
from bayou.inference.exact.local_factors import factors_of
from bayou.inference.expectation.barren_cells import extended_table, leaves_among, real_states
from bayou.inference.expectation.expected_statistics import Expectation, expectation_of
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name

KEPT_PLANS = 16
"""The number of structures whose plans are kept: EM needs the same plan again and again, with new tables."""
SHOWN_CELLS = 12
EXTENDED_BYTES = 2**24
"""Where the tables with a state for barren cells would need more than this, only leaves get one."""
REMEDIES = (
    "Fill the gaps of some columns, take arcs out, or raise the limits (with bayou.limits(memory=…, work=…))."
)


def expected_counts(
    network: FrozenNetwork, batch: Batch, threads: int = 0, barren: Mapping[Name, CodeArray] | None = None
) -> Expectation:
    """Return the expected counts of every family, given the observed cells of each row.

    ``barren`` is the result of :func:`barren_columns`: rows that tell nothing about a variable are then left
    out of its counts. Raises ImpossibleEvidence for a row of probability 0. The result does not depend on
    ``threads``.

    >>> from bayou.distributions import Table
    >>> from bayou.graphs import Dag
    >>> from bayou.schema import Schema, Variable
    >>> from bayou.statistics import CountTable
    >>> schema = Schema([Variable("A", ["a", "b"]), Variable("B", [0, 1])])
    >>> tables = {"A": Table(np.array([0.5, 0.5])), "B": Table(np.array([[0.9, 0.1], [0.3, 0.7]]))}
    >>> network = FrozenNetwork(schema, Dag.from_text("A -> B"), {}, tables)
    >>> batch = Batch(2, {"A": np.array([0, 255], np.uint8), "B": np.array([1, 1], np.uint8)}, {})
    >>> expected_counts(network, batch).statistics[CountTable(("A", "B"))].values.round(3).tolist()
    [[0.0, 1.125], [0.0, 0.875]]
    """
    model, plan = _extended(network, batch.rows, barren or {})
    names = [name for name in network.dag.nodes if name in batch.codes]
    codes = {**batch.codes, **{name: (barren or {})[name] for name in model.barren}}
    held = [name for name in network.dag.nodes if name in codes]
    columns = [np.ascontiguousarray(codes[name]) for name in held]
    variables = [network.schema.index(name) for name in held]
    _check_cost(plan, _missing(len(model.cards), variables, columns), batch.rows)
    weights = None if batch.weights is None else np.ascontiguousarray(batch.weights, dtype=np.float64)
    most = current_limits().memory
    try:
        logs, counts = plan.run(model.tables, columns, variables, batch.rows, weights, threads, most)
    except MemoryError:
        raise TooWide(
            f"A row with many gaps needs more than {amount_text(most)} to sum over them. {REMEDIES}"
        ) from None
    if batch.rows and not logs.min() > -np.inf:
        raise _impossible(network, batch, names, int(np.argmin(logs)))
    likelihood = logs.sum() if weights is None else (logs * weights).sum()
    return expectation_of(network, float(likelihood), model.answers(counts), batch.total)


def row_logs(network: FrozenNetwork, names: Sequence[Name], batch: Batch, below: float) -> FloatArray | None:
    """Return log P of each row (-inf: impossible) under ``names``, which include all their ancestors.

    Returns None if a row goes through ``below`` table entries or more, or if memory does not suffice.
    """
    model = _Model(network, names)
    seen = [name for name in names if name in batch.codes]
    variables = [network.schema.index(name) for name in seen]
    try:
        plan = _plan(model)
        columns = [np.ascontiguousarray(batch.codes[name]) for name in seen]
        missing = _missing(len(model.cards), variables, columns)
        _check_cost(plan, missing, batch.rows)
        if plan.expected_entries(missing) >= below:
            return None
        most = current_limits().memory
        return plan.run(model.tables, columns, variables, batch.rows, None, 0, most)[0]
    except MemoryError:
        return None


class _Model:
    """A network as factors over numbered variables; a noisy node is a chain with auxiliary variables.

    ``pieces`` are the positions of each variable's factors, ``orders`` the order in which a chain takes the
    parents. Variables in ``barren`` have one more state, which only barren cells have.
    """

    def __init__(
        self, network: FrozenNetwork, names: Sequence[Name] | None = None, barren: Collection[Name] = ()
    ) -> None:
        network.require(network.dag.nodes)
        continuous = [variable.name for variable in network.schema if variable.is_continuous]
        if continuous:
            raise BadQuestion(
                "Expected counts are defined for discrete variables only; these are continuous: "
                f"{listed(continuous)}."
            )
        self.network = network
        self.barren = frozenset(barren)
        self.open_cards = [variable.cardinality for variable in network.schema]
        self.cards = [v.cardinality + (v.name in self.barren) for v in network.schema]
        self.scopes: list[list[int]] = []
        self.tables: list[FloatArray] = []
        self.pieces: dict[Name, slice] = {}
        self.orders: dict[Name, list[int]] = {}
        for name in network.dag.nodes if names is None else names:
            start = len(self.scopes)
            self._add_factors(name)
            self.pieces[name] = slice(start, len(self.scopes))

    def _add_factors(self, name: Name) -> None:
        local = factors_of(self.network, name, len(self.cards))
        self.cards += local.sizes
        self.open_cards += local.sizes
        self.scopes += local.scopes
        tables = local.tables
        if name in self.barren:
            tables = [extended_table(tables[0], self.network.family(name).names, self.barren)]
        self.tables += [np.ascontiguousarray(table, dtype=np.float64) for table in tables]
        self.orders[name] = local.order

    def answers(self, counts: list[FloatArray]) -> dict[Name, Any]:
        """The expected statistics of each variable, from the expected counts of its factors."""
        return {
            name: self.network.finite(name).distribute_counts(
                self._real(name, counts[place]), self.orders[name], self.network.family(name)
            )
            for name, place in self.pieces.items()
        }

    def _real(self, name: Name, counts: list[FloatArray]) -> list[FloatArray]:
        """The counts of a variable's factors without those of barren cells."""
        if name not in self.barren:
            return counts
        shape = self.network.finite(name).shape
        return [np.ascontiguousarray(counts[0][real_states(shape)])]


Shape = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...]]
"""The number of states of each variable, the variables of each factor, and the states of missing cells."""
_plans = KeptPlans[Shape, ExpectedCounts](KEPT_PLANS)


def _extended(network: FrozenNetwork, rows: int, barren: Collection[Name]) -> tuple[_Model, ExpectedCounts]:
    """The model with a state for barren cells, of all variables if that is cheap, else of the leaves."""
    for chosen, most in ((barren, EXTENDED_BYTES), (leaves_among(network, barren), np.inf)):
        try:
            model = _Model(network, barren=chosen)
            plan = _plan(model)
        except TooWide:
            continue
        if plan.bytes(rows) <= most:
            return model, plan
    model = _Model(network)
    return model, _plan(model)


def _plan(model: _Model) -> ExpectedCounts:
    """The plan of a structure; networks that differ only in their tables, as in EM, share it."""
    shape = (tuple(model.cards), tuple(tuple(scope) for scope in model.scopes), tuple(model.open_cards))
    return _plans.find(shape, lambda: _made(shape))


def _made(shape: Shape) -> ExpectedCounts:
    try:
        return ExpectedCounts(*shape)
    except ValueError as error:
        raise TooWide(f"Learning from incomplete rows is too wide here: {error}. {REMEDIES}") from None


def _missing(count: int, variables: Sequence[int], columns: Sequence[CodeArray]) -> list[float]:
    """The share of rows in which each variable is missing; 1 for variables without a column."""
    shares = [1.0] * count
    for number, column in zip(variables, columns, strict=True):
        gaps = np.count_nonzero(column == missing_code(column.dtype))
        shares[number] = gaps / max(len(column), 1)
    return shares


def _check_cost(plan: ExpectedCounts, missing: list[float], rows: int) -> None:
    needed, entries = plan.bytes(rows), plan.expected_entries(missing) * rows
    allowed = current_limits()
    if needed > allowed.memory or entries > allowed.work:
        raise TooWide(
            f"The expected counts of {rows:,} incomplete rows need {amount_text(needed)} and go through "
            f"{entries:.3g} table entries (limits: {amount_text(allowed.memory)} and {allowed.work:.3g}). "
            f"{REMEDIES}"
        )


def _impossible(network: FrozenNetwork, batch: Batch, names: Sequence[Name], row: int) -> ImpossibleEvidence:
    cells = [
        f"{label(name)}={label(network.schema[name].states[int(batch.codes[name][row])])}"
        for name in names
        if not batch.missing(name)[row]
    ]
    shown = ", ".join([*cells[:SHOWN_CELLS], *["…"] * (len(cells) > SHOWN_CELLS)])
    return ImpossibleEvidence(
        f"Row {batch.number(row)} (counting from 0) cannot occur under this network (its probability is 0): "
        f"{shown}. {impossible_remedy(network)}"
    )


def impossible_remedy(network: FrozenNetwork) -> str:
    """Return the advice for a row of probability 0; a deterministic node has zeros whatever the prior."""
    functions = [n for n in network.dag.nodes if network.distribution(n).fixed_in_em]
    if functions:
        return (
            "Correct the row, or learn tables for these variables, which are functions of their parents "
            f"here: {listed(functions)}."
        )
    return "Correct the row, or start from tables without zeros (a prior such as Laplace(1))."
