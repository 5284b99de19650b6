"""Values with their own labels: a pandas Series is read by its index, a DataFrame by index and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def labelled(value: Any) -> Any:
    """Return a Series as {label: value}, a DataFrame as {row: {column: value}}, other values unchanged.

    Reading by label is necessary because the labels of a Series may be in another order than the states.

    >>> labelled([0.5, 0.5])
    [0.5, 0.5]
    """
    if isinstance(value, Mapping) or not (hasattr(value, "index") and hasattr(value, "to_dict")):
        return value
    if getattr(value, "ndim", 0) == 1:
        return dict(zip(value.index.tolist(), value.tolist(), strict=True))
    if getattr(value, "ndim", 0) == 2:
        columns = value.columns.tolist()
        rows = (dict(zip(columns, row, strict=True)) for row in value.to_numpy().tolist())
        return dict(zip(value.index.tolist(), rows, strict=True))
    return value
