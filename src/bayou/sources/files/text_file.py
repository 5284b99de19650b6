"""CSV and TSV files as columns.

duckdb reads them, except that a regular file that is read whole goes through the core's own scanner, which
is much faster. Where the scanner finds anything irregular it returns nothing; then duckdb reads the file, or
reports what is wrong and in which line.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from bayou._native._core import encode_text_file
from bayou.progress import tracked
from bayou.schema import state_key
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, sql_path
from bayou.sources.files.text_kinds import Kinds, kinds_query, spelling_of, units_query
from bayou.sources.files.text_layout import TextLayout, text_layout
from bayou.sources.tables.arrays import number_column
from bayou.sources.tables.arrow import ALL_ROWS
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.number_text import (
    Spelling,
    exact_numbers,
    is_gap_word,
    spelled_numbers,
    spells_numbers,
)
from bayou.sources.tables.spelled_columns import column_of_text, spell_something, spelled_as, warn_of_units
from bayou.typing import FloatArray, Name

_MANY = 200
"""A column with at least this many distinct numbers in the first rows is read as numbers, not as labels."""


class TextFile:
    """A CSV or TSV file; in SQL its columns are called c0, c1, …, so that case and quotes do not matter."""

    def __init__(self, path: Path, columns: Sequence[Name] | None = None) -> None:
        self.path = path
        self.layout: TextLayout = text_layout(path, columns)
        self.names = self.layout.names
        self._spellings: dict[int, Spelling] = {}

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all); a column's kind depends on the whole file, not on the batch size.

        Columns in ``as_text`` stay text.
        """
        positions = wanted_positions(self.names, names)
        texts = {state_key(name) for name in as_text}
        open_kind = [p for p in positions if state_key(self.names[p]) not in texts]
        streaming = batch_rows != ALL_ROWS
        candidates = self._candidates(open_kind, streaming)
        whole = None if streaming else self._whole(positions, candidates)
        if whole is not None:
            yield _typed(whole, positions, set(open_kind), {})
            return
        spellings = self._spellings_of(candidates)
        numeric = {position for position in candidates if spellings[position].plain}
        for batch in self._rows(positions, numeric, batch_rows):
            yield _typed(batch, positions, set() if streaming else set(open_kind), spellings)

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query with every field as text, and the SQL names of its columns."""
        names = [f"c{position}" for position in range(len(self.names))]
        return self._query(", ".join(names)), names

    def _candidates(self, positions: list[int], streaming: bool) -> list[int]:
        """The columns to read as numbers, judged by the first rows.

        When streaming these are all columns that spell numbers, dates or truth values, and those without a
        value so far; else only columns with many distinct numbers.
        """
        candidates = []
        for position in positions:
            labels = self.layout.first_values(position)
            if streaming:
                is_candidate = all(map(is_gap_word, labels)) or spell_something(labels)
            else:
                is_candidate = len(labels) >= _MANY and spells_numbers(labels)
            if is_candidate:
                candidates.append(position)
        return candidates

    def _spellings_of(self, candidates: list[int]) -> dict[int, Spelling]:
        """The spelling of each candidate column over the whole file, which is scanned at most once."""
        unknown = [position for position in candidates if position not in self._spellings]
        # Two steps, so that a progress bar appears before the one long call.
        for step in tracked(("opening", "looking") if unknown else (), f"Looking through {self.path}"):
            if step == "looking":
                self._spellings.update(self._look_through(unknown))
        return {position: self._spellings[position] for position in candidates}

    def _look_through(self, positions: list[int]) -> dict[int, Spelling]:
        parts = ", ".join(f"c{p}, {_as_number(p)} as n{p}" for p in positions)
        kinds = ", ".join(
            f"{kinds_query(f'c{p}', f'n{p}')}, {units_query(f'c{p}', f'n{p}')}" for p in positions
        )
        with as_bad_file(self.path):
            found = connect().execute(f"select {kinds} from ({self._query(parts)})").fetchone()
        spellings = {}
        for place, position in enumerate(positions):
            kind, *units = found[3 * place : 3 * place + 3]
            spellings[position] = spelling_of(Kinds(kind or 0), *units)
            if spellings[position].units:
                warn_of_units(self.names[position], spellings[position].units)
        return spellings

    def _whole(self, positions: list[int], candidates: list[int]) -> Columns | None:
        """Read a regular file at once with the core's own scanner; None where duckdb must read it."""
        layout = self.layout
        # In a file of one column a blank line is a missing value; the scanner would take one for the header.
        unclear = layout.blank_lines > 0 and len(self.names) == 1
        if self.path.suffix.lower() == ".gz" or unclear:
            return None
        encoded = encode_text_file(
            os.fsencode(self.path),
            layout.separator,
            len(layout.names),
            positions,
            [positions.index(position) for position in candidates],
            layout.has_header,
        )
        if encoded is None:
            return None
        rows, raw = encoded
        columns: list[Column] = [
            _scanned_numbers(data, written_whole) if labels is None else CodedColumn(data, tuple(labels))
            for data, labels, written_whole in raw
        ]
        return Columns([layout.names[p] for p in positions], columns, rows)

    def _rows(self, positions: list[int], numeric: set[int], batch_rows: int) -> Iterator[Columns]:
        # The nullif keeps duckdb from moving the cast into its CSV reader, where a failed cast is an error.
        parts = [f"{_as_number(p)} as c{p}" if p in numeric else f"c{p}" for p in positions]
        chosen = [self.names[p] for p in positions]
        return query_batches(connect(), self.path, self._query(", ".join(parts)), chosen, batch_rows)

    def _query(self, what: str) -> str:
        declared = ", ".join(f"'c{p}': 'VARCHAR'" for p in range(len(self.names)))
        return (
            f"select {what} from read_csv({sql_path(self.path)}, auto_detect=false, "
            f"header={str(self.layout.has_header).lower()}, skip={self.layout.blank_lines}, "
            f"delim='{self.layout.separator}', quote='\"', escape='\"', hive_partitioning=false, "
            f"columns={{{declared}}})"
        )


def _scanned_numbers(values: FloatArray, written_whole: bool) -> NumberColumn:
    """Numbers as the core reads them: integers are whole and written as such, or have gaps."""
    column = number_column(values)
    return NumberColumn(values, True, "int") if column.integral and written_whole else column


def _as_number(position: int) -> str:
    return f"try_cast(nullif(c{position}, '') as double)"


def _typed(
    batch: Columns, positions: list[int], spelled: set[int], spellings: dict[int, Spelling]
) -> Columns:
    columns = [
        _typed_column(name, batch[name], position in spelled, spellings.get(position))
        for name, position in zip(batch.names, positions, strict=True)
    ]
    return Columns(batch.names, columns, batch.rows)


def _typed_column(name: Name, column: Column, spelled: bool, spelling: Spelling | None) -> Column:
    """Give a column its type.

    ``spelling`` is that of the whole file, where it is known; else labels are converted to what they spell if
    ``spelled``.
    """
    if isinstance(column, NumberColumn):
        if spelling is None:
            return column
        return NumberColumn(column.values, spelling.integral, "int" if spelling.whole else "float")
    if spelling is None:
        return column_of_text(column, name) if spelled else column
    if not spelling.numbers:
        return spelled_as(column, spelling)
    return exact_numbers(column) if spelling.exact else spelled_numbers(column, spelling.whole)
