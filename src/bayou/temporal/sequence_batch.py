"""Rows that belong to sequences, in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from bayou.statistics import Batch
from bayou.typing import FloatArray, IntArray

ROWS_OF_PART = 2**16
"""About so many rows are worked on at once: their densities stay in the cache, and memory is bounded."""


@dataclass(frozen=True)
class SequenceBatch:
    """Whole sequences, one after the other: sequence k has the rows ``starts[k]`` up to ``starts[k + 1]``.

    ``weights`` has one number for each sequence; None: every sequence counts once.

    >>> two = SequenceBatch(Batch(3, {"A": np.array([0, 1, 0], np.uint8)}, {}), np.array([0, 2, 3]))
    >>> two.count, two.lengths.tolist()
    (2, [2, 1])
    """

    batch: Batch
    starts: IntArray
    weights: FloatArray | None = None

    @property
    def count(self) -> int:
        """The number of sequences."""
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(self.starts[-1])

    @property
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""
        return np.diff(self.starts)

    @property
    def weight(self) -> float:
        """The weight of all sequences, each counted as a row."""
        return float(self.count if self.weights is None else self.weights.sum())

    @property
    def row_weights(self) -> FloatArray | None:
        """The weight of each row: that of its sequence."""
        return None if self.weights is None else np.repeat(self.weights, self.lengths)

    def taken(self, first: int, last: int) -> SequenceBatch:
        """Sequences ``first`` up to ``last``."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        if begin == 0 and end == self.rows and last - first == self.count:
            return self
        weights = None if self.weights is None else self.weights[first:last]
        return SequenceBatch(sliced(self.batch, begin, end), self.starts[first : last + 1] - begin, weights)

    def only(self, which: IntArray) -> SequenceBatch:
        """Some sequences by number, in this order; one may come several times.

        >>> three = SequenceBatch(Batch(3, {"A": np.array([0, 1, 2], np.uint8)}, {}), np.array([0, 2, 3]))
        >>> three.only(np.array([1, 0, 1])).batch.codes["A"].tolist()
        [2, 0, 1, 2]
        """
        lengths = self.lengths[which]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(starts[-1]) + np.repeat(self.starts[:-1][which] - starts[:-1], lengths)
        weights = None if self.weights is None else self.weights[which]
        return SequenceBatch(self.batch.taken(places.astype(np.int64)), starts, weights)

    def parts(self, rows: int = ROWS_OF_PART) -> Iterator[SequenceBatch]:
        """All sequences in parts of about so many rows; a longer sequence is a part of its own."""
        first = 0
        while first < self.count:
            last = int(np.searchsorted(self.starts, self.starts[first] + rows, side="right")) - 1
            last = min(max(last, first + 1), self.count)
            yield self.taken(first, last)
            first = last


def sliced(batch: Batch, begin: int, end: int) -> Batch:
    """Some consecutive rows of a batch, without copies."""
    part = slice(begin, end)
    return replace(
        batch,
        rows=end - begin,
        codes={name: column[part] for name, column in batch.codes.items()},
        numbers={name: batch.numbers[name][part] for name in batch.numbers},
        weights=None if batch.weights is None else batch.weights[part],
        first=batch.first + begin,
        places=None if batch.places is None else batch.places[part],
    )
