"""Arrays of steps as tracks of an answer; where nothing is known there is null."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from bayou.schema import Variable
from bayou.server.messages import encoded
from bayou.server.models.over_time.forms import Track
from bayou.typing import FloatArray, Name


def shares_track(variable: Variable, shares: FloatArray, ahead: FloatArray | None = None) -> Track:
    """The track of a variable with states."""
    every = shares if ahead is None else np.concatenate([shares, ahead])
    rows = [None if row[0] != row[0] else row for row in every.tolist()]
    return Track(encoded(variable.name), probabilities=rows)


def numbers_track(
    name: Name,
    means: FloatArray,
    deviations: FloatArray,
    ahead: tuple[FloatArray, FloatArray] | int | None = None,
    values: Sequence[Any] = (),
) -> Track:
    """The track of a number; ``values`` are those that are known, ``ahead`` the steps that follow."""
    if isinstance(ahead, int):
        ahead = (np.full(ahead, np.nan), np.full(ahead, np.nan))
    parts = ([means], [deviations]) if ahead is None else ([means, ahead[0]], [deviations, ahead[1]])
    found = [_finite(np.concatenate(part)) for part in parts]
    for step, value in enumerate(values):
        if value is not None:
            found[0][step], found[1][step] = float(value), 0.0
    return Track(encoded(name), means=found[0], deviations=found[1])


def _finite(values: FloatArray) -> list[float | None]:
    return [one if isfinite(one) else None for one in values.tolist()]
