"""What is no table is refused with words that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse

from bayou.errors import BadData, UnknownVariable
from bayou.sources import column_batches, read_columns


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": [1, 2], "b c": [1]}, "'a' has 2 rows, 'b c' has 1"),
        ({}, "no columns"),
        ({"a": 3}, "'a' is 3 .a int.; a list"),
        ({"a": "text"}, "'a' is 'text'"),
        ({"a": [1, [2], 3]}, r"'a' has the value \[2\] \(a list\) in row 2.*not hashable"),
        ({"a": ["x", {"y": 1}]}, "'a' has the value .* in row 2"),
        (np.zeros((2, 3)), r"no column names. Give them: columns=\[...\] with 3 names"),
        (np.zeros(3), "two dimensions"),
        (np.array(5), "two dimensions"),
        (scipy.sparse.eye(2), "sparse matrix has no column names"),
        ([(1, 2)], "have no column names"),
        ([{"a": 1}, 5], r"Row 2 is 5 \(a int\)"),
        ([], "no rows, so the names"),
        (7, "A int can not be read as a table. Give a dict"),
        (None, "A NoneType can not be read"),
        (pd.Series([1, 2]), "A Series can not be read"),
        (pd.DataFrame([[1, 2]], columns=["é", "é"]), "Two columns are called 'é'"),
        (pa.table({"l": [[1], [2]]}), r"'l' has the Arrow type '\+l'"),
        (pa.table([[1], [2]], names=["x", "x"]), "Two columns are called 'x'"),
        ({"m": np.zeros((2, 2))}, r"'m' must have one dimension; it has the shape \(2, 2\)"),
    ],
)
def test_bad_data_is_refused(data: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        read_columns(data)


def test_rows_of_the_wrong_length_are_counted() -> None:
    with pytest.raises(BadData, match=r"Row 2 has 1 values; 2 were expected"):
        read_columns([(1, 2), (3,)], columns=["a", "b"])
    with pytest.raises(BadData, match="gives 1 names for a numpy array with 2 columns"):
        read_columns(np.zeros((2, 2)), columns=["a"])
    with pytest.raises(BadData, match="batch_rows must be positive"):
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
