"""Scores of classes: normal, quadratic, linear and by tables, and their softmax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.native.moments.test_class_moments import LAYOUTS, laid_out
from tests.native.strategies import coded_column

from bayou._native import _core
from bayou._native.reference import all_kernels as reference

ROWS = st.sampled_from([0, 1, 2, 3, 4, 5, 63, 64, 65, 4097, 9000])
CLASSES = st.sampled_from([1, 2, 3, 4, 5, 8, 9, 12, 13, 25])


def same(mine: Any, theirs: Any) -> None:
    assert mine.shape == theirs.shape
    np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 14), CLASSES, LAYOUTS, st.booleans(), st.sampled_from([0.0, 0.2, 1.0]))
def test_gaussian_scores_are_those_of_the_reference(
    rows: int, d: int, k: int, layout: str, posterior: bool, gaps: float
) -> None:
    random = np.random.default_rng(rows + d)
    matrix = random.normal(3, 2, (rows, d))
    matrix[random.random((rows, d)) < gaps] = np.nan
    x = laid_out(matrix, layout)
    means, variances = random.normal(3, 1, (k, d)), random.random((k, d)) + 0.1
    arguments = (x, means, variances, np.log(random.dirichlet(np.ones(k))), posterior)
    same(_core.gaussian_class_scores(*arguments, 2), reference.gaussian_class_scores(*arguments))


@settings(max_examples=60, deadline=None)
@given(ROWS, st.integers(1, 26), CLASSES, LAYOUTS, st.booleans())
def test_quadratic_and_linear_scores_are_those_of_the_reference(
    rows: int, d: int, k: int, layout: str, posterior: bool
) -> None:
    random = np.random.default_rng(rows + d)
    x = laid_out(random.normal(0, 1, (rows, d)), layout)
    means, base = random.normal(0, 1, (k, d)), random.normal(size=k)
    whiteners = np.triu(random.normal(size=(k, d, d)))
    quadratic = (x, means, whiteners, base, posterior)
    same(_core.quadratic_class_scores(*quadratic, 2), reference.quadratic_class_scores(*quadratic))
    linear = (x, means, base, posterior)
    same(_core.linear_class_scores(*linear, 2), reference.linear_class_scores(*linear))


@settings(max_examples=60, deadline=None)
@given(
    ROWS, st.lists(st.sampled_from([1, 2, 10, 255, 300]), max_size=6), CLASSES, st.booleans(), st.booleans()
)
def test_table_scores_are_those_of_the_reference(
    rows: int, cards: list[int], k: int, wide: bool, posterior: bool
) -> None:
    random = np.random.default_rng(rows + k)
    columns = [coded_column(random, rows, card, 0.1, wide) for card in cards]
    tables = [np.log(random.dirichlet(np.ones(k), size=card)) for card in cards]
    arguments = (columns, tables, random.normal(size=k), rows, posterior)
    same(_core.table_class_scores(*arguments, 2), reference.table_class_scores(*arguments))


def test_a_row_with_a_gap_has_no_quadratic_or_linear_score() -> None:
    x = np.array([[1.0, np.nan], [1.0, 2.0]])
    one = np.ones((1, 2))
    for scores in (
        _core.linear_class_scores(x, one, np.zeros(1)),
        _core.quadratic_class_scores(x, one, np.eye(2)[None], np.zeros(1)),
    ):
        assert np.isnan(scores[:, 0]).tolist() == [True, False]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=9), st.sampled_from([1, 2, 700]))
def test_softmax_of_any_scores(scores: list[float], rows: int) -> None:
    array = np.tile(np.array(scores), (rows, 1))
    np.testing.assert_allclose(
        _core.softmax_rows(array), reference.softmax_rows(array), rtol=1e-13, atol=1e-300
    )


def test_softmax_of_scores_that_are_not_finite() -> None:
    got = _core.softmax_rows(np.array([[-np.inf, 0.0, -1e9], [np.nan, 0.0, 0.0], [-np.inf] * 3]))
    np.testing.assert_array_equal(got[0], [0.0, 1.0, 0.0])
    assert np.isnan(got[1]).all()
    assert np.isnan(got[2]).all()


def test_exp_inside_the_softmax_is_right_to_the_last_digits() -> None:
    x = -np.concatenate([np.linspace(0, 40, 4001), np.linspace(40, 707, 4001)])
    pairs = np.stack([np.zeros_like(x), x], axis=1)
    got = _core.softmax_rows(pairs)
    np.testing.assert_allclose(got[:, 1] / got[:, 0], np.exp(x), rtol=1e-15)


@pytest.mark.parametrize("kernels", [_core, reference])
def test_bad_input_is_named(kernels: Any) -> None:
    x, one = np.ones((3, 1)), np.ones((1, 1))
    with pytest.raises(ValueError, match="variance of class 0, column 0"):
        kernels.gaussian_class_scores(x, one, np.zeros((1, 1)), np.zeros(1))
    with pytest.raises(ValueError, match="row 1"):
        kernels.table_class_scores([np.array([0, 3], np.uint8)], [np.zeros((2, 1))], np.zeros(1), 2)


def test_shapes_that_do_not_fit_are_refused() -> None:
    x, one = np.ones((3, 2)), np.ones((1, 1))
    with pytest.raises(ValueError, match=r"means: expected an array of shape \(1, 2\)"):
        _core.gaussian_class_scores(x, one, one, np.zeros(1))
    with pytest.raises(ValueError, match="log_prior is empty"):
        _core.linear_class_scores(x, np.ones((0, 2)), np.zeros(0))
    with pytest.raises(ValueError, match="float64 or float32"):
        _core.linear_class_scores(x.astype(int), np.ones((1, 2)), np.zeros(1))
