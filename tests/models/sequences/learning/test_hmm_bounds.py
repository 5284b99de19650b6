"""Learning within bounds: against a search over the one free number, and by what must hold at every step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion

SYMBOLS = {"roll": [1, 2, 3, 4, 5, 6]}


@pytest.fixture(scope="module")
def rolls() -> list:
    return [one["roll"] for one in bayou.examples.casino().sample(150, sequences=6, seed=1)]


def test_the_maximum_is_that_of_a_search(rolls: list) -> None:
    # Everything is kept but P(loaded → fair), so that the likelihood is a function of one number.
    low = np.array([[0.95, 0.05], [0.0, 0.0]])
    high = np.array([[0.95, 0.05], [0.04, 1.0]])
    found = bayou.examples.casino().fit(
        rolls, start="present", keep=["start", "roll"], bounds={"transition": (low, high)}, tolerance=1e-6
    )
    free = bayou.examples.casino().fit(
        rolls,
        start="present",
        keep=["start", "roll"],
        bounds={"transition": (low, np.where(high < 0.1, 1.0, high))},
        tolerance=1e-6,
    )

    def value(share: float) -> float:
        other = bayou.examples.casino().set_transition([[0.95, 0.05], [share, 1 - share]])
        return other.log_likelihood(rolls)

    grid = np.linspace(0.001, 0.4, 400)
    values = [value(share) for share in grid]
    assert free.log_likelihood(rolls) >= max(values)
    inside = [v for share, v in zip(grid, values, strict=True) if share <= 0.04]
    assert found.log_likelihood(rolls) >= max(inside) - 1e-9
    assert found.transition[1, 0] <= 0.04 + 1e-12
    assert free.transition[1, 0] > 0.04
    assert found.transition[0].tolist() == pytest.approx([0.95, 0.05])


@pytest.mark.parametrize("method", ["em", "baum-welch", "viterbi"])
@pytest.mark.parametrize("prior", [0, 1])
@pytest.mark.usefixtures("few_starts")
def test_bounds_hold_and_the_objective_never_falls(rolls: list, method: str, prior: float) -> None:
    low = np.where(np.eye(3) > 0, 0.7, 0.0)
    high = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1.0]])
    hmm = bayou.HMM(3, SYMBOLS).fit(
        rolls,
        method=method,
        prior=prior,
        bounds={"transition": (low, high), "roll": (0.02, 0.6), "start": (None, 0.5)},
        tolerance=0.01,
    )
    assert np.all(np.diagonal(hmm.transition) >= 0.7 - 1e-12)
    assert hmm.transition[0, 2] == hmm.transition[2, 0] == 0
    table = hmm.emission("roll").values
    assert table.min() >= 0.02 - 1e-12
    assert table.max() <= 0.6 + 1e-12
    assert hmm.start.max() <= 0.5 + 1e-12
    steps = np.diff(hmm.learning.objectives)
    assert np.all(steps >= -1e-9 * abs(hmm.learning.objective))


def test_counted_tables_and_later_batches_stay_within_bounds(tmp_path: Path) -> None:
    states = [["a", "a", "a", "b"], ["a", "a"]]
    data = [[0, 0, 0, 1], [0, 0]]
    bounds = {"transition": (0.3, None), "end": (0.2, 0.4)}
    hmm = bayou.HMM(["a", "b"], {"x": [0, 1]}, ends=True).fit(data, states=states, prior=0, bounds=bounds)
    # a: three moves to a, one to b; b: none. Ends: a once of five, b once of one.
    np.testing.assert_allclose(hmm.transition[0], [0.7, 0.3], rtol=1e-12)
    np.testing.assert_allclose(hmm.model.end, [0.2, 0.4], rtol=1e-12)
    hmm.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    for one in (hmm, again):
        one.partial_fit([[0, 0, 0, 0]], states=[["a"] * 4])
        np.testing.assert_allclose(one.transition[0], [0.7, 0.3], rtol=1e-12)
        one.partial_fit([[0, 0, 0, 0]])
        assert one.transition.min() >= 0.3 - 1e-12


def test_states_with_equal_bounds_are_sorted_and_others_are_not(rolls: list) -> None:
    same = bayou.HMM(2, SYMBOLS).fit(
        rolls, bounds={"transition": ([[0.8, 0], [0, 0.8]], None)}, tolerance=0.01
    )
    sizes = same.emission("roll").values @ np.arange(6)
    assert sizes[0] < sizes[1]
    loaded_first = ([[0, 0, 0, 0, 0, 0.35], [0] * 6], [[1] * 6, [1, 1, 1, 1, 1, 0.3]])
    own = bayou.HMM(2, SYMBOLS).fit(rolls, bounds={"roll": loaded_first}, tolerance=0.01)
    assert own.emission("roll").values[0, 5] >= 0.35 - 1e-12
    assert own.emission("roll").values[1, 5] <= 0.3 + 1e-12


def test_what_is_refused_is_said(rolls: list) -> None:
    def fit(bounds: dict, **how: object) -> None:
        bayou.examples.casino().fit(rolls, bounds=bounds, **how)

    with pytest.raises(BadQuestion, match="bounds: there is no part 'moves'"):
        fit({"moves": (0, 1)})
    with pytest.raises(BadQuestion, match=r"lower bounds sum to 1\.2, above 1"):
        fit({"transition": (0.6, None)})
    with pytest.raises(BadQuestion, match=r"upper ones to 0\.8, below 1"):
        fit({"transition": (None, 0.4)})
    with pytest.raises(BadQuestion, match="0 ≤ low ≤ high ≤ 1"):
        fit({"start": (0.5, 0.4)})
    with pytest.raises(BadQuestion, match="a pair"):
        fit({"start": 0.5})
    with pytest.raises(BadQuestion, match=r"arrays of shape \(2, 2\)"):
        fit({"transition": ([0.1, 0.1, 0.1], None)})
    with pytest.raises(BadQuestion, match="both in keep= and in bounds="):
        fit({"start": (0.1, None)}, keep="start")
    with pytest.raises(BadQuestion, match="'x' is not a table"):
        bayou.HMM(2, {"x": "gaussian"}).fit(np.arange(9.0), bounds={"x": (0, 1)})
