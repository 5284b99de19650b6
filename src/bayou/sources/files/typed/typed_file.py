"""Files whose columns have types, as duckdb reads them: Parquet, JSON lines, Arrow."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from typing import Any

from bayou.schema import state_key
from bayou.sources.ctrl_c import closed_after
from bayou.sources.files.column_widths import LABEL_BYTES, MANY_LABELS, ColumnWidth
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, sql_name
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.files.text.column_spelling import (
    as_over_all_rows,
    has_digits_after_the_point,
    spelling_of_column,
)
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import with_spelled_columns
from bayou.typing import Name

_HEAD = 2_000
"""Rows that show which columns must be looked through."""


class TypedFile(DataFile):
    """A file that is an SQL table of duckdb; a kind of file defines which (:meth:`_table`)."""

    def __init__(
        self,
        files: FoundFiles,
        options: FileOptions | None = None,
        columns: Sequence[Name] | None = None,
    ) -> None:
        super().__init__(files, options or FileOptions(), columns)
        self._connection = connect()
        with as_bad_file(self.path):
            self._from = self._table()
            found = self._columns()
        self._sql_names = [name for _, name, _ in found]
        self.widths = [width for _, _, width in found]
        self.names = tuple(name for name, _, _ in found)

    @abstractmethod
    def _table(self) -> str:
        """The SQL for the rows, which follows 'from'."""

    def _columns(self) -> list[tuple[Name, str, ColumnWidth]]:
        """The name of each column, its name in SQL and its width in memory."""
        found = self._connection.sql(f"select * from {self._from}")
        return [
            (name, name, ColumnWidth.of(str(kind)))
            for name, kind in zip(found.columns, found.types, strict=True)
        ]

    def _cursor(self, positions: Sequence[int]) -> Any:
        """A connection of its own for each query about these columns: passes over the rows may overlap."""
        with as_bad_file(self.path):
            cursor = self._connection.cursor()
            self.attach(cursor, [str(self.names[position]) for position in positions])
        return cursor

    def _select(self, what: str) -> str:
        return f"select {what} from {self._from}"

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all), some rows at a time; columns in ``as_text`` stay text."""
        return self._batches(self._from, names, as_text, batch_rows)

    def batches_from(
        self, first_row: int, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the batches after the first rows."""
        with as_bad_file(self.path):
            rest = self._rows_from(first_row)
        return self._batches(rest, names, as_text, batch_rows)

    def _rows_from(self, first_row: int) -> str:
        """The SQL for the rows after the first ones."""
        return f"(select * from {self._from} offset {first_row})"

    def _batches(
        self, rows: str, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        positions = wanted_positions(self.names, names)
        # A column whose numbers fit a narrower type is read as that type, which is faster and smaller.
        quoted = ", ".join(f"{sql_name(self._sql_names[p])}{self.widths[p].cast}" for p in positions)
        chosen = [self.names[position] for position in positions]
        query = f"select {quoted} from {rows}"
        batches = query_batches(self._cursor(positions), self.path, query, chosen, batch_rows)
        if batch_rows == ALL_ROWS:
            for batch in batches:
                yield with_spelled_columns(batch, as_text)
            return
        texts = {state_key(name) for name in as_text}
        kinds = self._kinds([p for p in positions if state_key(self.names[p]) not in texts])
        changes = {self.names[p]: partial(as_over_all_rows, kind) for p, kind in kinds.items()}
        with closed_after(batches):
            for batch in batches:
                yield batch.replaced(changes)

    def _kinds(self, positions: Sequence[int]) -> dict[int, Spelling]:
        """What columns of floats and of text are over the whole file, so that each batch has the same kind.

        Only columns whose first rows have whole numbers, or texts that spell something, are looked through.
        """
        found = {}
        for position in positions:
            if position not in self.spellings:
                with as_bad_file(self.path):
                    self.spellings[position] = self._spelling(position)
            spelling = self.spellings[position]
            if spelling is not None:
                found[position] = spelling
        return found

    def _spelling(self, position: int) -> Spelling | None:
        """What a column of floats or of text is over the whole file; None for another type and plain text."""
        kind, value = self.widths[position].type, sql_name(self._sql_names[position])
        value += "::double" if has_digits_after_the_point(kind) else ""

        def summary(aggregates: str, first_rows: int | None) -> tuple[Any, ...]:
            rows = self._select(f"{value} as v") + ("" if first_rows is None else f" limit {first_rows}")
            found: tuple[Any, ...] = (
                self._cursor([position]).execute(f"select {aggregates} from ({rows})").fetchone()
            )
            return found

        return spelling_of_column(self.names[position], kind, summary)

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query, and the SQL names of its columns."""
        names = [sql_name(name) for name in self._sql_names]
        return self._select(", ".join(names)), names

    def bytes_per_row(self, names: Sequence[Name] | None) -> int:
        """About how many bytes a row of these columns (None: all) takes in memory, by the first rows."""
        places = wanted_positions(self.names, names)
        return sum(self.widths[p].bytes + self._label_widths.get(p, 0) for p in places)

    @cached_property
    def _label_widths(self) -> dict[int, int]:
        """For columns of text, about how many bytes the labels take, divided by the number of rows."""
        places = [p for p, width in enumerate(self.widths) if width.type in ("VARCHAR", "JSON")]
        if not places:
            return {}
        names = [sql_name(self._sql_names[p]) for p in places]
        head = self._select(", ".join(names)) + f" limit {_HEAD}"
        parts = ", ".join(f"count(distinct {name}), avg(strlen({name}))" for name in names)
        with as_bad_file(self.path):
            rows, *found = self._cursor(places).execute(f"select count(*), {parts} from ({head})").fetchone()
        shares = [count / max(rows, 1) for count in found[::2]]
        # Few distinct texts in the first rows are few in all rows.
        return {
            p: int(share * (LABEL_BYTES + (length or 0))) if share * rows >= MANY_LABELS else 0
            for p, share, length in zip(places, shares, found[1::2], strict=True)
        }

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """The smallest and the largest number of a column of integers, if the file states them; else None."""
        (position,) = wanted_positions(self.names, [name])
        return self.widths[position].bounds

    def _first_row(self, query: str) -> tuple[Any, ...]:
        """The first row of a query's result."""
        with as_bad_file(self.path):
            row: tuple[Any, ...] = self._connection.execute(query).fetchone()
        return row
