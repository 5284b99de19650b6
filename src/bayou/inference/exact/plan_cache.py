"""Compiled inference plans: made once for each signature of a question, and kept as long as their network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from bayou._native._core import FactorTables, InferencePlan, RowPlan
from bayou.errors import TooWide
from bayou.inference.exact.kept_plans import KeptPlans
from bayou.inference.exact.local_factors import compact_factors_of
from bayou.inference.exact.network_tree import CompiledTree, compiled_tree
from bayou.inference.exact.sparse_tree import CompiledSparseTree, SparseChoice
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable, label
from bayou.typing import FloatArray, Name

KEPT_PLANS = 256
KEPT_BYTES = 64 * 2**20
"""The most plans (and bytes in them) kept per network and kind; the least recently used go first."""
ASKED = 4096
"""The most sets of names whose questions are counted."""
ASKED_OFTEN = 64
"""After how many questions names get a plan in place of another one, which costs as much as 30 answers."""


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
        self.asked: dict[tuple[Name, ...], int] = {}
        """How often names without a plan were asked about."""
        self._schema = schema
        self._alone: dict[Name, Schema] = {}
        self._tree: CompiledTree | None = None
        self._has_tree: bool | None = None if self._may_have_tree() else False
        self.sparse = SparseChoice(schema, self.scopes, self.tables, is_possible=self._may_have_tree())
        """The network's tree without what cannot occur, and whether a question should be answered on it."""

    def _may_have_tree(self) -> bool:
        """Whether all variables are discrete and have parameters, each in a single table."""
        return (
            self.is_complete
            and not self.continuous
            and all(pieces == [number] for number, pieces in self.pieces.items())
        )

    def tree_for(self, key: tuple[Name, ...]) -> CompiledTree | None:
        """The network's tree, for names that were not asked about before; None if a plan should be compiled.

        That is so if the names are asked about again (often, where their plan would take the place of another
        one), if they are the first (most networks are asked only once), and if the tree would be large.
        """
        if self._has_tree is False:
            return None
        is_first = not self.asked
        if not self._is_new(key) or is_first:
            return None
        if self._has_tree is None:
            numbers = range(len(self.cards))
            self._tree = compiled_tree(
                self._schema, [self.scopes[k] for k in numbers], [self.tables[k] for k in numbers]
            )
            self._has_tree = self._tree is not None
        return self._tree if self._tree is not None and self._tree.is_allowed else None

    def sparse_tree_for(self, key: tuple[Name, ...]) -> CompiledSparseTree | None:
        """The network's sparse tree, if it has been made, for names that were not asked about before."""
        tree = self.sparse.tree
        return tree if tree is not None and self._is_new(key) else None

    def _is_new(self, key: tuple[Name, ...]) -> bool:
        """Whether these names were asked about too seldom to have a plan; this question is counted."""
        asked = self.asked.get(key, 0) + 1
        if asked >= (ASKED_OFTEN if self.kept.is_full else 2):
            self.asked.pop(key, None)
            return False
        if len(self.asked) >= ASKED:
            self.asked.clear()
        self.asked[key] = asked
        return True

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
        """Return the plan of a signature; raise TooWide if it exceeds the current limits.

        A plan for all marginals may exceed them where the sparse tree does not and can answer instead.
        """
        plan = self.kept.find(signature, lambda: self._made(signature))
        self._check(signature, plan.core)
        return plan

    def _check(self, signature: Signature, core: InferencePlan) -> None:
        asks_for_all = signature.marginals and not signature.maximised and not signature.joint
        if too_costly(core.bytes, core.entries) and asks_for_all and self.sparse.instead_of(core) is not None:
            return
        check_cost(core)

    def _made(self, signature: Signature) -> Plan:
        core = self.compiled(signature)
        self._check(signature, core)
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
            self.prepared.pop(next(iter(self.prepared)), None)
        self.prepared[key] = query
        query.plan.names.add(key)

    def forget(self) -> None:
        """Drop all plans (used to measure a cold start)."""
        self.kept.clear()
        self.kept_for_rows.clear()
        self.prepared.clear()
        self.asked.clear()
        if self._has_tree:
            self._tree, self._has_tree = None, None
        self.sparse.forget()

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
    names: set[tuple[Name, ...]] = field(default_factory=set, compare=False)
    """The names of questions that were prepared with it."""

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
        for key in plan.names:
            if key in prepared and prepared[key].plan is plan:
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
