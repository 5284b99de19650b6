"""A variable of one slice has no gaps in the rows of the others."""

from __future__ import annotations

import bayou


def test_gaps_are_counted_where_a_variable_begins() -> None:
    net = bayou.DynamicNetwork("Kind -> x; x -> x'", continuous=["x"], constant=["Kind"])
    rows = {"Kind": ["a", None, None, "b", None, None], "x": [1.0, 2.0, 2.5, 0.5, None, 3.0]}
    net.fit(rows, lengths=[3, 3])
    assert net.learning.gaps == 1
