"""What method="count" says where counting is not enough: the true hindrance, and where it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion
from bayou.temporal.chain_structure import SHARED, SHARED_DIAGONAL, SPHERICAL

ROWS: dict[str, Any] = {
    "x": [0.1, 0.4, 5.0, 5.3, 0.2, 4.9],
    "y": [1.0, 1.2, 7.0, 7.7, 0.8, 7.1],
    "state": ["a", "a", "b", "b", "a", "b"],
}


def refused(hmm: Any, data: Any, **how: Any) -> str:
    with pytest.raises(BadQuestion) as raised:
        hmm.fit(data, method="count", **how)
    message = str(raised.value)
    assert message.startswith('method="count" ')
    assert message.endswith("Leave method= out: EM guesses what is not known.")
    return message


def test_states_that_are_not_known_are_blamed_first_by_row() -> None:
    assert "no row has one in 'state'" in refused(bayou.HMM(["a", "b"]), {"x": ROWS["x"]})
    some = ROWS | {"state": ["a", "a", None, "b", "a", "b"]}
    assert "row 2 (counting from 0) has none in 'state'" in refused(bayou.HMM(["a", "b"]), some)


def test_mixtures_and_shared_covariances_are_blamed_though_all_states_are_known() -> None:
    mixture = refused(bayou.HMM(["a", "b"], components=2), ROWS)
    assert "mixtures" in mixture
    for covariance in (SPHERICAL, SHARED, SHARED_DIAGONAL):
        message = refused(bayou.HMM(["a", "b"], covariance=covariance), ROWS)
        assert f"covariance={covariance!r}" in message
        assert "mixture" not in message
        assert "gap" not in message


def test_a_gap_is_blamed_by_column_and_row_only_where_it_matters() -> None:
    gap = ROWS | {"y": [1.0, 1.2, 7.0, np.nan, 0.8, 7.1]}
    message = refused(bayou.HMM(["a", "b"]), gap)
    assert "'y' has none in row 3" in message
    assert "mixture" not in message
    assert bayou.HMM(["a", "b"], covariance="diagonal").fit(gap, method="count").learning.method == "count"


def test_a_variable_of_the_last_slice_is_missed_there_and_only_there() -> None:
    def network() -> Any:
        return bayou.DynamicNetwork("Rain -> Rain'; Rain -> Result", last=["Result"])

    data: dict[str, Any] = {
        "id": ["s"] * 3 + ["t"] * 3,
        "Rain": ["no", "yes", "no", "no", "yes", "yes"],
        "Result": [None, None, "good", None, None, None],
    }
    with pytest.raises(BadQuestion, match=r"'Result' has none in row 5 \(counting from 0"):
        network().fit(data, sequence="id", method="count")
    assert network().fit(data, sequence="id").learning.gaps == 1
    whole = network().fit(
        data | {"Result": [None, None, "good", None, None, "bad"]}, sequence="id", method="count"
    )
    assert whole.learning.method == "count"
