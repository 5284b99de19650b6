"""The rows that cross-validation splits: a table in memory, or a file that is read again for every fold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from bayou.codes import PlaceArray
from bayou.errors import BadData
from bayou.sources import Columns, FileSource, TableSource, open_source, read_columns
from bayou.sources.files.file_options import DescribedFile
from bayou.sources.files.file_part import RowChoice
from bayou.sources.files.file_source import weights_of_column
from bayou.sources.stored_rows import LargeRows
from bayou.sources.tables.row_selection import taken_rows
from bayou.sources.weights import Weights
from bayou.statistics import MissingCounts


class FoldRows(Protocol):
    """Rows of which one fold is held out, and the model learns from the others."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def weights(self) -> Weights | None:
        """The weights of the rows; None: all are 1."""

    def others(self, of_row: PlaceArray, fold: int) -> Any:
        """The rows of all other folds, with their weights."""

    def held_out(self, of_row: PlaceArray, fold: int) -> Any:
        """The rows of a fold, in their order."""

    def one(self, row: int) -> Columns:
        """One row as a table."""


@dataclass(frozen=True)
class TableRows:
    """The rows of a table in memory, with their weights (None: all are 1)."""

    table: Columns
    weights: Weights | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.table.rows

    def others(self, of_row: PlaceArray, fold: int) -> Any:
        """The rows of all other folds: a table, or a source if they have weights."""
        rows = np.flatnonzero(of_row != fold)
        train = taken_rows(self.table, rows)
        return train if self.weights is None else TableSource(train, self.weights[rows])

    def held_out(self, of_row: PlaceArray, fold: int) -> Columns:
        """The rows of a fold."""
        return taken_rows(self.table, np.flatnonzero(of_row == fold))

    def one(self, row: int) -> Columns:
        """One row as a table."""
        return taken_rows(self.table, np.array([row]))


class FileRows:
    """Rows that are too many for memory; its parts are read some rows at a time.

    ``kept`` are the numbers of the rows that take part (None: all).
    """

    def __init__(self, large: LargeRows, rows: int, kept: PlaceArray | None = None) -> None:
        self._file, self._column, self._every, self._kept = large.file, large.weights, rows, kept
        self.rows = rows if kept is None else len(kept)
        self.weights: Weights | None = None
        if large.weights is not None:
            every = weights_of_column(read_columns(large.file, names=[large.weights]), large.weights)
            self.weights = every if kept is None else every[kept]

    @classmethod
    def counted(cls, large: LargeRows) -> FileRows:
        """Count the rows of a file."""
        source = open_source(large.file)
        if not source.names:
            raise BadData(f"{large.file}: the file has no columns.")
        gaps = MissingCounts(source.names[:1])
        return cls(large, int(source.collect([gaps])[gaps].rows))

    def others(self, of_row: PlaceArray, fold: int) -> DescribedFile | FileSource:
        """The rows of all other folds: a file, or a source if they have weights."""
        if self.weights is None:
            return self._part(of_row, fold, inside=False)
        part = self._part(np.where(self.weights > 0, of_row, -1), fold, inside=False)
        return FileSource(part, weights=self._column)

    def held_out(self, of_row: PlaceArray, fold: int) -> DescribedFile:
        """The rows of a fold."""
        return self._part(of_row, fold, inside=True)

    def one(self, row: int) -> Columns:
        """One row as a table."""
        of_row = np.full(self.rows, -1)
        of_row[row] = 0
        return read_columns(self._part(of_row, 0, inside=True))

    def _part(self, of_row: PlaceArray, fold: int, inside: bool) -> DescribedFile:
        every = of_row
        if self._kept is not None:
            every = np.full(self._every, -1, dtype=of_row.dtype)
            every[self._kept] = of_row
        return replace(self._file, chosen=RowChoice(every, fold, inside))
