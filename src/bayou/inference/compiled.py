"""Questions compiled once: plans of the core, kept by the signature of the question."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bayou._native._core import InferencePlan, RowPlan
from bayou.codes import is_missing_code
from bayou.distributions import MaxOfCauses
from bayou.errors import TooWide
from bayou.inference.hybrid_factors import Densities, densities
from bayou.inference.limits import amount_text, count_text, current_limits
from bayou.inference.local_factors import pieces_of, split_finding
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import CodeArray, FloatArray, Name

KEPT_PLANS = 256
KEPT_BYTES = 64 * 2**20
"""What the plans of a network may keep between runs, of each kind; those not used for longest go first."""
LANES = 64
"""How many rows go through a plan side by side."""


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


class _Plans:
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
        self.marginals: dict[tuple[Name, ...], _Marginals] = {}
        self._kept: OrderedDict[Signature, Plan] = OrderedDict()
        self._kept_bytes = 0.0
        self._for_rows: dict[tuple[int, ...], RowPlan | None] = {}
        self._lock = Lock()
        self._reach: dict[int, float] = {}
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

    def reach(self, number: int) -> float:
        """How far apart in logs the numbers of a variable's tables lie, zeros aside."""
        if number not in self._reach:
            tables = [self.tables[piece] for piece in self.pieces[number]]
            self._reach[number] = sum(float(np.log(t.max() / t[t > 0].min())) for t in tables)
        return self._reach[number]

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
class _Marginals:
    """A plan for all marginals, and where each variable's answer lies."""

    plan: Plan
    places: list[tuple[Name, slice]]


REMEDIES = (
    "Observe more variables, ask for fewer targets at a time, draw samples (net.sample) for an approximate "
    "answer, or raise the limits (with bayou.limits(memory=…, work=…))."
)
_plans: WeakKeyDictionary[FrozenNetwork, _Plans] = WeakKeyDictionary()


def plans_of(network: FrozenNetwork) -> _Plans:
    """The plans that belong to a network; they go when it goes."""
    found = _plans.get(network)
    if found is None:
        found = _plans[network] = _Plans(network)
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


@dataclass(frozen=True)
class Findings:
    """The states of one question, in the order that its plan wants."""

    codes: npt.NDArray[np.uint32]
    given: list[FloatArray]
    log_scale: float


def signed(
    network: FrozenNetwork,
    names: list[Name],
    question: Question,
    lanes: int = 1,
    measured: Densities | None = None,
) -> tuple[Signature, Findings]:
    """The signature of a question about these (relevant) variables, and its findings.

    ``measured`` are the densities of its real findings, where they have been worked out already.
    """
    plans = plans_of(network)
    numbers, continuous = plans.numbers, plans.continuous
    fixed = {**question.evidence, **question.do} if question.do else question.evidence
    discrete = [name for name in fixed if name not in continuous] if continuous else list(fixed)
    codes = np.array([fixed[name] for name in discrete], dtype=np.uint32)
    given: list[FloatArray] = []
    scopes: tuple[tuple[int, ...], ...] = ()
    log_scale = 0.0
    if continuous or question.likelihood:
        given, scopes, log_scale = _given_factors(network, names, question, measured)
    if not plans.noisy.isdisjoint(question.evidence):
        names, split, silent = _without_split_findings(network, names, question)
        given = given + [factor for _, factor in split]
        scopes += tuple((number,) for number, _ in split)
        log_scale += silent
    factors = tuple([numbers[name] for name in names if name not in continuous])
    signature = Signature(factors, tuple([numbers[name] for name in discrete]), scopes, lanes=lanes)
    return signature, Findings(codes, given, log_scale)


