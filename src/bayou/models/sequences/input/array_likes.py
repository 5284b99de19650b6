"""What users hold sequences in: tables, columns of frames, tensors, texts that are no sequences."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.statistics import Source
from bayou.typing import Name


def is_table(data: Any) -> bool:
    """Whether data have named columns."""
    return (
        isinstance(data, str | os.PathLike | Source | Mapping)
        or hasattr(data, "columns")
        or hasattr(data, "schema")
    )


def series_name(data: Any) -> list[Name] | None:
    """The name of a column of a frame (or of the first of several in a list) as the name of its column."""
    one = data[0] if isinstance(data, list | tuple) and data else data
    name = getattr(one, "name", None) if _is_series(one) else None
    return [name] if isinstance(name, str) and name else None


def unframed(data: Any) -> Any:
    """A column of a frame, a tensor or what else can be an array as an array, also in a list of them;
    everything else as it is.
    """
    if isinstance(data, list | tuple):
        kinds = {type(item): item for item in data}.values()
        return [unframed(item) for item in data] if any(map(_is_array_like, kinds)) else data
    if not _is_array_like(data):
        return data
    if _is_series(data):
        return data.to_numpy()
    # A tensor that is learned, or that is on another device, is copied first.
    plain = data.detach().cpu() if hasattr(data, "detach") and hasattr(data, "cpu") else data
    array = np.asarray(plain)
    return array if array.ndim else array.item()


def _is_series(data: Any) -> bool:
    return hasattr(data, "to_numpy") and not is_table(data)


def _is_array_like(data: Any) -> bool:
    if isinstance(data, np.ndarray | np.generic | Sequence | Source) or is_table(data):
        return False
    return hasattr(data, "to_numpy") or hasattr(data, "__array__")


def refuse_text(data: Any) -> None:
    """Refuse a text that is no path of a file: users mean one symbol, or the letters of a word."""
    if not isinstance(data, str) or os.path.exists(data):
        return
    if not os.path.splitext(data)[1] and "/" not in data and os.sep not in data:
        raise BadData(
            f"{data!r} is a text, not a sequence, and there is no such file. Give a list of observations: "
            f"[{data!r}] is one of them, list({data!r}) has the letters; or name a table (.csv, .parquet)."
        )


def rows_of(table: Mapping[Name, Any]) -> int:
    """The number of rows of a mapping of columns."""
    return len(next(iter(table.values())))
