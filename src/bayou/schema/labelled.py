"""Values that carry their own labels: a pandas Series is read by its index, a frame by index and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def labelled(value: Any) -> Any:
    """A Series as {label: value}, a DataFrame as {row: {column: value}}; everything else as it is.

    Read by position, a Series whose labels stand in another order would silently mean something else.

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
