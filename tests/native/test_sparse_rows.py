"""Sums and scores of sparse rows against their numpy references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bayou._native import _core as core
from bayou._native.reference import all_kernels as reference


def arrays(seed: int, rows: int, columns: int, kind: type, index: type):
    matrix = sparse.random(rows, columns, density=0.3, format="csr", random_state=seed)
    data = np.round(matrix.data * 9 - 1).astype(kind)
    return matrix.indptr.astype(index), matrix.indices.astype(index), data


@given(
    st.integers(0, 10_000),
    st.integers(1, 30),
    st.integers(1, 12),
    st.integers(1, 21),
    st.sampled_from([np.int64, np.float64]),
    st.sampled_from([np.int32, np.int64]),
)
@settings(max_examples=60, deadline=None)
def test_sums_and_scores_are_those_of_the_reference(seed, rows, columns, n_classes, kind, index) -> None:
    random = np.random.default_rng(seed)
    given_rows = arrays(seed, rows, columns, kind, index)
    classes = random.integers(0, n_classes, rows).astype(np.uint32)
    for weights in (None, random.integers(1, 5, rows), random.random(rows) + 0.1):
        ours = core.sum_sparse_rows(*given_rows, columns, classes, n_classes, weights)
        theirs = reference.sum_sparse_rows(*given_rows, columns, classes, n_classes, weights)
        for one, two in zip(ours, theirs, strict=True):
            assert one.dtype == two.dtype
            assert np.allclose(one, two, rtol=1e-13, atol=1e-13)
    table, start = random.normal(size=(columns, n_classes)), random.normal(size=n_classes)
    for distinct in (False, True):
        ours = core.score_sparse_rows(*given_rows, table, start, distinct)
        assert np.allclose(ours, reference.score_sparse_rows(*given_rows, table, start, distinct), rtol=1e-12)


def test_threads_change_nothing() -> None:
    random = np.random.default_rng(0)
    given_rows = arrays(1, 2000, 900, np.float64, np.int32)
    assert len(given_rows[2]) > 2**18
    classes, weights = random.integers(0, 3, 2000).astype(np.uint32), random.random(2000)
    one = core.sum_sparse_rows(*given_rows, 900, classes, 3, weights, threads=1)
    two = core.sum_sparse_rows(*given_rows, 900, classes, 3, weights, threads=3)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    table, start = random.normal(size=(900, 3)), np.zeros(3)
    scores = core.score_sparse_rows(*given_rows, table, start, threads=1)
    assert np.array_equal(scores, core.score_sparse_rows(*given_rows, table, start, threads=3))


@pytest.mark.parametrize("kernels", [core, reference])
def test_rows_that_do_not_fit_are_refused(kernels) -> None:
    starts, columns, values = np.array([0, 1, 2]), np.array([0, 3]), np.array([1.0, 1.0])
    classes = np.zeros(2, dtype=np.uint32)
    with pytest.raises(ValueError, match="below 2"):
        kernels.sum_sparse_rows(starts, columns, values, 2, classes, 1)
    with pytest.raises(ValueError, match="below 2"):
        kernels.score_sparse_rows(starts, -columns, values, np.ones((2, 1)), np.zeros(1))
    with pytest.raises(ValueError, match="do not fit together"):
        kernels.sum_sparse_rows(np.array([0, 1, 9]), columns, values, 4, classes, 1)
    with pytest.raises(ValueError, match="classes"):
        kernels.sum_sparse_rows(starts, columns, values, 4, classes + 1, 1)
