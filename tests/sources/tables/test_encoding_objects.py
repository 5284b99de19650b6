"""Python objects to codes: what goes in comes out, and kinds never meet."""

from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native._core import encode_objects
from bayou.schema import is_missing, state_key
from bayou.sources.tables.objects import identify

gaps = st.sampled_from(
    [None, float("nan"), pd.NA, pd.NaT, np.ma.masked, np.float32("nan"), np.datetime64("NaT")]
)
states = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["", "a", "é", "日", "🐢", "a" * 17, "a" * 16, "a\x00", "慡", "aa", "\ud800"]),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(),
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 1.0, 2.0**53, 2**53 + 1, float("inf"), 1e300, int(1e300)]),
    st.sampled_from([np.int64(1), np.float32(0.5), np.bool_(True), np.str_("a"), np.uint64(2**64 - 1)]),
    st.sampled_from([Decimal("0.5"), Decimal("0.1"), Fraction(1, 2), Fraction(1, 3), 1 + 0j]),
    st.sampled_from([(1, 2), ("a",), b"a", frozenset({1}), datetime.date(2020, 1, 1)]),
)
columns = st.lists(st.one_of(states, gaps), max_size=60)


def same(first: Any, second: Any) -> bool:
    return state_key(first) == state_key(second)


@given(columns, st.sampled_from(["list", "tuple", "array", "strided"]))
def test_every_value_comes_back_under_its_code(values: list[Any], container: str) -> None:
    packed: Any = values
    if container == "tuple":
        packed = tuple(values)
    elif container != "list":
        packed = np.empty(len(values) * 2, dtype=object)
        packed[::2] = np.fromiter(values, dtype=object, count=len(values))
        packed = packed[::2] if container == "strided" else packed[::2].copy()
    ((codes, labels, bad_row),) = encode_objects([packed], identify)
    assert bad_row == -1
    for value, code in zip(values, codes.tolist(), strict=True):
        if is_missing(value):
            assert code == np.iinfo(codes.dtype).max
        else:
            assert same(labels[code], value)
    assert len({state_key(label) for label in labels}) == len(labels)


def test_one_and_true_and_text_are_three_states() -> None:
    ((codes, labels, _),) = encode_objects([[1, "1", True, None, 1.0, np.True_]], identify)
    assert codes.tolist() == [0, 1, 2, 255, 0, 2]
    assert [type(label) for label in labels] == [int, str, bool]


def test_text_that_is_no_one_object_is_found_by_content() -> None:
    values = ["".join(["état", str(number % 3)]) for number in range(20_000)]
    ((codes, labels, _),) = encode_objects([values], identify, 2)
    assert labels == ["état0", "état1", "état2"]
    assert codes.tolist() == [number % 3 for number in range(20_000)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same(threads: int) -> None:
    table = [[f"{column} {row % (column + 1)}" for row in range(5000)] for column in range(9)]
    result = encode_objects(table, identify, threads)
    for column, (codes, labels, _) in enumerate(result):
        assert [labels[code] for code in codes] == table[column]


def test_what_can_not_be_hashed_is_told_by_its_row() -> None:
    assert encode_objects([["a", 5, [1], "b"]], identify)[0][2] == 2


def test_the_array_may_change_while_it_is_read() -> None:
    values: list[Any] = []

    class Meddler:
        def __hash__(self) -> int:
            values.clear()
            return 7

    values.extend([Meddler(), *("x" * number for number in range(50))])
    ((codes, labels, bad_row),) = encode_objects([values], identify)
    assert (len(codes), len(labels), bad_row) == (51, 51, -1)


def test_what_is_no_column_of_objects_is_refused() -> None:
    with pytest.raises(TypeError, match="array of objects"):
        encode_objects([np.zeros(3)], identify)
