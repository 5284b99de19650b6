"""Questions answered by compiled plans: joint posteriors, all marginals, the most probable states, rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from bayou._native._core import InferencePlan, RowPlan
from bayou.codes import is_missing_code
from bayou.errors import TooWide
from bayou.inference.answer import Answer, MarginalAnswers, SlicedTables
from bayou.inference.engines import Engine
from bayou.inference.exact.density_factors import Densities, densities
from bayou.inference.exact.local_factors import split_finding
from bayou.inference.exact.plan_cache import (
    REMEDIES,
    NetworkPlans,
    Signature,
    check_cost,
    plans_of,
)
from bayou.inference.question import Question, evidence_columns
from bayou.memory import amount_text, count_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.typing import CodeArray, FloatArray, Name

LANES = 64
"""The number of rows that a plan computes together."""


@dataclass(frozen=True)
class PlanInputs:
    """The findings of one question, in the order of its plan.

    ``codes`` are the states of observed variables, ``given`` the tables of likelihoods, densities and split
    findings, and ``log_scale`` is the log of a constant factor of P(findings).
    """

    codes: npt.NDArray[np.uint32]
    given: list[FloatArray]
    log_scale: float


def signature_of(
    network: FrozenNetwork,
    names: list[Name],
    question: Question,
    lanes: int = 1,
    measured: Densities | None = None,
) -> tuple[Signature, PlanInputs]:
    """Return the signature of a question about these (relevant) variables, and its findings.

    ``measured`` are the densities of its real findings, if they have been computed already.
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
    if not plans.splitting.isdisjoint(question.evidence):
        names, split, silent = _without_split_findings(network, names, question)
        given = given + [factor for _, factor in split]
        scopes += tuple((number,) for number, _ in split)
        log_scale += silent
    factors = tuple([numbers[name] for name in names if name not in continuous])
    signature = Signature(factors, tuple([numbers[name] for name in discrete]), scopes, lanes=lanes)
    return signature, PlanInputs(codes, given, log_scale)


def _without_split_findings(
    network: FrozenNetwork, names: list[Name], question: Question
) -> tuple[list[Name], list[tuple[int, FloatArray]], float]:
    """Replace noisy nodes observed in their weakest state by one factor per hidden parent.

    Returns the variables that stay in the plan, the factors by variable number, and the log of a constant.
    """
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
    """Likelihoods and densities of observed continuous variables, as tables over hidden variables.

    Returns the tables, their scopes, and the log of a constant: the weights of observed variables and the
    scale of the densities.
    """
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
    if not plans_of(network).continuous:
        return arrays, tuple(scopes), log_scale
    if measured is None:
        measured = densities(network, names, evidence_columns(network, question))
    log_scale += float(measured.log_scale[0])
    for factor in measured.factors:
        arrays.append(np.ascontiguousarray(factor.values[0]))
        scopes.append(factor.scope)
    return arrays, tuple(scopes), log_scale


def joint_too_large(network: FrozenNetwork, question: Question) -> str | None:
    """Return why the joint table of the targets exceeds the memory limit, or None if it does not."""
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
    """Return P(targets | findings), with one axis per target, and log P(findings) (-inf: impossible)."""
    problem = joint_too_large(network, question) if len(question.targets) > 1 else None
    if problem:
        raise TooWide(problem)
    signature, findings = signature_of(network, names, question, measured=measured)
    targets = tuple(network.schema.index(name) for name in question.targets)
    # Built by hand because dataclasses.replace takes longer than a small plan runs.
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
) -> tuple[SlicedTables, float]:
    """Return the posterior of every unobserved variable of ``names`` in one pass, and log P(findings)."""
    plans = plans_of(network)
    signature, findings = signature_of(network, names, question, measured=measured)
    plan = plans.plan(signature)
    fixed = {*question.evidence, *question.do, *plans.continuous}
    free = [name for name in names if name not in fixed]
    known = _sparse_marginals(plans, plan.core, question, signature, findings)
    if known is not None:
        (log_evidence, flat), places = known
        return SlicedTables(flat, {name: places[name] for name in free}), log_evidence + findings.log_scale
    check_cost(plan.core)
    numbers, offsets = plans.numbers, plan.offsets
    places = {
        name: slice(offsets[number], offsets[number + 1])
        for name, number in [(name, numbers[name]) for name in free]
    }
    log_evidence, flat, _ = plan.core.run(findings.codes, findings.given)
    return SlicedTables(flat, places), log_evidence + findings.log_scale


