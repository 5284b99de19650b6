"""Codes of matrices of whole numbers: any type, any order, narrow and wide ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_]
SPANS = st.sampled_from([1, 2, 10, 254, 255, 256, 257, 1000, 65535, 65536, 70000, 2**40])
LAYOUTS = st.sampled_from(["C", "F", "every other", "backwards"])


def laid_out(matrix: npt.NDArray[Any], layout: str) -> npt.NDArray[Any]:
    if layout == "every other":
        wide = np.zeros((2 * matrix.shape[0], 3 * matrix.shape[1]), matrix.dtype)
        wide[::2, ::3] = matrix
        return wide[::2, ::3]
    if layout == "backwards":
        return np.ascontiguousarray(matrix[::-1, ::-1])[::-1, ::-1]
    return np.asarray(matrix, order="F" if layout == "F" else "C")


@st.composite
def matrices(draw: st.DrawFn) -> npt.NDArray[Any]:
    dtype: Any = draw(st.sampled_from(TYPES))
    rows = draw(st.sampled_from([0, 1, 7, 63, 500, 3000]))
    spans = draw(st.lists(SPANS, max_size=5))
    seed, step = draw(st.integers(0, 99)), draw(st.sampled_from([1, 3]))
    random = np.random.default_rng(seed)
    matrix = np.zeros((rows, len(spans)), dtype)
    least, most = (0, 1) if dtype is np.bool_ else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    for j, span in enumerate(spans):
        start = draw(st.sampled_from([least, max(least, -3), 0, most // 2, max(most - span * step, least)]))
        count = min(span, (most - start) // step + 1)
        cells = [start + step * int(k) for k in random.integers(0, count, rows)]
        matrix[:, j] = np.array(cells, dtype=object).astype(dtype)
    return laid_out(matrix, draw(LAYOUTS))


@settings(max_examples=150, deadline=None)
@given(matrices())
def test_codes_and_values_are_those_of_the_reference(matrix: npt.NDArray[Any]) -> None:
    codes, values = _core.encode_integer_matrix(matrix, threads=2)
    expected_codes, expected_values = reference.encode_integer_matrix(matrix)
    assert len(codes) == matrix.shape[1]
    for mine, theirs in zip([*codes, *values], [*expected_codes, *expected_values], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


@settings(max_examples=150, deadline=None)
@given(matrices(), matrices())
def test_numbers_that_are_not_known_are_missing(learned: npt.NDArray[Any], matrix: npt.NDArray[Any]) -> None:
    found = _core.encode_integer_matrix(learned)[1][: matrix.shape[1]]
    wide: Any = np.uint64 if learned.dtype == np.uint64 else np.int64
    known = [values.astype(wide) for values in found]
    known += [np.array([-5, 0, 3, 2**50])] * (matrix.shape[1] - len(known))
    codes, back = _core.encode_integer_matrix(matrix, known, 2)
    assert back is known
    for mine, theirs in zip(codes, reference.encode_integer_matrix(matrix, known)[0], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_many_rows_on_many_threads_with_each_kind_of_column() -> None:
    random = np.random.default_rng(4)
    spans = [10, 254, 255, 300, 60_000, 400_000]
    matrix = np.stack(
        [random.integers(-5, span, 100_000) * (7 if span > 255 else 1) for span in spans], axis=1
    )
    codes, values = _core.encode_integer_matrix(matrix)
    for j in range(len(spans)):
        distinct, places = np.unique(matrix[:, j], return_inverse=True)
        np.testing.assert_array_equal(values[j], distinct)
        np.testing.assert_array_equal(codes[j], places)
    assert [column.dtype.itemsize for column in codes] == [1, 2, 2, 2, 2, 4]


@pytest.mark.parametrize("kernels", [_core, reference])
def test_bad_input_is_named(kernels: Any) -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        kernels.encode_integer_matrix(np.ones((2, 2)))
    whole = np.ones((2, 2), np.int64)
    with pytest.raises(ValueError, match="values has length 1, expected 2"):
        kernels.encode_integer_matrix(whole, [np.array([1])])
    with pytest.raises(ValueError, match="column 1: expected distinct numbers in ascending order"):
        kernels.encode_integer_matrix(whole, [np.array([1]), np.array([2, 2])])
