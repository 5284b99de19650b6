"""Compiled inference plans: made once for each signature of a question, and kept as long as their network."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from bayou._native._core import FactorTables, InferencePlan, RowPlan
from bayou.errors import TooWide
from bayou.inference.exact.local_factors import compact_factors_of
from bayou.inference.exact.network_tree import CompiledTree, compiled_tree
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable, label
from bayou.typing import FloatArray, Name

Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept")
KEPT_PLANS = 256
KEPT_BYTES = 64 * 2**20
"""The most plans (and bytes in them) kept per network and kind; the least recently used go first."""
ASKED_ONCE = 4096
"""The most sets of names that are remembered after one question about them."""


@dataclass(frozen=True)
class Signature:
    """The key of a plan: the role of each variable (by number) in a question, without its states.

    ``factors`` are the variables whose local distributions are multiplied, ``given`` the scopes of further
    tables (likelihoods, densities), ``joint`` the targets, ``maximised`` the variables maximised instead of
    summed, ``lanes`` the rows computed together, ``marginals`` whether all marginals are wanted.
    """

    factors: tuple[int, ...]
    observed: tuple[int, ...]
    given: tuple[tuple[int, ...], ...]
    joint: tuple[int, ...] = ()
    maximised: tuple[int, ...] = ()
    lanes: int = 1
    marginals: bool = True


class KeptPlans(Generic[Key, Kept]):
    """A cache of plans; beyond ``most`` plans or ``most_bytes`` the least recently used ones are dropped.

    Threads may share it. ``let_go`` is called with each dropped plan.

    >>> squares = KeptPlans[int, int](most=2)
    >>> [squares.find(k, lambda k=k: k * k) for k in (2, 3, 2, 4)], len(squares), 3 in squares
    ([4, 9, 4, 16], 2, False)
    """

    def __init__(
        self,
        most: int,
        most_bytes: float = inf,
        size: Callable[[Kept], float] = lambda kept: 0.0,
        let_go: Callable[[Kept], None] = lambda kept: None,
    ) -> None:
        self.most, self.most_bytes, self._size, self._let_go = most, most_bytes, size, let_go
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0.0
        self._lock = Lock()

    def find(self, key: Key, make: Callable[[], Kept]) -> Kept:
        """Return the plan kept under a key, or make and keep it; if ``make`` raises, nothing is kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            if key in self._kept:
                self._drop(self._kept.pop(key))
            self._kept[key] = made
            self._bytes += self._size(made)
            while len(self._kept) > self.most or (self._bytes > self.most_bytes and len(self._kept) > 1):
                self._drop(self._kept.popitem(last=False)[1])
        return made

    def _drop(self, kept: Kept) -> None:
        self._bytes -= self._size(kept)
        self._let_go(kept)

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._kept.clear()
            self._bytes = 0.0

    def values(self) -> list[Kept]:
        """All plans in the cache."""
        return list(self._kept.values())

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)


