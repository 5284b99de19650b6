"""Rows and tables on their way out, as data frames."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import bayou
from bayou.errors import MissingPackage, TooWide
from bayou.frames import pandas_categorical, pandas_frame


def network() -> bayou.Network:
    return bayou.Network(
        "'Größe der Stadt'; n; x",
        tables={"Größe der Stadt": {"klein": 0.25, "groß": 0.75}, "n": {1: 0.5, 2: 0.5}},
        continuous=["x"],
    ).fit({"Größe der Stadt": ["klein", "groß"], "n": [1, 2], "x": [0.5, 1.5]})


def test_coded_columns_become_categories_with_their_gaps() -> None:
    column = pandas_categorical(np.array([1, 255, 0], dtype=np.uint8), ("b", "a"), "this test")
    frame = pandas_frame({"é": column, 7: [1, 2, 3]}, "this test")
    assert frame["é"].cat.categories.tolist() == ["b", "a"]
    assert frame["é"].isna().tolist() == [False, True, False]
    assert frame[7].tolist() == [1, 2, 3]


def test_rows_become_frames_and_count_as_rows() -> None:
    rows = network().sample(50, seed=1)
    assert len(rows) == 50
    assert list(rows) == list(rows.keys()) == ["Größe der Stadt", "n", "x"]
    assert len(rows.keys()) == len(rows.values()) == len(rows.items()) == 3
    assert set(dict(rows)) == set(rows)
    pandas, polars = rows.to_pandas(), rows.to_polars()
    assert pandas.shape == polars.shape == (50, 3)
    for name in rows:
        assert pandas[name].tolist() == polars[name].to_list() == rows[name].tolist()
    assert network().sample(0).to_pandas().shape == (0, 3)


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = network().sample(2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackage, match="to_pandas needs the package 'pandas'"):
        rows.to_pandas()
    with pytest.raises(MissingPackage, match="to_polars needs the package 'polars'"):
        rows.to_polars()
    with pytest.raises(MissingPackage, match=r"ProbabilityTable\.to_frame needs"):
        network().cpt("n").to_frame()


def test_more_rows_than_memory_are_refused_before_anything_is_allocated() -> None:
    with pytest.raises(TooWide, match=r"1,000,000,000,000,000 rows of 3 variables needs 9,094.9 TiB"):
        network().sample(10**15)
