"""Answers about sequences of a table have the times and the names that the table has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.statistics.rows import whole_sequences

DAYS = pandas.to_datetime(["2024-01-02", "2024-01-01", "2024-01-01", "2024-01-03"])
TABLE = pandas.DataFrame({"id": ["b", "a", "b", "b"], "day": DAYS, "roll": [6, 1, 6, 2]})
KEYS: dict[str, Any] = {"sequence": "id", "time": "day"}
QUESTIONS = ["filter", "smooth", "decode"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_times_and_names_are_those_of_the_table(question: str) -> None:
    ask = getattr(bayou.examples.casino(), question)
    one, other = ask(TABLE, **KEYS)
    assert (one.sequence, one.key, one.time) == ("id", "a", "day")
    assert other.key == "b"
    assert [str(time)[:10] for time in other.times] == ["2024-01-01", "2024-01-02", "2024-01-03"]
    frame = other.to_frame()
    assert frame["id"].tolist() == ["b"] * 3
    assert frame["day"].tolist() == sorted(DAYS[[0, 2, 3]])
    plain = ask([6, 6, 2])
    assert np.array_equal(frame.iloc[:, 2:].to_numpy(), plain.to_frame().to_numpy())
    assert plain.times is None
    assert plain.key is None


@pytest.mark.parametrize("question", QUESTIONS)
def test_steps_that_are_missing_have_times(question: str) -> None:
    week = {"day": [1, 4, 2], "roll": [6, 6, 1]}
    found = getattr(bayou.examples.casino(), question)(week, time="day", gaps="missing")
    assert found.times == [1, 2, 3, 4]
    assert len(found) == 4
    assert found.sequence is None


def test_each_of_the_best_paths_has_them() -> None:
    for path in bayou.examples.casino().decode(TABLE, k=2, **KEYS)[1]:
        assert path.key == "b"
        assert len(path.times) == 3


def test_an_index_of_times_is_the_time() -> None:
    series = pandas.Series([6, 1], index=pandas.date_range("2024-01-01", periods=2, freq="D"), name="roll")
    frame = bayou.examples.casino().smooth(series).to_frame()
    assert frame["time"].tolist() == series.index.tolist()


def test_answers_about_files_have_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = pandas.DataFrame({"id": [1, 2] * 40, "t": np.repeat(np.arange(40), 2), "roll": [6, 1] * 40})
    steps.sample(frac=1, random_state=0).to_csv(tmp_path / "steps.csv", index=False)
    keys = {"sequence": "id", "time": "t"}
    casino = bayou.examples.casino()
    for limit in (10**9, 100):
        monkeypatch.setattr(whole_sequences, "_most_bytes", lambda source, most=limit: most)
        one, other = casino.smooth(tmp_path / "steps.csv", **keys)
        assert (one.key, other.key) == (1, 2)
        assert other.times == list(range(40))
        assert [ahead.times for ahead in casino.forecast(tmp_path / "steps.csv", 2, **keys)] == [[40, 41]] * 2


@pytest.mark.parametrize("question", ["filter", "smooth", "most_probable"])
def test_answers_of_dynamic_networks_have_names_and_times(question: str) -> None:
    world = bayou.examples.umbrella_world()
    table = {"id": ["b", "a", "b"], "day": [3, 1, 2], "Umbrella": ["yes", "no", "no"]}
    one, other = getattr(world, question)(table, sequence="id", time="day")
    assert (one.sequence, one.key, other.key) == ("id", "a", "b")
    frame = other.to_frame()
    assert frame["id"].tolist() == ["b", "b"]
    assert frame["day"].tolist() == [2, 3]
    if question != "most_probable":
        assert (other["Rain"].key, other["Rain"].times) == ("b", [2, 3])
    (named, _) = getattr(world, question)(table, sequence="id")
    assert (named.key, named.times) == ("a", None)
