"""Decimal numbers are numbers, the same ones in every kind of table."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bayou
from bayou.schema import Variable, state_key
from bayou.schema.states import decimal_number
from bayou.sources import NumberColumn, column_batches, open_source, read_columns
from bayou.statistics import CountTable

PRICES = [Decimal("1.25"), Decimal("3.00"), None, Decimal("-0.10"), Decimal("12.30"), Decimal("3.00")] * 20
COUNTS = [Decimal("5"), Decimal("0"), Decimal("7"), Decimal("5"), Decimal("12"), Decimal("1")] * 20
LABELS = ["a", "b", "a", "b", "b", "a"] * 20


def containers(folder: Path) -> dict[str, Any]:
    """One table of decimals in every container that can hold them."""
    columns = {"price": PRICES, "count": COUNTS, "y": LABELS}
    types = {"price": pyarrow.decimal128(9, 2), "count": pyarrow.decimal128(9, 0)}
    arrow = pyarrow.table({n: pyarrow.array(v, types.get(n, pyarrow.string())) for n, v in columns.items()})
    frame = pandas.DataFrame(columns)
    arrow.to_pandas(types_mapper=pandas.ArrowDtype).to_parquet(folder / "rows.parquet")
    polars_types = {"price": polars.Decimal(9, 2), "count": polars.Decimal(9, 0), "y": polars.String}
    return {
        "dict": columns,
        "rows": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        "pandas": frame,
        "pandas with NA": frame.assign(price=frame["price"].where(frame["price"].notna(), pandas.NA)),
        "pandas of Arrow": arrow.to_pandas(types_mapper=pandas.ArrowDtype),
        "arrow": arrow,
        "polars": polars.DataFrame(columns, schema=polars_types),
        "duckdb": duckdb.from_arrow(arrow),
        "parquet": folder / "rows.parquet",
    }


def test_every_container_gives_one_model(tmp_path: Path) -> None:
    floats = {
        "price": [None if price is None else float(price) for price in PRICES],
        "count": [int(count) for count in COUNTS],
        "y": LABELS,
    }
    expected = bayou.NaiveBayes().fit(floats, "y")
    net = bayou.Network("y -> price, count").fit(floats)
    for name, data in containers(tmp_path).items():
        table = read_columns(data)
        price, count = table["price"], table["count"]
        assert isinstance(price, NumberColumn), name
        assert isinstance(count, NumberColumn), name
        assert (price.kind, count.kind) == ("float", "int"), name
        np.testing.assert_array_equal(price.values, read_columns(floats)["price"].values, err_msg=name)
        model = bayou.NaiveBayes().fit(data, "y")
        assert {n: str(kind) for n, kind in model.feature_kinds_.items()} == {
            n: str(kind) for n, kind in expected.feature_kinds_.items()
        }
        np.testing.assert_array_equal(model.predict_proba(data), expected.predict_proba(floats), err_msg=name)
        assert bayou.Network("y -> price, count").fit(data).same_as(net), name


def test_a_streamed_column_has_one_kind(tmp_path: Path) -> None:
    whole = [None, *map(Decimal, ["1.00", "2.00"] * 1500)]
    arrow = pyarrow.table({"x": pyarrow.array([*whole, Decimal("0.50")], pyarrow.decimal128(9, 2))})
    pyarrow.parquet.write_table(arrow, tmp_path / "x.parquet")
    kinds = {batch["x"].kind for batch in column_batches(tmp_path / "x.parquet", batch_rows=2048)}  # type: ignore[union-attr]
    assert kinds == {"float"}


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=6))
@example(Decimal("153155614.343107"))  # rounded twice, to 64 bits and then to 53, it would be another float
def test_arrow_and_python_round_alike(value: Decimal) -> None:
    arrow = pyarrow.table({"x": pyarrow.array([value], pyarrow.decimal128(20, 6))})
    assert read_columns(arrow).numbers("x")[0] == float(value) == read_columns({"x": [value]}).numbers("x")[0]


def test_a_decimal_is_the_state_of_the_number_that_it_is() -> None:
    rate = Variable("rate", [0.1, 0.25])
    assert (rate.code(Decimal("0.1")), rate.find(Decimal("0.250")), rate.find(Decimal("0.2"))) == (0, 1, None)
    assert state_key(Decimal(2**70 + 1)) == state_key(2**70 + 1)
    assert decimal_number(Decimal("1E+400")) == Decimal("1E+400")
    mixed = read_columns({"x": [Decimal("0.5"), "unknown", 0.5]}).coded("x")
    assert mixed.values() == [0.5, "unknown", 0.5]


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN")])
def test_a_decimal_nan_is_a_gap(value: Decimal) -> None:
    assert np.isnan(read_columns({"x": [value, Decimal("1.5")]}).numbers("x")[0])


LARGE = [Decimal(2**53), Decimal(2**53 + 1), Decimal(2**53 + 1), None]
"""As floats, the first two were one number."""


def test_whole_decimals_beyond_floats_are_exact_or_refused(tmp_path: Path) -> None:
    arrow = pyarrow.table({"x": pyarrow.array(LARGE, pyarrow.decimal128(38, 0))})
    pyarrow.parquet.write_table(arrow, tmp_path / "rows.parquet")
    for data in (arrow, polars.from_arrow(arrow), tmp_path / "rows.parquet", duckdb.from_arrow(arrow)):
        with pytest.raises(bayou.BayouError, match=r"'x' has decimals .* beyond 2\^53, .*integers or text"):
            bayou.Network("x").fit(data)
    for data in ({"x": LARGE}, pandas.DataFrame({"x": LARGE})):
        assert bayou.Network("x").fit(data).states("x") == (2**53, 2**53 + 1)
    duckdb_rows = duckdb.from_arrow(arrow).project("x::bigint as x")
    assert bayou.Network("x").fit(duckdb_rows).states("x") == (2**53, 2**53 + 1)


def test_integers_of_json_lines_are_exact(tmp_path: Path) -> None:
    for values in ([2**53, 2**53 + 1, -(2**62), None], [2**63 - 1, -(2**63)], [2**64 - 1, 1]):
        (tmp_path / "x.jsonl").write_text("".join(json.dumps({"x": value}) + "\n" for value in values))
        found = bayou.Network("x").fit(tmp_path / "x.jsonl").states("x")
        assert found == tuple(sorted(value for value in values if value is not None))


def test_later_batches_may_have_larger_integers() -> None:
    batches = [[1, 2], [2**53 + 1, None], [None, None], [2, 2**53]]
    parts = [pyarrow.table({"x": pyarrow.array(part, pyarrow.int64())}) for part in batches]
    counts = open_source(bayou.from_batches(parts)).collect([request := CountTable(("x",))])[request]
    found = dict(zip(counts.axes[0].states, counts.values.tolist(), strict=True))
    assert found == {1: 1, 2: 2, 2**53: 1, 2**53 + 1: 1}
    assert bayou.Network("x").fit(bayou.from_batches(parts)).states("x") == (1, 2, 2**53, 2**53 + 1)
