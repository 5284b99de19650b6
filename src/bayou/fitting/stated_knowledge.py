"""Stated tables as if they had been counted, and tables of the prior alone.

A network whose parameters are stated counts as N' rows drawn from it: a table gets the pseudocounts
N' · P(child, parents), the equivalent sample size of Heckerman, Geiger and Chickering (1995), Learning
Bayesian networks: the combination of knowledge and statistical data, Machine Learning 20. A Gaussian gets the
moments that N' such rows are expected to have: N' · P(g) rows for the states g of its discrete parents, with
the means and covariances that the network has given g.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bayou.codes import missing_code
from bayou.distributions import Dirichlet, LinearGaussian, Prior, Table
from bayou.errors import BadPrior, BadQuestion, NotFitted, listed
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.query import ask
from bayou.inference.question import Question
from bayou.learning import PriorChoice, estimate
from bayou.learning.parameters import pooled_answer, requests_for, users_of
from bayou.networks import FrozenNetwork, Structure
from bayou.statistics import Batch, Counts, CountTable, GroupMoments, Request, Result, Statistics
from bayou.typing import Name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayou.schema import Variable


def stated_as_rows(network: FrozenNetwork | None, rows: float) -> PriorChoice:
    """Return the prior that counts the parameters of a network as this many rows drawn from it.

    >>> import bayou
    >>> net = bayou.Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}})
    >>> stated_as_rows(net.frozen, 10).by_name["Rain"].alpha.tolist()
    [8.0, 2.0]
    """
    if network is None or not network.blocks:
        raise NotFitted("weight= counts the present tables as rows, but the network has no tables yet.")
    network.require(network.dag.nodes)
    kinds = {name: network.distribution(name) for name in network.dag.nodes}
    others = [name for name, kind in kinds.items() if not isinstance(kind, Table | LinearGaussian)]
    if others:
        raise BadQuestion(
            f"weight= counts tables and Gaussians as rows; {listed(others)} have other distributions, whose "
            "rows are not known from their parameters. Leave weight= out, or give these variables states and "
            "tables."
        )
    expected = _one_row(network)
    chosen: dict[Name, Prior] = {}
    for block, users in users_of(network).items():
        requests = {name: kinds[name].needs(network.family(name)) for name in users}
        answer = pooled_answer(network, users, {name: expected[requests[name]] for name in users})
        if isinstance(answer, GroupMoments):
            from bayou.distributions.gaussian.virtual_rows import VirtualRows

            chosen[block] = VirtualRows(answer * rows)
        else:
            chosen[block] = Dirichlet(rows * answer.values)
    return PriorChoice(by_name=chosen)


def knowledge_of(network: FrozenNetwork | None, structure: Structure, rows: float) -> PriorChoice:
    """Return the prior that counts another network as so many rows drawn from it, for this structure.

    The arcs may differ: a table gets the pseudocounts N' · P(child, parents) of the other network. Gaussians
    need the same arcs.
    """
    if network is None or not network.blocks:
        raise BadPrior("The network in prior= has no tables yet: state or learn them first.")
    lacking = [name for name in structure.dag.nodes if name not in network.dag.nodes]
    if lacking:
        raise BadPrior(f"The network in prior= lacks {listed(lacking)}: it needs all variables that learn.")
    for name, variable in structure.declared.items():
        stated = network.schema[name]
        if variable.is_continuous != stated.is_continuous or not variable.same_states(stated):
            raise BadPrior(
                f"{name!r} has other states (or is of another kind) in the network of prior=: give both the "
                "same."
            )
    if structure.dag == network.dag and dict(structure.sharing) == dict(network.sharing):
        return stated_as_rows(network, rows)
    numbers = [name for name in structure.dag.nodes if network.schema[name].is_continuous]
    if numbers or structure.sharing:
        what = f"{listed(numbers)} are Gaussians" if numbers else "tables are shared"
        raise BadPrior(
            f"The network in prior= has other arcs (or shared tables), and {what}: its rows then do not "
            "determine them. Give both networks the same arcs."
        )
    chosen: dict[Name, Prior] = {}
    for name in structure.dag.nodes:
        family = (*structure.dag.parents(name), name)
        joint = ask(network, Question(family)).table
        assert joint is not None
        chosen[name] = Dirichlet(rows * joint)
    return PriorChoice(by_name=chosen)


def _one_row(network: FrozenNetwork) -> Statistics:
    """What is expected of a row without any value: P(child, parents), means and covariances."""
    gap = np.array([missing_code(np.uint32)], dtype=np.uint32)
    numbers = [variable.name for variable in network.schema if variable.is_continuous]
    codes = {name: gap for name in network.dag.nodes if name not in numbers}
    batch = Batch(1, codes, {name: np.array([np.nan]) for name in numbers})
    if not numbers:
        return expected_counts(network, batch).statistics
    from bayou.inference.expectation.expected_moments import expected_moments

    return expected_moments(network, batch).statistics


def before_any_row(structure: Structure, priors: PriorChoice) -> FittedParameters:
    """Return the tables of the prior alone: those of a network that has seen no rows yet."""
    if structure.undeclared:
        raise NotFitted(
            f"Without rows the states must be known: declare those of {listed(structure.undeclared)} "
            "(states=…)."
        )
    variables = {name: structure.declared[name] for name in structure.dag.nodes}
    nothing: dict[Request, Result] = {}
    for name, request in requests_for(structure, variables).items():
        users = tuple(user for user in structure.dag.nodes if structure.slot(user) == structure.slot(name))
        if isinstance(request, CountTable):
            axes = tuple(variables[member] for member in request.variables)
            nothing[request] = Counts(axes, np.zeros([axis.cardinality for axis in axes], dtype=np.int64))
        elif getattr(priors.of(structure.slot(name), users), "for_gaussians", False):
            nothing[request] = _no_moments(request, variables)
        else:
            raise BadQuestion(f"{name!r} has no table, so the prior alone does not determine it: give rows.")
    statistics = Statistics(nothing, 0)
    return FittedParameters(estimate(structure, statistics, priors), statistics, priors)


def _no_moments(request: Request, variables: Mapping[Name, Variable]) -> GroupMoments:
    """The moments of no rows."""
    groups = tuple(variables[name] for name in request.states)
    shape, k = [axis.cardinality for axis in groups], len(request.numbers)
    mean, scatter = np.zeros((*shape, k)), np.zeros((*shape, k, k))
    return GroupMoments(tuple(request.numbers), groups, np.zeros(shape), mean, scatter)


def after_the_last_row(structure: Structure, before: FittedParameters) -> FittedParameters | None:
    """Return what is left when every row is forgotten: stated knowledge; None if none was stated."""
    blocks = set(before.network.slots.values())
    if not blocks <= set(before.priors.by_name or {}):
        return None
    variables = {variable.name: variable for variable in before.network.schema}
    return before_any_row(replace(structure, declared=variables), before.priors)
