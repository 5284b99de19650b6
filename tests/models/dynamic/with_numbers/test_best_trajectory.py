"""The most probable trajectory with numbers: against the joint Gaussian and the sum over all paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.with_numbers.joint_gaussian import JointGaussian, random_numbers
from tests.models.dynamic.with_numbers.test_switching import Paths

import bayou
from bayou.errors import BayouWarning
from bayou.models.dynamic.numbers.mixed_input import MixedInput
from bayou.models.dynamic.row_answers import row_answers
from bayou.temporal.gaussian_templates import best_path, weighted_paths
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.templates.template import Node


def _case(seed: int, length: int) -> tuple[Any, dict[Any, list[Any]]]:
    """A random network, and a sequence of which some numbers and states are seen."""
    random = np.random.default_rng(seed)
    net = random_numbers(random, states=True)
    drawn = net.sample(length, seed=seed)
    data = {
        name: [v if random.random() < 0.6 else None for v in own]
        for name, own in drawn.items()
        if name != "S" and not net.template.outside(name)
    }
    return net, data


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_of_linear_gaussian_numbers_it_is_the_mode_of_all_together(seed: int) -> None:
    random = np.random.default_rng(seed)
    net = random_numbers(random, lags=2)
    drawn = net.sample(5, seed=seed)
    data = {
        name: [v if random.random() < 0.5 else None for v in own]
        for name, own in drawn.items()
        if not net.template.outside(name)
    }
    joint = JointGaussian(net, 5, {}, {})
    known = {Node(n, k): v for n, own in data.items() for k, v in enumerate(own) if v is not None}
    log, mean, _ = joint.given(known)
    best = net.most_probable(data)
    assert best.exact
    assert best.log_probability == pytest.approx(log, rel=1e-9)
    for name, path in best.items():
        nodes = [node for node in joint.nodes if node.name == name]
        assert list(path) == pytest.approx([mean[joint.place[node]] for node in nodes], abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("listed", [True, False])
def test_unknown_states_have_the_best_of_all_paths(
    seed: int, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, data = _case(seed, 4)
    every = Paths(net, 4, data)
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 2**12 if listed else 0)
    best = net.most_probable(data, particles=100, paths=300)
    assert best.exact == listed
    assert ("there may be a better one" in str(best)) == (not listed)
    k = int(np.argmax(every.logs))
    assert best.log_probability == pytest.approx(every.logs[k], rel=1e-9)
    for name, path in best.items():
        if net.variables[name].is_continuous:
            nodes = [node for node in every.place if node.name == name]
            means = [every.gaussians[k][0][every.place[node]] for node in nodes]
            assert list(path) == pytest.approx(means, abs=1e-8)
        else:
            states = net.variables[name].states
            assert list(path) == [states[c] for node, c in every.paths[k].items() if node.name == name]


def test_rows_of_tables_have_the_values_of_the_trajectory() -> None:
    net, data = _case(1, 4)
    best = net.most_probable(data)
    with pytest.warns(BayouWarning, match="the best path that was found"):
        found = row_answers(net, data, "decode")
    assert found["S"] == list(best["S"])
    assert found["a"] == pytest.approx(list(best["a"]))
    with pytest.warns(BayouWarning, match="the best path that was found"):
        assert list(row_answers(net, data, "decode", ask="S")) == ["row", "S"]


def test_a_likelihood_that_rules_out_all_states_but_one_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    net, data = _case(2, 4)
    for most in (2**12, 0):
        monkeypatch.setattr(weighted_paths, "MOST_PATHS", most)
        for state in ("x", "y"):
            sure = {"S": {1: {"x": float(state == "x") * 0.5, "y": float(state == "y") * 0.5}}}
            weighed = net.most_probable(data, likelihood=sure)
            known = net.most_probable(data | {"S": [None, state, None, None]})
            assert list(weighed["S"]) == list(known["S"])
            assert weighed.log_probability == pytest.approx(known.log_probability + np.log(0.5), rel=1e-9)


def test_a_forecast_without_rows_has_no_scores_of_steps() -> None:
    net, _ = _case(1, 4)
    assert net.forecast(None, 3, particles=50).steps is None


def test_covariances_that_do_not_fit_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    net = bayou.DynamicNetwork("x -> x'", continuous=["x"], tables={"x": (0, 1)})
    net.set_cpt("x'", {"mean": 0, "variance": 1, "coefficients": {"x": 1}})
    monkeypatch.setattr(bayou.memory, "available_memory", lambda: 10**5)
    for ask in (net.filter, net.smooth):
        with pytest.raises(
            bayou.errors.TooWide, match=r"covariances of 1 number in 200,000 rows needs 3.1 MiB"
        ):
            ask({"x": [None] * 200_000})


def test_likelihoods_of_a_constant_may_be_tiny() -> None:
    net = bayou.DynamicNetwork(
        "kind -> x; x -> x'",
        constant=["kind"],
        states={"kind": ["a", "b"]},
        continuous=["x"],
        tables={
            "kind": [0.5, 0.5],
            "x": {"a": (0, 1), "b": (1, 1)},
            "x'": {k: {"mean": 0, "variance": 1, "coefficients": {"x": 1}} for k in "ab"},
        },
    )
    steps = 2000
    weights = np.tile([1e-3, 1.001e-3], (steps, 1))
    found = net.smooth({"x": [0.5] + [None] * (steps - 1)}, likelihood={"kind": weights}, particles=50)
    odds = 1.001**steps
    assert found["kind"][0]["b"] == pytest.approx(odds / (1 + odds), abs=0.15)
    normal = -0.5 * np.log(2 * np.pi) - 0.125
    exact = steps * np.log(1e-3) + np.log(0.5 * (1 + odds)) + normal
    assert found.log_likelihood == pytest.approx(exact, rel=1e-9)


def _machine() -> Any:
    lines = {state: {"mean": k, "variance": 1, "coefficients": {"x": 0.5}} for k, state in enumerate("abc")}
    return bayou.DynamicNetwork(
        "s -> s'; s -> x; x -> x'; x -> y",
        states={"s": list("abc")},
        continuous=["x", "y"],
        tables={
            "s": [0.5, 0.3, 0.2],
            "s'": [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]],
            "x": {"a": (0, 1), "b": (1, 1), "c": (2, 1)},
            "x'": lines,
            "y": {"mean": 0, "variance": 1, "coefficients": {"x": 1}},
        },
    )


@pytest.mark.parametrize("rows_at_once", [1, 2**16])
def test_no_change_of_one_state_makes_the_path_better(
    rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_path, "_ROWS_AT_ONCE", rows_at_once)
    net = _machine()
    data = {"y": net.sample(12, seed=2)["y"]}
    best = net.most_probable(data, particles=5, paths=1)
    assert not best.exact
    states = list(best["s"])
    known = net.most_probable(data | {"s": states})
    assert best.log_probability == pytest.approx(known.log_probability, rel=1e-9)
    for step in range(12):
        for state in "abc":
            other = [*states[:step], state, *states[step + 1 :]]
            log = net.most_probable(data | {"s": other}).log_probability
            assert log <= best.log_probability + 1e-9


def test_few_rows_are_compared_at_once_and_no_more_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    net, sizes = _machine(), []
    plain = MixedEvidence.along

    def along(self: MixedEvidence, paths: Any, weights: Any = None) -> MixedEvidence:
        sizes.append(paths.shape[0] * paths.shape[1])
        return plain(self, paths, weights)

    monkeypatch.setattr(MixedEvidence, "along", along)
    monkeypatch.setattr(best_path, "_ROWS_AT_ONCE", 200)
    monkeypatch.setattr(best_path, "_ROWS", 1000)
    best = net.most_probable({"y": net.sample(50, seed=2)["y"]}, particles=5, paths=3)
    assert max(sizes) <= 200
    assert best.compared * 50 <= 1000


def test_paths_that_do_not_fit_are_refused_with_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    net = _machine()
    one = MixedInput(net.template, net.variables)
    rows, _ = one.rows({"y": [0.0] * 2000}, {})
    evidence = one.read(rows, {})
    monkeypatch.setattr(bayou.memory, "available_memory", lambda: 10**5)
    with pytest.raises(bayou.errors.TooWide, match=r"Following 50 paths of the states of 2,000 rows"):
        evidence.along(np.zeros((50, 2000, 1), np.uint32))
