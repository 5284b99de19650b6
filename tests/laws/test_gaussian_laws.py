"""Continuous variables: learned in pieces to 1e-12, and every answer equal to the formulas of a mixture."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from tests.laws.strategies import law, random_rows, seeds, split_points

import bayou

STRUCTURE = {
    "z": ["y 1", "group b", "x", "class"],
    "class": [],
    "group b": ["class"],
    "y 1": ["x", "class"],
    "x": ["class"],
}
CONTINUOUS = ["x", "y 1", "z"]
STATES: dict[str, list[Any]] = {"class": [1, "1", "später"], "group b": ["no", "ja"]}


def close(left: Any, right: Any, scale: float = 1.0) -> None:
    np.testing.assert_allclose(left, right, rtol=1e-12 * scale, atol=1e-12 * scale)


@st.composite
def class_rows(draw: st.DrawFn) -> dict[str, Any]:
    """Rows of one class variable and a number; the classes of the first row come late."""
    random, rows = draw(seeds()), draw(st.integers(12, 60))
    classes = [1, "1", "später"]
    values = [classes[k] for k in random.integers(0, 3, rows)]
    mean = draw(st.sampled_from([0.0, 170.0, -1e3]))
    numbers = mean + random.normal(size=rows)
    numbers[random.random(rows) < draw(st.sampled_from([0.0, 0.1]))] = np.nan
    return {"class": values, "x": numbers, "y": random.normal(size=rows) + 0.3 * numbers}


def enough_in_every_class(rows: dict[str, Any], least: int = 4) -> bool:
    """Each class has rows for a line of its own, so that no estimate has to be borrowed."""
    complete = [c for c, x in zip(rows["class"], rows["x"], strict=True) if not np.isnan(x)]
    return all(complete.count(value) >= least for value in set(rows["class"]))


def part_of(rows: dict[str, Any], chosen: Any) -> dict[str, Any]:
    return {name: [column[k] for k in chosen] for name, column in rows.items()}


def fresh() -> bayou.Network:
    return bayou.Network("class -> x, y; x -> y", continuous=["x", "y"])


def assert_same_gaussians(left: bayou.Network, right: bayou.Network) -> None:
    for name in ("x", "y"):
        ours, theirs = left.frozen.gaussian(name), right.frozen.gaussian(name)
        # A line through far-off points loses the digits that the offset takes up, however it is learned.
        scale = 10 * (1 + float(np.abs(theirs.intercept).max()) / float(np.sqrt(theirs.variance.min())))
        close(ours.intercept, theirs.intercept, scale**2 if name == "y" else scale)
        close(ours.coefficients, theirs.coefficients, scale)
        close(ours.variance, theirs.variance, scale)


@given(class_rows(), st.data())
@law
def test_gaussians_learn_in_pieces_with_classes_that_come_late(rows: Any, data: st.DataObject) -> None:
    assume(enough_in_every_class(rows))
    count = len(rows["class"])
    order = sorted(range(count), key=lambda k: str(rows["class"][k]))
    cuts = data.draw(split_points(count))
    edges = [0, *cuts, count]
    parts = [order[start:stop] for start, stop in itertools.pairwise(edges)]
    assume(all(enough_in_every_class(part_of(rows, order[:stop])) for stop in edges[1:]))
    whole, pieces = fresh().fit(rows, method="count"), fresh()
    for part in parts:
        pieces.partial_fit(part_of(rows, part), method="count")
    np.testing.assert_array_equal(pieces.cpt("class").to_array(), whole.cpt("class").to_array())
    assert_same_gaussians(pieces, whole)


@given(class_rows(), st.data())
@law
def test_gaussians_forget_rows(rows: Any, data: st.DataObject) -> None:
    count = len(rows["class"])
    cut = data.draw(st.integers(1, count - 1))
    kept = part_of(rows, range(cut))
    assume(enough_in_every_class(kept) and set(kept["class"]) == set(rows["class"]))
    both = fresh().fit(rows, method="count").forget(part_of(rows, range(cut, count)))
    assert_same_gaussians(both, fresh().fit(kept, method="count"))


@given(class_rows())
@law
def test_gaussians_are_means_and_least_squares_by_hand(rows: Any) -> None:
    assume(enough_in_every_class(rows))
    net = fresh().fit(rows, method="count")
    x, y = np.array(rows["x"]), np.array(rows["y"])
    for state in net.states("class"):
        of_class = np.array([type(value) is type(state) and value == state for value in rows["class"]])
        mine = of_class & ~np.isnan(x)
        assert net.gaussian("x").mean({"class": state}) == pytest.approx(x[mine].mean(), rel=1e-12, abs=1e-12)
        assert net.gaussian("x").variance({"class": state}) == pytest.approx(x[mine].var(), rel=1e-9)
        centred = x[mine] - x[mine].mean()
        slope = (centred @ (y[mine] - y[mine].mean())) / (centred @ centred)
        assert net.gaussian("y").coefficients({"class": state})["x"] == pytest.approx(
            slope, rel=1e-9, abs=1e-9
        )


def test_sharing_a_gaussian_pools_its_rows() -> None:
    random = np.random.default_rng(5)
    columns = {name: random.normal(size=40) + k for k, name in enumerate(["left eye", "right eye"])}
    shared = bayou.Network(
        {"left eye": [], "right eye": []}, continuous=list(columns), share={"eye": list(columns)}
    ).fit(columns)
    both = np.concatenate(list(columns.values()))
    for name in columns:
        assert shared.gaussian(name).mean() == pytest.approx(both.mean(), rel=1e-12)
        assert shared.gaussian(name).variance() == pytest.approx(both.var(), rel=1e-12)


@st.composite
def hybrid_networks(draw: st.DrawFn) -> bayou.Network:
    """Two discrete and three continuous variables with random parameters, the tables with some zeros."""
    random = draw(seeds())
    net = bayou.Network(STRUCTURE, states=STATES, continuous=CONTINUOUS)
    net.set_cpt("class", random_rows(random, (3,), draw(st.sampled_from([0.0, 0.5]))))
    net.set_cpt("group b", random_rows(random, (3, 2), 0.2))
    for name in CONTINUOUS:
        discrete = [parent for parent in STRUCTURE[name] if parent not in CONTINUOUS]
        inputs = [parent for parent in STRUCTURE[name] if parent in CONTINUOUS]
        parameters = {}
        for states in itertools.product(*(STATES[parent] for parent in discrete)):
            parameters[states if len(states) > 1 else states[0]] = {
                "mean": float(random.normal()),
                "variance": float(random.gamma(2.0) + 0.1),
                "coefficients": {parent: float(random.normal()) for parent in inputs},
            }
        net.set_gaussian(name, parameters)
    return net


def components(net: bayou.Network, do: dict[str, Any]) -> list[tuple[dict[str, Any], float, Any, Any]]:
    """For each pair of discrete states: its probability, and mean and covariance of the continuous ones.

    From x = a + Wx + e: mean (I−W)⁻¹a, covariance (I−W)⁻¹D(I−W)⁻ᵀ; do() cuts a row of W and its noise.
    """
    result = []
    for first, second in itertools.product(*STATES.values()):
        states = {"class": first, "group b": second}
        weight = 1.0
        for name, given_states in {"class": (first,), "group b": (first, second)}.items():
            if name in do:
                weight *= float(do[name] == states[name])
            else:
                table = net.cpt(name)
                weight *= table[given_states if len(given_states) > 1 else given_states[0]]
        slopes, start, noise = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
        for k, name in enumerate(CONTINUOUS):
            if name in do:
                start[k] = do[name]
                continue
            discrete = {parent: states[parent] for parent in STRUCTURE[name] if parent not in CONTINUOUS}
            node = net.gaussian(name)
            start[k], noise[k] = node.mean(discrete), node.variance(discrete)
            for parent, slope in node.coefficients(discrete).items():
                slopes[k, CONTINUOUS.index(parent)] = slope
        reach = np.linalg.inv(np.eye(3) - slopes)
        result.append((states, weight, reach @ start, reach @ np.diag(noise) @ reach.T))
    return result


def log_weights(
    net: bayou.Network, seen: dict[str, Any], do: dict[str, Any] | None = None, soft: Any = None
) -> Any:
    """log of P(discrete states) · density(seen numbers | them), for every pair of discrete states."""
    logs = []
    at = [k for k, name in enumerate(CONTINUOUS) if name in seen]
    for states, weight, mean, covariance in components(net, do or {}):
        weight *= all(states[name] == seen[name] for name in states if name in seen)
        for name, weights in (soft or {}).items():
            weight *= weights[states[name]]
        log = np.log(weight) if weight > 0 else -np.inf
        if at and weight > 0:
            values = [seen[CONTINUOUS[k]] for k in at]
            log += multivariate_normal(mean[at], covariance[np.ix_(at, at)]).logpdf(values)
        logs.append(log)
    return np.array(logs)


def some_findings(net: bayou.Network, data: st.DataObject) -> dict[str, Any]:
    """A random subset of the cells of a row that the network itself drew."""
    row = net.sample(1, seed=data.draw(st.integers(0, 1000))).to_dicts()[0]
    chosen = data.draw(st.sets(st.sampled_from(sorted(row))))
    return {name: row[name] for name in row if name in chosen}


@given(hybrid_networks(), st.data())
@law
def test_the_density_of_a_row_with_gaps_is_that_of_the_mixture(
    net: bayou.Network, data: st.DataObject
) -> None:
    rows = [some_findings(net, data) for _ in range(4)]
    table = {name: [row.get(name) for row in rows] for name in STRUCTURE}
    for name in CONTINUOUS:
        table[name] = [np.nan if value is None else value for value in table[name]]
    expected = [logsumexp(log_weights(net, row)) for row in rows]
    np.testing.assert_allclose(net.log_probability(table), expected, rtol=1e-9, atol=1e-9)


@given(hybrid_networks(), st.data())
@law
def test_posteriors_given_numbers_are_those_of_the_mixture(net: bayou.Network, data: st.DataObject) -> None:
    seen = some_findings(net, data)
    soft = {"group b": {"no": 0.25, "ja": 2.0}} if data.draw(st.booleans()) else {}
    logs = log_weights(net, seen, soft=soft)
    for name in [name for name in STATES if name not in seen]:
        posterior = net.query(name, seen, likelihood=soft)
        assert posterior.log_evidence == pytest.approx(logsumexp(logs), rel=1e-9, abs=1e-9)
        for state in STATES[name]:
            agreeing = [row[0][name] == state for row in components(net, {})]
            expected = np.exp(logs[agreeing] - logsumexp(logs)).sum()
            assert posterior[state] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(hybrid_networks(), st.data())
@law
def test_the_posterior_of_a_number_is_the_conditioned_mixture(
    net: bayou.Network, data: st.DataObject
) -> None:
    seen = some_findings(net, data)
    hidden = [name for name in CONTINUOUS if name not in seen]
    assume(hidden)
    do = {}
    if data.draw(st.booleans()):
        free = [name for name in STRUCTURE if name not in seen and name != hidden[0]]
        for name in free[: data.draw(st.integers(0, 2))]:
            do[name] = STATES[name][1] if name in STATES else 0.7
    logs = log_weights(net, seen, do)
    assume(np.isfinite(logs.max()))
    weights = np.exp(logs - logsumexp(logs))
    at = [k for k, name in enumerate(CONTINUOUS) if name in seen]
    k = CONTINUOUS.index(hidden[0])
    means, variances = [], []
    for _, _, mean, covariance in components(net, do):
        gain = np.zeros(len(at))
        if at:
            gain = covariance[k, at] @ np.linalg.inv(covariance[np.ix_(at, at)])
        means.append(mean[k] + gain @ (np.array([seen[CONTINUOUS[i]] for i in at]) - mean[at]))
        variances.append(covariance[k, k] - gain @ covariance[at, k])
    centre = weights @ np.array(means)
    spread = weights @ (np.array(variances) + (np.array(means) - centre) ** 2)
    posterior = net.query(hidden[0], seen, do=do)
    assert posterior.mean == pytest.approx(centre, rel=1e-8, abs=1e-8)
    assert posterior.variance == pytest.approx(spread, rel=1e-8, abs=1e-8)
    assert posterior.log_evidence == pytest.approx(logsumexp(logs), rel=1e-8, abs=1e-8)


def test_a_gaussian_stated_for_one_is_not_stated_for_true() -> None:
    net = bayou.Network("a -> x", states={"a": [1, True]}, continuous=["x"])
    with pytest.raises(bayou.BayouError, match="entry for True"):
        net.set_gaussian("x", {1: (0, 1)})


def test_a_gaussian_stated_for_a_state_that_is_none_is_refused() -> None:
    net = bayou.Network("a, b -> x", states={"a": ["u", "v"], "b": [1, 2]}, continuous=["x"])
    stated = {(a, b): (0, 1) for a in "uv" for b in (1, 2)}
    net.set_gaussian("x", stated)
    with pytest.raises(bayou.BayouError, match="'w'"):
        net.set_gaussian("x", {**stated, ("w", 1): (0, 1)})
    with pytest.raises(bayou.BayouError, match="not one state each"):
        net.set_gaussian("x", {"u": (0, 1), "v": (0, 1)})
