"""Losses of models of numeric features, and values of many columns, against their numpy references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core as core
from bayou._native.reference import all_kernels as reference


def columns_of(seed: int, rows: int, n_classes: int):
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, rows).astype(np.uint32)
    shift = classes * random.normal()
    columns = [
        random.normal(size=rows) + shift,
        random.poisson(3 + np.abs(shift)).astype(float),
        random.integers(0, 2, rows).astype(float),
        np.round(random.exponential(size=rows), 1) - 0.5,
        np.full(rows, 2.0),
        random.integers(-5, 40, rows).astype(float),
    ]
    columns[0][random.random(rows) < 0.2] = np.nan
    return columns, classes


@given(st.integers(0, 10_000), st.integers(1, 120), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=40, deadline=None)
def test_losses_are_those_of_the_reference(seed, rows, n_classes, strength) -> None:
    columns, classes = columns_of(seed, rows, n_classes)
    weights = np.random.default_rng(seed).integers(1, 3, rows).astype(float) if seed % 2 else None
    values = core.values_by_class(columns, classes, n_classes, weights)
    for ours, theirs in zip(
        values, reference.values_by_class(columns, classes, n_classes, weights), strict=True
    ):
        assert np.array_equal(ours, theirs)
    whole = np.array([0, 1, 1, 0, seed % 3 > 0, 1], dtype=np.uint8)
    rest = whole, np.full(len(columns), strength), n_classes, 1e-9
    ours, theirs = core.held_out_losses(*values, *rest), reference.held_out_losses(*values, *rest)
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    assert np.allclose(ours, theirs, rtol=1e-7, atol=1e-9, equal_nan=True)


def test_many_records_are_thinned() -> None:
    columns, classes = columns_of(3, 12_000, 2)
    values = core.values_by_class(columns[1:3], classes, 2)
    rest = np.array([1, 1], dtype=np.uint8), np.ones(2), 2
    ours, theirs = core.held_out_losses(*values, *rest), reference.held_out_losses(*values, *rest)
    assert np.allclose(ours, theirs, equal_nan=True)


def test_threads_change_nothing() -> None:
    columns, classes = columns_of(5, 300, 3)
    values = core.values_by_class(columns, classes, 3, None, 1)
    for ours, theirs in zip(values, core.values_by_class(columns, classes, 3, None, 4), strict=True):
        assert np.array_equal(ours, theirs)
    rest = np.ones(len(columns), dtype=np.uint8), np.ones(len(columns)), 3, 0.0
    one, four = core.held_out_losses(*values, *rest, 1), core.held_out_losses(*values, *rest, 4)
    assert np.array_equal(one, four, equal_nan=True)


def test_a_bandwidth_that_is_no_number_leaves_no_loss() -> None:
    column = np.r_[np.zeros(6), 1e-310 * np.arange(1, 7)]
    values = core.values_by_class([column], np.tile(np.array([0, 1], dtype=np.uint32), 6), 2)
    losses = core.held_out_losses(*values, np.zeros(1, dtype=np.uint8), np.ones(1), 2)
    assert np.isnan(losses[0, 3])
    assert not np.isnan(losses[0, 1])


def test_arrays_that_do_not_fit_are_refused() -> None:
    values, codes, weights = np.array([1.0, 2.0]), np.array([0, 1], dtype=np.uint32), np.ones(2)
    whole, strength = np.zeros(1, dtype=np.uint8), np.ones(1)
    starts = np.array([0, 2])
    with pytest.raises(ValueError, match="ascending"):
        core.held_out_losses(values[::-1].copy(), codes, weights, starts, whole, strength, 2)
    with pytest.raises(ValueError, match="classes below 1"):
        core.held_out_losses(values, codes, weights, starts, whole, strength, 1)
    with pytest.raises(ValueError, match="ascending positions"):
        core.held_out_losses(values, codes, weights, np.array([0, 3]), whole, strength, 2)
    with pytest.raises(ValueError, match="whole has 1 entries"):
        core.held_out_losses(values, codes, weights, np.array([0, 1, 2]), whole, strength, 2)
