"""One small table, given in every way there is, comes out as the same columns."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from bayou.sources import Columns, NumberColumn, column_batches, read_columns

A_LONG_NAME = "température de l'eau, °C — a name with spaces, quotes ' \" and 日本語"
TEXTS = ["oui", None, "non", "", "żółw with more than sixteen bytes", "oui"]
WHOLES = [3, 1, None, 3, -2, 0]
REALS = [0.5, None, -1.25, 1e300, 2.0, 0.5]
TRUTHS = [True, False, None, True, True, False]
MOMENTS = [datetime.datetime(2024, 2, 29, 12), None, *[datetime.datetime(1969, 1, 1, 0, 0, 1)] * 4]
SUMMER = datetime.datetime(2024, 7, 1, tzinfo=datetime.timezone.utc)
TABLE: dict[str, list[Any]] = {
    A_LONG_NAME: TEXTS, "2": WHOLES, "réel": REALS, "truth": TRUTHS, "when": MOMENTS,
}  # fmt: skip


def rows_of(table: dict[Any, list[Any]]) -> list[dict[Any, Any]]:
    return [{name: table[name][row] for name in table if table[name][row] is not None} for row in range(6)]


def structured() -> np.ma.MaskedArray:
    kinds = [(A_LONG_NAME, "U40"), ("2", "i4"), ("réel", "f8"), ("truth", "?"), ("when", "M8[ms]")]
    fill = ["hidden", 77, 7.5, True, MOMENTS[0]]
    data = np.ma.zeros(6, dtype=kinds)
    for (name, _), filler in zip(kinds, fill, strict=True):
        data[name] = np.ma.array(
            [filler if value is None else value for value in TABLE[name]],
            mask=[value is None for value in TABLE[name]],
            dtype=dict(kinds)[name],
        )
    return data


def arrow_table() -> pa.Table:
    return pa.table(TABLE)


def chunked_and_sliced() -> pa.Table:
    twice = pa.concat_tables([arrow_table().slice(4), arrow_table(), arrow_table().slice(0, 3)])
    return twice.slice(2, 6)


def narrow_arrow_types() -> pa.Table:
    return pa.table({
        A_LONG_NAME: pa.array(TEXTS, pa.large_string()), "2": pa.array(WHOLES, pa.int8()),
        "réel": pa.array(REALS, pa.float64()), "truth": pa.array(TRUTHS),
        "when": pa.array(MOMENTS, pa.timestamp("ns")),
    })  # fmt: skip


WAYS: dict[str, Callable[[], Any]] = {
    "dict of lists": lambda: TABLE,
    "dict of tuples": lambda: {name: tuple(values) for name, values in TABLE.items()},
    "dict of object arrays": lambda: {name: np.array(values, dtype=object) for name, values in TABLE.items()},
    "dict of pandas series": lambda: {
        name: pd.Series(values, dtype=object) for name, values in TABLE.items()
    },
    "dict of polars series": lambda: {name: pl.Series(values) for name, values in TABLE.items()},
    "dict of arrow arrays": lambda: {name: pa.array(values) for name, values in TABLE.items()},
    "list of dicts, absent keys": lambda: rows_of(TABLE),
    "masked structured array": structured,
    "pandas of objects": lambda: pd.DataFrame(TABLE, dtype=object),
    "pandas, inferred types": lambda: pd.DataFrame(TABLE),
    "pandas, nullable types": lambda: pd.DataFrame(TABLE).convert_dtypes(),
    "pandas, python text": lambda: pd.DataFrame(TABLE).astype({A_LONG_NAME: pd.StringDtype("python")}),
    "pandas, Arrow types": lambda: arrow_table().to_pandas(types_mapper=pd.ArrowDtype),
    "pandas, odd index": lambda: pd.DataFrame(TABLE, index=[5, 5, 3, 2, 1, 0]),
    "polars": lambda: pl.DataFrame(TABLE),
    "polars lazy": lambda: pl.LazyFrame(TABLE),
    "arrow table": arrow_table,
    "arrow record batch": lambda: arrow_table().to_batches()[0],
    "arrow reader": lambda: pa.RecordBatchReader.from_stream(arrow_table()),
    "arrow chunks and offsets": chunked_and_sliced,
    "arrow narrow types": narrow_arrow_types,
    "arrow text views": lambda: arrow_table().cast(
        pa.schema(
            [arrow_table().schema.field(0).with_type(pa.string_view()), *list(arrow_table().schema)[1:]]
        )
    ),
    "duckdb relation": lambda: duckdb.connect().from_arrow(arrow_table()),
    "narwhals frame": lambda: nw.from_native(pl.DataFrame(TABLE)),
    "columns permuted": lambda: pl.DataFrame(TABLE).select(list(reversed(TABLE))),
}


def plain_values(table: Columns, name: Any) -> list[Any]:
    column = table[name]
    if isinstance(column, NumberColumn):
        return [None if np.isnan(value) else value for value in column.values.tolist()]
    return column.values()


@pytest.mark.parametrize("way", WAYS)
def test_the_same_table_gives_the_same_columns(way: str) -> None:
    table = read_columns(WAYS[way]())
    assert set(table.names) == set(TABLE)
    assert table.rows == 6
    for name, values in TABLE.items():
        assert plain_values(table, name) == values, name
    assert isinstance(table["2"], NumberColumn)
    assert table["2"].integral
    assert isinstance(table["réel"], NumberColumn)
    assert not table["réel"].integral
    assert table["truth"].labels == (False, True)
    assert table.coded("2").labels == (-2, 0, 1, 3)


@pytest.mark.parametrize(
    "way", ["polars", "pandas, inferred types", "dict of lists", "list of dicts, absent keys"]
)
def test_only_the_wanted_columns_come_in_the_wanted_order(way: str) -> None:
    table = read_columns(WAYS[way](), names=["truth", A_LONG_NAME])
    assert table.names == ("truth", A_LONG_NAME)
    assert plain_values(table, A_LONG_NAME) == TEXTS


@pytest.mark.parametrize("rows", [1, 2, 4, 100])
def test_batches_of_a_stream_join_to_the_table(rows: int) -> None:
    source = pa.concat_tables([arrow_table()] * 3)
    batches = list(column_batches(source, batch_rows=rows))
    assert [batch.rows for batch in batches[:-1]] == [rows] * (len(batches) - 1)
    for name, values in TABLE.items():
        joined = [value for batch in batches for value in plain_values(batch, name)]
        assert joined == values * 3


def test_a_matrix_needs_names_and_takes_any() -> None:
    mixed = np.array([[1, "1"], [True, None], ["1", float("nan")]], dtype=object)
    table = read_columns(mixed, columns=[7, "seven"])
    assert table.names == (7, "seven")
    assert table[7].values() == [1, True, "1"]
    assert len(table[7].labels) == 3
    assert table["seven"].values() == ["1", None, None]
    numbers = read_columns(np.arange(6).reshape(3, 2), columns=["a", "b"])
    assert numbers["b"].kind == "int"
    assert numbers.numbers("b").tolist() == [1, 3, 5]
    assert read_columns(np.array([["x"], ["yy"], ["x"]]), columns=["t"])["t"].values() == ["x", "yy", "x"]
    assert read_columns(np.array([[True], [False]]), columns=["t"])["t"].values() == [True, False]
    tuples = read_columns([(1, "a"), [2, None]], columns=["n", "t"])
    assert tuples["t"].values() == ["a", None]


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.coo_array, scipy.sparse.csc_array])
def test_what_a_sparse_matrix_does_not_store_is_zero(form: Any) -> None:
    table = read_columns(form(np.array([[0, 2.5], [1, 0], [0, 0]])), columns=["a", "b"])
    assert table.rows == 3
    assert table.numbers("a").tolist() == [0, 1, 0]
    assert table.coded("b").labels == (0, 2.5)


def test_names_of_different_types_are_different_names() -> None:
    table = read_columns([{1: "one", "1": "text"}, {True: "truth"}])
    assert table.names == (1, "1", True)
    assert [plain_values(table, name) for name in (1, "1", True)] == [
        ["one", None], ["text", None], [None, "truth"],
    ]  # fmt: skip
    frame = pd.DataFrame([[1, 2]], columns=[0, "0"])
    assert read_columns(frame).numbers("0").tolist() == [2]


def test_categories_keep_their_order_and_those_never_seen() -> None:
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    column = read_columns(pd.DataFrame({"a": pd.Categorical(["high", None, "low"], dtype=kind)}))["a"]
    assert (column.labels, column.ordered, column.declared) == (("low", "mid", "high"), True, True)
    assert column.values() == ["high", None, "low"]
    numbers = read_columns(pd.DataFrame({"a": pd.Categorical([10, 20, 10], categories=[20, 10, 5])}))["a"]
    assert numbers.labels == (20, 10, 5)
    enum = read_columns(pl.DataFrame({"a": pl.Series(["b", None], dtype=pl.Enum(["a", "b"]))}))["a"]
    assert (enum.labels, enum.ordered, enum.declared) == (("a", "b"), True, True)
    loose = read_columns(pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Categorical)}))["a"]
    assert not loose.declared
    assert loose.values() == ["b", None, "a"]
    arrow = pa.table({"a": pa.array(["x", None, "y", "x"]).dictionary_encode()})
    assert read_columns(arrow)["a"].values() == ["x", None, "y", "x"]
    numeric = pa.table({"a": pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array([2.5, 7.0]))})
    assert read_columns(numeric)["a"].values() == [7.0, 2.5, None]


def test_chunks_with_dictionaries_of_their_own_are_one_column() -> None:
    first = pa.array(["x", "y"]).dictionary_encode()
    second = pa.array(["z", "y", None]).dictionary_encode()
    table = pa.table({"a": pa.chunked_array([first, second])})
    assert read_columns(table)["a"].values() == ["x", "y", "z", "y", None]


@pytest.mark.parametrize(
    "values", [[2**53 + 1, 2**53, None], [2**63 - 1, 2**63 - 2, 5], [2**70, 2**70 + 1, 1]]
)
def test_long_integers_keep_their_identity(values: list[int | None]) -> None:
    assert read_columns({"id": values})["id"].values() == values
    if all(value is None or value < 2**63 for value in values):
        assert read_columns(pa.table({"id": values}))["id"].values() == values
        whole = [value for value in values if value is not None]
        assert read_columns(np.array(whole)[:, None], columns=["id"])["id"].values() == whole


@pytest.mark.parametrize("labels", [255, 256, 65535, 65536])
def test_codes_are_as_wide_as_the_labels_need(labels: int) -> None:
    texts = [f"état {number}" for number in range(labels)] + [None]
    for data in ({"a": texts}, pl.DataFrame({"a": texts})):
        column = read_columns(data)["a"]
        assert column.codes.dtype == (
            np.uint8 if labels == 255 else np.uint16 if labels < 65536 else np.uint32
        )
        assert column.values() == texts


def test_other_arrow_types() -> None:
    from decimal import Decimal

    table = pa.table({
        "decimal": pa.array([Decimal("-1.25"), Decimal("3.00"), None], pa.decimal128(10, 2)),
        "half": pa.array(np.array([0.5, -2, np.inf], dtype=np.float16)),
        "date": pa.array([datetime.date(2020, 1, 1), None, datetime.date(1950, 5, 5)]),
        "time": pa.array([datetime.time(1, 2, 3), None, None], pa.time64("us")),
        "span": pa.array([datetime.timedelta(days=2), None, None], pa.duration("ms")),
        "zoned": pa.array([SUMMER] * 3, pa.timestamp("us", "Europe/Paris")),
        "nothing": pa.nulls(3),
        "bytes": pa.array([b"\x00\xff", b"", None]),
        "big": pa.array([2**64 - 1, 0, None], pa.uint64()),
    })  # fmt: skip
    read = read_columns(table)
    assert plain_values(read, "decimal") == [-1.25, 3.0, None]
    assert plain_values(read, "half") == [0.5, -2.0, np.inf]
    for name in ("date", "time", "span", "zoned", "nothing", "bytes", "big"):
        assert read[name].values() == table[name].to_pylist(), name


def test_numbers_are_asked_of_a_column_of_text() -> None:
    from bayou.errors import BadData

    table = read_columns({"mixed": [1, 2.5, "x"], "category": pd.Categorical([3, None, 1])})
    assert np.array_equal(table.numbers("category"), [3, np.nan, 1], equal_nan=True)
    with pytest.raises(BadData, match="'mixed' must hold numbers, but it has the value 'x'"):
        table.numbers("mixed")


def test_polars_may_hold_python_objects() -> None:
    frame = pl.DataFrame({"o": pl.Series([(1, 2), None, "x"], dtype=pl.Object), "n": [1, 2, 3]})
    table = read_columns(frame)
    assert table["o"].values() == [(1, 2), None, "x"]
    assert table.numbers("n").tolist() == [1, 2, 3]


def test_pandas_is_read_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64"), "b": pd.array([True, None, False])})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    table = read_columns(frame)
    assert plain_values(table, "n") == [1, None, 3]
    assert table["b"].values() == [True, None, False]


def test_columns_are_taken_as_they_are() -> None:
    table = read_columns({"a": [1], "b": ["x"]})
    assert read_columns(table) is table
    assert read_columns(table, names=["b"]).names == ("b",)


def test_rows_that_are_null_as_a_whole_are_gaps_in_every_column() -> None:
    rows = [
        {"a": 1, "b": "x", "c": 0.5},
        None,
        {"a": 3, "b": None, "c": 2.5},
        None,
        {"a": 5, "b": "y", "c": 1.5},
    ]
    kind = pa.struct([("a", pa.int64()), ("b", pa.string()), ("c", pa.float64())])
    whole = pa.chunked_array([pa.array(rows, kind), pa.array([], kind), pa.array(rows[1:], kind)])
    for stream, expected in [
        (whole, rows + rows[1:]),
        (whole.slice(1, 3), rows[1:4]),
        (whole.slice(6), rows[2:]),
    ]:
        table = read_columns(stream)
        for name in ("a", "b", "c"):
            wanted = [None if row is None else row[name] for row in expected]
            assert plain_values(table, name) == wanted
        assert table["a"].integral