class NetworkPlans:
    """The plans of one network, and its tables as contiguous arrays for the core."""

    def __init__(self, network: FrozenNetwork) -> None:
        schema = network.schema
        self.numbers = {variable.name: number for number, variable in enumerate(schema)}
        self.continuous = {variable.name for variable in schema if variable.is_continuous}
        self.cards = [max(variable.cardinality, 1) for variable in schema]
        self.named: list[Name] = list(schema.names)
        self.scopes: dict[int, list[int]] = {}
        self.tables: dict[int, FloatArray] = {}
        self.pieces: dict[int, list[int]] = {}
        self.splitting: set[Name] = set()
        for variable in schema:
            if not variable.is_continuous and network.slots[variable.name] in network.blocks:
                self._add_factors(network, variable.name)
        self.is_complete = all(block in network.blocks for block in network.slots.values())
        """Whether all variables have parameters."""
        self.prepared: dict[tuple[Name, ...], PreparedQuery] = {}
        self.kept = KeptPlans[Signature, Plan](
            KEPT_PLANS, KEPT_BYTES, lambda plan: plan.core.kept_bytes, _forgetting(self.prepared)
        )
        self.kept_for_rows = KeptPlans[tuple[int, ...], RowPlan | None](
            KEPT_PLANS, KEPT_BYTES, lambda plan: 0.0 if plan is None else plan.bytes
        )
        self.asked_once: set[tuple[Name, ...]] = set()
        """The names in questions that the network's tree has answered, or that came first."""
        self._schema = schema
        self._alone: dict[Name, Schema] = {}
        self._tree: CompiledTree | None = None
        self._has_tree: bool | None = None if self._may_have_tree() else False

    def _may_have_tree(self) -> bool:
        """Whether all variables are discrete and have parameters, each in a single table."""
        return (
            self.is_complete
            and not self.continuous
            and all(pieces == [number] for number, pieces in self.pieces.items())
        )

    def tree_for(self, key: tuple[Name, ...]) -> CompiledTree | None:
        """The network's tree, for names that were not asked about before; None if a plan should be compiled.

        That is so if the names are asked about again, if they are the first (most networks are asked only
        once), and if the tree would be large.
        """
        if self._has_tree is False:
            return None
        if key in self.asked_once:
            self.asked_once.discard(key)
            return None
        is_first = not self.asked_once
        if len(self.asked_once) >= ASKED_ONCE:
            self.asked_once.clear()
        self.asked_once.add(key)
        if is_first:
            return None
        if self._has_tree is None:
            numbers = range(len(self.cards))
            self._tree = compiled_tree(
                self._schema, [self.scopes[k] for k in numbers], [self.tables[k] for k in numbers]
            )
            self._has_tree = self._tree is not None
        return self._tree if self._tree is not None and self._tree.is_allowed else None

    def _add_factors(self, network: FrozenNetwork, name: Name) -> None:
        """Add the factors of one variable: its table, or a noisy node's chain with auxiliary variables."""
        number = network.schema.index(name)
        node = network.finite(name)
        if any(node.split_finding(code) is not None for code in range(node.shape[-1])):
            self.splitting.add(name)
        local = compact_factors_of(network, name, len(self.cards))
        self.cards += local.sizes
        self.named += [f"{label(name)} so far ({k})" for k in range(1, len(local.sizes) + 1)]
        self.pieces[number] = [scope[-1] for scope in local.scopes]
        for scope, table in zip(local.scopes, local.tables, strict=True):
            self.scopes[scope[-1]] = scope
            self.tables[scope[-1]] = np.ascontiguousarray(table, dtype=np.float64)

    def plan(self, signature: Signature) -> Plan:
        """Return the plan of a signature; raise TooWide if it exceeds the current limits."""
        plan = self.kept.find(signature, lambda: self._made(signature))
        check_cost(plan.core)
        return plan

    def _made(self, signature: Signature) -> Plan:
        core = self.compiled(signature)
        check_cost(core)
        return Plan(core)

    def for_rows(self, factors: tuple[int, ...], target: int) -> RowPlan | None:
        """Return a plan that computes one row at a time, or None if its tables would be too large."""
        return self.kept_for_rows.find((*factors, target), lambda: self._made_for_rows(factors, target))

    def _made_for_rows(self, factors: tuple[int, ...], target: int) -> RowPlan | None:
        pieces = [piece for number in factors for piece in self.pieces[number]]
        scopes, tables = [self.scopes[k] for k in pieces], [self.tables[k] for k in pieces]
        try:
            return RowPlan(self.cards, scopes, tables, target)
        except ValueError:
            return None

    def alone(self, name: Name) -> Schema:
        """The schema of one variable."""
        found = self._alone.get(name)
        if found is None:
            found = self._alone[name] = Schema([self._schema[name]])
        return found

    def prepare(self, key: tuple[Name, ...], query: PreparedQuery) -> None:
        """Keep a query under the names that it is about; not more of them than plans are kept."""
        if len(self.prepared) >= KEPT_PLANS:
            self.prepared.clear()
        self.prepared[key] = query

    def forget(self) -> None:
        """Drop all plans (used to measure a cold start)."""
        self.kept.clear()
        self.kept_for_rows.clear()
        self.prepared.clear()
        self.asked_once.clear()
        if self._has_tree:
            self._tree, self._has_tree = None, None

    @cached_property
    def _tables_of_core(self) -> tuple[FactorTables, dict[int, list[int]]]:
        """All tables as the core reads them, and which of them belong to each variable."""
        tables = FactorTables(self.cards, list(self.scopes.values()), list(self.tables.values()))
        place = {piece: at for at, piece in enumerate(self.scopes)}
        return tables, {number: [place[piece] for piece in own] for number, own in self.pieces.items()}

    def compiled(self, signature: Signature) -> InferencePlan:
        """Compile a new plan, whatever its cost: its tables are not allocated before it runs."""
        tables, places = self._tables_of_core
        try:
            return InferencePlan(
                tables,
                [place for number in signature.factors for place in places[number]],
                [list(scope) for scope in signature.given],
                list(signature.observed),
                list(signature.joint),
                list(signature.maximised),
                signature.lanes,
                signature.marginals,
            )
        except ValueError as error:
            raise TooWide(f"This query is too wide: {error}. {REMEDIES}") from None


