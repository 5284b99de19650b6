"""Templates of numbers equal the Gaussian of all their slices, with gaps, lags, interventions and states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.with_numbers.joint_gaussian import JointGaussian, random_numbers

import bayou
from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray

CLOSE: dict[str, float] = {"rel": 1e-9, "abs": 1e-9}


def _observed(
    net: Any, sequence: dict[Any, list[Any]], length: int, random: np.random.Generator
) -> tuple[
    dict[Any, list[Any]], dict[Any, dict[int, float]], dict[Node, float], dict[Node, float], dict[Node, int]
]:
    """(data with gaps, interventions, known nodes, set nodes, codes of nodes with states)."""
    template = net.template
    data: dict[Any, list[Any]] = {name: [None] * length for name in template.names}
    do: dict[Any, dict[int, float]] = {}
    known: dict[Node, float] = {}
    set_to: dict[Node, float] = {}
    codes: dict[Node, int] = {}
    for step in range(length):
        for node in template.nodes(step, last=step == length - 1):
            value = sequence[node.name][step]
            if not net.variables[node.name].is_continuous:
                data[node.name][step] = value
                codes[node] = net.variables[node.name].code(value)
                continue
            kind = random.random()
            if kind < 0.5:
                data[node.name][step] = known[node] = value
            elif kind < 0.65:
                do.setdefault(node.name, {})[step] = set_to[node] = float(random.normal())
    return data, do, known, set_to, codes


@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
@settings(max_examples=60, deadline=None)
def test_everything_equals_the_joint_gaussian(seed: int, lags: int, states: bool) -> None:
    random = np.random.default_rng(seed)
    net = random_numbers(random, lags=lags, states=states)
    length = int(random.integers(1, 7))
    sequence = net.sample(length, seed=seed)
    data, do, known, set_to, codes = _observed(net, sequence, length, random)
    joint = JointGaussian(net, length, set_to, codes)
    log, mean, covariance = joint.given(known)
    log += _log_of_states(net, codes)
    assert net.score(data, do=do) == pytest.approx(log, **CLOSE)
    smooth = net.smooth(data, ask=net.names, do=do)
    assert smooth.log_likelihood == pytest.approx(log, **CLOSE)
    filtered = net.filter(data, ask=net.names, do=do)
    numbers = [n for n in net.names if net.variables[n].is_continuous]
    for node, k in joint.place.items():
        own = smooth[node.name]
        assert own.means[node.step] == pytest.approx(mean[k], **CLOSE)
        assert own.variances[node.step] == pytest.approx(covariance[k, k], **CLOSE)
        so_far = {
            n: v
            for n, v in known.items()
            if n.step <= node.step and not (n.name in net.template.last and node.step < length - 1)
        }
        _, early, spread = joint.given(so_far)
        assert filtered[node.name].means[node.step] == pytest.approx(early[k], **CLOSE)
        assert filtered[node.name].variances[node.step] == pytest.approx(spread[k, k], **CLOSE)
    pairs = [
        (a, b)
        for a in numbers
        for b in numbers
        if not net.template.outside(a) and not net.template.outside(b)
    ]
    for a, b in pairs:
        cell = covariance[joint.place[Node(a, length - 1)], joint.place[Node(b, length - 1)]]
        assert smooth.covariances(a, b)[length - 1, 0, 1] == pytest.approx(cell, **CLOSE)
    assert np.sum(filtered.steps) == pytest.approx(log, **CLOSE)


def _log_of_states(net: Any, codes: dict[Node, int]) -> float:
    log = 0.0
    for node, code in codes.items():
        table = net.cpt(net.template.block(node)).to_array()
        log += float(np.log(table[(*(codes[one] for one in net.template.parents(node)), code)]))
    return log


def test_forecasts_and_unrolled_networks_agree() -> None:
    net = random_numbers(np.random.default_rng(5), lags=2)
    sequence = net.sample(4, seed=1)
    name = net.template.timed[0]
    data = {name: sequence[name]}
    ahead = net.forecast(data, 3)
    joint = JointGaussian(net, 7, {}, {})
    _, mean, covariance = joint.given({Node(name, k): v for k, v in enumerate(sequence[name])})
    for one in net.template.timed:
        for step in (4, 5, 6):
            k = joint.place[Node(one, step)]
            assert ahead[one].means[step - 4] == pytest.approx(mean[k], **CLOSE)
            assert ahead[one].variances[step - 4] == pytest.approx(covariance[k, k], **CLOSE)
    unrolled = net.network(4)
    found = unrolled.query(f"{name}3")
    assert found.mean == pytest.approx(joint.mean[joint.place[Node(name, 3)]], **CLOSE)


def _track() -> bayou.DynamicNetwork:
    """A thing that moves on; its place is a function of where it was and its speed."""
    return bayou.DynamicNetwork(
        "place, speed -> place'; speed, push -> speed'; place -> seen",
        continuous=["place", "speed", "push", "seen"],
        tables={
            "place": (0, 4),
            "place'": {"mean": 0, "coefficients": {"place": 1, "speed": 1}, "variance": 0},
            "speed": (0, 1),
            "speed'": {"mean": 0, "coefficients": {"speed": 0.9, "push": 2}, "variance": 0.1},
            "seen": {"mean": 0, "coefficients": {"place": 1}, "variance": 1},
        },
    )


def test_it_equals_the_kalman_filter_with_control_inputs() -> None:
    random = np.random.default_rng(0)
    push, seen = random.normal(size=30), random.normal(size=30).cumsum()
    seen[[3, 4, 20]] = np.nan
    net = _track()
    kalman = bayou.KalmanModel(
        [[1, 1], [0, 0.9]],
        [[1, 0]],
        transition_noise=[0, 0.1],
        observation_noise=1,
        start_covariance=[4, 1],
        control=[[0], [2]],
    )
    data = {"push": push, "seen": seen}
    # push acts one slice later here, in the same row there
    moved = np.concatenate([[0.0], push[:-1]])
    for ours, theirs in (
        (net.filter(data, do=["push"]), kalman.filter(seen, controls=moved)),
        (net.smooth(data, do=["push"]), kalman.smooth(seen, controls=moved)),
    ):
        assert ours.log_likelihood == pytest.approx(theirs.log_likelihood, **CLOSE)
        for k, name in enumerate(["place", "speed"]):
            assert np.allclose(ours[name].means, theirs.means[:, k], rtol=1e-9, atol=1e-9)
            assert np.allclose(ours[name].deviations, theirs.deviations[:, k], rtol=1e-9, atol=1e-9)
    ahead = net.forecast(data, 2, do={"push": [*push, 1.0, 0.0]})
    known = kalman.forecast(seen, 2, controls=moved, future=[push[-1], 1.0])
    assert np.allclose(ahead["place"].means, known.state_means[:, 0], rtol=1e-9)


def test_an_input_without_a_table_must_be_set_at_every_step() -> None:
    with pytest.raises(bayou.errors.NotFitted, match="push"):
        _track().filter({"push": [1.0, None], "seen": [0.0, 1.0]}, do=["push"])


def test_covariances_stay_positive_over_a_hundred_thousand_steps() -> None:
    net = _track()
    drawn = _driven(100_000)
    found = net.smooth({"seen": drawn["seen"], "push": drawn["push"]}, do=["push"])
    least = np.linalg.eigvalsh(found.covariances("place", "speed"))[:, 0]
    assert least.min() > 0
    apart = (found["place"].means - drawn["place"]) / found["place"].deviations
    assert abs(np.mean(apart**2) - 1) < 0.05
    start = net.smooth({"seen": drawn["seen"][:200], "push": drawn["push"][:200]}, do=["push"])
    assert np.allclose(start["speed"].means[:100], found["speed"].means[:100], atol=1e-9)


def _driven(length: int) -> dict[str, FloatArray]:
    random = np.random.default_rng(3)
    place, speed = np.zeros(length), np.zeros(length)
    place[0], speed[0] = 2 * random.normal(), random.normal()
    noise = np.sqrt(0.1) * random.normal(size=length)
    for step in range(1, length):
        place[step] = place[step - 1] + speed[step - 1]
        speed[step] = 0.9 * speed[step - 1] + noise[step]
    return {
        "place": place,
        "speed": speed,
        "push": np.zeros(length),
        "seen": place + random.normal(size=length),
    }


def test_values_without_a_density_are_refused_with_their_step() -> None:
    net = _track()
    with pytest.raises(bayou.errors.BadData, match="step 1"):
        net.score({"place": [0.0, 1.0], "speed": [1.0, 1.0]}, do={"push": 0.0})


def test_threads_change_nothing() -> None:
    net = random_numbers(np.random.default_rng(11), lags=2)
    sequences = net.sample(50, sequences=200, seed=2)
    data = [{net.names[0]: one[net.names[0]]} for one in sequences]
    with bayou.threads(1):
        one = net.smooth(data)
    two = net.smooth(data)
    for left, right in zip(one, two, strict=True):
        for name in left:
            assert np.array_equal(left[name].means, right[name].means, equal_nan=True)
