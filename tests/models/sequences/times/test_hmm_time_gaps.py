"""Jumps in time: the same answers as with the unobserved steps written out, and as a power of the table."""

from __future__ import annotations

import datetime as dt
import warnings
import zoneinfo
from pathlib import Path
from typing import Any

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
    with pytest.raises(
        BadData, match=r"Between rows 0 and 1 .* jumps by 1.5 steps of 1, which is not a whole"
    ):
        casino.decode({"t": [0, 1.5], "roll": [1, 2]}, time="t", gaps=1)
    with pytest.raises(BadData, match=r"jumps by 0\.5 steps of 1 day"):
        casino.decode(
            {"t": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12)], "roll": [1, 2]},
            time="t",
            gaps="day",
        )
    with pytest.raises(BadData, match="needs numbers or dates in 't'"):
        casino.decode({"t": ["early", "late"], "roll": [1, 2]}, time="t", gaps="missing")
    with pytest.raises(bayou.BayouError, match=r"needs .* of memory"):
        casino.decode({"t": [0, 10**15], "roll": [1, 2]}, time="t", gaps="missing")
    with pytest.raises(BadData, match=r"become [0-9,]+\. Round the times"):
        casino.decode({"t": [0, 0.001, 3000.0], "roll": [1, 2, 3]}, time="t", gaps="missing")
    with pytest.raises(BadData, match="share no step"):
        casino.decode({"t": [0, 1.0, 1 + 2**0.5], "roll": [1, 2, 3]}, time="t", gaps="missing")
    with pytest.raises(BadQuestion, match="the times are dates, so give a duration"):
        casino.decode({"t": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)], "roll": [1, 2]}, time="t", gaps=2)
    with pytest.raises(BadQuestion, match="the times are no dates, so give a number"):
        casino.decode({"t": [1, 2], "roll": [1, 2]}, time="t", gaps="hour")


SUMMER = zoneinfo.ZoneInfo("Europe/Vienna")


@pytest.mark.parametrize(
    ("times", "step", "rows"),
    [
        ([dt.datetime(2024, 1, 1, hour) for hour in (0, 1, 2, 5)], "1 hour", 6),
        ([dt.datetime(2024, 1, 1, 9, minute) for minute in (0, 15, 45)], "15 minutes", 4),
        ([dt.date(2024, 1, day) for day in (1, 8, 15, 29)], "1 week", 5),
        ([dt.date(2024, month, 1) for month in (1, 2, 3, 6)], "1 month", 6),
        ([dt.date(2023, 1, 31), dt.date(2023, 2, 28), dt.date(2023, 4, 30)], "1 month", 4),
        ([dt.date(2024, month, 1) for month in (1, 4, 10)], "1 quarter", 4),
        ([dt.date(year, 7, 1) for year in (2020, 2021, 2024)], "1 year", 5),
        ([dt.datetime(2024, 3, day, 8, tzinfo=SUMMER) for day in (29, 30, 31)], None, 3),
        ([0, 0.25, 0.5, 1.25], 0.25, 6),
        ([0.1 * k for k in (0, 1, 2, 7)], 0.1, 8),
        ([0, 10, 20, 50], None, 51),
    ],
)
def test_the_step_is_found_told_and_may_be_stated(times: list, step: Any, rows: int) -> None:
    casino = bayou.examples.casino()
    table = {"t": times, "roll": [6] * len(times)}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        assert len(casino.decode(table, time="t", gaps="missing")) == rows
    assert len(given) == (step is not None)
    if step is not None:
        assert f"steps of {step}, the largest step" in str(given[0].message)
        assert len(casino.decode(table, time="t", gaps=step)) == rows


def test_a_step_may_be_a_number_or_a_duration() -> None:
    casino = bayou.examples.casino()
    assert len(casino.decode({"t": [0, 10, 20, 50], "roll": [6] * 4}, time="t", gaps=10)) == 6
    table = {"t": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)], "roll": [6, 6]}
    for step in (dt.timedelta(hours=12), np.timedelta64(12, "h"), "12 hours"):
        assert len(casino.decode(table, time="t", gaps=step)) == 3


def test_a_streamed_file_has_the_step_of_all_its_sequences(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    lines = [f"a,2024-01-0{day} 00:00:00,6" for day in (1, 2, 3)]
    lines += [f"b,2024-01-01 {hour:02}:00:00,6" for hour in (0, 6, 18)]
    path.write_text("id,t,roll\n" + "\n".join(lines) + "\n")
    casino = bayou.examples.casino()
    how = {"sequence": "id", "time": "t", "gaps": "missing"}
    with pytest.warns(bayou.errors.BayouWarning, match="steps of 6 hours"):
        whole = casino.log_likelihoods(path, **how)
    with bayou.limits(memory=100), pytest.warns(bayou.errors.BayouWarning, match="steps of 6 hours"):
        np.testing.assert_allclose(casino.log_likelihoods(path, **how), whole, rtol=1e-12)
    assert [len(one) for one in casino.smooth(path, **{**how, "gaps": "6 hours"})] == [9, 4]


def test_many_rows_that_are_filled_in_are_told() -> None:
    hours = {"t": (1_700_000_000 + 3600 * np.arange(60)).tolist(), "roll": [1, 6] * 30}
    casino = bayou.examples.casino()
    with pytest.warns(bayou.BayouWarning, match=r"steps of 1, and fills in 212,341 rows.*the 60"):
        casino.smooth(hours, time="t", gaps="missing")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(casino.smooth(hours, time="t", gaps=3600)) == 60
        few = {"t": [1, 3, 9], "roll": [1, 6, 6]}
        assert len(casino.smooth(few, time="t", gaps="missing")) == 9


def test_large_numbers_with_few_digits_have_a_step() -> None:
    times = 1.7e9 + 0.1 * np.array([0, 1, 2, 5, 6, 2000])
    with pytest.warns(bayou.BayouWarning, match=r"steps of 0\.1"):
        found = bayou.examples.casino().smooth(
            {"t": times.tolist(), "roll": [1, 6] * 3}, time="t", gaps="missing"
        )
    assert len(found) == 2001
    assert len(bayou.examples.casino().smooth({"t": times[:5], "roll": [6] * 5}, time="t", gaps=0.1)) == 7
    with pytest.raises(bayou.BayouError, match="share no step"):
        bayou.examples.casino().smooth({"t": [0, 1, 2.5012345], "roll": [1, 6, 6]}, time="t", gaps="missing")
