"""Singular covariance matrices: lifted until they can be factored, or refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.errors import BadData, BayouWarning
from bayou.estimators.gaussian.covariance import whitening

NAMES = [f"column {k}" for k in range(60)]


def test_a_ridge_below_the_rounding_of_many_columns_grows() -> None:
    rows = np.random.default_rng(0).normal(size=(2, 60))
    rounded = rows.T @ rows - 1e-8 * np.eye(60)
    assert np.linalg.eigvalsh(rounded).min() < -9e-9
    with pytest.warns(BayouWarning, match="is singular"):
        found = whitening(rounded, lambda: np.full(60, 1e-9), NAMES, "of all classes")
    np.testing.assert_allclose(found.covariance, rounded + 1e-7 * np.eye(60), atol=1e-15)
    identity = found.whitener.T @ found.covariance @ found.whitener
    np.testing.assert_allclose(identity, np.eye(60), atol=1e-6)


def test_without_a_ridge_the_column_is_named() -> None:
    rows = np.random.default_rng(0).normal(size=(2, 60))
    with pytest.raises(BadData, match="'column 2' is constant or a linear"):
        whitening(rows.T @ rows, lambda: np.zeros(60), NAMES, "of all classes")
