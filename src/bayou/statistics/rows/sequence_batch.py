"""Rows that belong to sequences, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from bayou.statistics.batch import Batch
from bayou.typing import FloatArray, IntArray, State

ROWS_OF_PART = 2**18
"""About so many rows are worked on at once: enough for all threads, and memory is bounded."""


@dataclass(frozen=True)
class SequenceBatch:
    """Whole sequences, one after the other: sequence k has the rows ``starts[k]`` up to ``starts[k + 1]``.

    ``weights`` has one number for each sequence; None: every sequence counts once. ``labels`` has the keys of
    the sequences where they have some, ``times`` the time of each row: numbers as they are, dates in seconds
    since 1970, texts by rank (None without times). ``_numbers`` has the number of each sequence in the data,
    if some were left out; it is used in messages only.

    >>> two = SequenceBatch(Batch(3, {"A": np.array([0, 1, 0], np.uint8)}, {}), np.array([0, 2, 3]))
    >>> two.count, two.lengths.tolist()
    (2, [2, 1])
    """

    batch: Batch
    starts: IntArray
    weights: FloatArray | None = None
    labels: tuple[State, ...] = ()
    times: FloatArray | None = None
    _numbers: IntArray | None = field(init=False, default=None, repr=False, compare=False)

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
        part = SequenceBatch(
            sliced(self.batch, begin, end),
            self.starts[first : last + 1] - begin,
            None if self.weights is None else self.weights[first:last],
            self.labels[first:last],
            None if self.times is None else self.times[begin:end],
        )
        return numbered(part, None if self._numbers is None else self._numbers[first:last])

    def only(self, which: IntArray, most: int | None = None) -> SequenceBatch:
        """Some sequences by number, in this order; one may come several times.

        Of each sequence the first ``most`` rows are taken (None: all).

        >>> three = SequenceBatch(Batch(3, {"A": np.array([0, 1, 2], np.uint8)}, {}), np.array([0, 2, 3]))
        >>> three.only(np.array([1, 0, 1])).batch.codes["A"].tolist()
        [2, 0, 1, 2]
        """
        places, starts = places_of(self.starts, which, most)
        weights = None if self.weights is None else self.weights[which]
        labels = tuple(self.labels[k] for k in which.tolist()) if self.labels else ()
        times = None if self.times is None else self.times[places]
        return SequenceBatch(self.batch.taken(places), starts, weights, labels, times)

    def parts(self, rows: int | None = None) -> Iterator[SequenceBatch]:
        """All sequences in parts of about so many rows; a longer sequence is a part of its own."""
        for first, last in stretches(self.starts, rows):
            yield self.taken(first, last)

    def whole_parts(self) -> Iterator[SequenceBatch]:
        """The same: sequences in memory are worked on as a whole."""
        return self.parts()

    def row_parts(self) -> Iterator[SequenceBatch]:
        """The same, for what is asked of rows and not of their order."""
        return self.parts()

    @classmethod
    def joined(cls, parts: list[SequenceBatch]) -> SequenceBatch:
        """The sequences of several batches (at least one), which have no weights, one after the other."""
        if len(parts) == 1:
            return parts[0]
        before = np.cumsum([0, *(part.rows for part in parts[:-1])])
        starts = [part.starts[:-1] + first for part, first in zip(parts, before, strict=True)]
        times = [part.times for part in parts if part.times is not None]
        return cls(
            Batch.joined([part.batch for part in parts]),
            np.concatenate([*starts, [sum(part.rows for part in parts)]]).astype(np.int64),
            None,
            tuple(label for part in parts for label in part.labels),
            np.concatenate(times) if times else None,
        )


def numbered(rows: SequenceBatch, numbers: IntArray | None) -> SequenceBatch:
    """The same sequences, which messages call by these numbers."""
    named = replace(rows)
    object.__setattr__(named, "_numbers", numbers)
    return named


def numbers_in_data(rows: SequenceBatch) -> IntArray | None:
    """The numbers that sequences have in the data, if some were left out."""
    return rows._numbers


def counting(rows: SequenceBatch) -> SequenceBatch:
    """The sequences whose weight is above 0: the others change nothing.

    >>> two = SequenceBatch(Batch(3, {}, {}), np.array([0, 2, 3]), np.array([0.0, 1.0]))
    >>> counting(two).lengths.tolist(), numbers_in_data(counting(two)).tolist()
    ([1], [1])
    """
    kept = weighing(rows.weights)
    return rows if kept is None else numbered(rows.only(kept), kept)


def weighing(weights: FloatArray | None) -> IntArray | None:
    """The numbers of the weights above 0; None if all are.

    >>> weighing(np.array([1.0, 0.0, 2.0])).tolist(), weighing(np.ones(2))
    ([0, 2], None)
    """
    if weights is None or (weights > 0).all():
        return None
    return np.flatnonzero(weights > 0)


def recut(batches: Iterable[SequenceBatch]) -> Iterator[SequenceBatch]:
    """The same sequences, cut into the parts that they would have as one batch."""
    rest: list[SequenceBatch] = []
    for batch in batches:
        *parts, last = [*SequenceBatch.joined([*rest, batch]).parts()] or [batch]
        yield from parts
        # The next batch may begin with sequences that belong to the last part.
        rest = [last]
    yield from rest


def stretches(starts: IntArray, rows: int | None = None) -> Iterator[tuple[int, int]]:
    """Cut sequences into stretches of at most so many rows (None: ROWS_OF_PART), a longer sequence alone:
    (first, end) pairs.

    >>> list(stretches(np.array([0, 7, 8, 9]), 8))
    [(0, 2), (2, 3)]
    """
    first, count = 0, len(starts) - 1
    rows = ROWS_OF_PART if rows is None else rows
    while first < count:
        last = int(np.searchsorted(starts, starts[first] + rows, side="right")) - 1
        last = min(max(last, first + 1), count)
        yield first, last
        first = last


def places_of(starts: IntArray, which: IntArray, most: int | None = None) -> tuple[IntArray, IntArray]:
    """(the rows of some sequences, one after the other, where each of them then starts).

    >>> [part.tolist() for part in places_of(np.array([0, 2, 5]), np.array([1, 0]), 2)]
    [[2, 3, 0, 1], [0, 2, 4]]
    """
    lengths = np.diff(starts)[which]
    lengths = lengths if most is None else np.minimum(lengths, most)
    fresh = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(fresh[-1]) + np.repeat(starts[:-1][which] - fresh[:-1], lengths)
    return places.astype(np.int64), fresh


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
        finite=set(batch.finite),
        complete=set(batch.complete),
    )