def _sparse_marginals(
    plans: NetworkPlans, core: InferencePlan, question: Question, signature: Signature, findings: PlanInputs
) -> tuple[tuple[float, FloatArray], Mapping[Name, slice]] | None:
    """The answer of the network's sparse tree and where each marginal lies in it; None: run the plan."""
    if question.do or not plans.splitting.isdisjoint(question.evidence):
        return None
    tree = plans.sparse.instead_of(core)
    if tree is None:
        return None
    weights = {number: given for (number,), given in zip(signature.given, findings.given, strict=True)}
    found = tree.marginals(signature.observed, findings.codes.tolist(), weights)
    return None if found is None else (found, tree.places)


def most_probable(
    network: FrozenNetwork, names: list[Name], question: Question, measured: Densities | None = None
) -> tuple[dict[Name, int], float]:
    """Return the most probable states of the targets, the rest summed out, and log P(states, findings)."""
    signature, findings = signature_of(network, names, question, measured=measured)
    targets = tuple(network.schema.index(name) for name in question.targets)
    plan = plans_of(network).plan(replace(signature, maximised=targets))
    log_value, _, states = plan.core.run(findings.codes, findings.given)
    found = {name: int(states[number]) for name, number in zip(question.targets, targets, strict=True)}
    return found, log_value + findings.log_scale


class CompiledEngine(Engine):
    """The fast engine: a plan is compiled once for each signature of a question and run by the C++ core."""

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Find or compile the plan and run it."""
        table, log_evidence = joint_posterior(network, names, question)
        return Answer(question.targets, table, None, log_evidence if question.has_findings else 0.0)

    def marginals(self, network: FrozenNetwork, names: list[Name], question: Question) -> MarginalAnswers:
        """Compute all marginals in one pass."""
        tables, log_evidence = all_marginals(network, names, question)
        return (
            MarginalAnswers(log_evidence, tables) if np.isfinite(log_evidence) else MarginalAnswers(-np.inf)
        )


def rows_posterior(
    network: FrozenNetwork,
    names: list[Name],
    target: Name | None,
    codes: Mapping[Name, CodeArray],
    rows: int,
) -> tuple[FloatArray, FloatArray]:
    """Return log P(findings) and P(target | findings), one per row (NaN where the findings are impossible).

    ``names`` are the relevant discrete variables, ``codes`` the columns of those with findings; every row
    has its own gaps. Where most cells are observed, each row visits only the table entries that agree with
    it. Otherwise a finding is a table of ones and zeros, and a plan computes many rows together; it also
    computes the rows whose products underflow one by one.
    """
    schema = network.schema
    plans = plans_of(network)
    found = [name for name in names if name in codes and name != target]
    factors = tuple(schema.index(name) for name in names)
    columns = [codes[name] for name in found]
    numbers = [schema.index(name) for name in found]
    one_by_one = None if target is None else plans.for_rows(factors, schema.index(target))
    together = _side_by_side(factors, numbers, () if target is None else (schema.index(target),))
    cards = [schema[name].cardinality for name in found]
    if one_by_one is None or not _few_entries(plans, one_by_one, numbers, columns):
        return plans.plan(together).core.run_rows(columns, cards, rows)
    logs, table = one_by_one.run(columns, numbers, rows)
    underflowed = np.flatnonzero(np.isnan(logs))
    if len(underflowed):
        few = [np.ascontiguousarray(column[underflowed]) for column in columns]
        logs[underflowed], table[underflowed] = plans.plan(together).core.run_rows(
            few, cards, len(underflowed)
        )
    return logs, table


def _side_by_side(factors: tuple[int, ...], found: list[int], joint: tuple[int, ...]) -> Signature:
    """The signature of a plan that computes LANES rows together, each finding a table of ones and zeros."""
    given = tuple((number,) for number in found)
    return Signature(factors, (), given, joint=joint, lanes=LANES, marginals=False)


def entries_side_by_side(network: FrozenNetwork, names: list[Name], found: list[Name]) -> float:
    """Return the table entries per row of a plan for many rows together; inf where the plan is too wide."""
    numbers = plans_of(network).numbers
    factors, seen = tuple(numbers[name] for name in names), [numbers[n] for n in names if n in set(found)]
    try:
        return plans_of(network).plan(_side_by_side(factors, seen, ())).core.entries
    except TooWide:
        return float("inf")


def _few_entries(plans: NetworkPlans, plan: RowPlan, numbers: list[int], columns: list[CodeArray]) -> bool:
    """Whether rows one by one are less work than rows together, where an entry takes a fifth of the time."""
    if plan.bytes > current_limits().memory:
        return False
    missing = [1.0] * len(plans.cards)
    for number, column in zip(numbers, columns, strict=True):
        missing[number] = np.count_nonzero(is_missing_code(column)) / max(len(column), 1)
    all_entries = plan.expected_entries([1.0] * len(missing))
    return plan.expected_entries(missing) < all_entries / 5
