"""States that emit alike: Baum–Welch with pooled weights in plain numpy, and what follows from ties."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.models.sequences.chain_oracle import Oracle, normalised

import bayou
from bayou.errors import BadQuestion, BadTable, BayouError

ALIKE = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])


def tied_step(oracle: Oracle, sequences: list, prior: float) -> tuple[float, Oracle]:
    """One step: what states emit is estimated from the rows of all states that are tied."""
    total, first, moves, smoothed = 0.0, np.zeros(3), np.zeros((3, 3)), []
    for one in sequences:
        log, states, own = oracle.messages(one)
        total, first, moves = total + log, first + states[0], moves + own
        smoothed.append(states)
    every = np.concatenate(smoothed)
    pooled = every @ ALIKE
    made = Oracle(normalised(first + prior), normalised(moves + prior), shape=oracle.shape)
    codes = np.concatenate([one["symbol"] for one in sequences])
    made.tables["symbol"] = normalised(
        np.array([[pooled[codes == c, k].sum() for c in range(3)] for k in range(3)]) + prior
    )
    counts = np.concatenate([one["count"] for one in sequences])
    made.rates["count"] = (counts @ pooled) / pooled.sum(axis=0)
    x = np.concatenate([one["x"] for one in sequences])
    made.shares = np.ones((3, 1))
    means = (pooled.T @ x) / pooled.sum(axis=0)[:, None]
    away = x[:, None] - means
    if oracle.shape == "shared":
        shared = np.einsum("tk,tki,tkj->ij", every, away, away) / len(x)
        covariances = np.tile(shared, (3, 1, 1))
    else:
        covariances = np.einsum("tk,tki,tkj->kij", pooled, away, away) / pooled.sum(axis=0)[:, None, None]
    made.means, made.covariances = means[:, None], covariances[:, None]
    return total, made


def drawn(chance: np.random.Generator, lengths: list[int]) -> list[dict]:
    made = []
    for length in lengths:
        states = np.cumsum(chance.random(length) < 0.3) % 2
        made.append(
            {
                "symbol": states + chance.integers(0, 2, length),
                "count": chance.poisson(1 + 3.0 * states).astype(float),
                "x": chance.normal(2.0 * states[:, None], 1.0, (length, 2)) @ [[1.0, 0.4], [0.0, 0.8]],
            }
        )
    return made


def table(one: dict) -> dict:
    return {"symbol": one["symbol"], "count": one["count"], "x0": one["x"][:, 0], "x1": one["x"][:, 1]}


def begun(shape: str) -> tuple[Oracle, bayou.HMM]:
    oracle = Oracle(np.array([0.5, 0.3, 0.2]), np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.3, 0.3, 0.4]]))
    oracle.shape = shape
    oracle.tables["symbol"] = np.array([[0.5, 0.3, 0.2], [0.1, 0.5, 0.4], [0.5, 0.3, 0.2]])
    oracle.rates["count"] = np.array([1.0, 3.0, 1.0])
    oracle.shares, oracle.means = np.ones((3, 1)), np.array([[[0.0, 0.0]], [[2.0, 1.0]], [[0.0, 0.0]]])
    oracle.covariances = np.tile(1.5 * np.eye(2), (3, 1, 1, 1))
    spec = {"symbol": [0, 1, 2], "count": "poisson", "x0": "gaussian", "x1": "gaussian"}
    hmm = bayou.HMM(["a", "b", "c"], spec, covariance=shape, tie=[("a", "c")])
    hmm.set_start(oracle.start).set_transition(oracle.transition)
    hmm.set_emission("symbol", oracle.tables["symbol"]).set_emission("count", {"rate": oracle.rates["count"]})
    return oracle, hmm.set_gaussian(oracle.means[:, 0], oracle.covariances[:, 0])


@pytest.mark.parametrize("prior", [0, 1.5])
@pytest.mark.parametrize("shape", ["full", "shared"])
def test_ten_steps_of_tied_states(shape: str, prior: float) -> None:
    data = drawn(np.random.default_rng(1), [30, 1, 25, 40])
    oracle, hmm = begun(shape)
    logs = []
    for _ in range(10):
        log, oracle = tied_step(oracle, data, prior)
        logs.append(log)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bayou.BayouWarning)
        hmm.fit(
            [table(one) for one in data],
            prior=prior,
            method="baum-welch",
            start="present",
            tolerance=0,
            max_iterations=10,
        )
    np.testing.assert_allclose(hmm.learning.log_likelihoods[:10], logs, rtol=1e-9)
    assert np.all(np.diff(hmm.learning.objectives) >= 0)
    np.testing.assert_allclose(hmm.transition, oracle.transition, rtol=1e-8)
    np.testing.assert_allclose(hmm.emission("symbol").values, oracle.tables["symbol"], rtol=1e-8)
    np.testing.assert_allclose(hmm.emission("count").rate, oracle.rates["count"], rtol=1e-8)
    np.testing.assert_allclose(hmm.means, oracle.means[:, 0], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(hmm.covariances, oracle.covariances[:, 0], rtol=1e-7)


@pytest.mark.parametrize("method", ["em", "viterbi"])
@pytest.mark.usefixtures("few_starts")
def test_learned_from_nothing_the_tied_states_emit_alike(method: str, tmp_path: Path) -> None:
    data = [table(one) for one in drawn(np.random.default_rng(1), [60, 60, 60])]
    spec = {"symbol": [0, 1, 2], "count": "poisson", "x0": "gaussian", "x1": "gaussian"}
    hmm = bayou.HMM(["a", "b", "c"], spec, components=2, tie=[("a", "c")])
    hmm.fit(data, method=method, prior=1, tolerance=0.01)
    hmm.save(tmp_path / "tied.bayou")
    again = bayou.load(tmp_path / "tied.bayou").partial_fit(data[0])
    for one in (hmm, again):
        table_, rate = one.emission("symbol").values, one.emission("count").rate
        np.testing.assert_allclose(table_[0], table_[2], rtol=1e-12)
        np.testing.assert_allclose(rate[0], rate[2], rtol=1e-12)
        np.testing.assert_allclose(one.means[:2], one.means[4:], rtol=1e-9)
        assert np.abs(table_[0] - table_[1]).max() > 0.1
        assert np.abs(one.transition[0] - one.transition[2]).max() > 1e-4


def test_counted_states_are_pooled_and_parameters_counted_once() -> None:
    states = [["a", "a", "b", "c"]]
    hmm = bayou.HMM(["a", "b", "c"], {"x": [0, 1]}, tie=[["a", "c"]]).fit([[0, 0, 1, 1]], states=states)
    # Of three rows in a or c two are 0; the prior adds 1 to each.
    np.testing.assert_allclose(hmm.emission("x").values, [[0.6, 0.4], [1 / 3, 2 / 3], [0.6, 0.4]], rtol=1e-12)
    assert hmm.free_parameters == 2 + 3 * 2 + 2
    _, full = begun("full")
    assert full.free_parameters == 2 + 6 + 2 * (2 + 1 + 2 + 3)
    _, shared = begun("shared")
    assert shared.free_parameters == 2 + 6 + 2 * (2 + 1 + 2) + 3


def test_a_stay_of_at_least_three_steps() -> None:
    chance = np.random.default_rng(3)
    states = np.repeat(np.arange(60) % 2, chance.integers(3, 9, 60))
    x = chance.normal(1.5 * states, 1.0)
    hmm = bayou.HMM(["a1", "a2", "a3", "b"], {"x": "gaussian"}, tie=[("a1", "a2", "a3")])
    hmm.set_start([0.5, 0, 0, 0.5])
    hmm.set_transition([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0.5, 0.5], [0.5, 0, 0, 0.5]])
    hmm.set_gaussian([[0.0], [0.0], [0.0], [1.0]], [1.0] * 4)
    hmm.fit(x, start="present")
    assert hmm.means[:, 0] == pytest.approx([0, 0, 0, 1.5], abs=0.3)
    path = ["a" if state.startswith("a") else "b" for state in hmm.decode(x)]
    changes = np.flatnonzero(np.array(path[1:]) != np.array(path[:-1])) + 1
    stays = [len(part) for part in np.split(np.array(path), changes)[:-1] if part[0] == "a"]
    assert len(stays) > 5
    assert min(stays) >= 3


def test_what_is_refused_is_said() -> None:
    for tie in ([("a", "a")], [("a", "b"), ("b", "c")], [("a", "b"), ("a", "c")]):
        with pytest.raises(BadQuestion, match="a state twice"):
            bayou.HMM(["a", "b", "c"], {"x": [0, 1]}, tie=tie)
    with pytest.raises(BadQuestion, match="not a group of states"):
        bayou.HMM(["a", "b"], {"x": [0, 1]}, tie=["ab"])
    with pytest.raises(BayouError, match="'z'"):
        bayou.HMM(["a", "b"], {"x": [0, 1]}, tie=[("a", "z")])
    tied = bayou.HMM(["a", "b"], {"x": [0, 1]}, tie=[("a", "b")])
    with pytest.raises(BadTable, match="'a' and 'b' are tied"):
        tied.set_emission("x", [[0.5, 0.5], [0.6, 0.4]])
