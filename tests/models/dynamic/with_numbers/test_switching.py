"""Numbers that unknown states switch: particles against the sum over all paths of states."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.with_numbers.joint_gaussian import JointGaussian, random_numbers

import bayou
from bayou.temporal.gaussian_templates.mixed_evidence import MixedEvidence
from bayou.temporal.gaussian_templates.mixed_model import _refuse_impossible, refuse
from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray


class Paths:
    """All paths of the states: their weights, and the Gaussians of the numbers given each."""

    def __init__(self, net: Any, length: int, data: dict[Any, list[Any]]) -> None:
        self.net, self.length = net, length
        nodes = [n for s in range(length) for n in net.template.nodes(s, last=s == length - 1)]
        stated = [n for n in nodes if not net.variables[n.name].is_continuous]
        known = {
            n: data[n.name][n.step]
            for n in nodes
            if n not in stated and n.name in data and data[n.name][n.step] is not None
        }
        choices = []
        for node in stated:
            value = data[node.name][node.step] if node.name in data else None
            codes = range(net.variables[node.name].cardinality)
            choices.append(codes if value is None else [net.variables[node.name].code(value)])
        self.paths, self.logs, self.gaussians = [], [], []
        for picked in itertools.product(*choices):
            codes = dict(zip(stated, picked, strict=True))
            joint = JointGaussian(net, length, {}, codes)
            log, mean, covariance = joint.given(known)
            self.paths.append(codes)
            self.logs.append(log + _log_of_states(net, codes))
            self.gaussians.append((mean, np.diagonal(covariance)))
            self.place = joint.place
        self.log_likelihood = float(np.logaddexp.reduce(self.logs))
        self.weights: FloatArray = np.exp(np.array(self.logs) - self.log_likelihood)

    def share(self, node: Node, code: int) -> float:
        """P(state of a node | everything known)."""
        return float(sum(w for w, codes in zip(self.weights, self.paths, strict=True) if codes[node] == code))

    def number(self, node: Node) -> tuple[float, float]:
        """Mean and variance of a number given everything known."""
        k = self.place[node]
        means = np.array([mean[k] for mean, _ in self.gaussians])
        spreads = np.array([spread[k] for _, spread in self.gaussians])
        mean = float(self.weights @ means)
        return mean, float(self.weights @ (spreads + (means - mean) ** 2))


def _log_of_states(net: Any, codes: dict[Node, int]) -> float:
    log = 0.0
    for node, code in codes.items():
        table = net.cpt(net.template.block(node)).to_array()
        log += float(np.log(table[(*(codes[one] for one in net.template.parents(node)), code)]))
    return log


def _case(seed: int, length: int) -> tuple[Any, dict[Any, list[Any]], Paths]:
    random = np.random.default_rng(seed)
    net = random_numbers(random, states=True)
    drawn = net.sample(length, seed=seed)
    data = {
        name: [v if random.random() < 0.7 else None for v in own]
        for name, own in drawn.items()
        if name != "S" and not net.template.outside(name)
    }
    return net, data, Paths(net, length, data)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_likelihood_is_right_on_average(seed: int) -> None:
    net, data, exact = _case(seed, 4)
    ratios = np.exp([net.score(data, particles=8, seed=k) - exact.log_likelihood for k in range(1000)])
    error = ratios.std() / np.sqrt(len(ratios))
    assert 0 < error < 0.05
    assert abs(ratios.mean() - 1) < 4 * error


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_filtered_states_and_numbers_are_near_the_exact_ones(seed: int) -> None:
    net, data, exact = _case(seed, 4)
    found = net.filter(data, ask=net.names, particles=20_000)
    assert found.approximate
    assert found.log_likelihood == pytest.approx(exact.log_likelihood, abs=0.05)
    assert found.effective_size.min() > 100
    for name in net.template.timed:
        node = Node(name, 3)
        if net.variables[name].is_continuous:
            mean, variance = exact.number(node)
            error = found.errors[name][3] + 1e-9
            assert abs(found[name].means[3] - mean) < 5 * error
            assert found[name].variances[3] == pytest.approx(variance, rel=0.1, abs=1e-9)
        else:
            for code in range(net.variables[name].cardinality):
                error = found.errors[name][3, code] + 1e-9
                assert abs(found[name].probabilities[3, code] - exact.share(node, code)) < 5 * error


@pytest.mark.parametrize(("seed", "least"), [(0, 0.5), (1, 0.0), (2, 0.5)])
def test_standard_errors_are_honest(seed: int, least: float) -> None:
    net, data, exact = _case(seed, 4)  # case 1: what particles may lack is more than what they vary by
    right = exact.share(Node("S", 3), 1)
    runs = [net.filter(data, ask="S", particles=200, seed=k) for k in range(200)]
    apart = [(run["S"].probabilities[3, 1] - right) / run.errors["S"][3, 1] for run in runs]
    assert least < np.sqrt(np.mean(np.square(apart))) < 1.3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_smoothed_states_and_numbers_are_near_the_exact_ones(seed: int) -> None:
    net, data, exact = _case(seed, 4)
    found = net.smooth(data, ask=net.names, particles=1000, paths=2000)
    assert found.approximate
    for name in net.template.timed:
        for step in range(4):
            node = Node(name, step)
            if net.variables[name].is_continuous:
                mean, variance = exact.number(node)
                assert abs(found[name].means[step] - mean) < 5 * found.errors[name][step] + 0.02
                assert found[name].variances[step] == pytest.approx(variance, rel=0.15, abs=0.01)
            else:
                for code in range(net.variables[name].cardinality):
                    assert found[name].probabilities[step, code] == pytest.approx(
                        exact.share(node, code), abs=0.06
                    )


def test_forecasts_go_on_from_the_particles() -> None:
    net, data, _ = _case(2, 3)
    longer = Paths(net, 5, {name: [*own, None, None] for name, own in data.items()})
    ahead = net.forecast(data, 2, particles=20_000)
    name = next(n for n in net.template.timed if net.variables[n].is_continuous)
    mean, variance = longer.number(Node(name, 4))
    assert ahead.first == 1
    assert abs(ahead[name].means[1] - mean) < 5 * ahead.errors[name][1]
    assert ahead[name].variances[1] == pytest.approx(variance, rel=0.1)
    assert ahead["S"].probabilities[1, 0] == pytest.approx(longer.share(Node("S", 4), 0), abs=0.03)


def test_known_states_are_answered_exactly() -> None:
    net, _, _ = _case(3, 3)
    drawn = net.sample(6, seed=9)
    data = {n: own for n, own in drawn.items() if not net.template.outside(n)}
    outside = {n: own for n, own in drawn.items() if net.template.outside(n)}
    exact = net.filter(data | outside)
    assert not exact.approximate
    close = net.filter(data | outside, engine="particles", particles=3)
    assert close.log_likelihood == pytest.approx(exact.log_likelihood, rel=1e-9)


def test_uncertain_findings_weigh_states() -> None:
    net, data, _ = _case(0, 2)
    seen = {"S": {1: {"x": 0.2, "y": 0.6}}}
    plain = np.exp(Paths(net, 2, data).log_likelihood)
    parts = [
        np.exp(Paths(net, 2, {**data, "S": [None, state]}).log_likelihood) * weight
        for state, weight in seen["S"][1].items()
    ]
    found = net.score(data, likelihood=seen, particles=20_000)
    assert np.exp(found) == pytest.approx(sum(parts), rel=0.05)
    assert sum(parts) < plain


def test_states_that_no_particle_has_are_not_certain_to_be_impossible() -> None:
    rare = bayou.DynamicNetwork(
        "S -> S'; S -> x",
        states={"S": ["a", "b"]},
        continuous=["x"],
        tables={
            "S": [0.999, 0.001],
            "S'": [[0.999, 0.001], [0.001, 0.999]],
            "x": {"a": (0, 1), "b": (0.5, 1)},
        },
    )
    data = {"x": [0.3] * 8}
    found = rare.filter(data, particles=30, engine="particles")
    exact = Paths(rare, 8, data).share(Node("S", 7), 1)
    assert abs(found["S"].probabilities[7, 1] - exact) < 4 * found.errors["S"][7, 1]
    assert rare.filter({"x": [0.3], "S": ["a"]}, engine="particles", ask="S").errors["S"].max() == 0


def test_several_sequences_and_the_same_numbers_for_any_threads() -> None:
    net, data, _ = _case(1, 4)
    both = [data, {name: own[:2] for name, own in data.items()}]
    found = net.filter(both, particles=500, seed=3)
    with bayou.threads(1):
        again = net.filter(both, particles=500, seed=3)
    assert [len(one["S"]) for one in found] == [4, 2]
    for left, right in zip(found, again, strict=True):
        assert left.log_likelihood == right.log_likelihood
        assert np.array_equal(left["S"].probabilities, right["S"].probabilities)
    assert net.filter(both, particles=500, seed=4)[0].log_likelihood != found[0].log_likelihood


def test_refusals_name_the_variable_and_what_works() -> None:
    net, data, _ = _case(1, 4)
    with pytest.raises(bayou.errors.BadQuestion, match='engine="particles"'):
        net.filter(data, engine="exact")
    with pytest.raises(bayou.errors.BadQuestion, match="factored"):
        net.filter(data, engine="factored")
    with pytest.raises(bayou.errors.BadQuestion, match="particles"):
        net.filter(data, particles=0)
    with pytest.raises(bayou.errors.BadQuestion, match="resampling"):
        net.filter(data, resampling="often")
    still = bayou.DynamicNetwork(
        "S -> S'; S -> x; x -> x'",
        states={"S": ["a", "b"]},
        continuous=["x"],
        tables={
            "S": [0.5, 0.5],
            "S'": [[0.5, 0.5], [0.5, 0.5]],
            "x": {"a": (0, 1), "b": (1, 1)},
            "x'": {state: {"mean": 0, "variance": 0, "coefficients": {"x": 1}} for state in "ab"},
        },
    )
    with pytest.raises(bayou.errors.BadQuestion, match="functions of the"):
        still.smooth({"x": [None, 2.0]})
    with pytest.raises(bayou.errors.ImpossibleEvidence, match="no particle can explain"):
        still.filter({"x": [1.0, 2.0]}, engine="particles")
    for second in (1.0, 2.0):
        with pytest.raises(bayou.errors.BadData, match=r"step 1 \(counting from 0\) have no density"):
            still.filter({"x": [1.0, second]})


def test_a_likelihood_of_a_constant_counts_once_at_any_step() -> None:
    line = {"mean": 0, "variance": 1}
    net = bayou.DynamicNetwork(
        "Kind -> x",
        constant=["Kind"],
        continuous=["x"],
        states={"Kind": ["a", "b"]},
        tables={"Kind": [0.5, 0.5], "x": {"a": line, "b": line}},
    )
    rows = {"x": [1.0, 2.0, 1.0]}
    want = np.log(0.55) - 3 - 1.5 * np.log(2 * np.pi)
    for seen in ({"a": 0.2, "b": 0.9}, {2: {"a": 0.2, "b": 0.9}}):
        assert net.score(rows, likelihood={"Kind": seen}) == pytest.approx(want)


def test_a_sequence_without_a_row_is_smoothed_beside_others() -> None:
    net, data, _ = _case(0, 2)
    nothing = {name: [] for name in data}
    without, found = net.smooth([nothing, data], ask=["S"])
    assert [len(without["S"]), len(found["S"])] == [0, 2]


def test_messages_about_paths_through_a_sequence_name_the_sequence() -> None:
    numbers, codes = np.zeros((7, 1)), np.zeros((7, 1), np.uint32)
    nothing_set = np.zeros((7, 1), np.uint8)
    layout: Any = None
    every = MixedEvidence(layout, np.array([0, 2, 7]), numbers, nothing_set, codes, nothing_set)
    one = every.of(1)
    # As smoothing does: four paths of states through the one sequence.
    paths = one.along(np.zeros((4, 5, 1), np.uint32))
    with pytest.raises(bayou.errors.BadData, match=r"step 3 of sequence 1 \(counting"):
        refuse(paths, 13)
    with pytest.raises(bayou.errors.ImpossibleEvidence, match=r"^Sequence 1 is impossible"):
        _refuse_impossible(paths, np.array([0.0, 0.0, -np.inf, 0.0]), None)
    with pytest.raises(bayou.errors.BadData, match=r"step 1 of sequence 0 \(counting"):
        refuse(every, 1)
