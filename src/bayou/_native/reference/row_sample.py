"""The reference of the kernel that samples rows by the hashes of their contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
_GAP = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xFF51AFD7ED558CCD)


def sample_rows(
    columns: Sequence[npt.NDArray[Any]],
    tables: Sequence[Hashes],
    weights: npt.NDArray[np.float64] | None = None,
    size: int = 4096,
    largest: int = 2**64 - 1,
    threads: int = 0,
) -> tuple[Hashes, npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """(hashes, rows, weights) of the distinct rows with the smallest hashes (up to ``largest``), ascending.

    A column is codes, with a table of the hash of each code and, at its end, of a missing cell; or float64,
    with an empty table. A row stands for all rows with its hash; ``rows`` has the first of them.

    >>> hashes, rows, weights = sample_rows([np.array([2.0, 1.0, 2.0])], [np.zeros(0, np.uint64)])
    >>> sorted(zip(rows.tolist(), weights.tolist()))
    [(0, 2.0), (1, 1.0)]
    """
    count = len(columns[0]) if weights is None else len(weights)
    total = np.zeros(count, dtype=np.uint64)
    for place, (column, table) in enumerate(zip(columns, tables, strict=True)):
        total += _mixed(_hashed(column, table) + np.uint64((place + 1) * int(_GAP) % 2**64))
    distinct, first, back = np.unique(_mixed(total), return_index=True, return_inverse=True)
    sums = np.bincount(back.ravel(), weights=weights, minlength=len(distinct)).astype(np.float64)
    size = min(size, int(np.searchsorted(distinct, np.uint64(largest), side="right")))
    return distinct[:size], first[:size].astype(np.int64), sums[:size]


def _hashed(column: npt.NDArray[Any], table: Hashes) -> Hashes:
    if column.dtype != np.float64:
        picked: Hashes = table[np.minimum(column, len(table) - 1).astype(np.intp)]
        return picked
    hashes = _mixed((column + 0.0).view(np.uint64) ^ _GAP)
    hashes[np.isnan(column)] = _GAP
    return hashes


def _mixed(bits: Hashes) -> Hashes:
    bits = (bits ^ (bits >> np.uint64(33))) * _ODD
    return bits ^ (bits >> np.uint64(29))
