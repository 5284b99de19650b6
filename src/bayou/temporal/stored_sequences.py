"""Sequences that are too large for memory: sorted once into temporary files, and read again for every pass.

There is one file for each column, in which the rows stand sequence by sequence. A pass reads some whole
sequences at a time, cut at the same places as sequences in memory, so that sums over the parts, which are
added from the first to the last, are the same to the last bit. In memory are the places where sequences
start, and a part: ``ROWS_OF_PART`` rows; a longer sequence is read in blocks (:class:`LongRows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np

from bayou.codes import code_type, in_code_type
from bayou.memory import require_memory
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.rows import sequence_batch
from bayou.statistics.rows.remote_sequences import RemoteSequences
from bayou.statistics.rows.sequence_batch import SequenceBatch, numbered, places_of, stretches, weighing
from bayou.statistics.rows.spilled_sequences import no_room
from bayou.typing import ColumnArray, FloatArray, IntArray

_PLACES = "places"


class StoredSequences:
    """Sequences in temporary files, which are deleted with this object.

    >>> stored = StoredSequences([Variable("A", ["n", "y"])])
    >>> part = SequenceBatch(Batch(3, {"A": np.array([0, 1, 0], np.uint8)}, {}), np.array([0, 2, 3]))
    >>> stored.add(part), stored.add(part), stored.count, stored.rows
    (3, 3, 4, 6)
    >>> [part.batch.codes["A"].tolist() for part in stored.parts(rows=4)]
    [[0, 1, 0], [0, 1, 0]]
    """

    def __init__(self, variables: Sequence[Variable]) -> None:
        self._variables = tuple(variables)
        self._folder = Path(mkdtemp(prefix="bayou-"))
        finalize(self, rmtree, self._folder, ignore_errors=True)
        self._ends: list[IntArray] = [np.zeros(1, dtype=np.int64)]
        self.weights: FloatArray | None = None
        self.numbers: IntArray | None = None  # of the sequences in the data, if some were left out

    def add(self, part: SequenceBatch, *, goes_on: bool = False) -> int:
        """Write some more sequences; return the number of their rows.

        With ``goes_on`` the first one is the rest of the last one before.
        """
        columns: dict[str, ColumnArray] = {_PLACES: part.batch.standing.astype(np.int64)}
        for number, variable in enumerate(self._variables):
            batch, name = part.batch, variable.name
            columns[str(number)] = (
                np.asarray(batch.numbers[name], dtype=np.float64)
                if variable.is_continuous
                else in_code_type(batch.codes[name], variable.cardinality)
            )
        try:
            for file, column in columns.items():
                with open(self._path(file), "ab") as out:
                    np.ascontiguousarray(column).tofile(out)
        except OSError as error:
            raise no_room(error) from None
        ends = part.starts[1:] + self.rows
        if goes_on:
            self._ends[-1] = self._ends[-1][:-1]
        self._ends.append(ends)
        return part.rows

    def _path(self, file: str) -> Path:
        return self._folder / file

    @property
    def starts(self) -> IntArray:
        """Where each sequence starts, and the end."""
        if len(self._ends) > 1:
            self._ends = [np.concatenate(self._ends)]
        return self._ends[0]

    @property
    def count(self) -> int:
        """The number of sequences."""
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(next((ends[-1] for ends in reversed(self._ends) if len(ends)), 0))

    @property
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""
        return np.diff(self.starts)

    def parts(self, rows: int | None = None) -> Iterator[SequenceBatch]:
        """All sequences in parts of about so many rows; a longer sequence is a part of its own."""
        for part in self.whole_parts(rows):
            yield part if isinstance(part, SequenceBatch) else part.whole()

    def row_parts(self) -> Iterator[SequenceBatch]:
        """All rows, some at a time; those of a long sequence as if they were several: for what is asked of
        rows, not of their order.
        """
        for part in self.whole_parts():
            yield from [part] if isinstance(part, SequenceBatch) else part.blocks()

    def whole_parts(self, rows: int | None = None) -> Iterator[SequenceBatch | LongRows]:
        """All sequences in parts of about so many rows; a longer one is a part of its own, not read yet."""
        most = sequence_batch.ROWS_OF_PART if rows is None else rows
        for first, last in stretches(self.starts, most):
            begin, end = int(self.starts[first]), int(self.starts[last])
            weights = None if self.weights is None else self.weights[first:last]
            if end - begin > most:
                weight = 1.0 if weights is None else float(weights[0])
                number = first if self.numbers is None else int(self.numbers[first])
                yield LongRows(self, begin, end, most, weight, number)
                continue
            numbers = None if self.numbers is None else self.numbers[first:last]
            starts = self.starts[first : last + 1] - begin
            yield numbered(SequenceBatch(self._read(begin, end), starts, weights), numbers)

    @property
    def has_long(self) -> bool:
        """Whether a sequence is too long to be read at once."""
        return bool((self.lengths > sequence_batch.ROWS_OF_PART).any())

    def block(self, begin: int, end: int) -> SequenceBatch:
        """Some rows, as if they were one sequence."""
        return SequenceBatch(self._read(begin, end), np.array([0, end - begin]))

    def only(self, which: IntArray, most: int | None = None) -> SequenceBatch:
        """Some sequences by number, read into memory; of each the first ``most`` rows (None: all)."""
        places, starts = places_of(self.starts, which, most)
        weights = None if self.weights is None else self.weights[which]
        columns = {
            file: np.array(np.memmap(self._path(file), dtype=kind, mode="r")[places])
            for file, kind in self.kinds().items()
        }
        return SequenceBatch(self._batch(len(places), columns), starts, weights)

    def some(self, which: IntArray) -> StoredSequences:
        """Some sequences by number, from the first to the last, in files of their own."""
        chosen = np.zeros(self.count, dtype=bool)
        chosen[which] = True
        found, first = StoredSequences(self._variables), 0
        for part in self.whole_parts():
            count = part.count if isinstance(part, SequenceBatch) else 1
            kept = np.flatnonzero(chosen[first : first + count])
            first += count
            if isinstance(part, SequenceBatch):
                found.add(part.only(kept))
            elif len(kept):
                for number, block in enumerate(part.blocks()):
                    found.add(block, goes_on=number > 0)
        found.weights = None if self.weights is None else self.weights[chosen]
        return found

    def counting(self) -> StoredSequences:
        """The sequences whose weight is above 0: the others change nothing."""
        kept = weighing(self.weights)
        if kept is None:
            return self
        found = self.some(kept)
        found.numbers = kept
        return found

    def kinds(self) -> dict[str, Any]:
        """The types of the columns in files."""
        kinds: dict[str, Any] = {_PLACES: np.int64}
        for number, variable in enumerate(self._variables):
            kinds[str(number)] = np.float64 if variable.is_continuous else code_type(variable.cardinality)
        return kinds

    def _read(self, begin: int, end: int) -> Batch:
        columns = {
            file: np.fromfile(
                self._path(file), dtype=kind, count=end - begin, offset=begin * np.dtype(kind).itemsize
            )
            for file, kind in self.kinds().items()
        }
        return self._batch(end - begin, columns)

    def _batch(self, rows: int, columns: dict[str, Any]) -> Batch:
        pairs = [(variable, columns[str(number)]) for number, variable in enumerate(self._variables)]
        return Batch(
            rows,
            {variable.name: column for variable, column in pairs if not variable.is_continuous},
            {variable.name: column for variable, column in pairs if variable.is_continuous},
            places=columns[_PLACES],
        )


@dataclass(frozen=True)
class LongRows:
    """The rows of one sequence that is too long to be read at once: ``begin`` up to ``end`` of the rows in
    files, in blocks of ``size`` rows; ``number`` is that of the sequence.
    """

    stored: StoredSequences
    begin: int
    end: int
    size: int
    weight: float = 1.0
    number: int = 0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.end - self.begin

    def in_blocks(self, size: int) -> LongRows:
        """The same rows in smaller blocks."""
        return replace(self, size=min(self.size, size))

    @property
    def count(self) -> int:
        """The number of blocks."""
        return -(-self.rows // self.size)

    def block(self, number: int) -> SequenceBatch:
        """The rows of a block."""
        begin = self.begin + number * self.size
        return self.stored.block(begin, min(begin + self.size, self.end))

    def whole(self) -> SequenceBatch:
        """All rows in memory; raise TooWide if they do not fit."""
        columns = len(self.stored.kinds())
        require_memory(16.0 * self.rows * columns, "One of the sequences", "Cut it into shorter ones.")
        one = self.stored.block(self.begin, self.end)
        return replace(one, weights=np.array([self.weight]))

    def blocks(self) -> Iterator[SequenceBatch]:
        """All blocks, from the first to the last."""
        return (self.block(number) for number in range(self.count))


HeldSequences: TypeAlias = SequenceBatch | StoredSequences
"""Sequences in memory, or in temporary files."""
AnySequences: TypeAlias = HeldSequences | RemoteSequences
"""Sequences in memory, in temporary files, or on other machines."""
