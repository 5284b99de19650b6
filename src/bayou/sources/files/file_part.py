"""Some rows of data files, such as all but one fold: they are read with the file, never copied."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import code_type, missing_code
from bayou.sources.ctrl_c import closed_after
from bayou.sources.files.data_file import DataFile
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.columns import (
    CodedColumn,
    Column,
    Columns,
    FewNumbers,
    NumberColumn,
    SpelledNumbers,
)
from bayou.statistics.coded_numbers import CodedNumbers
from bayou.typing import CodeArray, FloatArray, Name, State

Rows = npt.NDArray[np.intp]
_MOST_ROWS = 1 << 18


@dataclass(frozen=True, eq=False)
class RowChoice:
    """The rows of one fold, or those of all others; rows whose fold is negative are in none.

    >>> RowChoice(np.array([0, 1, -1, 0]), 0, inside=False).rows(0, 4).tolist()
    [1]
    """

    fold_of_row: npt.NDArray[np.signedinteger[Any]]
    fold: int
    inside: bool

    def rows(self, first: int, count: int) -> Rows:
        """Which of ``count`` rows from the row ``first`` on are chosen, counted from there."""
        folds = self.fold_of_row[first : first + count]
        chosen = folds == self.fold if self.inside else (folds != self.fold) & (folds >= 0)
        return np.flatnonzero(chosen)

    @property
    def count(self) -> int:
        """The number of rows that are chosen."""
        return len(self.rows(0, len(self.fold_of_row)))


class FilePart(DataFile):
    """The chosen rows of a file; states that none of them has are not states of its columns."""

    kind = "a part of a file"

    def __init__(self, whole: DataFile, chosen: RowChoice) -> None:
        self.files, self.path, self.names = whole.files, whole.path, whole.names
        self.spellings, self.weights = whole.spellings, whole.weights
        self._whole, self._chosen = whole, chosen

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the chosen rows, ``batch_rows`` at the most; at least one batch."""
        labels: dict[Name, _SeenLabels] = {}
        first = 0
        parts = []
        with closed_after(self._whole.batches(names, as_text, min(batch_rows, _MOST_ROWS))) as batches:
            for batch in batches:
                rows = self._chosen.rows(first, batch.rows)
                first += batch.rows
                columns = [
                    _taken(batch[name], rows, labels.setdefault(name, _SeenLabels())) for name in batch.names
                ]
                parts.append(Columns(batch.names, columns, len(rows)))
                if batch_rows != ALL_ROWS:
                    yield parts.pop()
        if parts:
            from bayou.sources.row_tables import joined_tables

            yield joined_tables(parts)

    @property
    def rows(self) -> int | None:
        """The number of rows."""
        return self._chosen.count

    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """About how many bytes a row of these columns (None: all) takes in memory."""
        return self._whole.bytes_per_row(names)

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """Bounds of the numbers in a column of integers, if the file states them; else None."""
        return self._whole.bounds(name)


def row_batches(whole: Columns, batch_rows: int) -> Iterator[Columns]:
    """Yield a table some rows at a time, with the labels seen so far; at least one batch.

    >>> whole = Columns(["x"], [CodedColumn(np.array([0, 1, 0], dtype=np.uint8), ("a", "b"))], 3)
    >>> [(batch.rows, batch["x"].labels) for batch in row_batches(whole, 1)]
    [(1, ('a',)), (1, ('a', 'b')), (1, ('a', 'b'))]
    """
    labels = {name: _SeenLabels() for name in whole.names}
    for first in range(0, max(1, whole.rows), batch_rows):
        rows = np.arange(first, min(first + batch_rows, whole.rows))
        columns = [_taken(whole[name], rows, labels[name]) for name in whole.names]
        yield Columns(whole.names, columns, len(rows))


class _SeenLabels:
    """The labels of a column that chosen rows have, in the order in which they were seen."""

    def __init__(self) -> None:
        self._begin(())

    def _begin(self, labels: tuple[State, ...]) -> None:
        self._known = labels
        self._new_codes = np.empty(0, dtype=np.int64)
        self._labels: list[State] = []

    def recoded(self, column: CodedColumn, rows: Rows) -> CodedColumn:
        """These rows of a column in codes of the labels seen so far."""
        codes = column.codes[rows]
        if column.declared:
            return replace(column, codes=codes)
        if column.labels[: len(self._known)] != self._known:
            self._begin(column.labels)  # too many labels for memory: the file forgot them
        self._known = column.labels
        added = len(column.labels) - len(self._new_codes)
        self._new_codes = np.concatenate([self._new_codes, np.full(max(0, added), -1, dtype=np.int64)])
        known = codes != column.missing_code
        used = np.unique(codes[known]).astype(np.intp)
        for code in used[self._new_codes[used] < 0].tolist():
            self._new_codes[code] = len(self._labels)
            self._labels.append(column.labels[code])
        kind = code_type(len(self._labels))
        new = np.full(len(codes), missing_code(kind), dtype=kind)
        new[known] = self._new_codes[codes[known].astype(np.intp)].astype(kind)
        return replace(column, codes=new, labels=tuple(self._labels))


def _taken(column: Column, rows: Rows, seen: _SeenLabels) -> Column:
    if isinstance(column, FewNumbers):
        return _few_numbers(column.few.codes[rows], column.few.distinct)
    if isinstance(column, SpelledNumbers):
        return SpelledNumbers(replace(column.written, codes=column.written.codes[rows]), column.meanings)
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values[rows], column.integral, column.kind, column.floats)
    return seen.recoded(column, rows)


def _few_numbers(codes: CodeArray, distinct: FloatArray) -> FewNumbers:
    """Integers as codes, without those that none of these rows has."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(distinct))[: len(distinct)])
    if len(used) == len(distinct):
        return FewNumbers(CodedNumbers(codes, distinct))
    places = np.full(len(distinct) + 1, missing_code(codes.dtype), dtype=codes.dtype)
    places[used] = np.arange(len(used))
    new = places[np.minimum(codes, len(distinct)).astype(np.intp)]
    return FewNumbers(CodedNumbers(new, distinct[used]))
