"""How far one network's distribution is from another's: entropy and Kullback-Leibler divergence, exactly.

    H(P) = −E_P[log P(x)],        KL(P, Q) = E_P[log P(x) − log Q(x)].

log P and log Q are sums over families (a variable with its parents), so the mean E_P needs only the joint
marginal under P of each family. Of a Gaussian family only the first two moments matter: with y the variable,
u its continuous parents and Q(y | u) = Normal(a + b · u, v),

    E_P[log Q(y | u)] = −½ (log 2π + log v + E_P[(y − a − b · u)²] / v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from bayou.errors import BadQuestion, listed
from bayou.inference.query import ask
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import FloatArray, Name


def entropy(network: FrozenNetwork) -> float:
    """Return the entropy of a network: the mean of −log P in nats (−log density for continuous variables).

    >>> from bayou.distributions import Table
    >>> from bayou.graphs import Dag
    >>> from bayou.schema import Schema
    >>> coin = Schema([Variable("coin", ["heads", "tails"])])
    >>> entropy(FrozenNetwork(coin, Dag.from_text("coin"), {}, {"coin": Table(np.array([0.5, 0.5]))}))
    0.6931471805599453
    """
    network.require(network.dag.nodes)
    means = _Means(network)
    return -math.fsum(means.log_of(network, name) for name in network.dag.nodes)


def kl_divergence(network: FrozenNetwork, other: FrozenNetwork) -> float:
    """Return the mean of log P − log Q under the first network (P), in nats.

    It is infinite where Q gives probability 0 to a combination that is possible under P. Both networks need
    the same variables and states (in any order); their arcs may differ.
    """
    _check_same_variables(network, other)
    for each in (network, other):
        each.require(each.dag.nodes)
    means = _Means(network)
    gaps = [means.gap(other, name) for name in network.dag.nodes]
    # A divergence is never negative; only rounding can make the sum so.
    return math.inf if math.inf in gaps else max(math.fsum(gaps), 0.0)


@dataclass(frozen=True)
class _Means:
    """Means under one network of the logs of local distributions, its own or another network's."""

    network: FrozenNetwork

    def gap(self, other: FrozenNetwork, name: Name) -> float:
        """The mean of log P(name | its parents) − log Q(name | its parents there)."""
        ours, theirs = self.network.dag.parents(name), other.dag.parents(name)
        if set(ours) != set(theirs) or self.network.schema[name].is_continuous:
            return self.log_of(self.network, name) - self.log_of(other, name)
        # Cell by cell, so that nearly equal tables do not lose their difference to rounding.
        axes = [(*ours, name).index(member) for member in (*theirs, name)]
        table = np.transpose(self.network.table(name), axes)
        return _mean_log(self._joint((*theirs, name)), table, self._in_our_codes(other, name))

    def log_of(self, owner: FrozenNetwork, name: Name) -> float:
        """The mean of log P(name | its parents) in ``owner``; −inf where it gives 0 to something possible."""
        if owner.schema[name].is_continuous:
            return self._log_density(owner, name)
        joint = self._joint((*owner.dag.parents(name), name))
        return _mean_log(joint, self._in_our_codes(owner, name))

    def _joint(self, names: tuple[Name, ...]) -> FloatArray:
        if not names:
            return np.ones(())
        table = ask(self.network, Question(names)).table
        assert table is not None
        return table

    def _in_our_codes(self, owner: FrozenNetwork, name: Name) -> FloatArray:
        table = owner.table(name)
        if owner is self.network:
            return table
        family = (*owner.parents(name), owner.schema[name])
        return table[np.ix_(*(self._codes(theirs) for theirs in family))]

    def _codes(self, theirs: Variable) -> list[int]:
        """For each state of our variable, in our order, its code in their variable of the same name."""
        return [theirs.code(state) for state in self.network.schema[theirs.name].states]

    def _log_density(self, owner: FrozenNetwork, name: Name) -> float:
        """The mean log density of a Gaussian variable: a sum over the states of its discrete parents."""
        groups = owner.discrete_parents(name)
        names = tuple(variable.name for variable in groups)
        chances = self._joint(names)
        codes = [self._codes(variable) for variable in groups]
        terms = []
        for index in product(*(range(size) for size in chances.shape)):
            if chances[index] > 0:
                place = tuple(code[position] for code, position in zip(codes, index, strict=True))
                found = dict(zip(names, index, strict=True))
                terms.append(float(chances[index]) * self._mean_log_normal(owner, name, place, found))
        return math.fsum(terms)

    def _mean_log_normal(
        self, owner: FrozenNetwork, name: Name, place: tuple[int, ...], found: dict[Name, int]
    ) -> float:
        """The mean log density given discrete parents' states: ``found`` here, ``place`` in ``owner``."""
        line = owner.gaussian(name)
        variance = float(line.variance[place])
        if owner is self.network:
            return -0.5 * (LOG_TWO_PI + math.log(variance) + 1)
        inputs = tuple(variable.name for variable in owner.continuous_parents(name))
        centre, covariance = self._moments((name, *inputs), found)
        away = np.concatenate([[1.0], -line.coefficients[place]])
        square = float((away @ centre - line.intercept[place]) ** 2 + away @ covariance @ away)
        return -0.5 * (LOG_TWO_PI + math.log(variance) + square / variance)

    def _moments(self, names: tuple[Name, ...], found: dict[Name, int]) -> tuple[FloatArray, FloatArray]:
        answer = ask(self.network, Question(names, found))
        if answer.joint is not None:
            return answer.joint.mean, answer.joint.covariance
        assert answer.mixture is not None
        return np.array([answer.mixture.mean]), np.array([[answer.mixture.variance]])


def _mean_log(joint: FloatArray, table: FloatArray, below: FloatArray | None = None) -> float:
    """Σ joint · log(table), or Σ joint · log(table / below); cells with joint = 0 are left out."""
    happens = joint > 0
    weights, values = joint[happens], table[happens]
    if below is None:
        return -math.inf if np.any(values <= 0) else float(weights @ np.log(values))
    others = below[happens]
    return math.inf if np.any(others <= 0) else float(weights @ (np.log(values) - np.log(others)))


def _check_same_variables(network: FrozenNetwork, other: FrozenNetwork) -> None:
    odd = [v.name for v in network.schema if v.name not in other.schema]
    odd += [v.name for v in other.schema if v.name not in network.schema]
    if odd:
        raise BadQuestion(
            "Only networks with the same variables can be compared; only one of the two networks has "
            f"{listed(odd)}."
        )
    for variable in network.schema:
        theirs = other.schema[variable.name]
        if variable.is_continuous != theirs.is_continuous:
            raise BadQuestion(
                f"{variable.name!r} is continuous in one network and discrete in the other: they cannot be "
                "compared."
            )
        lacking = [s for s in variable.states if theirs.place(s) is None]
        lacking += [s for s in theirs.states if variable.place(s) is None]
        if lacking:
            raise BadQuestion(
                f"The states of {variable.name!r} differ: only one of the two networks has "
                f"{listed(lacking)}. Declare the same states for both (states=…)."
            )
