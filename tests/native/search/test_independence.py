"""Tests of independence on coded columns: the compiled tester against its numpy reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.strategies import Coded, coded_column

from bayou._native import _core
from bayou._native.reference import all_kernels as reference
from bayou.typing import IntArray

Neighbours = tuple[IntArray, IntArray]


@st.composite
def columns(draw: st.DrawFn) -> Coded:
    """Columns that depend on each other, with gaps, some of many states."""
    cards = draw(st.lists(st.sampled_from([1, 2, 2, 3, 4, 5, 21, 40]), min_size=2, max_size=5))
    rows = draw(st.sampled_from([0, 1, 5, 64, 200, 2048, 2049, 3000]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    gaps = draw(st.sampled_from([0.0, 0.2]))
    made = [coded_column(random, rows, card, gaps, draw(st.booleans())) for card in cards]
    for k in range(1, len(cards)):
        copied = (random.random(rows) < 0.5) & (made[k - 1] < cards[k])
        made[k][copied] = made[k - 1][copied]
    return Coded(made, cards)


@st.composite
def questions(draw: st.DrawFn, size: int) -> tuple[IntArray, IntArray, IntArray]:
    lists = draw(st.lists(st.permutations(range(size)), max_size=5))
    ends = [draw(st.integers(2, size)) for _ in lists]
    sets = [order[2:end] for order, end in zip(lists, ends, strict=True)]
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    pairs = np.array([order[:2] for order in lists], dtype=np.int64).reshape(-1, 2)
    return pairs, offsets, np.array([member for some in sets for member in some], dtype=np.int64)


@settings(max_examples=60, deadline=None)
@given(st.data(), columns(), st.sampled_from(["g", "chi2"]), st.integers(0, 3))
def test_statistics_degrees_and_p_values_equal_the_reference(
    data: st.DataObject, table: Coded, method: str, threads: int
) -> None:
    asked = data.draw(questions(len(table.cards)))
    ours = _core.IndependenceTester(table.columns, table.cards, threads).tests(*asked, method, 5.0)
    theirs = reference.IndependenceTester(table.columns, table.cards).tests(*asked, method, 5.0)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9, atol=1e-8)
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_array_equal(ours[2], theirs[2])
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(ours[4], theirs[4])


@settings(max_examples=40, deadline=None)
@given(columns(), st.integers(0, 2), st.sampled_from([0.0, 5.0]), st.integers(0, 3))
def test_the_best_of_all_sets_is_that_of_the_reference(
    table: Coded, size: int, reliable: float, threads: int
) -> None:
    count = len(table.cards)
    pairs = np.array([(x, y) for x in range(count) for y in range(x + 1, count)], dtype=np.int64)
    near = [[other for other in range(count) if other != k and (k + other) % 3] for k in range(count)]
    offsets = np.cumsum([0, *map(len, near)], dtype=np.int64)
    flat = np.array([other for some in near for other in some], dtype=np.int64)
    asked = pairs, offsets, flat, min(size, count), "g", reliable, 3000
    ours = _core.IndependenceTester(table.columns, table.cards, threads).separate(*asked)
    theirs = reference.IndependenceTester(table.columns, table.cards).separate(*asked)
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(ours[5], theirs[5])
    np.testing.assert_array_equal(ours[6], theirs[6])


def test_tails_of_many_degrees_of_freedom_are_right() -> None:
    random = np.random.default_rng(3)
    wide = [random.integers(0, 60, 50_000).astype(np.uint8) for _ in range(2)]
    asked = np.array([[0, 1]]), np.array([0, 0]), np.array([], dtype=np.int64)
    ours = _core.IndependenceTester(wide, [60, 60]).tests(*asked)
    theirs = reference.IndependenceTester(wide, [60, 60]).tests(*asked)
    assert ours[1][0] == 59 * 59
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-9)


@pytest.mark.parametrize("kernels", [_core, reference])
def test_bad_questions_are_refused(kernels: object) -> None:
    codes = np.array([0, 1], dtype=np.uint8)
    tester = kernels.IndependenceTester([codes, codes], [2, 2])  # type: ignore[attr-defined]
    none = np.array([], dtype=np.int64)
    with pytest.raises(ValueError, match="one column twice"):
        tester.tests(np.array([[1, 1]]), np.array([0, 0]), none)
    with pytest.raises(ValueError, match="expected 'g' or 'chi2'"):
        tester.tests(np.array([[0, 1]]), np.array([0, 0]), none, "t")
    with pytest.raises(ValueError, match="offsets has length 1, expected 2"):
        tester.tests(np.array([[0, 1]]), np.array([0]), none)
    with pytest.raises(ValueError, match="code 1 is not below the number of states"):
        kernels.IndependenceTester([codes], [1])  # type: ignore[attr-defined]
