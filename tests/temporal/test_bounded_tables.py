"""Probabilities within bounds: no transfer between two entries that the bounds allow may gain anything."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.temporal.bounded_tables import bounded_row, bounded_rows


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = draw(st.integers(1, 6))
    chance = np.random.default_rng(draw(st.integers(0, 10**6)))
    inside = chance.dirichlet(np.ones(size))
    low = inside * chance.choice([0, 0.3, 0.9, 1], size)
    high = inside + (1 - inside) * chance.choice([0, 0.1, 0.5, 1], size)
    weights = chance.gamma(0.3, 10, size) * chance.choice([0, 1, 1, 1000], size)
    weights[0] += 1e-3 * (weights.sum() == 0)
    return weights, low, high


@settings(max_examples=400, deadline=None)
@given(problems())
def test_the_best_row_within_bounds(problem: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    weights, low, high = problem
    p = bounded_row(weights, low, high)
    assert abs(p.sum() - 1) < 1e-9
    assert np.all(p >= low - 1e-12)
    assert np.all(p <= high + 1e-12)
    # Σ w log p is concave, and every change within the bounds is a sum of transfers from j to i.
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(weights > 0, weights / p, 0.0)
    for i in np.flatnonzero(p < high - 1e-9):
        for j in np.flatnonzero(p > low + 1e-9):
            assert slope[i] <= slope[j] * (1 + 1e-6) + 1e-9


def test_rows_without_active_bounds_are_normalised_counts() -> None:
    weights = np.array([[3.0, 1.0], [0.0, 5.0]])
    found = bounded_rows(weights, (np.zeros((2, 2)), np.ones((2, 2))))
    assert found.tolist() == [[0.75, 0.25], [0.0, 1.0]]
