"""What incomplete rows are expected to count: the E-step of EM, for networks of discrete variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bayou._native import ExpectedCounts
from bayou.distributions import FunctionOfParents, MaxOfCauses
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide, listed
from bayou.inference.expected_causes import chain_of, proposals
from bayou.inference.limits import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.statistics import Batch, Proposals
from bayou.typing import FloatArray, IntArray, Name

KEPT_PLANS = 16
"""How many structures stay compiled: EM asks for the same one again and again, with other tables."""
SHOWN_CELLS = 12
REMEDIES = (
    "Fill the gaps of some columns, take arcs out, or raise the limits (with bayou.limits(memory=…, work=…))."
)


@dataclass(frozen=True)
class Expected:
    """What incomplete rows are expected to count, and how probable they are.

    ``tables`` has the counts of every discrete variable with a table (axes as in ``network.table``),
    ``links`` what the causes of each noisy node are expected to have proposed; ``rows`` is the sum of the
    weights and ``log_likelihood`` Σ weight · log P(observed cells). Counts of batches add.
    """

    log_likelihood: float
    tables: Mapping[Name, FloatArray]
    rows: float
    links: Mapping[Name, Proposals]

    def __add__(self, other: Expected) -> Expected:
        return Expected(
            self.log_likelihood + other.log_likelihood,
            {name: table + other.tables[name] for name, table in self.tables.items()},
            self.rows + other.rows,
            {name: link + other.links[name] for name, link in self.links.items()},
        )


def expected_counts(network: FrozenNetwork, batch: Batch, threads: int = 0) -> Expected:
    """The expected counts of every family, given the observed cells of each row.

    A row that is impossible under the network is an error. The result does not depend on ``threads``.

    >>> from bayou.distributions import Table
    >>> from bayou.graphs import Dag
    >>> from bayou.schema import Schema, Variable
    >>> schema = Schema([Variable("A", ["a", "b"]), Variable("B", [0, 1])])
    >>> tables = {"A": Table(np.array([0.5, 0.5])), "B": Table(np.array([[0.9, 0.1], [0.3, 0.7]]))}
    >>> network = FrozenNetwork(schema, Dag.from_text("A -> B"), {}, tables)
    >>> batch = Batch(2, {"A": np.array([0, 255], np.uint8), "B": np.array([1, 1], np.uint8)}, {})
    >>> expected_counts(network, batch).tables["B"].round(3).tolist()
    [[0.0, 1.125], [0.0, 0.875]]
    """
    model = _Model(network)
    plan = _plan(tuple(model.cards), tuple(tuple(scope) for scope in model.scopes))
    names = [name for name in network.dag.nodes if name in batch.codes]
    columns = [np.ascontiguousarray(batch.codes[name]) for name in names]
    variables = [network.schema.index(name) for name in names]
    _check_cost(plan, _missing(len(model.cards), variables, batch, names), batch.rows)
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
    tables, links = model.by_variable(counts)
    return Expected(float(likelihood), tables, batch.total, links)


def row_logs(network: FrozenNetwork, names: Sequence[Name], batch: Batch, below: float) -> FloatArray | None:
    """log P of each row (-inf: impossible) over some of the variables, with all their ancestors.

    None where a row goes through ``below`` entries or more, or where it does not fit.
    """
    model = _Model(network, names)
    seen = [name for name in names if name in batch.codes]
    variables = [network.schema.index(name) for name in seen]
    try:
        plan = _plan(tuple(model.cards), tuple(tuple(scope) for scope in model.scopes))
        missing = _missing(len(model.cards), variables, batch, seen)
        _check_cost(plan, missing, batch.rows)
        if plan.expected_entries(missing) >= below:
            return None
        columns = [np.ascontiguousarray(batch.codes[name]) for name in seen]
        most = current_limits().memory
        return plan.run(model.tables, columns, variables, batch.rows, None, 0, most)[0]
    except MemoryError:
        return None


def compressed(batch: Batch) -> Batch:
    """Every distinct row once, in order of appearance, its weight the sum of theirs; those of weight 0 go.

    >>> batch = compressed(Batch(3, {"A": np.array([0, 1, 0], dtype=np.uint8)}, {}))
    >>> batch.codes["A"].tolist(), batch.weights.tolist()
    ([0, 1], [2.0, 1.0])
    """
    given = np.ones(batch.rows) if batch.weights is None else np.asarray(batch.weights, dtype=np.float64)
    columns = [*batch.codes.values(), *(numbers.view(np.uint64) for numbers in batch.numbers.values())]
    first, which = _distinct(columns, batch.rows)
    weights = np.bincount(which, given, minlength=len(first))
    kept = first[weights != 0]
    return replace(batch.taken(kept), weights=weights[weights != 0])


class _Model:
    """A network as factors over numbered variables: tables, and noisy nodes as chains with auxiliary ones."""

    def __init__(self, network: FrozenNetwork, names: Sequence[Name] | None = None) -> None:
        network.require(network.dag.nodes)
        continuous = [variable.name for variable in network.schema if variable.is_continuous]
        if continuous:
            raise BadQuestion(f"Expected counts are of discrete variables; continuous: {listed(continuous)}.")
        self.network = network
        self.cards = [variable.cardinality for variable in network.schema]
        self.scopes: list[list[int]] = []
        self.tables: list[FloatArray] = []
        self.pieces: dict[Name, slice] = {}
        for name in network.dag.nodes if names is None else names:
            start = len(self.scopes)
            self._take(name)
            self.pieces[name] = slice(start, len(self.scopes))

    def _take(self, name: Name) -> None:
        node, schema = self.network.distribution(name), self.network.schema
        scope = [*(schema.index(parent.name) for parent in self.network.parents(name)), schema.index(name)]
        if isinstance(node, MaxOfCauses):
            scopes, tables, sizes = chain_of(node, scope, len(self.cards))
            self.cards += sizes
        else:
            scopes, tables = [scope], [self.network.table(name)]
        self.scopes += scopes
        self.tables += [np.ascontiguousarray(table, dtype=np.float64) for table in tables]

    def by_variable(self, counts: list[FloatArray]) -> tuple[dict[Name, FloatArray], dict[Name, Proposals]]:
        tables: dict[Name, FloatArray] = {}
        links: dict[Name, Proposals] = {}
        for name, place in self.pieces.items():
            node = self.network.distribution(name)
            if isinstance(node, MaxOfCauses):
                order = [self.network.schema.index(parent.name) for parent in self.network.parents(name)]
                links[name] = proposals(node, order, counts[place])
            else:
                tables[name] = counts[place.start].reshape(self.tables[place.start].shape)
        return tables, links


@lru_cache(maxsize=KEPT_PLANS)
def _plan(cards: tuple[int, ...], scopes: tuple[tuple[int, ...], ...]) -> ExpectedCounts:
    try:
        return ExpectedCounts(cards, scopes)
    except ValueError as error:
        raise TooWide(f"Learning from incomplete rows is too wide here: {error}. {REMEDIES}") from None


def _missing(count: int, variables: Sequence[int], batch: Batch, names: Sequence[Name]) -> list[float]:
    """In which share of the rows each variable is missing."""
    shares = [1.0] * count
    for number, name in zip(variables, names, strict=True):
        shares[number] = np.count_nonzero(batch.missing(name)) / max(batch.rows, 1)
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
        f"Row {batch.number(row)} (counting from 0) can not occur under this network (its probability is 0): "
        f"{shown}. {impossible_remedy(network)}"
    )


def impossible_remedy(network: FrozenNetwork) -> str:
    """What to do about a row that can not occur: a function has zeros whatever the prior."""
    functions = [n for n in network.dag.nodes if isinstance(network.distribution(n), FunctionOfParents)]
    if functions:
        return f"Correct it, or learn a table of what is a function of its parents here: {listed(functions)}."
    return "Correct it, or start from tables without zeros (a prior such as Laplace(1))."


def _distinct(
    columns: Sequence[np.typing.NDArray[np.unsignedinteger]], rows: int
) -> tuple[IntArray, IntArray]:
    """Where each distinct row first stands, in ascending order, and for each row which it is."""
    key = np.zeros(rows, dtype=np.uint64)
    for column in columns:
        key = (key ^ column) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first, which = first[order], place[which]
    if all(np.array_equal(column[first][which], column) for column in columns):
        return first, which
    # Two different rows with one key: next to impossible, and put right by comparing the rows themselves.
    table = np.stack([column.astype(np.uint64) for column in columns], axis=1)
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, which.reshape(-1)
