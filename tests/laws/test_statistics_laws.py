"""Statistics add, subtract, scale, commute and associate, whatever labels their axes have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import STATES, Sample, law, samples, seeds

from bayou.schema import Variable
from bayou.sources import TableSource, open_source
from bayou.statistics import CachedSource, Counts, CountTable, GroupMoments, Moments, Statistics

MIXED: list[Any] = [1, "1", True, "ä b", 2, False]


@st.composite
def three_counts(draw: st.DrawFn) -> list[Counts]:
    """Tables of the same variables, each with its own states in its own order, and its own order of axes."""
    random = draw(seeds())
    tables = []
    for _ in range(3):
        axes = [
            Variable(name, draw(st.permutations(MIXED))[: draw(st.integers(1, 4))])
            for name in ("A b", 7, "ö")
        ]
        axes = draw(st.permutations(axes))
        values = random.integers(0, 100, [axis.cardinality for axis in axes])
        tables.append(Counts(tuple(axes), values))
    return tables


@given(three_counts())
@law
def test_counts_commute_associate_and_cancel(tables: list[Counts]) -> None:
    a, b, c = tables
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert (a + b) - b == a
    assert (a + b + c) - c - a == b
    assert (a + b).total == a.total + b.total


@given(three_counts(), st.integers(0, 9))
@law
def test_counts_scale(tables: list[Counts], factor: int) -> None:
    a, b, _ = tables
    assert (a + b) * factor == a * factor + factor * b
    assert a * 3 == a + a + a


@given(three_counts())
@law
def test_a_margin_of_a_sum_is_the_sum_of_the_margins(tables: list[Counts]) -> None:
    a, b, _ = tables
    for names in (["ö"], [7, "A b"], []):
        assert (a + b).marginal(names) == a.marginal(names) + b.marginal(names)


@st.composite
def three_moments(draw: st.DrawFn) -> list[GroupMoments]:
    """Moments of a few rows each, by groups whose labels differ."""
    random, shift = draw(seeds()), draw(st.sampled_from([0.0, 170.0, -3000.0]))
    results = []
    for _ in range(3):
        rows = draw(st.integers(1, 20))
        states = draw(st.permutations(MIXED))[:3]
        columns = {
            "g": [states[k] for k in random.integers(0, 3, rows)],
            "x": shift + random.normal(size=rows),
            "y": random.normal(size=rows) * 10,
        }
        source = open_source(columns)
        results.append(source.collect([Moments(("x", "y"), ("g",))])[Moments(("x", "y"), ("g",))])
    return results


def assert_close(left: GroupMoments, right: GroupMoments, scale: GroupMoments | None = None) -> None:
    """Equal to 1e-12, relative to the size of the data that went through the sums."""
    axis = Variable("g", [*left.groups[0].states, *_others(left, right)])
    left, right = left.aligned([axis]), right.aligned([axis])
    whole = scale if scale is not None else left
    offset = 1 + float(np.abs(whole.mean).max())
    np.testing.assert_allclose(left.n, right.n, rtol=1e-14)
    np.testing.assert_allclose(left.mean, right.mean, rtol=0, atol=1e-12 * offset)
    spread = 1 + float(np.abs(whole.scatter).max())
    np.testing.assert_allclose(left.scatter, right.scatter, rtol=0, atol=1e-12 * spread * offset)


def _others(left: GroupMoments, right: GroupMoments) -> list[Any]:
    return [state for state in right.groups[0].states if left.groups[0].find(state) is None]


@given(three_moments())
@law
def test_moments_commute_associate_and_cancel(parts: list[GroupMoments]) -> None:
    a, b, c = parts
    whole = a + b + c
    assert_close(a + b, b + a)
    assert_close((a + b) + c, a + (b + c))
    assert_close((a + b) - b, a, scale=whole)
    assert_close(whole - c - a, b, scale=whole)
    assert_close((a + b) * 2, a * 2 + 2 * b)


def requests_of(sample: Sample) -> list[CountTable]:
    return [CountTable((*sample.dag.parents(name), name)) for name in sample.dag.nodes]


@given(samples(least=2), st.data())
@law
def test_statistics_of_parts_add_up_to_those_of_the_whole(sample: Sample, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, sample.rows - 1))
    order = data.draw(st.permutations(range(sample.rows)))

    def collected(rows: Any) -> Statistics:
        source = open_source(sample.part(rows), weights=sample.some_weights(rows))
        return source.collect(requests_of(sample))

    whole, first, second = collected(range(sample.rows)), collected(order[:cut]), collected(order[cut:])
    assert (first + second).rows == whole.rows
    for request in whole:
        assert (first + second)[request] == whole[request]
        assert (whole - second)[request] == first[request]
        assert (whole * 2)[request] == (whole + whole)[request]


@given(samples(), st.data())
@law
def test_a_source_with_a_memory_answers_as_one_without(sample: Sample, data: st.DataObject) -> None:
    weights = sample.weights if data.draw(st.booleans()) else None
    direct, cached = (open_source(sample.columns, weights=weights) for _ in range(2))
    remembering = CachedSource(cached)
    names = list(sample.dag.nodes)
    for _ in range(5):
        chosen = [tuple(data.draw(st.permutations(names))[: data.draw(st.integers(0, 3))]) for _ in range(2)]
        requests = [CountTable(variables) for variables in chosen]
        fresh, recalled = direct.collect(requests), remembering.collect(requests)
        assert recalled.rows == fresh.rows
        for request in requests:
            assert recalled[request].names == request.variables
            assert recalled[request] == fresh[request]
            assert recalled[request].axes == fresh[request].axes


def test_a_source_with_a_memory_asks_once_where_nothing_is_missing() -> None:
    source = CachedSource(open_source({"A": ["x", "y", "x"], "B": [1, 2, 2]}))
    source.collect([CountTable(("A", "B"))])
    assert source.collect([CountTable(("B",))])[CountTable(("B",))].values.tolist() == [1, 2]
    assert source.asked == 1


def test_a_source_with_a_memory_asks_again_where_a_gap_left_rows_out() -> None:
    source = CachedSource(open_source({"A": ["x", None, "x"], "B": [1, 2, 2]}))
    source.collect([CountTable(("A", "B"))])
    assert source.collect([CountTable(("B",))])[CountTable(("B",))].values.tolist() == [1, 2]
    assert source.asked == 2


@pytest.mark.parametrize("states", STATES)
def test_every_kind_of_state_is_counted_as_itself(states: list[Any]) -> None:
    column = [state for k, state in enumerate(states) for _ in range(k + 1)]
    source = open_source({"v": column})
    assert isinstance(source, TableSource)
    counts = source.collect([CountTable(("v",))])[CountTable(("v",))]
    found = counts.aligned([Variable("v", states)])
    assert found.values.tolist() == list(range(1, len(states) + 1))
