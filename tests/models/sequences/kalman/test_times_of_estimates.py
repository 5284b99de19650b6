"""Estimates of the states of series in a table have the times and the names that the table has."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

import bayou

TABLE = pandas.DataFrame({"id": ["b", "a", "b"], "t": [3, 2, 1], "y": [1.0, 2.0, 0.5]})


@pytest.mark.parametrize("question", ["filter", "smooth"])
def test_times_and_names_are_those_of_the_table(question: str) -> None:
    ask = getattr(bayou.KalmanModel.local_level(1, 1), question)
    one, other = ask(TABLE, sequence="id", time="t")
    assert (one.sequence, one.key, one.time) == ("id", "a", "t")
    frame = other.to_frame()
    assert frame["id"].tolist() == ["b", "b"]
    assert frame["t"].tolist() == [1, 3]
    plain = ask([0.5, 1.0])
    assert np.array_equal(frame["level"], plain.to_frame()["level"])
    assert (plain.times, plain.key) == (None, None)
    assert str(other.to_table()).splitlines()[1].split()[0] == "t"


def test_one_series_with_gaps_in_time() -> None:
    found = bayou.KalmanModel.local_level(1, 1).smooth(
        {"t": [1, 4], "y": [1.0, 2.0]}, time="t", gaps="missing"
    )
    assert found.times == [1, 2, 3, 4]
    assert found.to_frame()["t"].tolist() == [1, 2, 3, 4]
