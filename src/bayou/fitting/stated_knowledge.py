"""Stated tables as if they had been counted, and tables of the prior alone.

A network whose tables are stated counts as N' rows drawn from it: a family gets the pseudocounts
N' · P(child, parents), the equivalent sample size of Heckerman, Geiger and Chickering (1995), Learning
Bayesian networks: the combination of knowledge and statistical data, Machine Learning 20.
"""

from __future__ import annotations

import numpy as np

from bayou.codes import missing_code
from bayou.distributions import Dirichlet, Prior, Table
from bayou.errors import BadQuestion, NotFitted, listed
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.learning import PriorChoice, estimate
from bayou.learning.parameters import pooled_answer, requests_for, users_of
from bayou.networks import FrozenNetwork, Structure
from bayou.statistics import Batch, Counts, CountTable, Request, Result, Statistics
from bayou.typing import Name


def stated_as_rows(network: FrozenNetwork | None, rows: float) -> PriorChoice:
    """Return the prior that counts the tables of a network as this many rows drawn from it.

    >>> import bayou
    >>> net = bayou.Network("Rain", tables={"Rain": {"no": 0.8, "yes": 0.2}})
    >>> stated_as_rows(net.frozen, 10).by_name["Rain"].alpha.tolist()
    [8.0, 2.0]
    """
    if network is None or not network.blocks:
        raise NotFitted("keep= counts the present tables as rows, but the network has no tables yet.")
    network.require(network.dag.nodes)
    others = [name for name in network.dag.nodes if not isinstance(network.distribution(name), Table)]
    if others:
        raise BadQuestion(
            f"keep= counts tables as rows; {listed(others)} have other distributions, which are not learned "
            "from counts alone. Leave keep= out, or give these variables states and tables."
        )
    # A row without any value: what is expected of it is P(child, parents).
    gap = np.array([missing_code(np.uint32)], dtype=np.uint32)
    expected = expected_counts(network, Batch(1, dict.fromkeys(network.dag.nodes, gap), {})).statistics
    chosen: dict[Name, Prior] = {}
    for block, users in users_of(network).items():
        answers = {name: expected[CountTable(network.family(name).names)] for name in users}
        chosen[block] = Dirichlet(rows * pooled_answer(network, users, answers).values)
    return PriorChoice(by_name=chosen)


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
        if not isinstance(request, CountTable):
            raise BadQuestion(f"{name!r} has no table, so the prior alone does not determine it: give rows.")
        axes = tuple(variables[member] for member in request.variables)
        nothing[request] = Counts(axes, np.zeros([axis.cardinality for axis in axes], dtype=np.int64))
    statistics = Statistics(nothing, 0)
    return FittedParameters(estimate(structure, statistics, priors), statistics, priors)
