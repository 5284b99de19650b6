"""Parameters that cannot be written to, and products of tables that keep their findings."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou import ProbabilityTable
from bayou.errors import BadQuestion


def test_parameters_cannot_be_written_to() -> None:
    net = bayou.Network("a -> x", continuous=["x"])
    net.fit({"a": ["u", "v"] * 4, "x": [1.0, 2.0, 3.0, 5.0, 8.0, 1.0, 0.0, 4.0]})
    with pytest.raises(ValueError, match="read-only"):
        net.frozen.table("a")[0] = 1.0
    for part in ("intercept", "coefficients", "variance"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(net.frozen.gaussian("x"), part)[...] = 1.0


def test_an_array_that_was_handed_over_is_copied() -> None:
    given = np.array([0.25, 0.75])
    net = bayou.Network("a", states={"a": ["u", "v"]}).set_cpt("a", given)
    given[0] = 9.0
    assert net.cpt("a")["u"] == 0.25


def weather() -> ProbabilityTable:
    axes = {"season": ["dry", "wet"], "rain today": ["no", "ja"]}
    return ProbabilityTable(axes, [[0.4, 0.1], [0.2, 0.3]])


def test_a_product_remembers_the_findings_of_its_factors() -> None:
    street = ProbabilityTable.conditional(
        "street", {"no": {"dry": 0.9, "wet": 0.1}, "ja": {"dry": 0.0, "wet": 1.0}}, given="rain today"
    )
    product = weather().condition({"season": "wet"}) * street
    assert product.title == "P(rain today, street | season=wet)"
    assert (street * weather().condition({"season": "wet"})).title == "P(rain today, street | season=wet)"


def test_a_product_with_what_the_other_has_fixed_is_refused() -> None:
    fixed, open_one = weather().condition({"season": "wet"}), weather().marginal("season")
    for left, right in ((fixed, open_one), (open_one, fixed)):
        with pytest.raises(BadQuestion, match="season is fixed in"):
            left * right


def test_a_product_of_contradicting_findings_is_refused() -> None:
    street = ProbabilityTable({"street": ["dry", "wet"], "season": ["dry", "wet"]}, [[0.3, 0.2], [0.1, 0.4]])
    with pytest.raises(BadQuestion, match="season is 'wet' in one and 'dry' in the other"):
        weather().condition({"season": "wet"}) * street.condition({"season": "dry"})
