"""Many findings, half of which speak for one state and half for another: products of floats become 0."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import ImpossibleEvidence


def quarrel(findings: int, small: float, prior: float = 0.5) -> bayou.Network:
    """The first half of the findings favours "b" by a factor of 0.5 / small, the other half "a"."""
    names = [f"Ärger {k}" for k in range(findings)]
    likes, hates = {1: 0.5, 0: 0.5}, {1: small, 0: 1 - small}
    return bayou.Network(
        {"class": [], **{name: ["class"] for name in names}},
        tables={
            "class": {"a": prior, "b": 1 - prior},
            **{
                name: {"a": hates, "b": likes} if k < findings // 2 else {"a": likes, "b": hates}
                for k, name in enumerate(names)
            },
        },
    )


@pytest.mark.parametrize(("findings", "small"), [(60, 1e-6), (200, 1e-6), (1000, 1e-3)])
@pytest.mark.parametrize("engine", ["compiled", "elimination"])
def test_half_against_half_leaves_the_prior(findings: int, small: float, engine: str) -> None:
    net = quarrel(findings, small, 0.25)
    given = dict.fromkeys(net.names[1:], 1)
    found = net.query("class", given, engine=engine)
    assert found["a"] == pytest.approx(0.25, rel=1e-9)
    assert found.log_evidence == pytest.approx(findings // 2 * np.log(0.5 * small), rel=1e-12)


def test_marginals_and_the_most_probable_state() -> None:
    net = quarrel(200, 1e-6, 0.25)
    given = dict.fromkeys(net.names[1:-1], 1)
    marginals = net.marginals(given)
    weights = np.array([0.25, 0.75 * 0.5 / 1e-6])
    np.testing.assert_allclose(marginals["class"].to_array(), weights / weights.sum(), rtol=1e-9)
    assert net.most_probable(given, ["class"]).states == {"class": "b"}


def test_what_is_impossible_stays_so() -> None:
    net = quarrel(200, 1e-6)
    net.set_cpt(net.names[1], {"a": {1: 0.0, 0: 1.0}, "b": {1: 0.0, 0: 1.0}})
    with pytest.raises(ImpossibleEvidence, match="Ärger 0=1"):
        net.query("class", dict.fromkeys(net.names[1:], 1))
    with pytest.raises(ImpossibleEvidence, match="Ärger 0=1"):
        net.marginals(dict.fromkeys(net.names[1:], 1))


@pytest.mark.parametrize("small", [1e-160, 1e-200, 5e-324])
def test_likelihoods_count_by_their_ratios_however_small(small: float) -> None:
    net = quarrel(4, 0.1, 0.25)
    states = net.names[1:]
    plain = net.query("class", likelihood={name: {1: 2, 0: 1} for name in states})
    tiny = net.query("class", likelihood={name: {1: 2 * small, 0: small} for name in states})
    assert tiny["a"] == pytest.approx(plain["a"], rel=1e-14)
    assert tiny.log_evidence == pytest.approx(plain.log_evidence + 4 * np.log(small), rel=1e-13)


def test_a_smallest_weight_beside_zero_is_a_finding() -> None:
    net = quarrel(4, 0.1, 0.25)
    assert net.query("class", likelihood={"class": {"a": 5e-324, "b": 0}}).to_array().tolist() == [1, 0]
    soft = net.query("class", likelihood={"Ärger 0": {1: 5e-324, 0: 0}})
    assert soft["a"] == pytest.approx(net.query("class", {"Ärger 0": 1})["a"], rel=1e-14)


def test_large_weights_do_not_overflow() -> None:
    net = quarrel(4, 0.1, 0.25)
    huge = net.query("class", likelihood={name: {1: 1.6e308, 0: 0.8e308} for name in net.names[1:]})
    plain = net.query("class", likelihood={name: {1: 2, 0: 1} for name in net.names[1:]})
    assert huge["a"] == pytest.approx(plain["a"], rel=1e-14)
