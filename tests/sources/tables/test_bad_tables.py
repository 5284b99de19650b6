"""What is no table is refused with words that help."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import bayou
from bayou.errors import BadData, UnknownVariable
from bayou.sources import column_batches, open_source, read_columns


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1, 2], "b c": [1]}, "'a' has 2 rows, 'b c' has 1"),
        ({}, "no columns"),
        ({"a": 3}, "'a' is 3 .a int.; a list"),
        ({"a": "text"}, "'a' is 'text'"),
        ({"a": [1, [2], 3]}, r"'a' has the value \[2\] \(a list\) in row 1 .*not hashable"),
        ({"a": ["x", {"y": 1}]}, "'a' has the value .* in row 1 "),
        (np.zeros((2, 3)), r"no column names. Give them: columns=\[...\] with 3 names"),
        (np.zeros(3), "two dimensions"),
        (np.array(5), "two dimensions"),
        (scipy.sparse.eye(2), "sparse matrix has no column names"),
        ([(1, 2)], "have no column names"),
        ([{"a": 1}, 5], r"Row 1 \(counting from 0\) is 5 \(a int\)"),
        ([], "no rows, so the names"),
        (7, "A int cannot be read as a table. Give a dict"),
        (None, "A NoneType cannot be read"),
        (pd.Series([1, 2]), "A Series cannot be read"),
        (pd.DataFrame([[1, 2]], columns=["é", "é"]), "Two columns are called 'é'"),
        (pa.table({"l": [[1], [2]]}), r"'l' holds lists, which are neither"),
        (pa.table([[1], [2]], names=["x", "x"]), "Two columns are called 'x'"),
        ({"m": np.zeros((2, 2))}, r"'m' must have one dimension, but it has the shape \(2, 2\)"),
    ],
)
def test_bad_data_is_refused(data: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        read_columns(data)


def test_rows_of_the_wrong_length_are_counted() -> None:
    with pytest.raises(BadData, match=r"Row 1 \(counting from 0\) has 1 values; 2 were expected"):
        read_columns([(1, 2), (3,)], columns=["a", "b"])
    with pytest.raises(BadData, match="gives 1 names, but this numpy array has 2 columns"):
        read_columns(np.zeros((2, 2)), columns=["a"])
    with pytest.raises(BadData, match="batch_rows=0: give a positive number"):
        list(column_batches({"a": [1]}, batch_rows=0))


@pytest.mark.parametrize(
    "data", [{"smoke": [1]}, [{"smoke": 1}], pd.DataFrame({"smoke": [1]}), pa.table({"smoke": [1]})]
)
def test_an_absent_column_is_named_with_the_nearest(data: Any) -> None:
    with pytest.raises(UnknownVariable, match=r"'smoker' in the data. Did you mean 'smoke'\?"):
        read_columns(data, names=["smoker"])
    with pytest.raises(UnknownVariable, match="Did you mean 'smoke'"):
        read_columns(data)["Smoke"]


def test_an_unused_column_may_hold_anything() -> None:
    table = read_columns(pa.table({"l": [[1], [2]], "a": [1, 2]}), names=["a"])
    assert table.numbers("a").tolist() == [1, 2]


def test_a_stream_that_fails_half_way_says_so() -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": [1]})
        raise ValueError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(BadData, match=r"could not be read to its end.*the disk is gone"):
        read_columns(reader)


@pytest.mark.parametrize(
    "data",
    [
        {"a": [1]},
        [{"a": 1}],
        pd.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}),
        pl.LazyFrame({"a": [1]}),
        pa.table({"a": [1]}),
        np.array([(1,)], dtype=[("a", int)]),
        read_columns({"a": [1]}),
    ],
    ids=lambda data: type(data).__name__,
)
def test_names_for_data_that_have_names_are_refused(data: Any) -> None:
    with pytest.raises(BadData, match="columns= is for data without names"):
        read_columns(data, columns=["b"])
    with pytest.raises(BadData, match="columns= is for data without names"):
        list(column_batches(data, columns=["b"]))


def test_names_for_files(tmp_path: Path) -> None:
    path = tmp_path / "no header.csv"
    path.write_text("x,1\ny,2\n")
    assert open_source(path, columns=["Größe", 7]).variable(7).states == (1, 2)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(BadData, match="columns= is for data without names"):
        read_columns(tmp_path / "a.parquet", columns=["b"])


def test_times_with_and_without_a_zone_do_not_mix() -> None:
    bare = datetime.datetime(2024, 1, 1)
    zoned = bare.replace(tzinfo=datetime.timezone.utc)
    with pytest.raises(BadData, match="'wann' mixes times with and without a time zone"):
        read_columns({"wann": [bare, None, zoned]})
    assert read_columns({"wann": [zoned, None]})["wann"].values() == [zoned, None]


def test_a_signalling_nan_is_a_gap() -> None:
    values = [Decimal("sNaN"), Decimal("NaN"), Decimal("1.5")]
    assert read_columns({"a": values}).coded("a").values()[:2] == [None, None]


def test_a_column_that_the_network_does_not_have_is_never_read() -> None:
    network = bayou.Network("a -> b").fit({"a": ["x", "y"], "b": [1, 2]})
    data = {"a": ["x", "y"], "unrelated": [[1], {}]}
    assert np.allclose(network.log_probability(data), np.log([0.5, 0.5]))
    with pytest.raises(BadData, match="no column for any of 'a', 'b'"):
        network.log_probability({"unrelated": ["x", "y"]})


def test_a_zero_byte_in_the_name_of_a_polars_column_does_not_end_the_process() -> None:
    net = bayou.Network("a", tables={"a": {"n": 0.25, "y": 0.75}})
    table = pl.DataFrame({"a": ["y", None], "odd\0name": [1, 2]})
    assert net.impute(table).rows() == [("y", 1), ("y", 2)]
    assert net.log_likelihood(table) == pytest.approx(np.log(0.75))
