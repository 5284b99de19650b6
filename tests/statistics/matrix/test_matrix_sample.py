"""Samples of labelled rows that add, and moments without a part of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou import GaussianBayes
from bayou.errors import BadStatistics
from bayou.statistics.matrix.matrix_sample import MatrixSample

LABELS = ["été", 3, "x y"]


def sampled(matrix: Any, codes: Any, size: int) -> MatrixSample:
    return MatrixSample.of(matrix, LABELS, codes, np.ones(len(matrix)), size)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 99), st.integers(1, 5), st.sampled_from([5, 40, 1000]), st.sampled_from([60, 3000]))
def test_samples_of_parts_add_up_to_the_sample_of_the_whole(
    seed: int, parts: int, size: int, rows: int
) -> None:
    random = np.random.default_rng(seed)
    matrix, codes = random.integers(-9, 9, (rows, 2)).astype(np.float64), random.integers(0, 3, rows)
    whole = sampled(matrix, codes, size)
    pieces = [
        sampled(matrix[part], codes[part], size) for part in np.array_split(random.permutation(rows), parts)
    ]
    added = pieces[0]
    for piece in pieces[1:]:
        added = added + piece
    np.testing.assert_array_equal(added.hashes, whole.hashes)
    np.testing.assert_array_equal(added.weights, whole.weights)
    np.testing.assert_array_equal(added.matrix, whole.matrix)
    assert added.labels == whole.labels
    for label, row, weight in zip(whole.labels, whole.matrix, whole.weights, strict=True):
        same = (matrix == row).all(axis=1) & (codes == LABELS.index(label))
        assert same.sum() == weight


def test_precision_and_memory_layout_do_not_matter() -> None:
    matrix = np.random.default_rng(1).integers(0, 50, (900, 7)).astype(np.float32)
    codes = np.arange(900) % 3
    expected = sampled(matrix, codes, 100)
    for other in (matrix.astype(np.float64), np.asfortranarray(matrix), matrix * -1 * -1):
        np.testing.assert_array_equal(sampled(other, codes, 100).hashes, expected.hashes)


def test_small_integers_have_different_hashes() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(9.0)] * 4), axis=-1).reshape(-1, 4)
    whole = MatrixSample.of(grid, ["a"], np.zeros(len(grid), int), np.ones(len(grid)), 10**5)
    assert len(whole.hashes) == 9**4


def test_samples_of_different_things_do_not_add() -> None:
    one = sampled(np.zeros((1, 1)), np.array([0]), 5)
    with pytest.raises(BadStatistics, match="cannot be added"):
        _ = one + sampled(np.zeros((1, 2)), np.array([0]), 5)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(1, 39))
def test_moments_without_a_part_are_those_of_the_rest(seed: int, gone: int) -> None:
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(40, 3)) * [1, 1e6, 1e-4] + [0, 1e6, 1], random.integers(0, 3, 40)
    whole, part, rest = (
        GaussianBayes("regularised").fit(X[rows], y[rows]).statistics_
        for rows in (slice(None), slice(gone), slice(gone, None))
    )
    left, expected = whole.without(part), rest.aligned([whole.classes])
    np.testing.assert_allclose(left.n, expected.n)
    np.testing.assert_allclose(left.mean, expected.mean, rtol=1e-12)
    scale = np.sqrt(whole.total_variance)
    assert np.abs((left.scatter - expected.scatter) / np.outer(scale, scale)).max() < 1e-9
