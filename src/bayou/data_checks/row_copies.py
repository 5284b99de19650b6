"""Copies among rows that do not fit into memory: their hashes in a temporary file, compared part by part."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Sequence
from typing import IO

import numpy as np
import numpy.typing as npt

from bayou.sources import Column, NumberColumn
from bayou.statistics.rows.row_sample import hash_numbers, mixed
from bayou.statistics.rows.spilled_sequences import no_room

Hashes = npt.NDArray[np.uint64]
_ROWS_AT_ONCE = 1 << 22
"""Rows whose hashes are compared at a time."""
_STEP = 0x9E3779B97F4A7C15
_GAP = np.uint64(2**64 - 1)


def column_hashes(column: Column) -> Hashes:
    """Return a hash of each cell; equal cells of a column have one hash, in all tables of the same rows."""
    if isinstance(column, NumberColumn):
        return hash_numbers(column.values)
    return mixed(np.where(column.codes == column.missing_code, _GAP, column.codes.astype(np.uint64)))


class RowHashes:
    """Hashes of rows of 64 bits: that two of a hundred million different rows share one has a chance of 3e-4.

    >>> rows = RowHashes()
    >>> rows.add([np.array([7, 8, 7], dtype=np.uint64)], 3)
    >>> rows.copies(4)
    (1, (2,))
    """

    def __init__(self) -> None:
        try:
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix="bayou-")  # noqa: SIM115  # closed below
        except OSError as error:
            raise no_room(error) from None
        weakref.finalize(self, self._file.close)
        self._rows = 0

    def add(self, columns: Sequence[Hashes], rows: int) -> None:
        """Add rows, from the hashes of their cells column by column."""
        total = np.zeros(rows, dtype=np.uint64)
        for place, hashes in enumerate(columns):
            total += mixed(hashes + np.uint64((place + 1) * _STEP % 2**64))
        self._rows += rows
        try:
            self._file.write(mixed(total).tobytes())
        except OSError as error:
            raise no_room(error) from None

    def copies(self, shown: int) -> tuple[int, tuple[int, ...]]:
        """Return the number of rows that equal an earlier one, and the numbers of the first ``shown``."""
        parts = np.uint64(-(-self._rows // _ROWS_AT_ONCE) or 1)
        count, first = 0, np.empty(0, dtype=np.int64)
        for part in range(int(parts)):
            hashes, rows = self._part(part, parts)
            order = np.argsort(hashes, kind="stable")
            again = rows[order[1:][hashes[order[1:]] == hashes[order[:-1]]]]
            count += len(again)
            first = np.sort(np.concatenate([first, again]))[:shown]
        return count, tuple(first.tolist())

    def _part(self, part: int, parts: np.uint64) -> tuple[Hashes, npt.NDArray[np.int64]]:
        """The rows whose hash leaves the rest ``part``, with their numbers, in their order."""
        self._file.seek(0)
        hashes, rows, begin = [], [], 0
        while chunk := self._file.read(8 * _ROWS_AT_ONCE):
            some: Hashes = np.frombuffer(chunk, dtype=np.uint64)
            inside = np.flatnonzero(some % parts == part)
            hashes.append(some[inside])
            rows.append(inside + begin)
            begin += len(some)
        if not hashes:
            return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        return np.concatenate(hashes), np.concatenate(rows)
