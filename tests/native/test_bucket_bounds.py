"""Bucket bounds of the core against their numpy reference and against the sums that they bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference.bucket_bounds import BucketBounds


def random_plan(random: np.random.Generator, zeros: float) -> dict[str, Any]:
    """Tables over some of six variables; one variable after the other is summed out, some buckets split."""
    cards = random.integers(1, 4, 6).tolist()
    scopes = [random.permutation(6)[: random.integers(1, 4)].tolist() for _ in range(7)]
    scopes += [[v] for v in range(6)]
    tables = [random.random([cards[v] for v in scope]) ** 3 for scope in scopes]
    for table in tables:
        table[random.random(table.shape) < zeros] = 0.0
    fixed, targets = [4, 1], [5]
    waiting = [{*scope} - {*fixed} for scope in scopes]
    left, order = set(range(len(scopes))), [0, 2, 3]
    buckets: list[list[list[int]]] = []
    for variable in order:
        own = sorted(at for at in left if variable in waiting[at])
        groups = [own[:1], own[1:]] if len(own) > 1 and random.random() < 0.6 else [own]
        if len(groups[-1]) > 2 and len(groups) == 2:
            groups = [groups[0], groups[1][:1], groups[1][1:]]
        buckets.append(groups)
        for group in groups:
            waiting.append(set().union(*(waiting[at] for at in group)) - {variable})
            left = (left - {*group}) | {len(waiting) - 1}
    exponents = [[[1], [2, 2], [2, 4, 4]][len(groups) - 1] for groups in buckets]
    arguments = {"cards": cards, "scopes": scopes, "tables": tables, "fixed": fixed, "order": order}
    return {**arguments, "buckets": buckets, "exponents": exponents, "targets": targets}


def rows_of(plan: dict[str, Any]) -> np.ndarray[Any, Any]:
    a, b = (plan["cards"][v] for v in plan["fixed"])
    return np.array([(i, j) for i in range(a) for j in range(b)], dtype=np.uint32)


def summed(plan: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The sums themselves: by states of the fixed variables, then by states of the targets."""
    parts: list[Any] = []
    for scope, table in zip(plan["scopes"], plan["tables"], strict=True):
        parts += [table, scope]
    whole = np.einsum(*parts, [*plan["fixed"], *plan["targets"]])
    return np.asarray(whole).reshape(-1, plan["cards"][plan["targets"][0]])


@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 0.8]))
def test_the_core_agrees_with_its_reference_and_bounds_the_sum(seed: int, zeros: float) -> None:
    plan = random_plan(np.random.default_rng(seed), zeros)
    rows, truth = rows_of(plan), summed(plan)
    one, other = _core.BucketBounds(**plan), BucketBounds(**plan)
    assert (one.operations, one.is_exact) == (other.operations, other.is_exact)
    found, expected = one.run(rows), other.run(rows)
    upper, lower = np.ldexp(found[0], found[1][:, None]), np.ldexp(found[2], found[3][:, None])
    np.testing.assert_allclose(upper, np.ldexp(expected[0], expected[1][:, None]), rtol=1e-12)
    np.testing.assert_allclose(lower, np.ldexp(expected[2], expected[3][:, None]), rtol=1e-12)
    assert (lower <= truth * (1 + 1e-14)).all()
    assert (upper >= truth * (1 - 1e-14)).all()
    if one.is_exact:
        np.testing.assert_allclose(lower, upper, rtol=1e-12)


def test_threads_change_no_bit() -> None:
    plan = random_plan(np.random.default_rng(3), 0.2)
    core, rows = _core.BucketBounds(**plan), np.repeat(rows_of(plan), 20, axis=0)
    for one, other in zip(core.run(rows, 1), core.run(rows, 2), strict=True):
        assert one.tobytes() == other.tobytes()


def test_numbers_below_the_smallest_float_round_outward() -> None:
    tiny = np.array([1e-300, 1.0])
    # Both states have mass 1e-1200 · 1: what a float cannot hold is more in one bound and 0 in the other.
    flipped = np.array([1.0, 1e-300])
    tables = [tiny] * 4 + [flipped] * 4
    for kind in (_core.BucketBounds, BucketBounds):
        plan = kind([2], [[0]] * 8, tables, [], [0], [[[*range(8)]]], [[1]], [])
        upper, upper_scale, lower, lower_scale = plan.run(np.zeros((1, 0), dtype=np.uint32))
        log_upper = float(np.log(upper[0, 0])) + int(upper_scale[0]) * np.log(2)
        assert log_upper >= np.log(2) - 1200 * np.log(10)
        assert lower[0, 0] >= 0.0
        log_lower = float(np.log(lower[0, 0])) + int(lower_scale[0]) * np.log(2) if lower[0, 0] else -np.inf
        assert log_lower <= np.log(2) - 1200 * np.log(10)


@pytest.mark.parametrize(
    "change",
    [
        {"tables": [np.ones(2), np.ones(3)]},
        {"tables": [np.ones(2), -np.ones(2)]},
        {"buckets": [[[0]]]},
        {"buckets": [[[0, 1, 1]]]},
        {"exponents": [[2]]},
        {"exponents": [[3]]},
        {"order": [7]},
        {"targets": [9]},
    ],
)
def test_parts_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    plan: dict[str, Any] = {
        "cards": [2],
        "scopes": [[0], [0]],
        "tables": [np.ones(2), np.ones(2)],
        "fixed": [],
    }
    plan |= {"order": [0], "buckets": [[[0, 1]]], "exponents": [[1]], "targets": []}
    _core.BucketBounds(**plan)
    with pytest.raises(ValueError):
        _core.BucketBounds(**(plan | change))
    with pytest.raises(ValueError):
        _core.BucketBounds(**plan).run(np.zeros((1, 1), dtype=np.uint32))