def _without_split_findings(
    network: FrozenNetwork, names: list[Name], question: Question
) -> tuple[list[Name], list[tuple[int, FloatArray]], float]:
    """Noisy nodes found in their weakest state leave the plan: each hidden parent gets a factor instead."""
    fixed = {**question.evidence, **question.do}
    left: list[Name] = []
    factors: list[tuple[int, FloatArray]] = []
    logs = 0.0
    for name in names:
        found = name in question.evidence and not network.schema[name].is_continuous
        split = split_finding(network, name, int(question.evidence[name]), fixed) if found else None
        if split is None:
            left.append(name)
        else:
            factors += split[0]
            logs += split[1]
    return left, factors, logs


def _given_factors(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None
) -> tuple[list[FloatArray], tuple[tuple[int, ...], ...], float]:
    """Likelihoods, and densities of observed continuous variables, as tables over hidden variables."""
    arrays: list[FloatArray] = []
    scopes: list[tuple[int, ...]] = []
    log_scale = 0.0
    fixed = {**question.evidence, **question.do}
    for name, weights in question.likelihood.items():
        if name in fixed:
            with np.errstate(divide="ignore"):
                log_scale += float(np.log(weights[int(fixed[name])]))
        else:
            arrays.append(np.ascontiguousarray(weights))
            scopes.append((network.schema.index(name),))
    if measured is None:
        measured = densities(network, names, evidence_columns(network, question))
    log_scale += float(measured.taken[0])
    for factor in measured.factors:
        arrays.append(np.ascontiguousarray(factor.values[0]))
        scopes.append(factor.scope)
    return arrays, tuple(scopes), log_scale


def joint_too_large(network: FrozenNetwork, question: Question) -> str | None:
    """Why the answer itself would not fit, if so: known before any plan is made."""
    cells = prod(network.schema[name].cardinality for name in question.targets)
    allowed = current_limits().memory
    if len(question.targets) < 2 or cells * 8 <= allowed:
        return None
    return (
        f"The joint posterior of these {len(question.targets)} targets has {count_text(cells)} entries "
        f"({amount_text(cells * 8)}; the limit is {amount_text(allowed)}). {REMEDIES}"
    )


