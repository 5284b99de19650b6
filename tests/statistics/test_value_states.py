"""The multiset of a number's values as a file holds it: what comes back is what went in, or is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bayou.errors import BadFile
from bayou.schema import Variable
from bayou.statistics import ValueCounts, ValueHistogram, result_from_state

COUNTED = ValueCounts.of(
    "Größe 1",
    (Variable("c", [1, "1"]),),
    np.array([2.0, 1.0, 2.0]),
    np.array([0, 1, 1]),
    np.array([1, 0.5, 2]),
)
REQUEST = ValueHistogram("Größe 1", ("c",))


def test_values_come_back() -> None:
    counted = result_from_state(COUNTED.state())
    assert counted.request == REQUEST
    assert isinstance(counted, ValueCounts)
    assert counted == COUNTED
    assert counted.groups == COUNTED.groups


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("values", np.array([2.0, 1.0, 0.0])),
        ("values", np.array([1.0, np.nan, 2.0])),
        ("values", np.array([1.0])),
        ("codes", np.array([0, 1, 2])),
        ("codes", np.array([0, 1, 1])),
        ("codes", np.array([0.0, 1.0, 1.0])),
        ("weights", np.array([1.0, 0.0, 1.0])),
        ("bin_width", -1.0),
        ("bin_width", True),
    ],
)
def test_values_that_can_not_be_are_refused(part: str, value: Any) -> None:
    state = COUNTED.state()
    with pytest.raises(BadFile, match="the values of 'Größe 1'"):
        result_from_state({**state, part: value})
