"""Numbers far from zero, and of any unit: states in order, deviations, and digits in print."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("far", [0.0, 1e6, -1e9])
def test_states_are_sorted_by_means_far_from_zero(unit: float, far: float) -> None:
    chance = np.random.default_rng(0)
    values = (np.r_[chance.normal(5, 1, 60), chance.normal(0, 1, 60)] + far) * unit
    means = bayou.HMM(2).fit(values).means.ravel()
    assert means[0] < means[1]


@pytest.mark.parametrize("kind", ["gaussian", "mixture", "kernel"])
def test_deviations_far_from_zero(kind: str) -> None:
    chance = np.random.default_rng(1)
    values = np.r_[chance.normal(0, 1, 60), chance.normal(5, 2, 60)]
    form: dict[str, Any] = {"components": 2} if kind == "mixture" else {}
    emissions = "kernel" if kind == "kernel" else None
    near = bayou.HMM(2, emissions, **form).fit(values)
    shifted = bayou.HMM(2, emissions, **form).fit(values + 2.0**20)
    here, there = near.forecast(values, steps=3), shifted.forecast(values + 2.0**20, steps=3)
    np.testing.assert_allclose(there.deviations["x"], here.deviations["x"], rtol=1e-3)
    far = bayou.HMM(2, "gaussian").fit(values + 2.0**30)
    wanted = np.sqrt(far.covariances[1, 0, 0])
    assert f"± {wanted:.3g}" in str(far)


def test_means_are_printed_to_the_digit_of_their_deviation() -> None:
    place = bayou.KalmanModel.local_level(1e-10, 1e-10, column="latitude")
    printed = str(place.smooth([48.137154, 48.137166]))
    assert "48.137158 ± " in printed
    assert "48.1371" in str(place.forecast([48.137154, 48.137166], steps=1)).splitlines()[2].split("to")[1]
