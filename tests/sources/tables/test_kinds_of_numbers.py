"""Discrete or continuous: by a column's type and, in a text file, by the whole file; never by the split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayou
from bayou.errors import BadData
from bayou.sources import open_source
from bayou.sources.files import file_source as file
from bayou.statistics import CountTable

NAME = "Größe, in Metern"


def kind_of(data: Any) -> str:
    return "continuous" if open_source(data).variable(NAME).is_continuous else "discrete"


@pytest.mark.parametrize(
    "values",
    [
        [1, None, 3],
        [1, float("nan"), 3],
        [float("nan"), 1, np.int64(3)],
        np.array([1, None, 3], dtype=object),
        pd.Series([1, None, 3], dtype="Int64"),
        pl.Series([1, None, 3]),
        pa.array([1, None, 3]),
        np.ma.array([1, 2, 3], mask=[False, True, False]),
    ],
    ids=lambda values: type(values).__module__,
)
def test_integers_with_a_gap_stay_integers(values: Any) -> None:
    assert kind_of({NAME: values}) == "discrete"


@pytest.mark.parametrize(
    "values",
    [
        [1.0, None, 3.5],
        [1.0, 3.0],
        np.array([1.0, np.nan, 3.5]),
        np.array([1.0, 3.0]),
        np.array([np.nan, np.nan]),
        pd.Series([1.5, None, 3]),
        pl.Series([1.0, 2.0]),
        pa.array([1.5, None]),
    ],
    ids=lambda values: type(values).__module__,
)
def test_floats_are_continuous_with_a_fraction_or_without_a_gap(values: Any) -> None:
    assert kind_of({NAME: values}) == "continuous"


@pytest.mark.parametrize(
    "values",
    [
        [1.0, None, 3.0],
        [1, 2.0, None],
        np.array([1.0, np.nan, 3.0]),
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        pd.Series([1, None, 3]),
        pl.Series([1.0, None]),
        pa.array([1.0, None]),
    ],
    ids=lambda values: type(values).__module__,
)
def test_whole_floats_with_a_gap_are_integers_in_every_container(values: Any) -> None:
    assert kind_of({NAME: values}) == "discrete"


def test_a_float_column_that_is_split_gives_the_same_network() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, None, 4.5, 8.5]})
    split = bayou.Network("x").fit(frame[:2]).partial_fit(frame[2:])
    assert split.same_as(bayou.Network("x").fit(frame))
    assert split.variables["x"].is_continuous


def test_fractions_in_a_variable_learned_from_integers_are_refused() -> None:
    request = CountTable((NAME,))
    data = {NAME: np.array([1.0, 2.5])}
    with pytest.raises(BadData, match=r"'Größe, in Metern' was learned from whole.*2\.5.*continuous="):
        open_source(data, declared=()).collect([request])
    assert open_source(data, declared=[NAME]).collect([request])[request].values.tolist() == [1, 1]
    whole = open_source({NAME: np.array([1.0, np.nan])}, declared=())
    assert whole.collect([request])[request].axes[0].states == (1,)


@pytest.mark.parametrize(
    ("early", "late", "expected"),
    [
        ("3", "0.5", "continuous"),
        ("3", "4", "discrete"),
        ("", "0.5", "continuous"),
        ("NA", "7", "discrete"),
        ("3", "1e400", "continuous"),
        ("3", "inf", "continuous"),
        ("3", "3.0", "continuous"),
        ("3.0", "", "discrete"),
        ("NA", "NA", "discrete"),
        ("3", "9007199254740993", "discrete"),
    ],
)
def test_a_streamed_file_has_the_kinds_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, early: str, late: str, expected: str
) -> None:
    path = tmp_path / "späte Brüche.csv"
    path.write_text(f'"{NAME}",other\n' + f"{early},x\n" * 2500 + f"{late},y\n" * 3, encoding="utf-8")
    whole = open_source(path).variable(NAME)
    assert whole.is_continuous == (expected == "continuous")
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file, "BATCH_ROWS", 1000)
    streamed = open_source(path)
    assert streamed.variable(NAME).is_continuous == whole.is_continuous
    if expected == "discrete":
        request = CountTable((NAME,))
        assert streamed.collect([request])[request] == open_source(path).collect([request])[request]


def test_a_streamed_file_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\n" + "1,2.5\n1,3.5\n" * 5)
    monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
    seen: list[str] = []

    class Listener:
        def advance(self, task: str, done: int) -> None:
            seen.append(task.partition(" ")[0])

        def finish(self, task: str) -> None: ...

    with bayou.show_progress(Listener()):
        bayou.Network("a -> b").fit(path)
    assert seen == ["Looking", "Looking", "Counting"]


def test_reading_a_file_whole_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,b\nx,y\n")
    seen: list[tuple[str, int]] = []

    class Listener:
        def advance(self, task: str, done: int) -> None:
            seen.append((task.partition(" ")[0], done))

        def finish(self, task: str) -> None: ...

    with bayou.show_progress(Listener()):
        bayou.Network("a -> b").fit(path)
    assert seen == [("Reading", 1), ("Reading", 2), ("Counting", 1)]
