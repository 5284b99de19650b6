"""Parameters, likelihoods and interventions that users state: refused where they would be lost or misread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, NotFitted


def weather() -> bayou.DynamicNetwork:
    moves = {"no": {"no": 0.7, "yes": 0.3}, "yes": {"no": 0.3, "yes": 0.7}}
    shown = {"no": {"no": 0.8, "yes": 0.2}, "yes": {"no": 0.1, "yes": 0.9}}
    tables = {"R": {"no": 0.5, "yes": 0.5}, "R'": moves, "U": shown}
    return bayou.DynamicNetwork("R -> R'; R -> U", tables=tables)


def calls() -> bayou.HMM:
    model = bayou.HMM(2, {"x": "poisson"}).set_emission("x", {"rate": [3, 1]})
    return model.set_start([0.5, 0.5]).set_transition([[0.9, 0.1], [0.2, 0.8]])


def test_stated_parameters_are_not_thrown_away() -> None:
    casino, net = bayou.examples.casino(), weather()
    with pytest.raises(NotFitted, match='start="present"'):
        casino.copy().partial_fit([[6, 6, 1]])
    with pytest.raises(NotFitted, match='start="present"'):
        net.partial_fit({"R": ["yes", "yes"], "U": ["yes", "no"]})
    rolls = casino.sample(200, seed=1)["roll"]
    learned = casino.copy().partial_fit(rolls, start="present", keep="roll")
    fitted = casino.copy().fit(rolls, start="present", keep="roll")
    assert np.array_equal(learned.transition, fitted.transition)
    assert np.array_equal(learned.emission("roll").values, casino.emission("roll").values)


@pytest.mark.parametrize("ask", ["log_likelihood", "smooth", "score_steps", "decode", "forecast"])
def test_infinite_counts_are_refused(ask: str) -> None:
    with pytest.raises(BadData, match="inf in row 1"):
        getattr(calls(), ask)([1.0, np.inf, 3.0])


def test_likelihoods_of_all_states() -> None:
    rows = {"U": ["yes", "yes", "no"]}
    with pytest.raises(BadData, match="each of its states"):
        weather().smooth(rows, likelihood={"R": {0: {"no": 0.5}}})
    by_name = weather().smooth(rows, likelihood={"R": {0: {"yes": 1, "no": 0.5}}})
    by_place = weather().smooth(rows, likelihood={"R": {0: [0.5, 1]}})
    assert np.array_equal(by_name["R"].probabilities, by_place["R"].probabilities)


def test_set_and_observed() -> None:
    net = weather()
    with pytest.raises(BadQuestion, match=r"both observed \(yes, in row 0"):
        net.smooth({"R": ["yes", "yes"]}, do={"R": "no"})
    with pytest.raises(BadQuestion, match="no values"):
        net.smooth({"U": ["yes", "yes", "no"]}, do=["R"])
    assert net.smooth({"R": ["yes", None]}, do={"R": {1: "no"}}, ask="R")["R"].probabilities[1, 0] == 1


@pytest.mark.parametrize(("level_noise", "noise"), [(1.0, 1.0), (1e4, 1e6), (1e10, 1e12)])
def test_the_first_observation_decides_in_every_unit(level_noise: float, noise: float) -> None:
    unit = np.sqrt(noise)
    model = bayou.KalmanModel.local_level(level_noise, noise)
    assert model.filter([50 * unit]).means[0, 0] == pytest.approx(50 * unit, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda model: model.set_start(1), "expected 2 numbers"),
        (lambda model: model.set_start("a"), "expected 2 numbers"),
        (lambda model: model.set_start([-1, 2]), "-1 is no probability"),
        (lambda model: model.set_start([0.5, 0.6]), "they sum to 1.1"),
        (lambda model: model.set_transition([[0, 1], [1]]), "expected 2 numbers"),
        (lambda model: model.set_transition([[0, 1], [1, 0.1]]), "the row of 'b' sums to 1.1"),
        (lambda model: model.set_transition(3), "a row for each of the 2 states"),
    ],
)
def test_odd_parameters(call: Callable[[bayou.HMM], Any], problem: str) -> None:
    with pytest.raises(BadTable, match=problem):
        call(bayou.HMM(["a", "b"], {"x": [0, 1]}))


def test_covariances_are_symmetric() -> None:
    model = bayou.HMM(1, {"x": "gaussian", "y": "gaussian"})
    with pytest.raises(BadTable, match="symmetric"):
        model.set_gaussian([[0, 1]], [[[1, 0.9], [-0.9, 1]]])


def test_columns_of_known_states() -> None:
    with pytest.raises(BadData, match="name='s'"):
        bayou.HMM(["a", "b"]).fit({"x": ["x", "y"], "s": ["a", "b"]}, states="s")
    with pytest.raises(BadData, match="taken for the known hidden states"):
        bayou.HMM(2).fit({"x": [0.1, 0.2, 5.0, 5.1], "state": ["CA", "NY", "CA", "NY"]})
    with pytest.raises(BadData, match="taken for the known hidden states"):
        bayou.HMM(2, {"x": "gaussian"}).fit({"x": [0.1, 0.2, 5.0, 5.1], "state": ["CA", "NY", "CA", "NY"]})
