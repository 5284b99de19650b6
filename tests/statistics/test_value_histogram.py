"""The multiset of a number's values: adds, subtracts, streams, takes new classes, bins within its bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

from bayou.errors import BadStatistics
from bayou.schema import Variable
from bayou.sources import TableSource, read_columns
from bayou.statistics import CountTable, Statistics, ValueCounts, ValueHistogram, value_histogram
from bayou.typing import FloatArray, IntArray

NAME = "Größe in cm 1"
SEX = Variable("Geschlecht", ["f", "m", "größer"])


def counted(values: FloatArray, codes: IntArray, weights: FloatArray | None = None) -> ValueCounts:
    return ValueCounts.of(NAME, (SEX,), values, codes, weights)


@st.composite
def rows(draw: st.DrawFn) -> tuple[FloatArray, IntArray, FloatArray]:
    """Values with ties and gaps, groups, whole weights."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([0, 1, 2, 30, 1500]))
    values = np.round(random.normal(size=n), draw(st.integers(0, 3)))
    values[random.random(n) < 0.1] = np.nan
    return values, random.integers(0, 3, n), random.integers(0, 4, n).astype(float)


@given(rows(), rows(), rows())
@law
def test_parts_add_to_the_whole_in_any_order_and_subtract_again(
    a: tuple[FloatArray, IntArray, FloatArray],
    b: tuple[FloatArray, IntArray, FloatArray],
    c: tuple[FloatArray, IntArray, FloatArray],
) -> None:
    one, two, three = counted(*a), counted(*b), counted(*c)
    all_rows = counted(*(np.concatenate(parts) for parts in zip(a, b, c, strict=True)))
    assert one + (two + three) == (three + one) + two == all_rows
    assert all_rows - two == one + three
    assert (all_rows - two - one - three).total == 0
    assert one + one == 2 * one
    seen = ~np.isnan(a[0])
    assert one.total == a[2][seen].sum()


def test_new_classes_in_mid_stream_are_normal() -> None:
    one = ValueCounts.of(NAME, (Variable("c", ["b"]),), np.array([1.0, 2.0]), np.array([0, 0]))
    two = ValueCounts.of(NAME, (Variable("c", ["a", "b"]),), np.array([2.0, 2.0]), np.array([0, 1]))
    both = one + two
    assert both.groups[0].states == ("a", "b")
    assert both.of_group(0)[0].tolist() == [2.0]
    assert both.of_group(1)[1].tolist() == [1.0, 2.0]
    assert both - one == two
    assert both.ungrouped().weights.tolist() == [1.0, 3.0]


def test_two_groups_of_variables_line_up_by_name() -> None:
    a, b = Variable("a", [0, 1]), Variable("b", ["x", "y", "z"])
    values, codes = np.arange(6.0), np.arange(6)
    one = ValueCounts.of(NAME, (a, b), values, codes)
    turned = one.aligned((b, a))
    assert turned.codes.tolist() == [0, 2, 4, 1, 3, 5]
    assert turned == one
    assert one.renamed({NAME: "h", "b": "B"}).groups[1].name == "B"


def test_what_was_never_counted_can_not_be_taken_away() -> None:
    one = counted(np.array([1.0, 2.0]), np.array([0, 1]))
    for values, group in [(3.0, 0), (1.0, 1)]:
        with pytest.raises(BadStatistics, match="never counted in that group"):
            one - counted(np.array([values]), np.array([group]))
    with pytest.raises(BadStatistics, match="would become -1"):
        one - counted(np.array([1.0, 1.0]), np.array([0, 0]))
    with pytest.raises(BadStatistics, match="cannot be added"):
        one + ValueCounts.of("other", (SEX,), np.zeros(0), np.zeros(0, np.int64))
    with pytest.raises(BadStatistics, match="declared states"):
        one.aligned((Variable("Geschlecht", ["f"]),))
    with pytest.raises(BadStatistics, match="multiplied"):
        one * -1.0


def test_beyond_the_stated_size_values_lie_in_nested_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_histogram, "MOST_ENTRIES", 200)
    random = np.random.default_rng(7)
    values = np.r_[random.normal(size=3000), np.inf, -np.inf, 1e300]
    codes = random.integers(0, 3, len(values))
    whole = counted(values, codes)
    assert 0 < len(whole.values) <= 200
    assert np.log2(whole.bin_width) % 1 == 0
    for group in range(3):
        mine = np.sort(values[codes == group])
        kept = np.repeat(
            *(part.astype(t) for part, t in zip(whole.of_group(group), (float, int), strict=True))
        )
        finite = np.isfinite(mine)
        assert np.all(np.abs(kept[finite] - mine[finite]) <= whole.bin_width / 2)
        np.testing.assert_array_equal(kept[~finite], mine[~finite])
    parts = [counted(values[at::7], codes[at::7]) for at in range(7)]
    streamed = parts[3] + parts[0] + (parts[6] + parts[1]) + parts[2] + parts[5] + parts[4]
    assert streamed == whole
    assert streamed.bin_width == whole.bin_width
    assert whole - parts[0] == (parts[1] + parts[2] + parts[3] + parts[4] + parts[5] + parts[6])


def test_cuts_of_the_multiset_are_those_of_the_rows() -> None:
    from bayou._native import mdl_cuts

    random = np.random.default_rng(1)
    codes = random.integers(0, 3, 2000)
    values = np.round(random.normal(size=2000) + codes, 2)
    parts = [counted(values[at::4], codes[at::4]) for at in range(4)]
    cuts = (parts[0] + parts[1] + parts[2] + parts[3]).cuts()
    assert len(cuts) > 1
    np.testing.assert_array_equal(cuts, mdl_cuts([values], codes.astype(np.uint32), 3)[0])


def test_a_table_answers_and_statistics_add_and_forget() -> None:
    request = ValueHistogram("h", ("c",))
    first = {"h": [1.5, None, 2.5, 1.5], "c": ["b", "b", "a", "b"]}
    second = {"h": [2.5, 9.0], "c": ["a", "neu"]}
    one, two = (TableSource(read_columns(t)).collect([request, CountTable(("c",))]) for t in (first, second))
    assert one[request].values.tolist() == [1.5, 2.5]
    assert one[request].of_group(1)[1].tolist() == [2.0]
    both: Statistics = one + two
    assert both[request].groups[0].states == ("a", "b", "neu")
    assert (both - two)[request] == one[request]
    assert (both - two)[request].groups[0].states == ("a", "b")
    weighted = TableSource(read_columns(first), np.array([1.0, 1.0, 0.5, 2.0])).collect([ValueHistogram("h")])
    assert weighted[ValueHistogram("h")].weights.tolist() == [3.0, 0.5]
