"""Conditional linear Gaussian networks: every answer equals brute force over all discrete combinations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.inference.mixed.mixed_networks import (
    Combination,
    combinations,
    mixed_networks,
    questions,
    real_names,
    weights_of,
)
from tests.laws.strategies import law

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.inference import Question, ask, best, marginals
from bayou.inference.mixed.components import components
from bayou.networks import FrozenNetwork


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def table_by_hand(every: list[Combination], network: FrozenNetwork, targets: tuple[Any, ...]) -> np.ndarray:
    weights, _ = weights_of(every)
    table = np.zeros([network.schema[name].cardinality for name in targets])
    for one, weight in zip(every, weights, strict=True):
        table[tuple(one.states[name] for name in targets)] += weight
    return table


def hidden_of(network: FrozenNetwork, question: Question, real: bool) -> list[Any]:
    return [
        name
        for name in network.dag.nodes
        if network.schema[name].is_continuous == real
        and name not in question.evidence
        and name not in question.do
    ]


@given(mixed_networks(), st.data())
@law
def test_discrete_posteriors_and_the_density_of_the_findings(
    network: FrozenNetwork, data: st.DataObject
) -> None:
    question = data.draw(questions(network))
    every = combinations(network, question)
    _, log_evidence = weights_of(every)
    close(ask(network, question).log_evidence, log_evidence)
    targets = tuple(data.draw(st.permutations(hidden_of(network, question, real=False))))
    for asked in {targets, targets[:2], targets[-1:]} - {()}:
        answer = ask(network, replace(question, targets=asked))
        assert answer.table is not None
        close(answer.table, table_by_hand(every, network, asked))
        assert abs(answer.table.sum() - 1) < 1e-12
        close(answer.log_evidence, log_evidence)


@given(mixed_networks(), st.data())
@law
def test_posteriors_of_real_variables_one_by_one_and_jointly(
    network: FrozenNetwork, data: st.DataObject
) -> None:
    question = data.draw(questions(network))
    hidden = data.draw(st.permutations(hidden_of(network, question, real=True)))
    assume(hidden)
    every = combinations(network, question)
    weights, log_evidence = weights_of(every)
    at = [real_names(network).index(name) for name in hidden]
    means = np.array([one.means[at] for one in every])
    inner = np.array([one.covariance[np.ix_(at, at)] for one in every])
    centre = weights @ means
    covariance = np.tensordot(weights, inner, 1) + (weights[:, None] * (means - centre)).T @ (means - centre)
    for k, name in enumerate(hidden):
        single = ask(network, replace(question, targets=(name,)))
        assert single.mixture is not None
        assert abs(single.mixture.weights.sum() - 1) < 1e-12
        close(single.mixture.mean, centre[k])
        close(single.mixture.variance, covariance[k, k])
        close(single.log_evidence, log_evidence)
        third = single.mixture.weights @ (
            single.mixture.means**3 + 3 * single.mixture.means * single.mixture.variances
        )
        close(third, weights @ (means[:, k] ** 3 + 3 * means[:, k] * inner[:, k, k]))
    if len(hidden) > 1:
        joint = ask(network, replace(question, targets=tuple(hidden))).joint
        assert joint is not None
        close(joint.mean, centre)
        close(joint.covariance, covariance)
        close(joint.single(hidden[0]).variance, covariance[0, 0])


@given(mixed_networks(), st.data())
@law
def test_all_marginals_are_the_single_ones(network: FrozenNetwork, data: st.DataObject) -> None:
    question = data.draw(questions(network))
    hidden = (*hidden_of(network, question, real=False), *hidden_of(network, question, real=True))
    found = marginals(network, replace(question, targets=hidden))
    assert {*found.tables, *found.mixtures} == set(hidden)
    for name in hidden:
        single = ask(network, replace(question, targets=(name,)))
        close(found.log_evidence, single.log_evidence)
        if single.mixture is None:
            close(found.tables[name], single.table)
        else:
            close(found.mixtures[name].mean, single.mixture.mean)


@given(mixed_networks(), st.data())
@law
def test_the_most_probable_states_integrate_real_variables_out(
    network: FrozenNetwork, data: st.DataObject
) -> None:
    question = data.draw(questions(network))
    targets = tuple(hidden_of(network, question, real=False))
    assume(targets)
    expected = table_by_hand(combinations(network, question), network, targets)
    found = best(network, replace(question, targets=targets), 3)
    ranked = np.sort(expected[expected > 0], axis=None)[::-1]
    close([np.exp(one.log_probability) for one in found], ranked[: len(found)])
    close([expected[one.codes] for one in found], ranked[: len(found)])


@given(mixed_networks(zero_variances=True), st.data())
@law
def test_variables_without_noise_are_the_limit_of_little_noise(
    network: FrozenNetwork, data: st.DataObject
) -> None:
    """Findings only where every combination leaves some width: brute force has a density there."""
    question = data.draw(questions(network, do=False))
    evidence = dict(question.evidence)
    for name in real_names(network):
        if name in evidence and (network.gaussian(name).variance == 0).any():
            del evidence[name]
    question = replace(question, evidence=evidence)
    every = combinations(network, question)
    weights, log_evidence = weights_of(every)
    close(ask(network, question).log_evidence, log_evidence)
    for name in hidden_of(network, question, real=True):
        mixture = ask(network, replace(question, targets=(name,))).mixture
        assert mixture is not None
        k = real_names(network).index(name)
        close(mixture.mean, weights @ np.array([one.means[k] for one in every]))
        close(
            mixture.variance + mixture.mean**2,
            weights @ np.array([one.covariance[k, k] + one.means[k] ** 2 for one in every]),
        )


@given(mixed_networks(), st.data())
@law
def test_groups_share_no_hidden_variable_and_hold_every_real_factor(
    network: FrozenNetwork, data: st.DataObject
) -> None:
    question = data.draw(questions(network, do=False))
    names = list(network.dag.nodes)
    parts, alone = components(network, names, question.evidence)
    members = [name for part in parts for name in part.members]
    assert sorted(map(repr, [*members, *alone])) == sorted(map(repr, real_names(network)))
    for part in parts:
        for name in part.members:
            inputs = {p.name for p in network.continuous_parents(name)} - set(question.evidence)
            assert inputs <= set(part.hidden)


def test_impossible_states_and_impossible_numbers_are_named() -> None:
    net = bayou.Network("s -> x -> y", states={"s": ["a", "b"]}, continuous=["x", "y"])
    net.set_cpt("s", [1.0, 0.0]).set_gaussian("x", {"a": (0, 1), "b": (5, 1)})
    net.set_gaussian("y", {"mean": 0, "variance": 1, "coefficients": {"x": 1}})
    with pytest.raises(ImpossibleEvidence, match="s=b"):
        net.query("x", {"s": "b", "y": 1.0})
    with pytest.raises(BadQuestion, match=r"y=1e\+200.*too large for a calculation with its square"):
        net.query("s", {"y": 1e200})


def test_numbers_beyond_all_floats_are_refused_in_words() -> None:
    net = bayou.Network("s -> x", states={"s": ["a", "b"]}, continuous=["x"])
    net.set_cpt("s", [0.5, 0.5]).set_gaussian("x", {"a": (0, 1), "b": (5, 1)})
    with pytest.raises(BadQuestion, match="'x': this number is too large"):
        net.query("s", {"x": 10**400})
    with pytest.raises(BadQuestion, match="are not all numbers"):
        net.query("x", likelihood={"s": {"a": 10**400, "b": 1}})


def test_messages_refuse_a_hidden_real_parent_whatever_the_order_of_the_variables() -> None:
    net = bayou.Network("y <- x; s -> x", states={"s": ["a", "b"]}, continuous=["x", "y"])
    net.set_cpt("s", [0.5, 0.5]).set_gaussian("x", {"a": (0, 1), "b": (5, 1)})
    net.set_gaussian("y", {"mean": 0, "variance": 1, "coefficients": {"x": 1}})
    with pytest.raises(BadQuestion, match="'x', which is not observed"):
        net.query("s", {"y": 1.0}, engine="messages")
    with pytest.raises(BadQuestion, match="in separate queries"):
        net.query(["s", "x"])


@pytest.mark.parametrize("engine", ["compiled", "elimination", "enumeration"])
def test_every_engine_answers_with_real_variables_observed_far_out_or_not_needed(engine: str) -> None:
    net = bayou.Network("s -> x; s -> y; s -> the rest", states={"s": ["a", "b"]}, continuous=["x", "y"])
    net.set_cpt("s", [0.25, 0.75]).set_gaussian("x", {"a": (0, 1), "b": (100, 1)})
    net.set_gaussian("y", {"a": (100, 1), "b": (0, 1)})
    net.set_cpt("the rest", {"a": {1: 0.9, 2: 0.1}, "b": {1: 0, 2: 1}})
    assert net.query("s", {"the rest": 1}, engine=engine)["a"] == 1
    assert net.query("the rest", do={"x": 3.0}, engine=engine)[1] == pytest.approx(0.225)
    # Both states are some e^-5000 away from one of the numbers: their ratio is still the prior's.
    far = net.query("s", {"x": 0.0, "y": 0.0}, engine=engine)
    assert far["a"] == pytest.approx(0.25)
    assert far.log_evidence == pytest.approx(-5000 - np.log(2 * np.pi))
