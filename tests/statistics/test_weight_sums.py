"""The sums of the weights of rows, and of their squares."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.errors import BadFile, BadStatistics
from bayou.sources import open_source
from bayou.statistics import RowWeights, WeightSums, result_from_state


def test_sums_of_rows_with_and_without_weights() -> None:
    table, request = {"a": ["x", "y", None, "x"]}, RowWeights("a")
    assert open_source(table).collect([request])[request] == WeightSums("a", 4.0, 4.0)
    weights = np.array([1.5, 2.0, 0.5, 1.0])
    found = open_source(table, weights=weights).collect([request])[request]
    assert found == WeightSums("a", 5.0, float((weights**2).sum()))
    assert found.effective_rows == pytest.approx(25 / 7.5)
    assert found.total == 5.0
    assert (found + found) - found == found
    assert (found * 3.0).effective_rows == pytest.approx(found.effective_rows)
    assert result_from_state(found.state()) == found
    assert WeightSums("a", 0.0, 0.0).effective_rows == 0.0


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(BadStatistics):
        WeightSums("a", 1.0, 1.0) + WeightSums("b", 1.0, 1.0)
    with pytest.raises(BadFile):
        WeightSums.from_state({"variable": "a", "weights": -1.0, "squares": 1.0})
