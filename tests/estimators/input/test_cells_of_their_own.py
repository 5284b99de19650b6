"""A cell that cannot be read is missing in its own row, and changes nothing in the rows beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou

MONEY = ["$90", "$91", "$120", "$121"]
DATES = ["2020-01-05", "2020-01-06", "2020-06-05", "2020-06-06"]


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize(
    "kind", [bayou.NaiveBayes, bayou.TAN, bayou.AODE, bayou.KDependence, bayou.GaussianBayes]
)
@pytest.mark.parametrize("values", [MONEY, DATES], ids=["money", "dates"])
def test_rows_do_not_depend_on_their_neighbours(kind: Any, values: list[str]) -> None:
    model = kind().fit({"v": values * 50, "y": ["a", "a", "b", "b"] * 50}, "y")
    alone = model.predict_proba({"v": [values[0]]})
    nothing = model.predict_proba({"v": [None]})
    beside = model.predict_proba({"v": [values[0], "unknown", values[0]]})
    np.testing.assert_allclose(beside, np.concatenate([alone, nothing, alone]))
    assert alone[0, 0] > 0.9
