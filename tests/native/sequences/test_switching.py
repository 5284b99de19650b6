"""Rao-Blackwellised particles: the compiled kernel against its plain numpy reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.with_numbers.joint_gaussian import random_numbers

from bayou._native import _core
from bayou._native.reference.temporal import mixed_slices, switching
from bayou.temporal.gaussian_templates import slice_layout
from bayou.temporal.gaussian_templates.mixed_evidence import UNKNOWN
from bayou.temporal.gaussian_templates.mixed_model import MixedModel


def _case(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, tuple[Any, ...]]:
    random = np.random.default_rng(seed)
    net = random_numbers(random, lags=2, states=True)
    model = MixedModel(net.template, net.model.network)
    layout = model.layout
    compiled = model.layout.compiled(model.network)
    monkeypatch.setattr(slice_layout, "MixedSlices", mixed_slices.MixedSlices)
    plain = model.layout.compiled(model.network)
    rows = 25
    values = random.normal(size=(rows, len(layout.numbers)))
    are_set = (random.random(values.shape) < 0.1).astype(np.uint8)
    values[(random.random(values.shape) < 0.5) & (are_set == 0)] = np.nan
    cards = [model.variables[name].cardinality for name in layout.states]
    codes = np.array([random.integers(0, card, rows) for card in cards], dtype=np.uint32).T.copy()
    marks = (random.random(codes.shape) < 0.1).astype(np.uint8)
    codes[(random.random(codes.shape) < 0.8) & (marks == 0)] = UNKNOWN
    likelihoods = [random.random((rows, cards[0])), np.zeros((0, 0))]
    starts = np.array([0, rows])
    return compiled, plain, (layout.row_kinds(starts), values, are_set, codes, marks, likelihoods)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("choices", [64, 2])
def test_the_kernel_equals_its_reference(seed: int, choices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, plain, rows = _case(seed, monkeypatch)
    if choices == 2:
        # Six unknown states would make 6 combinations; copies of a state that nothing depends on make 96.
        compiled, plain, rows = _with_idle_states(compiled, plain, rows)
    found = _core.switching_filter(compiled, *rows, 12, 7, seed % 4, 0.5)
    expected = switching.switching_filter(plain, *rows, 12, 7, seed % 4, 0.5)
    assert found[0] == expected[0] == 25
    for left, right in zip(found[1:], expected[1:], strict=True):
        assert np.allclose(left, right, rtol=1e-8, atol=1e-9)
    one = _core.switching_filter(compiled, *rows, 300, 7, seed % 4, 0.5, 1)
    two = _core.switching_filter(compiled, *rows, 300, 7, seed % 4, 0.5, 2)
    for left, right in zip(one[1:], two[1:], strict=True):
        assert np.array_equal(left, right)


@pytest.mark.parametrize("seed", range(4))
def test_paths_drawn_backwards_equal_those_of_the_reference(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, plain, rows = _case(seed, monkeypatch)
    short = (*(part[:6].copy() for part in rows[:5]), [part[:6].copy() for part in rows[5]])
    found = _core.switching_paths(compiled, *short, 15, 3, 0, 0.5, 6)
    expected = switching.switching_paths(plain, *short, 15, 3, 0, 0.5, 6)
    assert found[:2] == expected[:2] == (6, -1)
    assert np.allclose(found[2], expected[2])
    assert np.array_equal(found[4], expected[4])
    for threads in (1, 2):
        assert np.array_equal(_core.switching_paths(compiled, *short, 15, 3, 0, 0.5, 6, threads)[4], found[4])


def _with_idle_states(compiled: Any, plain: Any, rows: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """The same slices with four more variables of two states, so that states are drawn in turn."""
    extra, codes = 4, len(plain.states)
    moved = np.vectorize(lambda cell: cell if cell < codes else cell + extra)
    slices = []
    for copies, cell_copies, nodes, node_parents, lines, parents, groups in plain.slices:
        idle = np.array([[codes + k, len(plain.tables)] for k in range(extra)])
        own_copies, own_parents, own_groups = cell_copies.copy(), node_parents.copy(), groups.copy()
        if len(own_copies):
            own_copies = moved(own_copies)
        for part in (own_parents, own_groups):
            if len(part):
                part[:, 2] = moved(part[:, 2])
        slices.append((copies, own_copies, np.vstack([nodes, idle]), own_parents, lines, parents, own_groups))
    given = (
        plain.variables,
        plain.places,
        [*plain.states, *[2] * extra],
        plain.cells + extra,
        plain.lines,
        [*plain.tables, np.array([[0.3, 0.7]])],
        slices,
    )
    kinds, values, are_set, known, marks, likelihoods = rows
    more = np.full((len(known), extra), UNKNOWN)
    wider = (
        kinds,
        values,
        are_set,
        np.hstack([known, more]).astype(np.uint32),
        np.hstack([marks, np.zeros_like(more, dtype=np.uint8)]).astype(np.uint8),
        [*likelihoods, *[np.zeros((0, 0))] * extra],
    )
    return _core.MixedSlices(*given), mixed_slices.MixedSlices(*given), wider


def test_a_row_that_nothing_explains_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, plain, rows = _case(0, monkeypatch)
    kinds, values, are_set, codes, marks, _ = rows
    impossible = [np.ones((len(values), 2)), np.zeros((0, 0))]
    impossible[0][5] = 0
    codes[5], marks[5] = UNKNOWN, 0
    for kernel, model in ((_core.switching_filter, compiled), (switching.switching_filter, plain)):
        assert kernel(model, kinds, values, are_set, codes, marks, impossible, 20, 0, 0, 0.5)[0] == 5
