"""How results of partitions travel: in pieces, added in rounds in a fixed order; and what goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.spark.java import frame_of, session

import bayou
from bayou.errors import BadData
from bayou.sources import open_source
from bayou.sources.spark import gathering, worker_functions
from bayou.sources.spark.spark_source import SparkSource
from bayou.statistics import CountTable, Moments


@pytest.fixture(scope="module")
def frame() -> Any:
    random = np.random.default_rng(8)
    scale = 10.0 ** random.integers(-8, 8, 700)
    table = {"x": (random.normal(size=700) * scale).tolist(), "a": random.choice(["u", "v"], 700).tolist()}
    return frame_of(table, "double, string", 7)


def _moments(source: Any) -> Any:
    return source.collect([request := Moments(("x",), ("a",))])[request]


def _same_bits(left: Any, right: Any) -> bool:
    return bool(
        np.array_equal(left.mean, right.mean)
        and np.array_equal(left.scatter, right.scatter)
        and np.array_equal(left.n, right.n)
    )


def test_sums_do_not_depend_on_how_often_they_are_computed(frame: Any) -> None:
    first = _moments(open_source(frame))
    again = open_source(frame)
    assert _same_bits(first, _moments(again))
    assert _same_bits(first, _moments(again))  # the number of partitions is known now


def test_results_are_added_in_rounds(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = CountTable(("a",))
    expected = open_source(frame).collect([counts])[counts]
    monkeypatch.setattr(gathering, "FAN_IN", 2)
    found, again = open_source(frame), open_source(frame)
    assert found._gathering.rounds == 1
    assert found.collect([counts])[counts] == expected
    first = _moments(found)
    assert found._gathering.rounds == 1  # four results of seven partitions
    found._gathering.rounds = 3
    assert found.collect([counts])[counts] == expected
    assert _same_bits(_moments(found), first)
    again._gathering.are_large = True
    assert _same_bits(_moments(again), first)  # kept and measured before they are added


def test_results_larger_than_a_message_come_in_pieces(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = open_source(frame)
    expected = _moments(rows)
    monkeypatch.setattr(gathering, "FAN_IN", 4)
    monkeypatch.setattr(gathering, "DRIVER_BYTES", 2_000)
    monkeypatch.setattr(gathering, "TASK_BYTES", 2_000)
    for function in (worker_functions.partition_function, worker_functions.merging_function):
        monkeypatch.setattr(function, "__defaults__", (100,))
    small = open_source(frame)
    assert not small._gathering.are_large
    assert _moments(small).n.tolist() == expected.n.tolist()
    assert small._gathering.are_large
    pieces = small.map_batches(lambda batch: batch, [small.variable("x")])
    assert np.array_equal(
        pieces.numbers["x"], np.concatenate([b.numbers["x"] for b in rows.batches([rows.variable("x")])])
    )


def test_large_results_are_tried_as_small_ones_only_once(
    frame: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(worker_functions.partition_function, "__defaults__", (100,))
    source = open_source(frame)
    folder = str(tmp_path)

    def marked(batch: Any) -> Any:
        import os
        import uuid

        open(os.path.join(folder, str(uuid.uuid4())), "w").close()
        return np.arange(100.0)

    x = [source.variable("x")]
    ran = []
    for _ in range(2):
        before = len(list(tmp_path.iterdir()))
        assert np.array_equal(source.map_batches(marked, x), 7 * np.arange(100.0))
        ran.append(len(list(tmp_path.iterdir())) - before)
    assert ran == [14, 7]
    twin = source.declaring([bayou.Variable("x", cuts=[0.0])], ["x"])
    assert twin._gathering is source._gathering


def test_modules_that_the_users_own_code_lacks_are_errors_of_spark() -> None:
    from pyspark.errors import PythonException

    def own(batches: Any) -> Any:
        import nowhere_to_be_found  # noqa: F401

        yield from batches

    rows = frame_of({"a": ["x", "y"]}, "string").mapInArrow(own, "a string")
    with pytest.raises(PythonException, match="nowhere_to_be_found"), gathering.python_on_workers():
        rows.toArrow()
    with (
        pytest.raises(gathering.NotOnWorkers, match=r"no package 'scipy\.stats'"),
        gathering.python_on_workers(),
    ):
        raise PythonException("ModuleNotFoundError: No module named 'scipy.stats'")


def test_errors_of_workers_are_errors_of_bayou() -> None:
    frame = frame_of({"x": [1.0, 2.0, float("inf"), 4.5]}, "double", 2)
    with pytest.raises(BadData, match=r"infinite in row 0 .*counted in their partition, here 1"):
        open_source(frame).collect([Moments(("x",))])
    states = open_source(frame_of({"a": ["x", "y"]}, "string"), variables=[bayou.Variable("a", ["x"])])
    with pytest.raises(BadData, match="not among its declared states"):
        states.map_batches(lambda batch: batch, [bayou.Variable("a", ["x"])])


def test_rows_that_change_are_refused_with_the_remedy() -> None:
    from pyspark.sql import functions
    from pyspark.sql.types import DoubleType

    def drawn() -> float:
        import os

        return int.from_bytes(os.urandom(6), "big") / 2**48

    chance = functions.udf(drawn, DoubleType()).asNondeterministic()
    rows = session().range(50).select(chance().alias("x"), (functions.col("id") % 2).alias("a"))
    source = open_source(rows)
    source.collect([CountTable(("a",))])
    with pytest.raises(BadData, match=r"gives other values when it is computed again.*df\.cache\(\)"):
        source.collect([CountTable(("a",))])
    kept = rows.cache()
    kept.count()
    source = open_source(kept)
    assert _same_bits(_moments(source), _moments(source))


def test_a_table_that_grows_is_refused() -> None:
    source = SparkSource(session().range(10))
    source.collect([CountTable(())])
    source._numbered = session().range(11).toDF("c0")
    with pytest.raises(BadData, match="gives 11 rows, where it gave 10 before"):
        source.collect([CountTable(())])


def test_plans_without_chance_are_not_computed_twice() -> None:
    from bayou.sources.spark.frames import may_change

    plain = session().range(10).selectExpr("id % 3 as a", "cast(id as string) as text")
    assert not may_change(plain.where("a = 1").groupBy("a").count())
    assert may_change(plain.selectExpr("rand() as x"))
    assert may_change(plain.limit(3))
    assert not may_change(plain.selectExpr("rand(1) as x").cache())
