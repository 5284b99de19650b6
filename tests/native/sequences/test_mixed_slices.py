"""Kernels of slices with numbers and known states against their plain numpy references."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.with_numbers.joint_gaussian import random_numbers

from bayou import _native
from bayou._native import _core
from bayou._native.reference.temporal import mixed_slices as reference
from bayou.temporal.gaussian_templates import slice_layout
from bayou.temporal.gaussian_templates.mixed_evidence import UNKNOWN
from bayou.temporal.gaussian_templates.mixed_model import MixedModel


def _both(model: MixedModel, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """The slices of a model, compiled and in the reference."""
    with monkeypatch.context() as patch:
        patch.setattr(slice_layout, "MixedSlices", _core.MixedSlices)
        compiled = model.layout.compiled(model.network)
        patch.setattr(slice_layout, "MixedSlices", reference.MixedSlices)
        return compiled, model.layout.compiled(model.network)


def _rows(model: MixedModel, random: np.random.Generator) -> tuple[Any, ...]:
    layout = model.layout
    starts = np.concatenate([[0], np.cumsum(random.integers(0, 8, int(random.integers(1, 4))))]).astype(
        np.int64
    )
    rows = int(starts[-1])
    values = random.normal(size=(rows, len(layout.numbers)))
    are_set = (random.random(values.shape) < 0.2).astype(np.uint8)
    values[(random.random(values.shape) < 0.4) & (are_set == 0)] = np.nan
    cards = [model.variables[name].cardinality for name in layout.states]
    codes = np.array([random.integers(0, card, rows) for card in cards], dtype=np.uint32).reshape(
        len(cards), rows
    )
    marks = (random.random((rows, len(cards))) < 0.2).astype(np.uint8)
    return starts, layout.row_kinds(starts), values, are_set, np.ascontiguousarray(codes.T), marks


@given(st.integers(0, 10_000), st.integers(1, 3), st.booleans())
@settings(max_examples=60, deadline=None)
def test_kernels_equal_their_references(seed: int, lags: int, states: bool) -> None:
    random = np.random.default_rng(seed)
    net = random_numbers(random, lags=lags, states=states)
    model = MixedModel(net.template, net.model.network)
    with pytest.MonkeyPatch.context() as patch:
        compiled, plain = _both(model, patch)
    rows = _rows(model, random)
    for threads in (1, 2):
        for kernel, more in (("filter_mixed", (True,)), ("smooth_mixed", ())):
            found = getattr(_core, kernel)(compiled, *rows, *more, threads)
            expected = getattr(reference, kernel)(plain, *rows, *more)
            assert found[-1] == expected[-1] == -1
            for left, right in zip(found[:-1], expected[:-1], strict=True):
                assert np.allclose(left, right, rtol=1e-9, atol=1e-9)
        weights = random.random(len(rows[0]) - 1)
        found = _core.expect_mixed(compiled, *rows, weights, threads)
        expected = reference.expect_mixed(plain, *rows, weights)
        assert np.allclose(found[0], expected[0], rtol=1e-9, atol=1e-9)
        for own, theirs in zip(found[1], expected[1], strict=True):
            for left, right in zip(own, theirs, strict=True):
                assert np.allclose(left, right, rtol=1e-8, atol=1e-8)


def test_a_long_sequence_in_blocks_equals_the_same_in_one_piece() -> None:
    nets = (random_numbers(np.random.default_rng(seed), lags=3) for seed in range(3, 99))
    net = next(one for one in nets if not one.template.constant and len(one.names) > 3)
    model = MixedModel(net.template, net.model.network)
    random, layout = np.random.default_rng(0), model.layout
    rows = 60_000  # more numbers than are kept at once
    values = random.normal(size=(rows, len(layout.numbers)))
    values[random.random(values.shape) < 0.5] = np.nan

    def smoothed(first: int, last: int) -> Any:
        starts = np.array([0, last - first], dtype=np.int64)
        part = np.ascontiguousarray(values[first:last])
        none = np.zeros(part.shape, dtype=np.uint8)
        codes = np.zeros((len(part), 0), dtype=np.uint32)
        arguments = (starts, layout.row_kinds(starts), part, none, codes, codes.astype(np.uint8))
        return _core.smooth_mixed(model.slices, *arguments)

    whole, start = smoothed(0, rows), smoothed(0, 2000)
    assert np.allclose(whole[1][:1000], start[1][:1000], atol=1e-9)
    assert np.allclose(whole[2][:1000], start[2][:1000], atol=1e-9)


def test_kernels_check_their_input() -> None:
    net = random_numbers(np.random.default_rng(1), states=True)
    model = MixedModel(net.template, net.model.network)
    rows = list(_rows(model, np.random.default_rng(1)))
    for place, wrong in ((1, rows[1] + 99), (4, np.full_like(rows[4], UNKNOWN)), (2, rows[2][:, :1])):
        with pytest.raises((ValueError, TypeError)):
            _core.filter_mixed(model.slices, *rows[:place], np.ascontiguousarray(wrong), *rows[place + 1 :])


def test_the_package_uses_the_compiled_kernels() -> None:
    assert _native.filter_mixed is _core.filter_mixed
