"""Dynamic networks of two sites add and subtract, if every value was observed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadStatistics


def network() -> Any:
    states = {"Rain": ["no", "yes"], "Umbrella": [0, 1]}
    return bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella", states=states)


def rows(seed: int) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    rain = random.choice(["no", "yes"], 60)
    umbrella = (rain == "yes") ^ (random.random(60) < 0.2)
    cities = [0] * 30 + [1] * 30
    return {"Rain": rain.tolist(), "Umbrella": umbrella.astype(int).tolist(), "city": cities}


def test_two_sites() -> None:
    one, other = (network().fit(rows(seed), sequence="city") for seed in (1, 2))
    both = network().fit(rows(1), sequence="city").partial_fit(rows(2), sequence="city")
    for found, expected in ((one + other, both), (both - other, one)):
        for table in expected.tables:
            np.testing.assert_array_equal(found.cpt(table).to_array(), expected.cpt(table).to_array())
    with pytest.raises(TypeError):
        one + 1


def test_hidden_slices_do_not_add() -> None:
    seen = network().fit(rows(1), sequence="city")
    gaps = {**rows(2), "Rain": [None, *rows(2)["Rain"][1:]]}
    hidden = network().fit(gaps, sequence="city")
    with pytest.raises(BadStatistics, match="expected ones"):
        seen + hidden