def joint_posterior(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[FloatArray | None, float]:
    """P(targets | findings), axes in the order of the targets, and log P(findings) (-inf: impossible)."""
    problem = joint_too_large(network, question) if len(question.targets) > 1 else None
    if problem:
        raise TooWide(problem)
    signature, findings = signed(network, names, question, measured=measured)
    targets = tuple(network.schema.index(name) for name in question.targets)
    # Spelled out, because dataclasses.replace takes longer than a small plan runs.
    plan = plans_of(network).plan(
        Signature(signature.factors, signature.observed, signature.given, joint=targets, marginals=False)
    )
    log_evidence, flat, _ = plan.core.run(findings.codes, findings.given)
    log_evidence += findings.log_scale
    if not np.isfinite(log_evidence):
        return None, -np.inf
    if not targets:
        return np.ones(()), log_evidence
    rank = plan.rank
    stored = sorted(targets, key=lambda number: rank[number])
    sizes = [network.schema.variables[number].cardinality for number in stored]
    table = flat.reshape(sizes).transpose([stored.index(number) for number in targets])
    return np.ascontiguousarray(table), log_evidence


def all_marginals(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[dict[Name, FloatArray], float]:
    """The posterior of every unobserved variable of ``names`` in one pass, and log P(findings)."""
    plans = plans_of(network)
    # Plain findings about a discrete network are the usual case: their names alone say which plan it is,
    # unless a noisy node is among them, whose weakest state has a plan of its own.
    usual = not (question.do or question.likelihood or plans.continuous) and len(names) == len(plans.numbers)
    usual = usual and plans.noisy.isdisjoint(question.evidence)
    if usual and (known := plans.marginals.get(tuple(question.evidence))) is not None:
        check_cost(known.plan.core)
        codes = np.array(list(question.evidence.values()), dtype=np.uint32)
        log_evidence, flat, _ = known.plan.core.run(codes, [])
        return {name: flat[place] for name, place in known.places}, log_evidence
    signature, findings = signed(network, names, question, measured=measured)
    plan = plans.plan(signature)
    fixed = {*question.evidence, *question.do, *plans.continuous}
    numbers, offsets = plans.numbers, plan.offsets
    places = [
        (name, slice(offsets[number], offsets[number + 1]))
        for name, number in ((name, numbers[name]) for name in names if name not in fixed)
    ]
    if usual and len(plans.marginals) < KEPT_PLANS:
        plans.marginals[tuple(question.evidence)] = _Marginals(plan, places)
    log_evidence, flat, _ = plan.core.run(findings.codes, findings.given)
    return {name: flat[place] for name, place in places}, log_evidence + findings.log_scale


def most_probable(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[dict[Name, int], float]:
    """The most probable states of the targets (the rest summed out), and log max P(targets, findings)."""
    signature, findings = signed(network, names, question, measured=measured)
    targets = tuple(network.schema.index(name) for name in question.targets)
    plan = plans_of(network).plan(replace(signature, maximised=targets))
    log_value, _, states = plan.core.run(findings.codes, findings.given)
    found = {name: int(states[number]) for name, number in zip(question.targets, targets, strict=True)}
    return found, log_value + findings.log_scale


def rows_posterior(
    network: FrozenNetwork,
    names: list[Name],
    target: Name | None,
    codes: Mapping[Name, CodeArray],
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """log P(findings) of each row and P(target | findings) (a row each, NaN where they are impossible).

    ``names`` are the discrete variables that can matter, ``codes`` the columns of those with findings.
    Every row has its own gaps. Where most cells are known, each row walks the few entries that agree with
    it; else a finding is a table of ones and zeros, and many rows go through a plan side by side.
    """
    schema = network.schema
    plans = plans_of(network)
    found = [name for name in names if name in codes and name != target]
    factors = tuple(schema.index(name) for name in names)
    columns = [codes[name] for name in found]
    numbers = [schema.index(name) for name in found]
    one_by_one = None if target is None else plans.for_rows(factors, schema.index(target))
    if one_by_one is not None and _few_entries(plans, one_by_one, numbers, columns):
        return one_by_one.run(columns, numbers, rows)
    plan = plans.plan(_side_by_side(factors, numbers, () if target is None else (schema.index(target),)))
    return plan.core.run_rows(columns, [schema[name].cardinality for name in found], rows)


def _side_by_side(factors: tuple[int, ...], found: list[int], joint: tuple[int, ...]) -> Signature:
    given = tuple((number,) for number in found)
    return Signature(factors, (), given, joint=joint, lanes=LANES, marginals=False)


def entries_side_by_side(network: FrozenNetwork, names: list[Name], found: list[Name]) -> float:
    """How many entries a row goes through side by side with others; infinitely many where it is too wide."""
    numbers = plans_of(network).numbers
    factors, seen = tuple(numbers[name] for name in names), [numbers[n] for n in names if n in set(found)]
    try:
        return plans_of(network).plan(_side_by_side(factors, seen, ())).core.entries
    except TooWide:
        return float("inf")


def _few_entries(plans: _Plans, plan: RowPlan, numbers: list[int], columns: list[CodeArray]) -> bool:
    """Whether rows one by one are less work than side by side, where an entry takes a fifth of the time."""
    if plan.bytes > current_limits().memory:
        return False
    missing = [1.0] * len(plans.cards)
    for number, column in zip(numbers, columns, strict=True):
        missing[number] = np.count_nonzero(is_missing_code(column)) / max(len(column), 1)
    all_entries = plan.expected_entries([1.0] * len(missing))
    return plan.expected_entries(missing) < all_entries / 5


__all__ = [
    "KEPT_PLANS",
    "Signature",
    "all_marginals",
    "entries_side_by_side",
    "joint_posterior",
    "most_probable",
    "plans_of",
    "relevant",
    "rows_posterior",
    "signed",
]
