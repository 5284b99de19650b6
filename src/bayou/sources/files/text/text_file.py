"""CSV and TSV files as columns.

duckdb reads them, except that a regular file that is read whole goes through the core's own scanner. Where
it finds anything irregular it returns nothing; then duckdb reads the file, or tells what is wrong and where.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from bayou._native._core import encode_text_file
from bayou.memory import reading_memory
from bayou.progress import tracked
from bayou.schema import state_key
from bayou.sources.ctrl_c import closed_after
from bayou.sources.files.column_widths import LABEL_BYTES, MANY_LABELS
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.duckdb_reading import as_bad_file, connect, query_batches, too_many_columns
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.file_part import row_batches
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.files.text.changed_types import refuse_changed_types
from bayou.sources.files.text.comma_columns import can_take_decimal_commas, tell_of_comma_columns
from bayou.sources.files.text.odd_cells_query import tell_odd_cells_of
from bayou.sources.files.text.text_cells import cell_query, cell_text
from bayou.sources.files.text.text_kinds import Kinds, kinds_query, spelling_of, units_query
from bayou.sources.files.text.text_parts import TextParts
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

_AT_ONCE_SHARE = 0.25
"""Which part of the memory for reading files a table may take that is read at once, as its rows are wide."""


class TextFile(DataFile):
    """CSV or TSV files; in SQL the columns are called c0, c1, …, so that case and quotes do not matter."""

    endings = (".csv", ".tsv")
    kind = "a text file"
    is_text = True
    is_typed = False

    def __init__(
        self, files: FoundFiles, options: FileOptions, columns: Sequence[Name] | None = None
    ) -> None:
        super().__init__(files, options, columns)
        self._options = options
        self._checked: set[int] = set()  # columns whose types were compared between the files
        self._told: set[int] = set()  # columns of which a decimal comma was told
        self._parts = TextParts(files, options, columns)
        self.layout = self._parts.layout
        if options.na or options.decimal:
            head = [[cell_text(cell, options) for cell in record] for record in self.layout.head]
            self.layout = replace(self.layout, head=head)
        self.names = (*self.layout.names, *self._parts.folders)

    @cached_property
    def rows(self) -> int | None:
        """About how many rows there are, judged by the length of the first ones."""
        return self._parts.estimated_rows

    @property
    def takes_decimal_commas(self) -> bool:
        return can_take_decimal_commas(self.layout, self._options)

    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """About how many bytes a row of these columns (None: all) takes in memory, by the first rows."""
        return sum(map(self._width, wanted_positions(self.names, names)))

    def _width(self, position: int) -> float:
        """About how many bytes a cell takes: a number or a code, and its share of a label."""
        labels, rows = self.layout.first_values(position), max(1, len(self.layout.head))
        if len(labels) < MANY_LABELS:
            return 1
        if spells_numbers(labels):
            return 8
        mean = sum(map(len, labels)) / len(labels)
        return 4 + len(labels) / rows * (LABEL_BYTES + mean)

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all); a column's kind depends on the whole file, not on the batch size.

        Columns in ``as_text`` stay text.
        """
        positions = wanted_positions(self.names, names)
        open_kind = self._without_texts(positions, as_text)
        untold = [position for position in open_kind if position not in self._told]
        self._told.update(tell_of_comma_columns(self.layout, self._options, untold, self.names))
        streaming = batch_rows != ALL_ROWS and not self._is_read_at_once(names)
        candidates = self._candidates(open_kind, streaming)
        whole = None if streaming else self._whole(positions, candidates)
        if whole is not None:
            yield from row_batches(_typed(whole, positions, set(open_kind), {}), batch_rows)
            return
        if batch_rows != ALL_ROWS and not streaming:  # an irregular file
            candidates = self._candidates(open_kind, streaming=True)
        spelled = set(open_kind) if batch_rows == ALL_ROWS else set()
        rows = self._rows(self._query(), positions, candidates, spelled, batch_rows)
        with closed_after(rows) as batches:
            for batch in batches:
                self._refuse_changed_types(batch, open_kind)
                yield batch

    def batches_from(
        self, first_row: int, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the batches after the first rows; the lines of these are skipped without parsing their cells.

        Empty lines among them, which are no rows, are counted as rows by mistake: the caller must check where
        the rows begin.
        """
        positions = wanted_positions(self.names, names)
        if self._is_read_at_once(names):
            return super().batches_from(first_row, names, as_text, batch_rows)
        candidates = self._candidates(self._without_texts(positions, as_text), streaming=True)
        return self._rows(self._query(first_row), positions, candidates, set(), batch_rows)

    def _is_read_at_once(self, names: Sequence[Name] | None) -> bool:
        """Whether these are so many columns that duckdb has no memory for them, of which all rows have."""
        wide = too_many_columns(len(wanted_positions(self.names, names)))
        return wide and self.bytes_in_memory(names) < reading_memory() * _AT_ONCE_SHARE

    def _refuse_changed_types(self, batch: Columns, positions: list[int]) -> None:
        """Of several files, refuse a column that has numbers in one and words in another; once each."""
        if len(self._parts.paths) == 1:
            return
        unchecked = {
            p: self.names[p]
            for p in positions
            if p < len(self.layout.names) and p not in self._checked and _has_words(batch[self.names[p]])
        }
        if unchecked:
            self._checked.update(unchecked)
            files = [(path, self._cells(rows)) for path, rows in self._parts.each_file()]
            refuse_changed_types(files, unchecked)

    def _without_texts(self, positions: list[int], as_text: Collection[Name]) -> list[int]:
        texts = {state_key(name) for name in as_text}
        return [p for p in positions if state_key(self.names[p]) not in texts]

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole file as an SQL query with every field as text, and the SQL names of its columns."""
        names = [f"c{position}" for position in range(len(self.names))]
        return self._parts.query, names

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
                is_candidate = len(labels) >= MANY_LABELS and spells_numbers(labels)
            if is_candidate:
                candidates.append(position)
        return candidates

    def _spellings_of(self, candidates: list[int]) -> dict[int, Spelling]:
        """The spelling of each candidate column over the whole file, which is scanned at most once."""
        unknown = [position for position in candidates if position not in self.spellings]
        # Two steps, so that a progress bar appears before the one long call.
        for step in tracked(("opening", "looking") if unknown else (), f"Looking through {self.path}"):
            if step == "looking":
                self.spellings.update(self._look_through(unknown))
        known = {position: self.spellings[position] for position in candidates}
        return {position: spelling for position, spelling in known.items() if spelling is not None}

    def _look_through(self, positions: list[int]) -> dict[int, Spelling]:
        parts = ", ".join(f"c{p}, {_as_number(p)} as n{p}" for p in positions)
        kinds = ", ".join(
            f"{kinds_query(f'c{p}', f'n{p}')}, {units_query(f'c{p}', f'n{p}')}" for p in positions
        )
        with as_bad_file(self.path, self._parts.originals):
            cells = f"select {parts} from ({self._query()})"
            found = connect().execute(f"select {kinds} from ({cells})").fetchone()
        spellings = {}
        for place, position in enumerate(positions):
            kind, *units = found[3 * place : 3 * place + 3]
            spellings[position] = spelling_of(Kinds(kind or 0), *units)
            if spellings[position].units:
                warn_of_units(self.names[position], spellings[position].units)
            if Kinds.NUMBER | Kinds.OTHER in Kinds(kind or 0):
                with as_bad_file(self.path, self._parts.originals):
                    tell_odd_cells_of(self._query(), f"c{position}", self.names[position])
        return spellings

    def _whole(self, positions: list[int], candidates: list[int]) -> Columns | None:
        """Read a regular file at once with the core's own scanner; None where duckdb must read it."""
        layout = self.layout
        # In a file of one column a blank line is a missing value; the scanner would take one for the header.
        unclear = layout.blank_lines > 0 and len(self.names) == 1
        plain = self._parts.only_file
        if plain is None or self._options.na or self._options.decimal or unclear:
            return None
        encoded = encode_text_file(
            os.fsencode(plain),
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

    def _rows(
        self, rows: str, positions: list[int], candidates: list[int], spelled: set[int], batch_rows: int
    ) -> Iterator[Columns]:
        spellings = self._spellings_of(candidates)
        # The nullif keeps duckdb from moving the cast into its CSV reader, where a failed cast is an error.
        numeric = {position for position in candidates if spellings[position].plain}
        parts = [f"{_as_number(p)} as c{p}" if p in numeric else f"c{p}" for p in positions]
        chosen = [self.names[p] for p in positions]
        query, originals = f"select {', '.join(parts)} from ({rows})", self._parts.originals
        found = query_batches(connect(), self.path, query, chosen, batch_rows, originals)
        with closed_after(found) as batches:
            for batch in batches:
                yield _typed(batch, positions, spelled, spellings)

    def _query(self, first_row: int = 0) -> str:
        """The SQL query of the rows after the first ones."""
        return self._cells(self._parts.query_from(first_row))

    def _cells(self, rows: str) -> str:
        """The SQL query of rows whose cells are read as the user said."""
        if not (self._options.na or self._options.decimal):
            return rows
        cells = ", ".join(f"{cell_query(f'c{p}', self._options)} as c{p}" for p in range(len(self.names)))
        return f"select {cells} from ({rows})"


def _scanned_numbers(values: FloatArray, written_whole: bool) -> NumberColumn:
    """Numbers as the core reads them: integers are whole and written as such, or have gaps."""
    column = number_column(values)
    return NumberColumn(values, True, "int") if column.integral and written_whole else column


def _has_words(column: Column) -> bool:
    return isinstance(column, CodedColumn) and any(isinstance(label, str) for label in column.labels)


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
        return NumberColumn(
            column.values, spelling.integral, "int" if spelling.whole else "float", spelling.floats
        )
    if spelling is None:
        return column_of_text(column, name) if spelled else column
    if not spelling.numbers:
        return spelled_as(column, spelling)
    return (
        exact_numbers(column) if spelling.exact else spelled_numbers(column, spelling.whole, spelling.floats)
    )
