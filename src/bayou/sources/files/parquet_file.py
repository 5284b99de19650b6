"""A Parquet file as columns, read by duckdb."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path

from bayou.schema import state_key
from bayou.sources.files.column_widths import column_widths
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, sql_name, sql_path
from bayou.sources.files.text_kinds import Kinds, kinds_query, may_spell, spelling_of, units_query
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Column, Columns, NumberColumn
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import spelled_as, warn_of_units, with_spelled_columns
from bayou.typing import Name

_ROW_NUMBERS = re.compile(r"__index_level_\d+__")
_HEAD = 2_000
"""Rows that show which columns must be looked through."""


class ParquetFile:
    """A Parquet file, read by duckdb; its columns have the names that the file gives them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect()
        # Without hive partitioning, a folder called 'year=2024' does not become a column.
        self._everything = f"select * from read_parquet({sql_path(path)}, hive_partitioning=false)"
        with as_bad_file(path):
            sql_names: list[str] = self._connection.sql(self._everything).columns
            names = self._stored_names()
            widths = column_widths(self._connection, path, self._everything)
        # pandas writes the numbers of rows of a filtered or shuffled frame as one more column.
        kept = [place for place, name in enumerate(names) if not _ROW_NUMBERS.fullmatch(str(name))]
        self._sql_names, self.widths = [sql_names[p] for p in kept], [widths[p] for p in kept]
        self.names = tuple(names[p] for p in kept)
        self._spellings: dict[int, Spelling | None] = {}

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all), some rows at a time; columns in ``as_text`` stay text."""
        positions = wanted_positions(self.names, names)
        # A column whose numbers fit a narrower type is read as that type, which is faster and smaller.
        quoted = ", ".join(f"{sql_name(self._sql_names[p])}{self.widths[p].cast}" for p in positions)
        query = self._everything.replace("*", quoted, 1)
        chosen = [self.names[position] for position in positions]
        batches = query_batches(self._connection.cursor(), self.path, query, chosen, batch_rows)
        if batch_rows == ALL_ROWS:
            for batch in batches:
                yield with_spelled_columns(batch, as_text)
            return
        texts = {state_key(name) for name in as_text}
        kinds = self._kinds([p for p in positions if state_key(self.names[p]) not in texts])
        changes = {self.names[p]: partial(_as_in_the_whole_file, kind) for p, kind in kinds.items()}
        for batch in batches:
            yield batch.replaced(changes)

    def _kinds(self, positions: Sequence[int]) -> dict[int, Spelling]:
        """What columns of floats and of text are over the whole file, so that each batch has the same kind.

        Only columns whose first rows have whole numbers, or texts that spell something, are looked through.
        """
        found = {}
        for position in positions:
            if position not in self._spellings:
                self._spellings[position] = self._spelling(position)
            spelling = self._spellings[position]
            if spelling is not None:
                found[position] = spelling
        return found

    def _spelling(self, position: int) -> Spelling | None:
        """What a column of floats or of text is over the whole file; None for another type and plain text."""
        kind, name = self.widths[position].type, sql_name(self._sql_names[position])
        values = self._everything.replace("*", f"{name} as v", 1)
        execute = self._connection.cursor().execute
        if _has_digits_after_the_point(kind):
            values = values.replace(f"{name} as v", f"{name}::double as v", 1)
            summary = (
                "select bool_and(isfinite(v) and v = floor(v)) filter (where not isnan(v)), "
                "coalesce(bool_or(v is null or isnan(v)), false) from"
            )
            first, _ = execute(f"{summary} ({values} limit {_HEAD})").fetchone()
            whole, gaps = (False, False) if first is False else execute(f"{summary} ({values})").fetchone()
            return Spelling(True, bool(whole) and gaps, False, True, integral=bool(whole))
        if kind != "VARCHAR":
            return None
        kinds = f"select {kinds_query('v')} from"
        (head,) = execute(f"{kinds} ({values} limit {_HEAD})").fetchone()
        if not may_spell(Kinds(head or 0)):
            return None
        every, *units = execute(f"select {kinds_query('v')}, {units_query('v')} from ({values})").fetchone()
        spelling = spelling_of(Kinds(every or 0), *units)
        if spelling.units:
            warn_of_units(self.names[position], spelling.units)
        return spelling

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query, and the SQL names of its columns."""
        return self._everything, [sql_name(name) for name in self._sql_names]

    def bytes_in_memory(self, names: Sequence[Name] | None) -> int:
        """About how many bytes these columns (None: all) take in memory; labels of text come on top."""
        return self.rows * self.bytes_per_row(names)

    def bytes_per_row(self, names: Sequence[Name] | None) -> int:
        """About how many bytes a row of these columns (None: all) takes in memory."""
        return sum(self.widths[p].bytes for p in wanted_positions(self.names, names))

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """The smallest and the largest number of a column of integers, if the file states them; else None."""
        (position,) = wanted_positions(self.names, [name])
        return self.widths[position].bounds

    def _stored_names(self) -> tuple[Name, ...]:
        """The names stored in the file; duckdb renames the second of ``a`` and ``A``: SQL ignores case."""
        rows = self._connection.execute(
            f"select name, coalesce(num_children, 0) from parquet_schema({sql_path(self.path)})"
        ).fetchall()
        names: list[Name] = []
        below = 0
        for name, children in rows[1:]:  # the first is the root; then depth first, parents before children
            if below == 0:
                names.append(name)
                below = children
            else:
                below += children - 1
        return tuple(names)

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        query = f"select coalesce(sum(num_rows), 0) from parquet_file_metadata({sql_path(self.path)})"
        with as_bad_file(self.path):
            return int(self._connection.execute(query).fetchone()[0])


def _as_in_the_whole_file(spelling: Spelling, column: Column) -> Column:
    """Some rows of a column, of the kind that it has over the whole file."""
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values, spelling.integral, "int" if spelling.whole else "float")
    # Truth values and plain numbers that are stored as text stay text.
    return spelled_as(column, spelling) if spelling.other not in ("", "truth") else column


def _has_digits_after_the_point(kind: str) -> bool:
    """Whether an SQL type is one of floats, or of decimals such as DECIMAL(9,2)."""
    return kind in ("DOUBLE", "FLOAT") or (kind.startswith("DECIMAL") and not kind.endswith(",0)"))
