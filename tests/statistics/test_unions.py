"""The union of two axes: the same from both sides, orders merged, contradictions not marked as ordered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law

from bayou.schema import Variable, natural_order
from bayou.statistics import Counts
from bayou.statistics.labels import union

MIXED: list[Any] = [1, "1", True, "ä b", 2, False, "größer"]
AXES = st.builds(
    lambda states, size, ordered: Variable("Größe 1", states[:size], ordered=ordered),
    st.permutations(MIXED),
    st.integers(1, len(MIXED)),
    st.booleans(),
)


def sizes(*states: str, ordered: bool = True) -> Variable:
    return Variable("size", states, ordered=ordered)


@given(AXES, AXES)
@law
def test_unions_commute_and_keep_every_state(left: Variable, right: Variable) -> None:
    both = union(left, right)
    assert both == union(right, left)
    assert set(map(repr, both.states)) == {repr(state) for state in (*left.states, *right.states)}
    if both.ordered:
        for old in (left, right) if left.ordered and right.ordered else ():
            places = [both.code(state) for state in old.states]
            assert places == sorted(places)


@given(AXES, AXES)
@law
def test_sums_have_the_same_axes_from_both_sides(left: Variable, right: Variable) -> None:
    a, b = (Counts((axis,), np.ones(axis.cardinality, dtype=np.int64)) for axis in (left, right))
    assert (a + b).axes == (b + a).axes


@given(st.permutations(MIXED), st.data())
@law
def test_parts_of_one_order_merge_into_it(states: list[Any], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(states) - 1))
    overlap = data.draw(st.integers(0, cut - 1))
    first, second = (
        Variable("v", states[:cut], ordered=True),
        Variable("v", states[overlap:], ordered=True),
    )
    assert union(first, second) == Variable("v", states, ordered=True)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (
            sizes("low", "mid", "high"),
            sizes("mid", "high", "extreme"),
            sizes("low", "mid", "high", "extreme"),
        ),
        (sizes("low", "high"), sizes("high", "low"), sizes("high", "low", ordered=False)),
        (sizes("low", "high"), sizes("low", "mid"), sizes("low", "high", "mid", ordered=False)),
        (sizes("b", "a", ordered=False), sizes("a", "b", ordered=False), sizes("a", "b", ordered=False)),
        (sizes("low", "high"), sizes("high", "low", ordered=False), sizes("low", "high")),
        (sizes("z", "a", "m", ordered=False), sizes("a", ordered=False), sizes("z", "a", "m", ordered=False)),
    ],
)
def test_orders_merge_where_they_agree(left: Variable, right: Variable, expected: Variable) -> None:
    assert union(left, right) == union(right, left) == expected


def test_many_states_merge_in_natural_order() -> None:
    odd, even = (Variable("id", range(start, 20_000, 2)) for start in (1, 0))
    assert union(odd, even).states == natural_order(range(20_000))
