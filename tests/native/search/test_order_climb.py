"""The local search over orders: compiled against its reference, and what it refuses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

Lists = tuple[Any, Any, Any]


def random_lists(random: np.random.Generator, size: int, most: int) -> Lists:
    """Some parent sets a variable, best first, the last one empty; scores without ties."""
    words = max((size + 63) // 64, 1)
    starts, rows = [0], []
    for child in range(size):
        for _ in range(int(random.integers(0, most + 1))):
            others = [other for other in range(size) if other != child]
            row = np.zeros(words, dtype=np.uint64)
            for parent in random.permutation(others)[: random.integers(1, 4)]:
                row[parent // 64] |= np.uint64(1) << np.uint64(parent % 64)
            rows.append(row)
        rows.append(np.zeros(words, dtype=np.uint64))
        starts.append(len(rows))
    scores = np.concatenate(
        [-np.sort(random.random(end - start)) * 100 for start, end in pairwise(starts)] or [np.zeros(0)]
    )
    return np.array(starts, dtype=np.int64), np.array(rows, dtype=np.uint64).reshape(-1, words), scores


def orders_of(random: np.random.Generator, size: int, count: int) -> Any:
    return np.array([random.permutation(size) for _ in range(count)], dtype=np.int32).reshape(count, size)


@given(st.integers(0, 10**6), st.integers(0, 7), st.integers(0, 3), st.integers(0, 4), st.integers(0, 3))
def test_the_kernel_does_what_its_reference_does(
    seed: int, size: int, count: int, passes: int, threads: int
) -> None:
    random = np.random.default_rng(seed)
    lists = random_lists(random, size, 5)
    visits, orders = random.permutation(size).astype(np.int32), orders_of(random, size, count)
    ours = _core.climb_orders(*lists, visits, orders, passes, threads)
    theirs = reference.climb_orders(*lists, visits, orders, passes)
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_more_than_64_variables_and_sets_that_never_fit() -> None:
    random = np.random.default_rng(5)
    starts, sets, scores = random_lists(random, 70, 3)
    keep = np.ones(len(sets), dtype=bool)
    keep[starts[8] - 1] = False
    starts = np.concatenate([starts[:8], starts[8:] - 1])
    lists = (starts, np.ascontiguousarray(sets[keep]), np.ascontiguousarray(scores[keep]))
    visits, orders = random.permutation(70).astype(np.int32), orders_of(random, 70, 1)
    ours = _core.climb_orders(*lists, visits, orders, 1)
    theirs = reference.climb_orders(*lists, visits, orders, 1)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_single_move_is_better_afterwards() -> None:
    random = np.random.default_rng(8)
    lists = random_lists(random, 9, 12)
    visits, orders = np.arange(9, dtype=np.int32), orders_of(random, 9, 1)
    (total,), (order,), _ = _core.climb_orders(*lists, visits, orders, 100)
    for variable in range(9):
        rest = order[order != variable]
        moved = np.array([np.insert(rest, place, variable) for place in range(9)], dtype=np.int32)
        assert _core.climb_orders(*lists, visits, moved, 0)[0].max() <= total + 1e-9


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"starts": np.array([0, 1, 1])}, "starts"),
        ({"starts": np.array([0, 3, 2])}, "starts"),
        ({"scores": np.zeros(1)}, "starts"),
        ({"sets": np.zeros((2, 0), dtype=np.uint64)}, "a bit a variable"),
        ({"sets": np.zeros(2, dtype=np.uint64)}, "sets: expected"),
        ({"visits": np.array([0, 0], dtype=np.int32)}, "visits: expected each variable once"),
        ({"visits": np.array([0, 1, 2], dtype=np.int32)}, "each of the 2 variables"),
        ({"orders": np.array([[0, 2]], dtype=np.int32)}, "orders: expected each variable once"),
        ({"orders": np.array([[-1, 0]], dtype=np.int32)}, "orders: expected each variable once"),
        ({"passes": -1}, "passes is -1"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changed: dict[str, Any], message: str) -> None:
    fitting = {
        "starts": np.array([0, 1, 2]),
        "sets": np.zeros((2, 1), dtype=np.uint64),
        "scores": np.zeros(2),
        "visits": np.array([0, 1], dtype=np.int32),
        "orders": np.array([[0, 1]], dtype=np.int32),
        "passes": 1,
    }
    _core.climb_orders(**fitting)
    with pytest.raises(ValueError, match=message):
        _core.climb_orders(**{**fitting, **changed})
