"""Rows given findings: their shares against exact posteriors, mixed networks too."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import bayou
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.inference.sampling import forward_sampling
from bayou.memory import limits


def test_joint_shares_are_those_of_the_exact_posterior() -> None:
    for seed in range(3):
        net = bayou.random_network(6, states=(2, 3), arcs=9, seed=seed)
        a, b, c, d = (net.names[k] for k in (0, 2, 4, 5))
        given, do = {d: net.states(d)[0]}, {b: net.states(b)[1]}
        likelihood = {c: [0.1, 0.7, 0.3][: len(net.states(c))]}
        rows = net.sample(60_000, given=given, do=do, likelihood=likelihood, seed=seed)
        others = [net.names[1], a, c]
        exact = net.query(others, given, likelihood=likelihood, do=do)
        assert set(rows[d].tolist()) == {net.states(d)[0]}
        assert set(rows[b].tolist()) == {net.states(b)[1]}
        for states in product(*(net.states(name) for name in others)):
            share = np.all(
                [rows[name] == state for name, state in zip(others, states, strict=True)], axis=0
            ).mean()
            p = exact[states]
            assert abs(share - p) <= 4 * np.sqrt(p * (1 - p) / 60_000) + 1e-9


def test_rows_without_findings_that_matter_are_the_same_on_any_number_of_threads() -> None:
    net = bayou.examples.alarm()
    given = {"HRBP": "HIGH"}
    drawn = []
    for threads in (1, 2):
        with bayou.threads(threads):
            drawn.append(net.sample(20_000, given=given, seed=4).to_pandas())
    assert drawn[0].equals(drawn[1])


def mixed() -> bayou.Network:
    net = bayou.Network(
        "Kind -> x; x -> y; Kind -> y; y -> z; Kind -> w; Kind -> n",
        states={"Kind": ["a", "b"]},
        continuous=["x", "y", "z", "w", "n"],
    )
    net.set_cpt("Kind", [0.6, 0.4]).set_gaussian("x", {"a": (-1, 1), "b": (1, 4)})
    net.set_gaussian(
        "y",
        {
            "a": {"mean": 0, "variance": 1, "coefficients": {"x": 1}},
            "b": {"mean": 1, "variance": 0.5, "coefficients": {"x": -1}},
        },
    )
    net.set_gaussian("z", {"mean": 0, "variance": 1, "coefficients": {"y": 2}})
    return net.set_gaussian("w", {"a": (0, 1), "b": (5, 1)}).set_gaussian("n", {"a": (0, 1), "b": (5, 1)})


def test_hidden_numbers_have_the_exact_posterior_moments() -> None:
    net = mixed()
    given = {"z": 1.5, "w": 2.4}
    rows = net.sample(200_000, given=given, seed=3)
    assert (rows["z"] == 1.5).all()
    exact = net.query("Kind", given)
    assert (rows["Kind"] == "a").mean() == pytest.approx(exact["a"], abs=0.005)
    for name in ("x", "y", "n"):
        posterior = net.query(name, given)
        assert rows[name].mean() == pytest.approx(posterior.mean, abs=0.03)
        assert rows[name].std() == pytest.approx(posterior.std, abs=0.03)
    both = net.query(["x", "y"], given)
    assert np.cov(rows["x"], rows["y"])[0, 1] == pytest.approx(both.covariance[0, 1], abs=0.04)


def test_impossible_findings_and_tables_too_large_are_refused() -> None:
    with pytest.raises(ImpossibleEvidence, match="lung=yes, either=no"):
        bayou.examples.asia().sample(3, given={"lung": "yes", "either": "no"})
    with limits(memory=1000), pytest.raises(TooWide, match="Drawing rows given these findings"):
        bayou.examples.alarm().sample(3, given={"HRBP": "HIGH"})


def test_columns_drawn_together_are_those_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    nets = [bayou.examples.alarm(), mixed(), bayou.examples.asia()]
    together = [net.sample(5000, seed=11) for net in nets]
    monkeypatch.setattr(forward_sampling, "tabled", lambda network: [])
    monkeypatch.setattr(forward_sampling, "_BLOCK", 1000)
    for net, rows in zip(nets, together, strict=True):
        alone = net.sample(5000, seed=11)
        for name in net.names:
            np.testing.assert_array_equal(rows[name], alone[name])
