"""Rows drawn from a network, some of whose cells are hidden at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.networks import FrozenNetwork
from bayou.typing import ColumnArray, Name

GONE = 255
"""The code of a missing cell."""


def hide_cells(
    network: FrozenNetwork, columns: Mapping[Name, ColumnArray], random: np.random.Generator, share: float
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The codes of discrete columns and the numbers of the others, about this share of them missing."""
    codes: dict[Any, Any] = {}
    numbers: dict[Any, Any] = {}
    for name, column in columns.items():
        gaps = random.random(len(column)) < share
        if network.schema[name].is_continuous:
            numbers[name] = np.where(gaps, np.nan, column)
        else:
            codes[name] = np.where(gaps, GONE, column).astype(np.uint8)
    return codes, numbers
