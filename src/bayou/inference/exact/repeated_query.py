"""Questions asked again with other states.

In a network without numbers the plan of a question depends on the names of its target and of its findings
alone. The plan of the first such question and the places of its answer are therefore kept under these names;
later questions only look up the codes of their states, which takes about a tenth of the time. Answers are
never kept. Names that were not asked about before are answered on the clique tree of the whole network where
that is small; asked again, they get a plan of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bayou.inference.exact.plan_cache import NetworkPlans, Plan, PreparedQuery, check_cost, plans_of
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import FloatArray, Name

_ALL: Any = object()
"""Stands for 'every variable on its own' where the target of a question would stand."""


class RepeatedAnswer(NamedTuple):
    """The numbers of an answer, and the findings that it is given.

    ``observed`` are the variables of the findings, ``codes`` their states, ``free`` the variables asked for.
    All marginals lie in one array, each at its place.
    """

    observed: tuple[Variable, ...]
    codes: list[int]
    free: Schema
    flat: FloatArray
    log_evidence: float
    places: Mapping[Name, slice]


def ask_again(network: FrozenNetwork, target: Any, given: Any) -> RepeatedAnswer | None:
    """P(target | given) if a question with these names was asked before, or if the network's tree answers it.

    None if neither, if a value is missing or not a state, and if the findings are impossible: then the
    question must be answered in full, which also raises the right error.
    """
    return _run_states(network, target, given) if type(target) is str else None


def marginals_again(network: FrozenNetwork, given: Any) -> RepeatedAnswer | None:
    """The same for the posterior of every variable on its own."""
    return _run_states(network, _ALL, given)


def run_codes(network: FrozenNetwork, target: Name, codes: Mapping[Name, int]) -> RepeatedAnswer | None:
    """The same for findings that are codes of states already."""
    prepared = plans_of(network).prepared.get((target, *codes))
    return None if prepared is None else _run(prepared, list(codes.values()))


def _run_states(network: FrozenNetwork, target: Any, given: Any) -> RepeatedAnswer | None:
    """Look up the codes of the given states and run the plan that is kept for these names, or the tree."""
    if given is None:
        given = {}
    elif type(given) is not dict:
        return None
    plans = plans_of(network)
    key = (target, *given)
    prepared = plans.prepared.get(key)
    if prepared is None:
        return _run_tree(plans, network.schema, key, given)
    codes = _codes_of(prepared.observed, given)
    return None if codes is None else _run(prepared, codes)


def _codes_of(observed: tuple[Variable, ...], given: Mapping[Name, Any]) -> list[int] | None:
    """The codes of the given states; None if one of them is missing or not a state."""
    codes: list[int] = []
    for variable, value in zip(observed, given.values(), strict=True):
        try:
            code = variable.find(value)
        except TypeError:  # a value that cannot be hashed
            return None
        if code is None:
            return None
        codes.append(code)
    return codes


def _run(prepared: PreparedQuery, codes: list[int]) -> RepeatedAnswer | None:
    """Run the plan on these codes; None if the findings are impossible."""
    core = prepared.plan.core
    check_cost(core)
    log_evidence, flat, _ = core.run(np.array(codes, dtype=np.uint32), [])
    if not log_evidence > -inf:
        return None
    # Without findings there is nothing whose probability could be rounded.
    return RepeatedAnswer(
        prepared.observed, codes, prepared.free, flat, log_evidence if codes else 0.0, prepared.places
    )


def _run_tree(
    plans: NetworkPlans, schema: Schema, key: tuple[Any, ...], given: Mapping[Name, Any]
) -> RepeatedAnswer | None:
    """Answer a question that was not asked before on the clique tree of the whole network, if it has one."""
    target = key[0]
    if target in given or not all(type(name) is str and name in plans.numbers for name in given):
        return None
    if target is not _ALL and target not in plans.numbers:
        return None
    tree = plans.tree_for(key)
    if tree is None:
        return None
    found = [plans.numbers[name] for name in given]
    observed = tuple([schema.variables[number] for number in found])
    codes = _codes_of(observed, given)
    if codes is None:
        return None
    if target is _ALL:
        log_evidence, flat = tree.core.marginals(found, codes)
        free, places = schema, {name: at for name, at in tree.places.items() if name not in given}
    else:
        log_evidence, flat = tree.core.query(plans.numbers[target], found, codes)
        free, places = tree.alone(target), {}
    if not log_evidence > -inf:
        return None
    return RepeatedAnswer(observed, codes, free, flat, log_evidence if codes else 0.0, places)


def prepare_query(network: FrozenNetwork, question: Question, plan: Plan) -> None:
    """Keep the plan of P(target | findings) under their names."""
    plans = plans_of(network)
    if len(question.targets) == 1 and _depends_on_names_alone(plans, question):
        schema = network.schema
        target = Schema([schema[question.targets[0]]])
        observed = tuple([schema[name] for name in question.evidence])
        plans.prepare((*question.targets, *question.evidence), PreparedQuery(plan, observed, target))


def prepare_marginals(
    network: FrozenNetwork, question: Question, plan: Plan, places: Mapping[Name, slice]
) -> None:
    """Keep the plan of all marginals under the names of the findings."""
    plans = plans_of(network)
    if _depends_on_names_alone(plans, question):
        schema = network.schema
        observed = tuple([schema[name] for name in question.evidence])
        plans.prepare((_ALL, *question.evidence), PreparedQuery(plan, observed, schema, places))


def _depends_on_names_alone(plans: NetworkPlans, question: Question) -> bool:
    """Whether the same names always lead to the same plan.

    A noisy node found in its weakest state has a plan of its own. Names that are not text are left aside,
    because equal keys such as 1 and True may be two names.
    """
    if question.do or question.likelihood or plans.continuous:
        return False
    names = (*question.targets, *question.evidence)
    return plans.splitting.isdisjoint(question.evidence) and all(type(name) is str for name in names)
