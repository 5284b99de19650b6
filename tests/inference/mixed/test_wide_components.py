"""Networks with far too many discrete combinations to enumerate, and findings that contradict each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import norm
from tests.inference.mixed.mixed_networks import combinations, weights_of
from tests.laws.strategies import law, random_rows, seeds

import bayou
from bayou.distributions import Distribution, LinearGaussian, Table
from bayou.errors import TooWide
from bayou.graphs import Dag
from bayou.inference import Question, ask, best, marginals
from bayou.networks import FrozenNetwork
from bayou.schema import Schema, Variable

STEPS = 60


class SwitchingChain:
    """Z1 → Z2 → … with hidden x_t | Z_t and its noisy reading y_t: a group for each step."""

    def __init__(self, random: np.random.Generator) -> None:
        self.start, self.move = random_rows(random, (3,), 0.0), random_rows(random, (3, 3), 0.2)
        self.level, self.width = 4 * random.normal(size=3), random.gamma(2.0, size=3) + 0.1
        self.slope, self.noise = random.normal(size=3), 0.3
        parents: dict[Any, list[Any]] = {}
        blocks: dict[Any, Distribution] = {}
        variables: list[Variable] = []
        for t in range(STEPS):
            state, level, reading = f"Zustand {t}", f"x {t}", ("y", t)
            parents |= {state: [f"Zustand {t - 1}"] if t else [], level: [state], reading: [level, state]}
            blocks[state] = Table(self.move if t else self.start)
            blocks[level] = LinearGaussian(self.level, np.zeros((3, 0)), self.width)
            blocks[reading] = LinearGaussian(np.zeros(3), self.slope[:, None], np.full(3, self.noise))
            variables += [Variable(state, ["a", "b", "c"]), Variable(level), Variable(reading)]
        names = [variable.name for variable in variables]
        self.network = FrozenNetwork(Schema(variables), Dag(names, parents), {}, blocks)
        self.found = {("y", t): float(value) for t, value in enumerate(2 * random.normal(size=STEPS))}

    def densities(self) -> np.ndarray:
        """log p(y_t | Z_t) for each step and state."""
        y = np.array([self.found["y", t] for t in range(STEPS)])
        return norm.logpdf(
            y[:, None], self.slope * self.level, np.sqrt(self.slope**2 * self.width + self.noise)
        )

    def smoothed(self) -> tuple[np.ndarray, float]:
        """The forward-backward algorithm in logs."""
        with np.errstate(divide="ignore"):
            start, move = np.log(self.start), np.log(self.move)
        local = self.densities()
        forward, backward = [start + local[0]], [np.zeros(3)]
        for t in range(1, STEPS):
            forward.append(logsumexp(forward[-1][:, None] + move, axis=0) + local[t])
            backward.insert(0, logsumexp(move + (local[STEPS - t] + backward[0])[None, :], axis=1))
        total = float(logsumexp(forward[-1]))
        return np.exp(np.array(forward) + np.array(backward) - total), total


@given(seeds())
@law
def test_a_switching_chain_of_sixty_steps_equals_forward_and_backward(random: np.random.Generator) -> None:
    chain = SwitchingChain(random)
    expected, log_evidence = chain.smoothed()
    states = tuple(f"Zustand {t}" for t in range(STEPS))
    answers = marginals(chain.network, Question(states, chain.found))
    for t, name in enumerate(states):
        np.testing.assert_allclose(answers.tables[name], expected[t], rtol=1e-9, atol=1e-9)
        assert abs(answers.tables[name].sum() - 1) < 1e-12
    assert answers.log_evidence == pytest.approx(log_evidence, rel=1e-9)
    posterior = ask(chain.network, Question(("x 17",), chain.found)).mixture
    assert posterior is not None
    gain = chain.slope * chain.width / (chain.slope**2 * chain.width + chain.noise)
    means = chain.level + gain * (chain.found["y", 17] - chain.slope * chain.level)
    assert posterior.mean == pytest.approx(expected[17] @ means, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(np.sort(posterior.weights), np.sort(expected[17]), rtol=1e-9, atol=1e-9)


def many_switches(count: int) -> bayou.Network:
    """Readings of pairs of hidden numbers, each with its own switch: 2^count combinations in all."""
    arcs: dict[Any, list[Any]] = {}
    for k in range(count):
        arcs |= {f"s{k}": [], f"x{k}": [f"s{k}"]}
    for k in range(0, count, 2):
        arcs[f"y{k}"] = [f"x{k}", f"x{k + 1}"]
    real = [name for name in arcs if not name.startswith("s")]
    net = bayou.Network(arcs, states={f"s{k}": [False, True] for k in range(count)}, continuous=real)
    for k in range(count):
        net.set_cpt(f"s{k}", [0.7, 0.3]).set_gaussian(f"x{k}", {False: (0, 1), True: (k, 2)})
    for k in range(0, count, 2):
        slopes = {f"x{k}": 1.0, f"x{k + 1}": -1.0}
        net.set_gaussian(f"y{k}", {"mean": 0, "variance": 0.5, "coefficients": slopes})
    return net


def test_independent_pairs_of_fifty_switches_are_each_answered_alone() -> None:
    net = many_switches(50)
    found = {f"y{k}": 0.1 * k - 1 for k in range(0, 50, 2)}
    total = 0.0
    for k in range(0, 50, 2):
        logs = np.zeros((2, 2))
        for a in range(2):
            for b in range(2):
                width = np.sqrt((1 + a) + (1 + b) + 0.5)
                logs[a, b] = np.log(0.3 if a else 0.7) + np.log(0.3 if b else 0.7)
                logs[a, b] += norm.logpdf(found[f"y{k}"], a * k - b * (k + 1), width)
        total += float(logsumexp(logs))
        table = np.exp(logs - logsumexp(logs))
        np.testing.assert_allclose(net.query([f"s{k}", f"s{k + 1}"], found).to_array(), table, rtol=1e-9)
    assert net.log_evidence(found) == pytest.approx(total, rel=1e-12)
    assert len(net.marginals(found)) == 100
    assert net.plan("x0", found).refused is None


def test_a_group_that_is_too_wide_is_refused_by_name_before_anything_is_allocated() -> None:
    arcs = {**{f"s{k}": [] for k in range(60)}, "x": [f"s{k}" for k in range(3)]}
    for k in range(3, 60):
        arcs[f"x{k}"] = ["x" if k == 3 else f"x{k - 1}", f"s{k}"]
    states = {f"s{k}": [0, 1] for k in range(60)}
    net = bayou.Network(arcs, states=states, continuous=[name for name in arcs if name.startswith("x")])
    for k in range(60):
        net.set_cpt(f"s{k}", [0.5, 0.5])
    net.set_gaussian("x", {(a, b, c): (a + b + c, 1) for a in (0, 1) for b in (0, 1) for c in (0, 1)})
    for k in range(3, 60):
        parent = "x" if k == 3 else f"x{k - 1}"
        net.set_gaussian(
            f"x{k}", {s: {"mean": s, "variance": 1, "coefficients": {parent: 0.5}} for s in (0, 1)}
        )
    with pytest.raises(TooWide, match=r"x, x3, x4.*1\.15e\+18 combinations.*s0, s1.*bayou\.limits"):
        net.query("s1", {"x59": 1.0})
    assert "depend on each other" in str(net.plan("s1", {"x59": 1.0}).refused)
    # Real findings in the middle cut it: what is left is small.
    cut = {f"x{k}": 0.5 * k for k in range(4, 60, 4)} | {"x59": 1.0}
    assert net.query("s1", cut).to_array().sum() == pytest.approx(1.0, abs=1e-12)
    assert net.query("x10", cut).variance > 0
    with bayou.limits(memory=100), pytest.raises(TooWide):
        net.query("x10", cut)


@given(seeds(), st.integers(1, 6))
@law
def test_findings_that_contradict_each_other_by_thousands_of_logs(
    random: np.random.Generator, readings: int
) -> None:
    """Each reading has its own scope, so that no factor alone knows what the others say."""
    names = ["s", *(f"t{k}" for k in range(readings)), *(f"x{k}" for k in range(readings))]
    variables = [Variable(n) if str(n).startswith("x") else Variable(n, ["a", "b"]) for n in names]
    parents: dict[Any, list[Any]] = {"s": []}
    blocks: dict[Any, Distribution] = {"s": Table(random_rows(random, (2,), 0.0))}
    for k in range(readings):
        parents |= {f"t{k}": ["s"], f"x{k}": ["s", f"t{k}"]}
        blocks[f"t{k}"] = Table(random_rows(random, (2, 2), 0.0))
        blocks[f"x{k}"] = LinearGaussian(
            100 * random.normal(size=(2, 2)), np.zeros((2, 2, 0)), np.full((2, 2), 1.5)
        )
    network = FrozenNetwork(Schema(variables), Dag(names, parents), {}, blocks)
    question = Question((), {f"x{k}": 100 * float(random.normal()) for k in range(readings)})
    every = combinations(network, question)
    weights, log_evidence = weights_of(every)
    expected = [sum(w for one, w in zip(every, weights, strict=True) if one.states["s"] == k) for k in (0, 1)]
    answer = ask(network, replace(question, targets=("s",)))
    np.testing.assert_allclose(answer.table, expected, rtol=1e-9, atol=1e-9)
    assert answer.log_evidence == pytest.approx(log_evidence, rel=1e-12)
    top = best(network, replace(question, targets=("s",)))[0]
    assert np.exp(top.log_probability) == pytest.approx(max(expected), rel=1e-9)
    several = marginals(network, replace(question, targets=("s", "t0")))
    np.testing.assert_allclose(several.tables["s"], expected, rtol=1e-9, atol=1e-9)


def test_equal_components_of_a_mixture_are_put_together() -> None:
    net = bayou.Network("a, b -> x", states={"a": [0, 1], "b": [0, 1, 2]}, continuous=["x"])
    net.set_cpt("a", [0.25, 0.75]).set_cpt("b", [0.5, 0.25, 0.25])
    net.set_gaussian("x", {(a, b): (a, 1) for a in (0, 1) for b in (0, 1, 2)})
    mixture = net.query("x").mixture
    assert mixture.weights.tolist() == [0.25, 0.75]
    assert mixture.means.tolist() == [0.0, 1.0]
