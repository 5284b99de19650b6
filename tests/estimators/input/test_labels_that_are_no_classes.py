"""Labels that cannot be classes are refused with their type, and text as the way out."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadData

DAYS = ["2020-01-01", "2021-01-01"] * 20


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (list(pandas.to_datetime(DAYS)), "values of the type datetime, such as '2020-01-01"),
        ([date.fromisoformat(day) for day in DAYS], "values of the type date, such as '2020-01-01'"),
        (np.array(DAYS, dtype="M8[D]"), "values of the type date, such as '2020-01-01'"),
        ([2**70, 2**71] * 20, "integers beyond 64 bits, such as 1180591620717411303424"),
    ],
)
def test_their_type_is_named(labels: Any, what: str) -> None:
    rows = {"x": np.arange(40.0)}
    told = rf"Unknown label type: y has {what}.*Make the labels text"
    with pytest.raises(BadData, match=told):
        bayou.NaiveBayes().fit(rows, labels)
    with pytest.raises(BadData, match=told):
        bayou.NaiveBayes().fit({**rows, "y": labels}, "y")