@dataclass(frozen=True)
class Plan:
    """A compiled question: the core's plan and how to read its result."""

    core: InferencePlan

    @cached_property
    def offsets(self) -> list[int]:
        """Where each marginal starts in the result, and the end."""
        return self.core.offsets

    @cached_property
    def rank(self) -> list[int]:
        """The axes of a joint table are sorted by the rank of their variables."""
        return self.core.rank


@dataclass(frozen=True)
class PreparedQuery:
    """What a question has in common with others that have the same names in the same roles.

    ``observed`` are the variables of the findings, in order; those that are asked for are in ``free``. All
    marginals lie in one array, each at its place.
    """

    plan: Plan
    observed: tuple[Variable, ...]
    free: Schema
    places: Mapping[Name, slice] = field(default_factory=dict)


def _forgetting(prepared: dict[tuple[Name, ...], PreparedQuery]) -> Callable[[Plan], None]:
    """A function that drops the ``prepared`` queries of a plan that was dropped.

    It refers to this dictionary only, not to the cache: no reference cycle keeps plans alive.
    """

    def forget(plan: Plan) -> None:
        for key, known in list(prepared.items()):
            if known.plan is plan:
                prepared.pop(key, None)

    return forget


REMEDIES = (
    "Observe more variables, ask for fewer targets at a time, estimate the answer with its error "
    '(engine="auto", time=10), bound it (engine="bounds", time=10), or raise the limits (with '
    "bayou.limits(memory=…, work=…))."
)
_plans: WeakKeyDictionary[FrozenNetwork, NetworkPlans] = WeakKeyDictionary()


def plans_of(network: FrozenNetwork) -> NetworkPlans:
    """Return the plans of a network; they are released together with it."""
    found = _plans.get(network)
    if found is None:
        found = _plans[network] = NetworkPlans(network)
    return found


def check_cost(plan: InferencePlan) -> None:
    """Raise TooWide for a plan that exceeds the limits, before anything is allocated."""
    problem = too_costly(plan.bytes, plan.entries)
    if problem:
        raise TooWide(problem)


def too_costly(needed: float, entries: float) -> str | None:
    """Return why a plan of this many bytes and table entries exceeds the limits, or None if it does not."""
    allowed = current_limits()
    if needed <= allowed.memory and entries <= allowed.work:
        return None
    return (
        f"This query needs {amount_text(needed)} for its messages and goes through {entries:.3g} table "
        f"entries (limits: {amount_text(allowed.memory)} and {allowed.work:.3g}). {REMEDIES}"
    )
