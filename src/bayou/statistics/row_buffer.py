"""Rows of a source kept in memory if they fit: batches are collected and concatenated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bayou.schema import Variable
from bayou.statistics.batch import Batch, empty_batch
from bayou.statistics.source import Source

LARGEST_HELD = 1 << 30
"""The most bytes of rows that are kept in memory."""


@dataclass(frozen=True)
class RowBuffer:
    """Batches to be concatenated once; dropped (None) if they take more than ``most`` bytes.

    ``beside`` is the number of bytes per row of what will be computed from them. ``shrink``, if given, is
    tried before the batches are dropped.

    >>> import numpy as np
    >>> batch = Batch(2, {"A": np.array([0, 1], dtype=np.uint8)}, {})
    >>> rows = RowBuffer((batch,), most=5) + RowBuffer((batch,), most=5)
    >>> rows.whole().codes["A"].tolist(), (rows + rows).whole()
    ([0, 1, 0, 1], None)
    """

    batches: tuple[Batch, ...] | None
    most: int
    beside: float = 0.0
    shrink: Callable[[Batch], Batch] | None = None

    @property
    def bytes(self) -> float:
        """The memory of the batches, with ``beside`` bytes per row."""
        return sum(bytes_of(batch) + self.beside * batch.rows for batch in self.batches or ())

    def within(self) -> RowBuffer:
        """The buffer itself, or shrunk, or without its batches if it is too large."""
        if self.bytes > self.most and self.shrink is not None:
            shrunk = replace(self, batches=(self.shrink(Batch.joined(self.batches or ())),))
            return replace(shrunk, shrink=None).within() if shrunk.bytes > self.most else shrunk
        return replace(self, batches=None) if self.bytes > self.most else self

    def __add__(self, other: RowBuffer) -> RowBuffer:
        if self.batches is None or other.batches is None:
            return replace(self, batches=None)
        return replace(self, batches=self.batches + other.batches).within()

    def whole(self) -> Batch | None:
        """All rows as one batch; None if they were too many."""
        return None if self.batches is None else Batch.joined(self.batches)


def rows_in_memory(
    source: Source, variables: Sequence[Variable], most: int = LARGEST_HELD, beside: float = 0.0
) -> Batch | None:
    """Return all rows of a source, in order, as one batch; None if they take more than ``most`` bytes.

    None also for a source that gives no rows.
    """
    if not source.gives_rows:
        return None
    buffer: RowBuffer | None = None
    for batch in source.batches(variables):
        part = RowBuffer((batch,), most, beside).within()
        buffer = part if buffer is None else buffer + part
        if buffer.batches is None:
            return None
    return empty_batch(variables) if buffer is None else buffer.whole()


def bytes_of(batch: Batch) -> int:
    """Return the bytes of all columns, the weights and the row numbers."""
    others = [column for column in (batch.weights, batch.places) if column is not None]
    return sum(column.nbytes for column in (*batch.codes.values(), *batch.numbers.values(), *others))
