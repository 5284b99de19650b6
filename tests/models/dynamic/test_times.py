"""Answers about a table with times: every step keeps its time."""

from __future__ import annotations

import datetime as dt

import pandas as pd

import bayou

DAYS = [dt.date(2024, 3, day) for day in (2, 1, 3)]
TABLE = {"day": DAYS, "Umbrella": ["yes", "no", "yes"]}
WALK = bayou.DynamicNetwork(
    "x -> x'; x -> y",
    continuous=["x", "y"],
    tables={
        "x": {"mean": 0, "variance": 1},
        "x'": {"mean": 0, "coefficients": {"x": 1}, "variance": 1},
        "y": {"mean": 0, "coefficients": {"x": 1}, "variance": 1},
    },
)


def test_one_variable_of_a_forecast_has_the_times_of_all() -> None:
    ahead = bayou.examples.umbrella_world().forecast(TABLE, 2, time="day")
    rain = ahead["Rain"]
    assert rain.times == [dt.date(2024, 3, 4), dt.date(2024, 3, 5)]
    lines = str(rain).splitlines()
    assert lines[1].startswith("day")
    assert lines[2].startswith("2024-03-04")
    assert list(rain.to_frame().columns) == ["day", "no", "yes"]
    bare = bayou.examples.umbrella_world().forecast({"Umbrella": ["yes"]}, 2)["Rain"]
    assert [line.split()[0] for line in str(bare).splitlines()[2:4]] == ["1", "2"]


def test_steps_keep_their_times_in_order() -> None:
    world, days = bayou.examples.umbrella_world(), sorted(DAYS)
    for ask in (world.filter, world.smooth, world.decode):
        found = ask(pd.DataFrame(TABLE), time="day")
        assert [pd.Timestamp(day).date() for day in found.to_frame()["day"]] == days
    assert str(world.smooth(TABLE, time="day")).splitlines()[2].startswith("2024-03-01")
    every = {"id": ["b", "a", "b"], "t": [5, 1, 4], "Umbrella": ["yes", "no", "yes"]}
    first, second = world.smooth(every, sequence="id", time="t")
    assert sorted([first.times, second.times]) == [[1], [4, 5]]
    filled = world.smooth({"t": [1, 4], "Umbrella": ["yes", "no"]}, time="t", gaps="missing")
    assert filled.to_columns()["t"] == [1, 2, 3, 4]
    assert "time" not in world.smooth({"Umbrella": ["yes"]}).to_columns()


def test_numbers_have_times_too() -> None:
    table = {"t": [3, 1, 2], "y": [0.5, 1.0, 2.0]}
    for ask in (WALK.filter, WALK.smooth, WALK.decode):
        assert ask(table, time="t").to_frame()["t"].tolist() == [1, 2, 3]
    assert "(4)" in repr(WALK.forecast(table, 1, time="t")["x"])
