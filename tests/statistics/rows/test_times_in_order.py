"""Times that are texts come in the order that a person reads in them."""

from __future__ import annotations

import warnings

import pytest

import bayou
from bayou.statistics.rows.sequence_keys import times_in_order


@pytest.mark.parametrize(
    "times",
    [
        ["8", "9", "10", "11"],
        ["-1", "0.5", "1.25", "1.5", "1e3"],
        ["week 9", "week 10", "week 11"],
        ["2023-12-31x", "2024-1-2x", "2024-1-10x"],
        ["09:30", "9:31", "10:00"],
        ["a", "b", "b2", "b10"],
    ],
)
def test_texts_with_numbers(times: list[str]) -> None:
    assert times_in_order("t", times[::-1]) == tuple(times)


@pytest.mark.parametrize("time", ["31/01/2024", "1.2.24", "12-31-2024 10:00"])
def test_dates_with_the_year_last_are_named(time: str) -> None:
    with pytest.warns(bayou.BayouWarning, match="sorted as texts and not as dates") as given:
        times_in_order("day", [time, "01/02/2025"])
    assert repr(time) in str(given[0].message)
    assert "'day'" in str(given[0].message)


def test_sequences_of_text_times_are_learned_in_order() -> None:
    visits = {"t": ["10", "9", "11", "8"], "v": ["b", "b", "b", "a"], "state": [1, 1, 1, 0]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = bayou.HMM(2).fit(visits, time="t", prior=0)
    assert model.start.tolist() == [1.0, 0.0]
