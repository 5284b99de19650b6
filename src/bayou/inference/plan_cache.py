"""Plans of the core, compiled once for each signature of a question and kept with their network."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from bayou._native._core import InferencePlan, RowPlan
from bayou.distributions import MaxOfCauses
from bayou.errors import TooWide
from bayou.inference.limits import amount_text, current_limits
from bayou.inference.local_factors import pieces_of
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, Name

KEPT_PLANS = 256
KEPT_BYTES = 64 * 2**20
"""What the plans of a network may keep between runs, of each kind; those not used for longest go first."""


@dataclass(frozen=True)
class Signature:
    """What a plan depends on: which variables play which part, not which states they have."""

    factors: tuple[int, ...]
    observed: tuple[int, ...]
    given: tuple[tuple[int, ...], ...]
    joint: tuple[int, ...] = ()
    maximised: tuple[int, ...] = ()
    lanes: int = 1
    marginals: bool = True


class PlanCache:
    """The plans of one network, and its tables as the core wants them."""

    def __init__(self, network: FrozenNetwork) -> None:
        schema = network.schema
        self.numbers = {variable.name: number for number, variable in enumerate(schema)}
        self.continuous = {variable.name for variable in schema if variable.is_continuous}
        self.cards = [max(variable.cardinality, 1) for variable in schema]
        self.named: list[Name] = list(schema.names)
        self.scopes: dict[int, list[int]] = {}
        self.tables: dict[int, FloatArray] = {}
        self.pieces: dict[int, list[int]] = {}
        for variable in schema:
            if not variable.is_continuous and network.slots[variable.name] in network.blocks:
                self._take(network, variable.name)
        self.marginals: dict[tuple[Name, ...], AllMarginals] = {}
        self._kept: OrderedDict[Signature, Plan] = OrderedDict()
        self._kept_bytes = 0.0
        self._for_rows: dict[tuple[int, ...], RowPlan | None] = {}
        self._lock = Lock()
        self._log_ranges: dict[int, float] = {}
        self.noisy = {
            name for name in self.numbers if isinstance(network.blocks.get(network.slots[name]), MaxOfCauses)
        }

    def _take(self, network: FrozenNetwork, name: Name) -> None:
        """The factors of one variable: its table, or the pieces of a noisy node with auxiliary variables."""
        number = network.schema.index(name)
        pieces, sizes = pieces_of(network, name, len(self.cards))
        self.cards += sizes
        self.named += [f"{label(name)} so far ({k})" for k in range(1, len(sizes) + 1)]
        self.pieces[number] = [scope[-1] for scope, _ in pieces]
        for scope, table in pieces:
            self.scopes[scope[-1]] = scope
            self.tables[scope[-1]] = np.ascontiguousarray(table, dtype=np.float64)

    def plan(self, signature: Signature) -> Plan:
        with self._lock:
            found = self._kept.get(signature)
            if found is not None:
                self._kept.move_to_end(signature)
                check_cost(found.core)
                return found
        core = self.compiled(signature)
        check_cost(core)
        made = Plan(core, tuple(core.offsets), tuple(core.rank))
        with self._lock:
            self._let_go(self._kept.pop(signature, None))
            self._kept[signature] = made
            self._kept_bytes += core.kept_bytes
            while len(self._kept) > KEPT_PLANS or (self._kept_bytes > KEPT_BYTES and len(self._kept) > 1):
                self._let_go(self._kept.popitem(last=False)[1])
        return made

    def _let_go(self, plan: Plan | None) -> None:
        if plan is not None:
            self._kept_bytes -= plan.core.kept_bytes
            self.marginals = {key: known for key, known in self.marginals.items() if known.plan is not plan}

    def for_rows(self, factors: tuple[int, ...], target: int) -> RowPlan | None:
        """A plan that walks one row at a time, or none where its tables would be too large."""
        key = (*factors, target)
        with self._lock:
            if key in self._for_rows:
                return self._for_rows[key]
        pieces = [piece for number in factors for piece in self.pieces[number]]
        scopes, tables = [self.scopes[k] for k in pieces], [self.tables[k] for k in pieces]
        try:
            made = RowPlan(self.cards, scopes, tables, target)
        except ValueError:
            made = None
        with self._lock:
            kept = sum(plan.bytes for plan in (*self._for_rows.values(), made) if plan is not None)
            if len(self._for_rows) >= KEPT_PLANS or kept > KEPT_BYTES:
                self._for_rows.clear()
            self._for_rows[key] = made
        return made

    def log_range(self, number: int) -> float:
        """How far apart in logs the numbers of a variable's tables lie, zeros aside."""
        if number not in self._log_ranges:
            tables = [self.tables[piece] for piece in self.pieces[number]]
            self._log_ranges[number] = sum(float(np.log(t.max() / t[t > 0].min())) for t in tables)
        return self._log_ranges[number]

    def forget(self) -> None:
        """Drop all plans (benchmarks of a cold start do)."""
        with self._lock:
            self._kept.clear()
            self._kept_bytes = 0.0
            self._for_rows.clear()
            self.marginals.clear()

    def compiled(self, signature: Signature) -> InferencePlan:
        """A new plan, whatever it costs: nothing is allocated before it runs."""
        factors = [piece for number in signature.factors for piece in self.pieces[number]]
        scopes = [self.scopes[number] for number in factors]
        scopes += [list(scope) for scope in signature.given]
        tables = [self.tables[number] for number in factors]
        try:
            return InferencePlan(
                self.cards,
                scopes,
                [*tables, *[None] * len(signature.given)],
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
    """A compiled question: the core's plan, where each answer starts in its result, the ranks."""

    core: InferencePlan
    offsets: tuple[int, ...]
    rank: tuple[int, ...]


@dataclass(frozen=True)
class AllMarginals:
    """A plan for all marginals, and where each variable's answer lies."""

    plan: Plan
    places: list[tuple[Name, slice]]


REMEDIES = (
    "Observe more variables, ask for fewer targets at a time, draw samples (net.sample) for an approximate "
    "answer, or raise the limits (with bayou.limits(memory=…, work=…))."
)
_plans: WeakKeyDictionary[FrozenNetwork, PlanCache] = WeakKeyDictionary()


def plans_of(network: FrozenNetwork) -> PlanCache:
    """The plans that belong to a network; they go when it goes."""
    found = _plans.get(network)
    if found is None:
        found = _plans[network] = PlanCache(network)
    return found


def check_cost(plan: InferencePlan) -> None:
    """Refuse a plan that would not fit or never end, before anything is allocated."""
    problem = too_costly(plan.bytes, plan.entries)
    if problem:
        raise TooWide(problem)


def too_costly(needed: float, entries: float) -> str | None:
    """Why a plan of so many bytes and table entries is refused under the limits that hold here, if it is."""
    allowed = current_limits()
    if needed <= allowed.memory and entries <= allowed.work:
        return None
    return (
        f"This query needs {amount_text(needed)} for its messages and goes through {entries:.3g} table "
        f"entries (limits: {amount_text(allowed.memory)} and {allowed.work:.3g}). {REMEDIES}"
    )
