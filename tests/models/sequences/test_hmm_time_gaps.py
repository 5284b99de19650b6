"""Jumps in time: the same answers as with the unobserved steps written out, and as a power of the table."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion

TABLE = {
    "id": ["b", "a", "a", "b", "a", "b"],
    "day": [7, 4, 1, 3, 2, 4],
    "roll": [6, 6, 1, 2, 6, 6],
}
WRITTEN_OUT = [[1, 6, None, 6], [2, 6, None, None, 6]]
HOW = {"sequence": "id", "time": "day", "gaps": "missing"}


def test_jumps_are_steps_without_observations() -> None:
    casino = bayou.examples.casino()
    found, expected = casino.smooth(TABLE, **HOW), casino.smooth(WRITTEN_OUT)
    assert [len(one) for one in found] == [4, 5]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.probabilities, other.probabilities, rtol=1e-12)
    for ask in ("log_likelihoods", "score_steps"):
        for one, other in zip(
            getattr(casino, ask)(TABLE, **HOW), getattr(casino, ask)(WRITTEN_OUT), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    assert list(map(list, casino.decode(TABLE, **HOW))) == list(map(list, casino.decode(WRITTEN_OUT)))
    ahead = [one.states for one in casino.forecast(TABLE, **HOW)]
    np.testing.assert_allclose(ahead, [one.states for one in casino.forecast(WRITTEN_OUT)], rtol=1e-12)
    assert [len(one) for one in casino.smooth(TABLE, sequence="id", time="day")] == [3, 3]


def test_a_jump_is_a_power_of_the_transition_table() -> None:
    casino = bayou.examples.casino()
    p, sixes = casino.transition, casino.emission("roll").values[:, 5]
    expected = np.log((casino.start * sixes) @ np.linalg.matrix_power(p, 40) @ sixes)
    found = casino.log_likelihood({"t": [100, 140], "roll": [6, 6]}, time="t", gaps="missing")
    assert found == pytest.approx(expected, rel=1e-12)


def test_learning_counts_the_steps_between() -> None:
    symbols = {"roll": [1, 2, 3, 4, 5, 6]}
    start = {"start": "present", "method": "baum-welch", "prior": 1}
    one = bayou.examples.casino().fit(TABLE, **HOW, **start)
    other = bayou.examples.casino().fit(WRITTEN_OUT, **start)
    np.testing.assert_allclose(one.transition, other.transition, rtol=1e-9)
    np.testing.assert_allclose(one.emission("roll").values, other.emission("roll").values, rtol=1e-9)
    hmm = bayou.HMM(["x", "y"], symbols)
    hmm.fit({**TABLE, "state": ["x", "y", "x", "y", "x", "x"]}, **HOW)
    assert hmm.learning.gaps == 3
    hmm.partial_fit(TABLE, **HOW)
    assert hmm.learning.rows == 18


@pytest.mark.parametrize(
    "days",
    [
        [dt.date(2024, 2, 28), dt.date(2024, 3, 1)],
        [dt.datetime(2024, 2, 28, 12), dt.datetime(2024, 3, 1, 12)],
        ["2024-02-28", "2024-03-01"],
        [2.0, 4.0],
        np.array([0.1, 2.1]),
    ],
)
def test_dates_and_real_numbers(days: list) -> None:
    casino = bayou.examples.casino()
    assert len(casino.decode({"t": days, "roll": [6, 6]}, time="t", gaps="missing")) == 3


def test_texts_and_numbers_have_gaps_too() -> None:
    chance = np.random.default_rng(0)
    hmm = bayou.HMM(2, {"x": "gaussian", "note": "words"})
    table = {
        "t": [0, 1, 5, 6, 7, 9],
        "x": chance.normal(size=6),
        "note": ["red sun", "rain", "rain red", "sun sun", "sun", "rain rain"],
    }
    hmm.fit(table, time="t", gaps="missing", prior=1, tolerance=0.1)
    assert len(hmm.smooth(table, time="t", gaps="missing")) == 10


def test_what_is_refused_is_said() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadQuestion, match="gaps='fill'"):
        casino.decode(TABLE, sequence="id", time="day", gaps="fill")
    with pytest.raises(BadQuestion, match="give time="):
        casino.decode([1, 2], gaps="missing")
    with pytest.raises(BadData, match=r"Between rows 0 and 1 .* jumps by 1.5, which is not a whole number"):
        casino.decode({"t": [0, 1.5], "roll": [1, 2]}, time="t", gaps="missing")
    with pytest.raises(BadData, match=r"jumps by 0\.5 days"):
        casino.decode(
            {"t": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12)], "roll": [1, 2]},
            time="t",
            gaps="missing",
        )
    with pytest.raises(BadData, match="needs numbers or dates in 't'"):
        casino.decode({"t": ["early", "late"], "roll": [1, 2]}, time="t", gaps="missing")
    with pytest.raises(bayou.BayouError, match=r"needs .* of memory"):
        casino.decode({"t": [0, 10**15], "roll": [1, 2]}, time="t", gaps="missing")
