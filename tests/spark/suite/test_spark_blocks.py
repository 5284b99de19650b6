"""Counts of a frame that Spark keeps: Spark SQL groups blocks of columns, and no row goes to Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.spark.java import frame_of

import bayou
from bayou.sources import open_source
from bayou.sources.spark import block_counts, spark_source
from bayou.sources.spark.gathering import Gathering
from bayou.statistics import CountTable, MissingCounts, Request

RANDOM = np.random.default_rng(4)
ROWS = 400


def _drawn(values: list[Any]) -> list[Any]:
    return [values[place] for place in RANDOM.integers(0, len(values), ROWS)]


TABLE: dict[Any, list[Any]] = {
    "text": _drawn(["a", "b", "ß", "", None]),
    "spelled": _drawn(["2024-01-01", "2024-02-29", None]),
    "whole": [None if n == 3 else int(n) for n in RANDOM.integers(0, 4, ROWS)],
    "large": [2**53 + int(n) for n in RANDOM.integers(0, 3, ROWS)],
    "truth": _drawn([True, False, None]),
    "y": RANDOM.choice(["no", "yes"], ROWS).tolist(),
}
KINDS = "string, string, int, bigint, boolean, string"
PAIRS: list[Request] = [CountTable((name, "y")) for name in TABLE if name != "y"]


@pytest.fixture(scope="module")
def frame() -> Any:
    return frame_of(TABLE, KINDS)


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table as if it had many rows."""
    monkeypatch.setattr(spark_source, "HEAD_ROWS", ROWS)


def _without_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("rows went to Python")

    monkeypatch.setattr(Gathering, "total", refuse)


def test_counts_are_those_of_rows_in_python(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Request] = [*PAIRS, MissingCounts(("text",)), MissingCounts(("y",)), CountTable(("y",))]
    monkeypatch.setattr(spark_source, "HEAD_ROWS", ROWS + 1)
    expected = open_source(frame).collect(asked)
    monkeypatch.setattr(spark_source, "HEAD_ROWS", ROWS)
    _without_python(monkeypatch)
    found = open_source(frame).collect(asked)
    assert found.rows == expected.rows == ROWS
    assert all(found[request] == expected[request] for request in asked)


def test_models_are_those_of_a_table_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    some = {name: TABLE[name] for name in ("text", "large", "truth", "y")}
    frame = frame_of(some, "string, bigint, boolean, string")
    _without_python(monkeypatch)
    found = bayou.NaiveBayes("table").fit(frame, "y")
    rows = pd.DataFrame(some, dtype=object)
    expected = bayou.NaiveBayes("table").fit(rows, "y")
    assert np.array_equal(found.predict_proba(rows), expected.predict_proba(rows))


def test_more_values_than_the_first_rows_have_go_to_python(
    frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = open_source(frame).collect(PAIRS)
    monkeypatch.setattr(block_counts, "MOST_CELLS", 2)
    monkeypatch.setattr(block_counts.BlockCounts, "_size", lambda self, name: 1)
    found = open_source(frame).collect(PAIRS)
    assert all(found[request] == expected[request] for request in PAIRS)


def test_weights_and_frames_that_are_not_kept_go_to_python(
    frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _without_python(monkeypatch)
    for source in (open_source(frame.where("y IS NOT NULL")), open_source(frame, weights="whole")):
        with pytest.raises(AssertionError, match="rows went to Python"):
            source.collect([CountTable(("text", "y"))])
