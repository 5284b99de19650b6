"""Questions compiled once: plans of the core, kept by the signature of the question."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bayou._native._core import InferencePlan
from bayou.errors import TooWide
from bayou.inference.local_factors import gaussian_factor, pieces_of, split_finding
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

MEMORY_LIMIT = 4 * 2**30
"""The most bytes that a plan's tables may take before a query is refused."""
LARGEST_WORK = 2.0**38
"""The most table entries that a plan may go through (minutes of work) before a query is refused."""
KEPT_PLANS = 256


@dataclass(frozen=True)
class Signature:
    """What a plan depends on: which variables play which part, not which states they have."""

    factors: tuple[int, ...]
    observed: tuple[int, ...]
    given: tuple[tuple[int, ...], ...]
    joint: tuple[int, ...] = ()
    maximised: tuple[int, ...] = ()
    lanes: int = 1


class _Plans:
    """The plans of one network, and its tables as the core wants them."""

    def __init__(self, network: FrozenNetwork) -> None:
        schema = network.schema
        self.cards = [max(variable.cardinality, 1) for variable in schema]
        self.scopes: dict[int, list[int]] = {}
        self.tables: dict[int, FloatArray] = {}
        self.pieces: dict[int, list[int]] = {}
        for variable in schema:
            if not variable.is_continuous and network.slots[variable.name] in network.blocks:
                self._take(network, variable.name)
        self._kept: OrderedDict[Signature, InferencePlan] = OrderedDict()
        self._lock = Lock()

    def _take(self, network: FrozenNetwork, name: Name) -> None:
        """The factors of one variable: its table, or the pieces of a noisy node with auxiliary variables."""
        number = network.schema.index(name)
        pieces, sizes = pieces_of(network, name, len(self.cards))
        self.cards += sizes
        self.pieces[number] = [scope[-1] for scope, _ in pieces]
        for scope, table in pieces:
            self.scopes[scope[-1]] = scope
            self.tables[scope[-1]] = np.ascontiguousarray(table, dtype=np.float64)

    def plan(self, signature: Signature) -> InferencePlan:
        with self._lock:
            found = self._kept.get(signature)
            if found is not None:
                self._kept.move_to_end(signature)
                return found
        made = self._compile(signature)
        with self._lock:
            self._kept[signature] = made
            if len(self._kept) > KEPT_PLANS:
                self._kept.popitem(last=False)
        return made

    def _compile(self, signature: Signature) -> InferencePlan:
        factors = [piece for number in signature.factors for piece in self.pieces[number]]
        scopes = [self.scopes[number] for number in factors]
        scopes += [list(scope) for scope in signature.given]
        tables = [self.tables[number] for number in factors]
        try:
            plan = InferencePlan(
                self.cards,
                scopes,
                [*tables, *[None] * len(signature.given)],
                list(signature.observed),
                list(signature.joint),
                list(signature.maximised),
                signature.lanes,
            )
        except ValueError as error:
            raise TooWide(f"This query is too wide: {error}. {REMEDIES}") from None
        check_cost(plan)
        return plan


REMEDIES = (
    "Observe more variables, ask for fewer targets at a time, or draw samples (net.sample) for an "
    "approximate answer."
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
    if plan.bytes > MEMORY_LIMIT or plan.entries > LARGEST_WORK:
        raise TooWide(
            f"This query needs {plan.bytes / 2**30:,.1f} GiB for its messages and goes through "
            f"{plan.entries:.3g} table entries (limits: {MEMORY_LIMIT / 2**30:g} GiB and "
            f"{LARGEST_WORK:.3g}). {REMEDIES}"
        )


@dataclass(frozen=True)
class Findings:
    """The states of one question, in the order that its plan wants."""

    codes: npt.NDArray[np.uint32]
    given: list[FloatArray]
    log_scale: float


def signed(
    network: FrozenNetwork, names: list[Name], question: Question, lanes: int = 1
) -> tuple[Signature, Findings]:
    """The signature of a question about these (relevant) variables, and its findings."""
    schema = network.schema
    fixed = {**question.evidence, **question.do}
    discrete = [name for name in fixed if not schema[name].is_continuous]
    codes = np.array([int(fixed[name]) for name in discrete], dtype=np.uint32)
    names, split, silent = _without_split_findings(network, names, question)
    given, scopes, log_scale = _given_factors(network, names, question)
    given += [factor for _, factor in split]
    scopes += tuple((number,) for number, _ in split)
    log_scale += silent
    factors = tuple(schema.index(name) for name in names if not schema[name].is_continuous)
    signature = Signature(factors, tuple(schema.index(name) for name in discrete), scopes, lanes=lanes)
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
    network: FrozenNetwork, names: list[Name], question: Question
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
    columns = evidence_columns(network, question)
    for name in names:
        if network.schema[name].is_continuous:
            factor, logs = gaussian_factor(network, name, columns)
            log_scale += float(logs[0])
            arrays.append(np.ascontiguousarray(factor.values[0]))
            scopes.append(factor.scope)
    return arrays, tuple(scopes), log_scale


def joint_posterior(
    network: FrozenNetwork, names: list[Name], question: Question
) -> tuple[FloatArray | None, float]:
    """P(targets | findings), axes in the order of the targets, and log P(findings) (-inf: impossible)."""
    signature, findings = signed(network, names, question)
    targets = tuple(network.schema.index(name) for name in question.targets)
    plan = plans_of(network).plan(
        Signature(signature.factors, signature.observed, signature.given, joint=targets)
        if targets
        else signature
    )
    log_evidence, flat, _ = plan.run(findings.codes, findings.given)
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
    network: FrozenNetwork, names: list[Name], question: Question
) -> tuple[dict[Name, FloatArray], float]:
    """The posterior of every unobserved variable of ``names`` in one pass, and log P(findings)."""
    signature, findings = signed(network, names, question)
    plan = plans_of(network).plan(signature)
    log_evidence, flat, _ = plan.run(findings.codes, findings.given)
    log_evidence += findings.log_scale
    fixed = {*question.evidence, *question.do}
    offsets = plan.offsets
    tables = {}
    for name in names:
        variable = network.schema[name]
        if name not in fixed and not variable.is_continuous:
            start = offsets[network.schema.index(name)]
            tables[name] = flat[start : start + variable.cardinality]
    return tables, log_evidence


def most_probable(
    network: FrozenNetwork, names: list[Name], question: Question
) -> tuple[dict[Name, int], float]:
    """The most probable states of the targets (the rest summed out), and log max P(targets, findings)."""
    signature, findings = signed(network, names, question)
    targets = tuple(network.schema.index(name) for name in question.targets)
    plan = plans_of(network).plan(
        Signature(signature.factors, signature.observed, signature.given, maximised=targets)
    )
    log_value, _, states = plan.run(findings.codes, findings.given)
    found = {name: int(states[number]) for name, number in zip(question.targets, targets, strict=True)}
    return found, log_value + findings.log_scale


__all__ = [
    "KEPT_PLANS",
    "LARGEST_WORK",
    "MEMORY_LIMIT",
    "Signature",
    "all_marginals",
    "joint_posterior",
    "most_probable",
    "plans_of",
    "relevant",
    "signed",
]
