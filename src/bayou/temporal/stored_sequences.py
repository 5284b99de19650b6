"""Sequences that are too large for memory: sorted once into temporary files, and read again for every pass.

There is one file for each column, in which the rows stand sequence by sequence. A pass reads some whole
sequences at a time, cut at the same places as sequences in memory, so that sums over the parts, which are
added from the first to the last, are the same to the last bit. In memory are the places where sequences
start, and a part: ``ROWS_OF_PART`` rows, or one sequence if it is longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np

from bayou.codes import code_type, in_code_type
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch, places_of, stretches
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

    def add(self, part: SequenceBatch) -> int:
        """Write some more sequences; return the number of their rows."""
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
        self._ends.append(part.starts[1:] + self.rows)
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
        for first, last in stretches(self.starts, rows):
            begin, end = int(self.starts[first]), int(self.starts[last])
            weights = None if self.weights is None else self.weights[first:last]
            yield SequenceBatch(self._read(begin, end), self.starts[first : last + 1] - begin, weights)

    def only(self, which: IntArray, most: int | None = None) -> SequenceBatch:
        """Some sequences by number, read into memory; of each the first ``most`` rows (None: all)."""
        places, starts = places_of(self.starts, which, most)
        weights = None if self.weights is None else self.weights[which]
        columns = {
            file: np.array(np.memmap(self._path(file), dtype=kind, mode="r")[places])
            for file, kind in self._kinds().items()
        }
        return SequenceBatch(self._batch(len(places), columns), starts, weights)

    def _kinds(self) -> dict[str, Any]:
        kinds: dict[str, Any] = {_PLACES: np.int64}
        for number, variable in enumerate(self._variables):
            kinds[str(number)] = np.float64 if variable.is_continuous else code_type(variable.cardinality)
        return kinds

    def _read(self, begin: int, end: int) -> Batch:
        columns = {
            file: np.fromfile(
                self._path(file), dtype=kind, count=end - begin, offset=begin * np.dtype(kind).itemsize
            )
            for file, kind in self._kinds().items()
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


AnySequences: TypeAlias = SequenceBatch | StoredSequences
"""Sequences in memory, or in temporary files."""
