"""Ranges with about as many rows each: their sizes are counted, and follow from the definition."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.schema.equal_ranges import equal_ranges


@pytest.mark.parametrize("ranges", [2, 3, 4, 7, 10])
@pytest.mark.parametrize("rows", [10, 63, 100, 1001])
def test_different_values_fall_into_ranges_of_the_same_size(rows: int, ranges: int) -> None:
    values = np.random.default_rng(rows).permutation(rows) * 1.5
    cuts = equal_ranges(values, ranges)
    assert cuts is not None
    assert len(cuts) == ranges
    sizes = [sum(value in each for value in values) for each in cuts]
    assert sum(sizes) == rows
    assert max(sizes) - min(sizes) <= 1


def test_frequent_values_gaps_and_single_values() -> None:
    ages = [30] * 60 + [40] * 20 + [50] * 20
    cuts = equal_ranges(ages, 4)
    assert cuts is not None
    assert cuts.points == (30, 40)
    assert equal_ranges([1.0, np.nan, 2.0, np.inf], 2) == equal_ranges([1.0, 2.0], 2)
    assert equal_ranges([], 4) is None
    assert equal_ranges([np.nan], 4) is None
    assert equal_ranges([7] * 9, 4) is None


def test_the_order_of_rows_does_not_matter() -> None:
    values = np.random.default_rng(0).integers(18, 80, 500)
    assert equal_ranges(values, 4) == equal_ranges(values[::-1], 4)
