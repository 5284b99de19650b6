"""Random conditional linear Gaussian networks, and their answers by brute force over all combinations."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from tests.laws.strategies import random_rows, seeds

from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.graphs import Dag
from bayou.inference import Question
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable

DISCRETE = ["Schalter 1", 7, "日本", ("t", 2)]
REAL = ["x", "y 1", "größe", "z", 3, "Rest"]
STATES = [["no", "yes"], [1, "1", True], ["only"], [0, 1]]


@st.composite
def mixed_networks(draw: st.DrawFn, zero_variances: bool = False) -> FrozenNetwork:
    """Up to four discrete and six real variables, in a random order of the schema."""
    random = draw(seeds())
    discrete = DISCRETE[: draw(st.integers(1, 4))]
    real = REAL[: draw(st.integers(1, 6))]
    parents: dict[Any, list[Any]] = {}
    for at, name in enumerate(discrete):
        parents[name] = _some(random, discrete[:at], 0.4)
    for at, name in enumerate(real):
        parents[name] = [*_some(random, discrete, 0.35), *_some(random, real[:at], 0.4)]
        random.shuffle(parents[name])
    order = list(draw(st.permutations([*discrete, *real])))
    variables = {name: Variable(name, STATES[at]) for at, name in enumerate(discrete)}
    variables |= {name: Variable(name) for name in real}
    blocks: dict[Any, Distribution] = {}
    for name in order:
        shape = tuple(variables[p].cardinality for p in parents[name] if p in discrete)
        if name in discrete:
            blocks[name] = Table(random_rows(random, (*shape, variables[name].cardinality), 0.15))
            continue
        inputs = sum(parent in real for parent in parents[name])
        variance = random.gamma(2.0, size=shape) + 0.05
        if zero_variances:
            variance = np.where(random.random(shape) < 0.4, 0.0, variance)
        blocks[name] = LinearGaussian(
            3 * random.normal(size=shape), random.normal(size=(*shape, inputs)), variance
        )
    return FrozenNetwork(Schema(variables[name] for name in order), Dag(order, parents), {}, blocks)


def _some(random: np.random.Generator, names: list[Any], share: float) -> list[Any]:
    return [name for name in names if random.random() < share]


@dataclass(frozen=True)
class Combination:
    """One state of each discrete variable: their log weight, and the Gaussian of all real variables."""

    states: dict[Any, int]
    log_weight: float
    means: np.ndarray
    covariance: np.ndarray


def real_names(network: FrozenNetwork) -> list[Any]:
    return [name for name in network.dag.topological_order if network.schema[name].is_continuous]


def combinations(network: FrozenNetwork, question: Question) -> list[Combination]:
    """Every combination with its weight given all findings, the Gaussians conditioned on the real ones."""
    discrete = [name for name in network.dag.nodes if not network.schema[name].is_continuous]
    return [
        _combination(network, question, dict(zip(discrete, codes, strict=True)))
        for codes in itertools.product(*(range(network.schema[name].cardinality) for name in discrete))
    ]


def _combination(network: FrozenNetwork, question: Question, states: dict[Any, int]) -> Combination:
    weight = 1.0
    for name, code in states.items():
        if name in question.do:
            weight *= float(question.do[name] == code)
            continue
        weight *= network.table(name)[(*(states[p] for p in network.dag.parents(name)), code)]
        weight *= float(question.evidence.get(name, code) == code)
        weight *= question.likelihood[name][code] if name in question.likelihood else 1.0
    means, covariance = _prior(network, question, states)
    seen = [k for k, name in enumerate(real_names(network)) if name in question.evidence]
    log = np.log(weight) if weight > 0 else -np.inf
    if seen:
        found = np.array([question.evidence[real_names(network)[k]] for k in seen])
        inner = covariance[np.ix_(seen, seen)]
        log += multivariate_normal(means[seen], inner, allow_singular=False).logpdf(found)
        gain = np.linalg.solve(inner, covariance[seen]).T
        means = means + gain @ (found - means[seen])
        covariance = covariance - gain @ covariance[seen]
    return Combination(states, float(log), means, covariance)


def _prior(
    network: FrozenNetwork, question: Question, states: dict[Any, int]
) -> tuple[np.ndarray, np.ndarray]:
    """From x = a + Wx + e: mean (I−W)⁻¹a, covariance (I−W)⁻¹D(I−W)⁻ᵀ."""
    names = real_names(network)
    slopes, start, noise = np.zeros((len(names), len(names))), np.zeros(len(names)), np.zeros(len(names))
    for k, name in enumerate(names):
        if name in question.do:
            start[k] = question.do[name]
            continue
        index = tuple(states[parent.name] for parent in network.discrete_parents(name))
        node = network.gaussian(name)
        start[k], noise[k] = node.intercept[index], node.variance[index]
        for position, parent in enumerate(network.continuous_parents(name)):
            slopes[k, names.index(parent.name)] = node.coefficients[index][position]
    reach = np.linalg.inv(np.eye(len(names)) - slopes)
    return reach @ start, reach @ np.diag(noise) @ reach.T


def weights_of(every: list[Combination]) -> tuple[np.ndarray, float]:
    """P(combination | findings), and log P(findings)."""
    logs = np.array([one.log_weight for one in every])
    total = float(logsumexp(logs))
    return np.exp(logs - total), total


@st.composite
def questions(draw: st.DrawFn, network: FrozenNetwork, do: bool = True) -> Question:
    """Findings that the network itself could have given, likelihoods and interventions."""
    random = draw(seeds())
    states: dict[Any, Any] = {}
    for name in network.dag.topological_order:
        if not network.schema[name].is_continuous:
            row = network.table(name)[tuple(states[p] for p in network.dag.parents(name))]
            states[name] = int(random.choice(len(row), p=row))
            continue
        node = network.gaussian(name)
        index = tuple(states[parent.name] for parent in network.discrete_parents(name))
        inputs = [states[parent.name] for parent in network.continuous_parents(name)]
        mean = node.intercept[index] + node.coefficients[index] @ np.array(inputs)
        states[name] = float(mean + np.sqrt(node.variance[index]) * random.normal())
    share = draw(st.sampled_from([0.2, 0.5, 0.8]))
    chosen = [name for name in states if random.random() < share]
    done = [name for name in chosen if do and random.random() < 0.2]
    soft = [n for n in states if not network.schema[n].is_continuous and random.random() < 0.2]
    return Question(
        (),
        {name: states[name] for name in chosen if name not in done},
        {name: random.random(network.schema[name].cardinality) + 0.01 for name in soft if name not in done},
        {name: states[name] for name in done},
    )
