"""Distinct rows, found by a hash of each row, or by one integer per row where codes are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from bayou.statistics.batch import Batch
from bayou.typing import IntArray

Words = npt.NDArray[np.uint64]
Unsigned = npt.NDArray[np.unsignedinteger]
_LARGEST_KEY = 2**62
_FEW_ROWS = 64
"""Up to this number of rows, comparing them one by one is faster than hashing."""


def distinct_rows(columns: Sequence[Unsigned], rows: int, most: float = 1.0) -> tuple[IntArray, IntArray]:
    """Return the first index of each distinct row, in order of appearance, and for each row its distinct row.

    If more than the share ``most`` of the rows is distinct, every row counts as distinct: using the few
    repetitions would not pay. Pass numbers as their bits (``column.view(np.uint64)``).

    >>> first, which = distinct_rows([np.array([1, 0, 1, 2], dtype=np.uint8)], 4)
    >>> first.tolist(), which.tolist()
    ([0, 1, 3], [0, 1, 0, 2])
    """
    if not columns:
        return np.zeros(min(rows, 1), dtype=np.int64), np.zeros(rows, dtype=np.int64)
    if rows <= _FEW_ROWS:
        return _compared(columns)
    _, found, of_row = np.unique(_hashes(columns, rows), return_index=True, return_inverse=True)
    if len(found) > rows * most:
        return np.arange(rows), np.arange(rows)
    first, which = _by_appearance(found, of_row)
    if all(np.array_equal(column[first][which], column) for column in columns):
        return first, which
    # Two different rows have the same hash (nearly impossible): compare the rows themselves.
    table = np.stack([column.astype(np.uint64) for column in columns], axis=1)
    _, found, of_row = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return _by_appearance(found, of_row.reshape(-1))


def compress_rows(batch: Batch) -> Batch:
    """Return each distinct row once, in order of appearance, with summed weights; weight 0 is dropped.

    >>> batch = compress_rows(Batch(3, {"A": np.array([0, 1, 0], dtype=np.uint8)}, {}))
    >>> batch.codes["A"].tolist(), batch.weights.tolist()
    ([0, 1], [2.0, 1.0])
    """
    given = np.ones(batch.rows) if batch.weights is None else np.asarray(batch.weights, dtype=np.float64)
    columns = [*batch.codes.values(), *(numbers.view(np.uint64) for numbers in batch.numbers.values())]
    first, which = distinct_rows(columns, batch.rows)
    weights = np.bincount(which, given, minlength=len(first))
    kept = first[weights != 0]
    return replace(batch.taken(kept), weights=weights[weights != 0])


def sorted_distinct_rows(codes: IntArray, cards: Sequence[int]) -> tuple[IntArray, IntArray]:
    """Return the same as :func:`distinct_rows` for a matrix of codes, with distinct rows in ascending order.

    A row becomes one integer with the variables' ``cards`` as bases, so sorting the integers sorts the rows.

    >>> first, which = sorted_distinct_rows(np.array([[1, 0], [0, 2], [1, 0]]), [2, 3])
    >>> first.tolist(), which.tolist()
    ([1, 0], [1, 0, 1])
    """
    key = np.zeros(len(codes), dtype=np.int64)
    size = 1
    for column, card in enumerate(cards):
        if size * max(card, 1) > _LARGEST_KEY:
            distinct, key = np.unique(key, return_inverse=True)
            size = max(len(distinct), 1)
        key = key * max(card, 1) + codes[:, column]
        size *= max(card, 1)
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first.astype(np.int64), which.astype(np.int64)


def _compared(columns: Sequence[Unsigned]) -> tuple[IntArray, IntArray]:
    places: dict[tuple[int, ...], int] = {}
    first: list[int] = []
    which: list[int] = []
    for number, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        place = places.setdefault(row, len(places))
        if place == len(first):
            first.append(number)
        which.append(place)
    return np.array(first, dtype=np.int64), np.array(which, dtype=np.int64)


def _by_appearance(first: npt.NDArray[np.intp], which: npt.NDArray[np.intp]) -> tuple[IntArray, IntArray]:
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order].astype(np.int64, copy=False), place[which].astype(np.int64, copy=False)


@cache
def _mixers() -> Words:
    """Odd numbers that mix the bits of a hash; made on first use, because numpy.random is slow to load."""
    return np.random.default_rng(20261115).integers(1, 2**63, 4096, dtype=np.uint64) | np.uint64(1)


def _hashes(columns: Sequence[Unsigned], rows: int) -> Words:
    hashes, mixers = np.zeros(rows, dtype=np.uint64), _mixers()
    for k, words in enumerate(_words(columns, rows)):
        hashes = (hashes ^ (words + np.uint64(1))) * mixers[k % len(mixers)]
        hashes ^= hashes >> np.uint64(29)
    return hashes


def _words(columns: Sequence[Unsigned], rows: int) -> list[Words]:
    """The rows as 64-bit words; eight columns of bytes make one word."""
    small = [column for column in columns if column.dtype == np.uint8]
    wide = [column.astype(np.uint64, copy=False) for column in columns if column.dtype != np.uint8]
    if not small:
        return wide
    bytes_of = np.zeros((rows, -(-len(small) // 8) * 8), dtype=np.uint8)
    for k, column in enumerate(small):
        bytes_of[:, k] = column
    return [*np.ascontiguousarray(bytes_of.view(np.uint64).T), *wide]
