"""What somebody who is new to the library tries first, and what it is told."""

from __future__ import annotations

import warnings

import bayou


def test_a_warning_points_at_the_line_of_the_user() -> None:
    rows = {"the key": [f"№ {k}" for k in range(60)], "größe": [0, 1] * 30}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        bayou.learn_structure(rows)
    assert {warning.filename for warning in given} == {__file__}
