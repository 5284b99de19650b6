"""Answers come back as the kind of table that was given, its columns with their types."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from tests.models.rows.test_table_answers import COLUMNS, FILLED, SICK, clinic, pandas_nullable


def test_a_pandas_table_keeps_index_order_and_types() -> None:
    frame = pandas_nullable()
    before = frame.copy(deep=True)
    result = clinic().impute(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert list(result.columns) == list(frame.columns)
    assert (result.dtypes == frame.dtypes).all()
    assert result.index.tolist() == list("wxyz")
    for name in (SICK, "grade", "Fever"):
        assert result[name].tolist() == FILLED[name]
    assert result["note, free"].equals(frame["note, free"])


def test_floats_that_were_whole_numbers_with_gaps_become_whole_numbers() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert frame["grade"].dtype == "float64"
    assert frame["Fever"].dtype == object
    result = clinic().impute(frame)
    assert result["grade"].dtype == "int64"
    assert result["Fever"].dtype == "bool"
    assert result["grade"].tolist() == FILLED["grade"]


def test_categories_stay_categories_and_get_the_states_they_lack() -> None:
    frame = pd.DataFrame(
        {SICK: pd.Categorical(["no", None], ordered=True), "Fever": [False, True], "grade": [1, 3]}
    )
    result = clinic().impute(frame)
    assert result[SICK].cat.categories.tolist() == ["no", "sì"]
    assert result[SICK].cat.ordered
    assert result[SICK].tolist() == ["no", "sì"]
    enum = pl.DataFrame({SICK: pl.Series(["no", None], dtype=pl.Enum(["no"])), "grade": [1, 3]})
    assert clinic().impute(enum)[SICK].dtype == pl.Enum(["no", "sì"])
    coded = pl.DataFrame({SICK: pl.Series(["no", None], dtype=pl.Categorical), "grade": [1, 3]})
    assert clinic().impute(coded)[SICK].dtype == pl.Categorical
    assert clinic().impute(coded)[SICK].to_list() == ["no", "sì"]


@pytest.mark.parametrize("arrow", [False, True])
def test_arrow_backed_pandas_and_dictionary_columns_keep_their_types(arrow: bool) -> None:
    table = pa.table(COLUMNS)
    table = table.set_column(1, SICK, table[SICK].dictionary_encode())
    result = clinic().impute(table if arrow else table.to_pandas(types_mapper=pd.ArrowDtype))
    if arrow:
        assert result.schema.equals(table.schema)
        assert result.to_pydict() == FILLED
    else:
        assert (result.dtypes == table.to_pandas(types_mapper=pd.ArrowDtype).dtypes).all()
        assert {name: result[name].tolist() for name in (SICK, "grade", "Fever")} == {
            name: FILLED[name] for name in (SICK, "grade", "Fever")
        }


KINDS: dict[str, Any] = {
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "arrow": pa.table,
    "arrow batch": lambda columns: pa.table(columns).to_batches()[0],
    "arrow stream": lambda columns: pa.table(columns).to_reader(),
    "narwhals pandas": lambda columns: nw.from_native(pd.DataFrame(columns)),
    "narwhals polars": lambda columns: nw.from_native(pl.DataFrame(columns)),
    "dict": dict,
    "list of dicts": lambda columns: [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ],
}


GIVEN_BACK = {
    "polars": (pl.DataFrame, pl.Series),
    "lazy polars": (pl.DataFrame, pl.Series),
    "arrow": (pa.Table, pa.Array),
    "arrow batch": (pa.Table, pa.Array),
    "arrow stream": (pa.Table, pa.Array),
    "narwhals pandas": (nw.DataFrame, nw.Series),
    "narwhals polars": (nw.DataFrame, nw.Series),
    "dict": (dict, np.ndarray),
    "list of dicts": (list, np.ndarray),
}


def as_dict(table: Any) -> dict[str, list[Any]]:
    if isinstance(table, list):
        return {name: [row[name] for row in table] for name in table[0]}
    if isinstance(table, dict):
        return {name: list(column) for name, column in table.items()}
    return {
        name: table[name].to_pylist() if isinstance(table, pa.Table) else table[name].to_list()
        for name in COLUMNS
    }


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_back_its_own_kind(kind: str) -> None:
    net, make = clinic(), KINDS[kind]
    table, column = GIVEN_BACK[kind]
    result = net.impute(make(COLUMNS))
    assert isinstance(result, table)
    got = as_dict(result)
    assert list(got) == list(COLUMNS)
    for name in ("id", SICK, "grade", "Fever"):
        assert got[name] == FILLED[name]
        assert [type(v) for v in got[name]] == [type(v) for v in FILLED[name]]
    predicted = net.predict(make(COLUMNS), SICK)
    assert isinstance(predicted, column)
    assert list(predicted.to_pylist() if kind.startswith("arrow") else predicted) == ["sì", "sì", "no", "no"]
    posterior = net.posterior(make(COLUMNS), [SICK, "Fever"])
    frame = posterior.to_frame()
    assert isinstance(frame, pd.DataFrame if table in (dict, list) else table)
    names = frame.column_names if isinstance(frame, pa.Table) else list(frame.columns)
    assert names == [f"{SICK}=no", f"{SICK}=sì", "Fever=False", "Fever=True"]
    assert posterior.to_polars().shape == posterior.to_pandas().shape == (4, 4)


def test_plain_python_and_numpy_columns_stay_what_they_are() -> None:
    net = clinic()
    mixed = net.impute(
        {
            SICK: ("no", None),
            "grade": np.array([np.nan, 3.0]),
            "Fever": np.ma.array([True, False], mask=[True, False]),
            "extra": np.arange(2),
        }
    )
    assert mixed[SICK] == ("no", "sì")
    assert mixed["grade"].dtype == np.int64
    assert mixed["grade"].tolist() == [1, 3]
    assert mixed["Fever"].tolist() == [False, False]
    rows = net.impute([("no", None), (None, 3)], columns=[SICK, "grade"])
    assert rows == [("no", 1), ("sì", 3)]
    matrix = net.impute(np.array([[1.0, 7.0], [np.nan, 8.0]]), columns=["grade", "unrelated"])
    assert matrix.tolist() == [[1, 7], [1, 8]]
    packed = net.impute(sparse.csr_array(np.array([[3.0], [np.nan]])), columns=["grade"])
    assert packed.toarray().tolist() == [[3], [1]]
    assert packed.format == "csr"
    named = np.array([(1.0, 5), (np.nan, 6)], dtype=[("grade", "f8"), ("k", "i4")])
    assert net.impute(named).tolist() == [(1.0, 5), (1.0, 6)]
