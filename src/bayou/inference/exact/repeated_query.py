"""Questions asked again with other states.

In a network without numbers the plan of a question depends on the names of its target and of its findings
alone. What the first such question worked out, its plan and where the answer lies, is therefore kept under
these names, and later ones only look up the codes of their states: microseconds, where the whole way takes
ten times as long. Answers are never kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bayou.inference.exact.plan_cache import NetworkPlans, Plan, PreparedQuery, check_cost, plans_of
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.schema import Schema
from bayou.typing import FloatArray, Name

_ALL: Any = object()
"""Stands for 'every variable on its own' where the target of a question would stand."""


class RepeatedAnswer(NamedTuple):
    """The numbers of an answer, and the findings that it is given."""

    prepared: PreparedQuery
    codes: list[int]
    flat: FloatArray
    log_evidence: float


def ask_again(network: FrozenNetwork, target: Any, given: Any) -> RepeatedAnswer | None:
    """P(target | given) if a question with these names was asked before.

    None where it was not, where a value is missing or not a state, and where the findings are impossible:
    then the question has to go the whole way, which has the words for what is wrong.
    """
    return _run_again(network, target, given) if type(target) is str else None


def marginals_again(network: FrozenNetwork, given: Any) -> RepeatedAnswer | None:
    """The same for the posterior of every variable on its own."""
    return _run_again(network, _ALL, given)


def run_codes(
    network: FrozenNetwork, target: Name, codes: Mapping[Name, int]
) -> tuple[FloatArray, float] | None:
    """The same for findings that are codes already: the table and log P(findings)."""
    prepared = plans_of(network).prepared.get((target, *codes))
    if prepared is None:
        return None
    check_cost(prepared.plan.core)
    found = np.array(list(codes.values()), dtype=np.uint32)
    log_evidence, table, _ = prepared.plan.core.run(found, [])
    return (table, log_evidence if codes else 0.0) if log_evidence > -inf else None


def _run_again(network: FrozenNetwork, target: Any, given: Any) -> RepeatedAnswer | None:
    if given is None:
        given = {}
    elif type(given) is not dict:
        return None
    prepared = plans_of(network).prepared.get((target, *given))
    if prepared is None:
        return None
    try:
        codes = [variable.find(value) for variable, value in zip(prepared.observed, given.values())]  # noqa: B905
    except TypeError:  # a value that cannot be hashed
        return None
    if None in codes:
        return None
    core = prepared.plan.core
    check_cost(core)
    log_evidence, flat, _ = core.run(np.array(codes, dtype=np.uint32), [])
    if not log_evidence > -inf:
        return None
    return RepeatedAnswer(prepared, codes, flat, log_evidence)  # type: ignore[arg-type]  # no None among the codes


def prepare_query(network: FrozenNetwork, question: Question, plan: Plan) -> None:
    """Keep the plan of P(target | findings) under their names."""
    plans = plans_of(network)
    if len(question.targets) == 1 and depends_on_names_alone(plans, question):
        schema = network.schema
        target = Schema([schema[question.targets[0]]])
        observed = tuple([schema[name] for name in question.evidence])
        plans.prepare((*question.targets, *question.evidence), PreparedQuery(plan, observed, target))


def prepare_marginals(
    network: FrozenNetwork, question: Question, plan: Plan, places: Mapping[Name, slice]
) -> None:
    """Keep the plan of all marginals under the names of the findings."""
    plans = plans_of(network)
    if depends_on_names_alone(plans, question):
        schema = network.schema
        observed = tuple([schema[name] for name in question.evidence])
        plans.prepare((_ALL, *question.evidence), PreparedQuery(plan, observed, schema, places))


def depends_on_names_alone(plans: NetworkPlans, question: Question) -> bool:
    """Whether the same names always lead to the same plan.

    A noisy node found in its weakest state has a plan of its own. Names that are not text are left aside,
    because equal keys such as 1 and True may be two names.
    """
    if question.do or question.likelihood or plans.continuous:
        return False
    names = (*question.targets, *question.evidence)
    return plans.splitting.isdisjoint(question.evidence) and all(type(name) is str for name in names)
