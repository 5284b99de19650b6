"""Integers of a small range are held as codes; they mean what they meant as float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.sources import read_columns
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.columns import CodedColumn, Columns, FewNumbers, NumberColumn

pa = pytest.importorskip("pyarrow")

TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def column_of(chunks: list[list[int | None]], kind: str) -> Any:
    arrays = [pa.array(chunk, type=getattr(pa, kind)()) for chunk in chunks]
    return read_columns(pa.table({"x": pa.chunked_array(arrays, type=getattr(pa, kind)())}))["x"]


def check(column: Any, expected: list[int | None]) -> None:
    """The column has these numbers, as numbers and as states."""
    assert isinstance(column, NumberColumn)
    assert (column.integral, column.kind, len(column)) == (True, "int", len(expected))
    floats = np.array([np.nan if value is None else value for value in expected], dtype=np.float64)
    np.testing.assert_array_equal(column.values, floats)
    plain = NumberColumn(floats, integral=True, kind="int").coded()
    coded = column.coded()
    assert coded.labels == plain.labels
    assert [type(label) for label in coded.labels] == [int] * len(coded.labels)
    assert coded.codes.dtype == plain.codes.dtype
    assert coded.codes.tolist() == plain.codes.tolist()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(TYPES),
    st.sampled_from([3, 120, 254, 255, 256, 30_000, 65_534, 65_535, 65_536, 2**40]),
    st.data(),
)
def test_any_integers(kind: str, span: int, data: st.DataObject) -> None:
    limits = np.iinfo(kind)
    low = max(int(limits.min), -(2**52))
    high = min(int(limits.max), 2**52)
    base = data.draw(st.integers(low, high))
    cells = (
        st.none()
        | st.integers(base, min(base + span, high))
        | st.sampled_from([base, min(base + span, high)])
    )
    chunks = data.draw(st.lists(st.lists(cells, max_size=20), min_size=1, max_size=4))
    check(column_of(chunks, kind), [value for chunk in chunks for value in chunk])


@pytest.mark.parametrize(("span", "few"), [(254, True), (255, True), (65_534, True), (65_535, False)])
def test_the_range_decides(span: int, few: bool) -> None:
    values = [7, 7 + span, None, 8]
    column = column_of([values], "int64")
    assert isinstance(column, FewNumbers) == few
    check(column, values)


def test_a_range_that_widens_chunk_by_chunk() -> None:
    chunks: list[list[int | None]] = [[5, None], [-250, 3], [60_000], [-1], [2**40], [None, 5]]
    for end in range(1, len(chunks) + 1):
        check(column_of(chunks[:end], "int64"), [value for chunk in chunks[:end] for value in chunk])


def test_no_values_at_all() -> None:
    check(column_of([[None, None]], "int32"), [None, None])
    check(column_of([[]], "int32"), [])


def test_integers_too_large_for_floats_stay_exact_states() -> None:
    for kind, large in (("int64", 2**60), ("uint64", 2**64 - 2)):
        column = column_of([[large, large + 1, None]], kind)
        assert isinstance(column, CodedColumn)
        assert column.values() == [large, large + 1, None]


def test_a_slice_of_an_array() -> None:
    array = pa.array([9, None, 1, 2, None, 4], type=pa.int16()).slice(1, 4)
    check(read_columns(pa.table({"x": array}))["x"], [None, 1, 2, None])


def test_each_batch_has_the_form_that_suits_it() -> None:
    table = pa.table({"x": pa.array([1, 2, 3, 10**9, 5, 6], type=pa.int64())})
    batches: list[Columns] = list(stream_batches(table, batch_rows=2))
    kinds = [type(batch["x"]) for batch in batches]
    assert kinds == [FewNumbers, NumberColumn, FewNumbers]
    assert [batch.numbers("x").tolist() for batch in batches] == [[1, 2], [3, 10**9], [5, 6]]
