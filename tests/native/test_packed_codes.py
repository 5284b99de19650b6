"""Codes out of packed 64-bit numbers: against the reference, and broken input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

Case = tuple[Any, int, Any, Any]


@st.composite
def packed_rows(draw: st.DrawFn) -> Case:
    """Random bytes, of which any bits are some column's: every number but 0 is a state or a rank."""
    row_bytes, rows = draw(st.integers(8, 30)), draw(st.sampled_from([0, 1, 7, 2048, 2500]))
    columns = draw(st.integers(0, 5))
    places, offsets = [], []
    for _ in range(columns):
        bits = draw(st.integers(1, 16))
        start, shift = draw(st.integers(0, row_bytes - 8)), draw(st.integers(0, 64 - bits))
        places.append((start, shift, bits, draw(st.sampled_from([0, (1 << bits) - 1]))))
        offsets.append(draw(st.integers(-(2**63), 2**63 - 1)))
    data = np.random.default_rng(draw(st.integers(0, 99))).integers(0, 256, rows * row_bytes, dtype=np.uint8)
    where = np.array(places, dtype=np.int64).reshape(-1, 4)
    return data, row_bytes, where, np.array(offsets, dtype=np.int64)


@given(packed_rows())
def test_codes_are_those_of_the_reference(case: Case) -> None:
    for got, expected in zip(_core.unpack_codes(*case), reference.unpack_codes(*case), strict=True):
        assert len(got) == len(expected) == len(case[2])
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def test_codes_that_were_packed_come_back() -> None:
    chance = np.random.default_rng(0)
    a, b = chance.integers(0, 4, 5000), chance.integers(-300, 300, 5000)
    packed = (a * 1024 + b).astype(">i8")
    places = np.array([[0, 0, 10, 0], [0, 10, 3, 3]])
    codes, seen = _core.unpack_codes(packed.view(np.uint8), 8, places, np.array([-301, -301]))
    assert codes[0].dtype == np.uint16
    np.testing.assert_array_equal(seen[0][codes[0]] - 301, b)
    np.testing.assert_array_equal(codes[1], np.where(a == 0, 255, a - 1))


@pytest.mark.parametrize(
    ("size", "row_bytes", "place", "says"),
    [
        (15, 8, (0, 0, 4, 3), "15 bytes are not whole rows"),
        (14, 7, (0, 0, 4, 3), "at least 8"),
        (16, 8, (1, 0, 4, 3), "begins at 1"),
        (16, 8, (-1, 0, 4, 3), "begins at"),
        (16, 8, (0, 61, 4, 3), "4 bits from 61"),
        (16, 8, (0, -1, 4, 3), "4 bits from -1"),
        (16, 8, (0, 0, 17, 3), "17 bits"),
        (16, 8, (0, 0, 0, 0), "0 bits"),
        (16, 8, (0, 0, 2, 4), "cannot hold 4 states"),
        (16, 8, (0, 0, 4, 3), "the code 15 is beyond the 3 states"),
    ],
)
def test_broken_input_is_refused(size: int, row_bytes: int, place: tuple[int, ...], says: str) -> None:
    data = np.full(size, 255, dtype=np.uint8)
    for kernels in (_core, reference):
        with pytest.raises(ValueError, match=says):
            kernels.unpack_codes(data, row_bytes, np.array([place]), np.array([0]))


def test_places_and_offsets_of_other_lengths_are_refused() -> None:
    data, places = np.zeros(8, dtype=np.uint8), np.array([[0, 0, 4, 3]])
    for kernels in (_core, reference):
        for where, offsets in ((places, np.array([0, 0])), (places[:, :3].copy(), np.array([0]))):
            with pytest.raises(ValueError, match="four numbers"):
                kernels.unpack_codes(data, 8, where, offsets)
