"""The number of states against criteria written out, and folds against fits by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion


@pytest.fixture(scope="module")
def rolls() -> list:
    return [one["roll"] for one in bayou.examples.casino().sample(300, sequences=10, seed=1)]


@pytest.mark.parametrize("by", ["bic", "aic"])
def test_criteria_are_those_of_the_formulas(rolls: list, by: str) -> None:
    symbols = {"roll": [1, 2, 3, 4, 5, 6]}
    found = bayou.choose_states(rolls, [3, 1, 2, 2], by=by, emissions=symbols, tolerance=0.01)
    assert [one.states for one in found.tried] == [1, 2, 3]
    for one in found.tried:
        k = one.states
        free = (k - 1) + k * (k - 1) + 5 * k
        assert one.parameters == free
        assert one.aic == pytest.approx(2 * free - 2 * one.log_likelihood)
        assert one.bic == pytest.approx(free * math.log(3000) - 2 * one.log_likelihood)
    # One state: the rolls are independent, so the likelihood is that of their shares.
    counts = np.bincount(np.concatenate(rolls))[1:]
    assert found.tried[0].log_likelihood == pytest.approx(counts @ np.log(counts / 3000))
    assert found.states == min(found.tried, key=lambda one: getattr(one, by)).states == 2
    assert found.model.log_likelihood(rolls) == pytest.approx(found.tried[1].log_likelihood)
    assert str(found).startswith(f"2 states by {by}\n")
    assert "2 *" in str(found)
    assert found.to_frame()["bic"].tolist() == [one.bic for one in found.tried]


def test_held_out_sequences_are_judged_by_the_others(rolls: list) -> None:
    symbols = {"roll": [1, 2, 3, 4, 5, 6]}
    found = bayou.choose_states(
        rolls[:3], [1, 2], by="held-out", folds=9, emissions=symbols, prior=1, tolerance=0.01
    )
    for one in found.tried:
        expected = 0.0
        for k in range(3):
            others = [roll for n, roll in enumerate(rolls[:3]) if n != k]
            model = bayou.HMM(one.states, symbols).fit(others, prior=1, tolerance=0.01)
            expected += model.log_likelihood(rolls[k])
        assert one.held_out == pytest.approx(expected, rel=1e-9)
    assert found.states == max(found.tried, key=lambda one: one.held_out).states


def test_a_chosen_model_that_has_not_converged_is_told(rolls: list) -> None:
    with pytest.warns(bayou.BayouWarning, match="with 2 states had not converged"):
        bayou.choose_states(rolls, [2], emissions="table", max_iterations=2)


def test_weights_count_as_copies(rolls: list) -> None:
    twice = bayou.choose_states([*rolls[:2], rolls[0]], [1], emissions="table")
    weighed = bayou.choose_states(rolls[:2], [1], emissions="table", weights=[2, 1])
    assert weighed.tried[0].bic == pytest.approx(twice.tried[0].bic)


def test_what_is_refused_is_said(rolls: list) -> None:
    with pytest.raises(BadQuestion, match="by='icl'"):
        bayou.choose_states(rolls, by="icl")
    with pytest.raises(BadQuestion, match="no number of states"):
        bayou.choose_states(rolls, [])
    with pytest.raises(BadQuestion, match="there is only one"):
        bayou.choose_states(rolls[0], [2], by="held-out", emissions="table", prior=1)
    with pytest.raises(BadQuestion, match="Some states are known"):
        bayou.choose_states({"roll": [1, 2], "state": [0, 1]}, [2], emissions="table")
    with pytest.raises(BadQuestion, match="give prior=1"):
        bayou.choose_states([[0, 0], [1, 1]], [1], by="held-out", emissions={"x": [0, 1]})
