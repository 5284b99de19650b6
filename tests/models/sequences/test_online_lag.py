"""Smoothing with a fixed lag is the smoothed state of the sequence seen so far."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion


@pytest.mark.parametrize("lag", [0, 1, 3])
def test_the_lagged_state_is_that_of_smoothing_all_so_far(lag: int) -> None:
    casino = bayou.examples.casino()
    watch = casino.online(lag=lag)
    rolls = [6, 1, 6, 6, 2, 3, 6, 6]
    for step, roll in enumerate(rolls):
        watch.observe(roll)
        expected = casino.smooth(rolls[: step + 1]).probabilities[max(step - lag, 0)]
        np.testing.assert_allclose(list(watch.lagged().values()), expected, atol=1e-12)


def test_a_lag_is_a_whole_number() -> None:
    with pytest.raises(BadQuestion, match="lag"):
        bayou.examples.casino().online(lag=-1)
