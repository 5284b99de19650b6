"""Rows very far from all training rows: exports of linear scores do not subtract squared distances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from tests.exporting.running import DATABASES, in_node, in_python, in_sql, needs_node, plain_rows

SIDES = np.repeat([-1.0, 1.0], 40)
COLUMNS = {
    "f": np.tile([-1.0, -1.0, 1.0, 1.0], 20).tolist(),
    "g": (SIDES + np.tile([-1.5, 1.5, -1.5, 1.5], 20)).tolist(),
}
NEW: dict[str, list[Any]] = {
    "f": [1e9, -1e9, 1e12, 1e9, None, 1.0, 1e9],
    "g": [0.3, -0.4, 0.0, 0.7, 1.0, -0.2, None],
}
COMPLETE = 4


@needs_node
def test_a_shared_covariance(tmp_path: Path) -> None:
    """Squared distances of 1e18 differ by less than their last digit."""
    model = bayou.GaussianBayes("shared").fit(COLUMNS, np.where(SIDES > 0, "b", "a").tolist())
    expected, rows = model.predict_proba(NEW), plain_rows(NEW)
    assert 0.2 < expected.min() < 0.45
    assert np.allclose(in_python(model.export(), rows, tmp_path), expected, rtol=0, atol=1e-12)
    assert np.allclose(in_node(model.export("javascript"), rows, tmp_path), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dialect", DATABASES)
def test_a_shared_covariance_in_sql(dialect: str) -> None:
    model = bayou.GaussianBayes("shared").fit(COLUMNS, np.where(SIDES > 0, "b", "a").tolist())
    expected, rows = model.predict_proba(NEW), plain_rows(NEW)
    query = model.export("sql", dialect=dialect, keep="id")
    assert np.allclose(in_sql(query, rows, dialect), expected, rtol=0, atol=1e-12)
    query = model.to_sql("rows", dialect=dialect, keep="id")
    found = [row[-2:] for row in in_sql(query, rows[:COMPLETE], dialect)]
    assert np.allclose(found, expected[:COMPLETE], rtol=0, atol=1e-12)
