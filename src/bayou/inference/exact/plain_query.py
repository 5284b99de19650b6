"""Plain questions: one variable or all of them, given states of others, in a network of discrete tables.

Their plan depends on names alone, so the plan of a question and the places of its answer are kept under the
names of its target and of its findings; the same names with other states only look up the codes of their
states. Names that were not asked about before are answered on the clique tree of the whole network, where
that is small; asked about again, they get a plan of their own. Answers are never kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bayou.errors import TooWide
from bayou.inference.exact.plan_cache import NetworkPlans, PreparedQuery, Signature, check_cost, plans_of
from bayou.inference.exact.sparse_tree import CompiledSparseTree
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable
from bayou.typing import FloatArray, Name

_ALL: Any = object()
"""Stands for 'every variable on its own' where the target of a question would stand."""


class PlainAnswer(NamedTuple):
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


def plain_query(network: FrozenNetwork, target: Any, given: Any) -> PlainAnswer | None:
    """P(target | given), if that is a plain question.

    None if it is not, if a name is unknown, a value missing or not a state, and if the findings are
    impossible or the query too wide: then the question must be answered in full, which also raises the right
    error.
    """
    return _answer(network, target, given) if type(target) is str else None


def plain_marginals(network: FrozenNetwork, given: Any) -> PlainAnswer | None:
    """The same for the posterior of every variable on its own."""
    return _answer(network, _ALL, given)


def run_codes(network: FrozenNetwork, target: Name, codes: Mapping[Name, int]) -> PlainAnswer | None:
    """The same for findings that are codes of states already."""
    plans = plans_of(network)
    key = (target, *codes)
    prepared = plans.prepared.get(key)
    if prepared is not None:
        return _run(plans, prepared, list(codes.values()))
    return _answer_new(network, key, list(codes.values())) if _is_plain(plans, target, codes) else None


def _answer(network: FrozenNetwork, target: Any, given: Any) -> PlainAnswer | None:
    if given is None:
        given = {}
    elif type(given) is not dict:
        return None
    plans = plans_of(network)
    key = (target, *given)
    prepared = plans.prepared.get(key)
    try:
        if prepared is not None:
            codes = _codes_of(prepared.observed, given)
            return None if codes is None else _run(plans, prepared, codes)
        if not _is_plain(plans, target, given):
            return None
        codes = _codes_of(_variables(network, given), given)
        return None if codes is None else _answer_new(network, key, codes)
    except TooWide:
        return None


def _variables(network: FrozenNetwork, names: Iterable[Name]) -> tuple[Variable, ...]:
    numbers, variables = plans_of(network).numbers, network.schema.variables
    return tuple([variables[numbers[name]] for name in names])


def _answer_new(network: FrozenNetwork, key: tuple[Any, ...], codes: list[int]) -> PlainAnswer | None:
    """Answer a plain question whose names have no plan: on the network's tree, or compile a plan."""
    plans, observed = plans_of(network), _variables(network, key[1:])
    known = _run_tree(plans, key, observed, codes)
    if known is not None:
        return known
    sparse = plans.sparse_tree_for(key) if key[0] is _ALL else None
    if sparse is not None:
        return _run_sparse(plans, sparse, (observed, codes, network.schema))
    return _run(plans, _prepared(network, key, observed), codes)


def _is_plain(plans: NetworkPlans, target: Any, given: Mapping[Name, Any]) -> bool:
    """Whether the same names always lead to the same plan.

    A noisy node found in its weakest state has a plan of its own. Names that are not text are left aside,
    because equal keys such as 1 and True may be two names.
    """
    known = plans.numbers
    return (
        plans.is_complete
        and not plans.continuous
        and (target is _ALL or (target in known and target not in given))
        and all(type(name) is str and name in known for name in given)
        and plans.splitting.isdisjoint(given)
    )


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


def _run(plans: NetworkPlans, prepared: PreparedQuery, codes: list[int]) -> PlainAnswer | None:
    """Run the plan on these codes, or a faster sparse tree; None if the findings are impossible."""
    core = prepared.plan.core
    sparse = plans.sparse.instead_of(core)
    if sparse is not None:
        return _run_sparse(plans, sparse, (prepared.observed, codes, prepared.free))
    check_cost(core)
    log_evidence, flat, _ = core.run(np.array(codes, dtype=np.uint32), [])
    if not log_evidence > -inf:
        return None
    # Without findings there is nothing whose probability could be rounded.
    log_evidence = log_evidence if codes else 0.0
    return PlainAnswer(prepared.observed, codes, prepared.free, flat, log_evidence, prepared.places)


def _run_tree(
    plans: NetworkPlans, key: tuple[Any, ...], observed: tuple[Variable, ...], codes: list[int]
) -> PlainAnswer | None:
    """Enter the findings into the clique tree of the whole network, if it has one and the names are new."""
    tree = plans.tree_for(key)
    if tree is None:
        return None
    target, *given = key
    numbers = [plans.numbers[name] for name in given]
    places: Mapping[Name, slice] = {}
    if target is _ALL:
        log_evidence, flat = tree.core.marginals(numbers, codes)
        free, places = tree.schema, _without(tree.places, given)
    else:
        log_evidence, flat = tree.core.query(plans.numbers[target], numbers, codes)
        free = plans.alone(target)
    if not log_evidence > -inf:
        return None
    return PlainAnswer(observed, codes, free, flat, log_evidence if codes else 0.0, places)


def _run_sparse(
    plans: NetworkPlans, tree: CompiledSparseTree, asked: tuple[tuple[Variable, ...], list[int], Schema]
) -> PlainAnswer | None:
    """Enter the findings into the network's sparse tree: observed variables, their codes, what is asked."""
    observed, codes, free = asked
    given = [variable.name for variable in observed]
    found = tree.marginals([plans.numbers[name] for name in given], codes)
    if found is None or not found[0] > -inf:
        return None
    log_evidence, flat = found
    log_evidence = log_evidence if codes else 0.0
    if len(free) == len(tree.schema):
        return PlainAnswer(observed, codes, free, flat, log_evidence, _without(tree.places, given))
    (target,) = free.names
    return PlainAnswer(observed, codes, free, flat[tree.places[target]], log_evidence, {})


def _prepared(network: FrozenNetwork, key: tuple[Any, ...], observed: tuple[Variable, ...]) -> PreparedQuery:
    """Compile the plan of a question and keep it under its names."""
    plans = plans_of(network)
    target, *given = key
    numbers = tuple([plans.numbers[name] for name in given])
    if target is _ALL:
        plan = plans.plan(Signature(tuple(range(len(plans.numbers))), numbers, ()))
        ends = plan.offsets
        places = {name: slice(ends[number], ends[number + 1]) for name, number in plans.numbers.items()}
        made = PreparedQuery(plan, observed, network.schema, _without(places, given))
    else:
        factors = tuple([plans.numbers[name] for name in network.dag.with_ancestors(key)])
        plan = plans.plan(Signature(factors, numbers, (), joint=(plans.numbers[target],), marginals=False))
        made = PreparedQuery(plan, observed, plans.alone(target))
    plans.prepare(key, made)
    return made


def _without(places: Mapping[Name, slice], given: list[Name]) -> Mapping[Name, slice]:
    """The places of the variables that are not given."""
    left = dict(places)
    for name in given:
        del left[name]
    return left
