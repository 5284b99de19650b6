from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadQuestion, NotFitted
from bayou.graphs import Dag

NAMES = ["Größe des Baums", "a b", "X3", 4, "年齢"]


def tables_of(net: bayou.Network, order: list[object]) -> np.ndarray:
    """The joint table with the axes in a given order."""
    joint = net.joint()
    return np.transpose(joint.to_array(), [joint.names.index(name) for name in order])


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 5))
def test_the_divergence_of_discrete_networks_is_that_of_their_joint_tables(a: int, b: int, size: int) -> None:
    cards = {name: 1 + (a + k) % 3 for k, name in enumerate(NAMES[:size])}
    one, other = (bayou.random_network(NAMES[:size], states=cards, seed=seed) for seed in (a, b))
    p, q = (tables_of(net, NAMES[:size]) for net in (one, other))
    assert one.kl_divergence(other) == pytest.approx(float((p * np.log(p / q)).sum()), abs=1e-12)
    assert one.entropy() == pytest.approx(-float((p * np.log(p)).sum()), abs=1e-12)
    assert one.kl_divergence(one) == 0


def joint_normal(net: bayou.Network) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of a network of Gaussians only, from its lines."""
    order = list(net.names)
    slopes, intercepts = np.zeros((len(order), len(order))), np.zeros(len(order))
    noise = np.zeros(len(order))
    for k, name in enumerate(order):
        line = net.frozen.gaussian(name)
        intercepts[k], noise[k] = float(line.intercept), float(line.variance)
        for parent, slope in zip(net.parents(name), line.coefficients, strict=True):
            slopes[k, order.index(parent)] = slope
    spread = np.linalg.inv(np.eye(len(order)) - slopes)
    return spread @ intercepts, spread @ np.diag(noise) @ spread.T


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 5))
def test_the_divergence_of_gaussian_networks_is_the_closed_form_on_the_joint(
    a: int, b: int, size: int
) -> None:
    names = NAMES[:size]
    one, other = (bayou.random_network(names, continuous=size, seed=seed) for seed in (a, b))
    (m, s), (n, t) = joint_normal(one), joint_normal(other)
    inverse = np.linalg.inv(t)
    logs = np.linalg.slogdet(t)[1] - np.linalg.slogdet(s)[1]
    wanted = 0.5 * (np.trace(inverse @ s) + (n - m) @ inverse @ (n - m) - size + logs)
    assert one.kl_divergence(other) == pytest.approx(wanted, rel=1e-7, abs=1e-9)
    entropy = 0.5 * (size * math.log(2 * math.pi * math.e) + np.linalg.slogdet(s)[1])
    assert one.entropy() == pytest.approx(entropy, rel=1e-9, abs=1e-9)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_divergence_of_mixed_networks_is_the_sum_over_the_discrete_states(a: int, b: int) -> None:
    """KL of the discrete part, and in each of its states the KL between the Gaussians given it."""
    names, real = ["D1", "D2", "y", "x"], ["x", "y"]
    one, other = (bayou.random_network(names, continuous=real, arcs=4, seed=seed) for seed in (a, b))
    total = 0.0
    for first in ("s1", "s2"):
        for second in ("s1", "s2"):
            found = {"D1": first, "D2": second}
            p, q = (math.exp(net.log_evidence(found)) for net in (one, other))
            (m, s), (n, t) = (moments(net, found) for net in (one, other))
            inverse = np.linalg.inv(t)
            logs = np.linalg.slogdet(t)[1] - np.linalg.slogdet(s)[1]
            inner = 0.5 * (np.trace(inverse @ s) + (n - m) @ inverse @ (n - m) - 2 + logs)
            total += p * (math.log(p / q) + inner)
    assert one.kl_divergence(other) == pytest.approx(total, rel=1e-7, abs=1e-9)
    assert one.kl_divergence(one) == pytest.approx(0, abs=1e-12)


def moments(net: bayou.Network, found: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
    both = net.query(["x", "y"], given=found)
    return np.asarray(both.mixture.mean), np.asarray(both.mixture.covariance)


def test_the_order_of_states_and_of_parents_does_not_matter() -> None:
    one = bayou.random_network(NAMES, states=3, arcs=7, seed=3)
    dag = Dag(NAMES[::-1], {name: one.parents(name)[::-1] for name in NAMES})
    turned = bayou.Network(dag, states={name: ["s3", "s1", "s2"] for name in NAMES})
    for name in dag.topological_order:
        turned.set_cpt(name, one.cpt(name))
    assert one.kl_divergence(turned) == pytest.approx(0, abs=1e-13)


def test_a_network_that_rules_out_what_can_happen_is_infinitely_far() -> None:
    sure = bayou.Network("A", tables={"A": {"no": 1.0, "yes": 0.0}})
    open_ = bayou.Network("A", tables={"A": {"no": 0.5, "yes": 0.5}})
    assert open_.kl_divergence(sure) == math.inf
    assert sure.kl_divergence(open_) == pytest.approx(math.log(2))


def test_what_can_not_be_compared_is_refused_by_name() -> None:
    one = bayou.Network("A", tables={"A": {"no": 0.5, "yes": 0.5}})
    with pytest.raises(BadQuestion, match="only one of the two networks has 'A', 'B'"):
        one.kl_divergence(bayou.Network("B", tables={"B": {"no": 0.5, "yes": 0.5}}))
    with pytest.raises(BadQuestion, match="'A' differ: only one of the two networks has 'maybe'"):
        one.kl_divergence(bayou.Network("A", tables={"A": {"no": 0.5, "yes": 0.3, "maybe": 0.2}}))
    real = bayou.Network("A", continuous=["A"]).set_gaussian("A", (0, 1))
    with pytest.raises(BadQuestion, match="'A' is continuous in one network"):
        one.kl_divergence(real)
    with pytest.raises(BadQuestion, match="not str"):
        one.kl_divergence("A")
    with pytest.raises(NotFitted):
        one.kl_divergence(bayou.Network("A", states={"A": ["no", "yes"]}))


def test_noisy_and_deterministic_nodes_are_compared_as_their_tables() -> None:
    states = {name: ["no", "yes"] for name in ("Erkältung", "Allergy", "Sneeze", "Alarm")}
    causes = {"Erkältung": {"no": 0.8, "yes": 0.2}, "Allergy": {"no": 0.7, "yes": 0.3}}
    noisy = bayou.Network(
        "Erkältung, Allergy -> Sneeze -> Alarm",
        states=states,
        tables={
            **causes,
            "Sneeze": bayou.NoisyOr({"Erkältung": 0.9, "Allergy": 0.5}, leak=0.1),
            "Alarm": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
        },
    )
    plain = bayou.Network(noisy.dag, states=states)
    for name in noisy.names:
        plain.set_cpt(name, np.asarray(noisy.cpt(name).to_array()))
    assert noisy.kl_divergence(plain) == pytest.approx(0, abs=1e-14)
    other = bayou.random_network(noisy.names, states=dict.fromkeys(noisy.names, 2), seed=1)
    renamed = bayou.Network(other.dag, states=states)
    for name in other.names:
        renamed.set_cpt(name, np.asarray(other.cpt(name).to_array()))
    p, q = (tables_of(net, list(noisy.names)) for net in (noisy, renamed))
    assert noisy.kl_divergence(renamed) == pytest.approx(float((p * np.log(p / q)).sum()), abs=1e-12)
    assert renamed.kl_divergence(noisy) == pytest.approx(float((q * np.log(q / p)).sum()), abs=1e-12)
