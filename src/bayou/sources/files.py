"""Columns from CSV, TSV and Parquet files.

duckdb reads them, except that a regular CSV file that is wanted whole goes through the core's own scanner,
which needs far less time; where it finds anything odd it declines, and duckdb reads the file or says
what is wrong with it, in which line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from bayou._native._core import encode_text_file
from bayou.errors import BadData, BadFile, MissingPackage
from bayou.schema import state_key
from bayou.sources.arrays import number_column
from bayou.sources.arrow import ALL_ROWS, stream_batches
from bayou.sources.columns import LARGEST_EXACT, CodedColumn, Column, Columns, NumberColumn, wanted_positions
from bayou.sources.numerals import exact_numbers, is_gap_word, numbers_of_text, spells_numbers
from bayou.sources.text_layout import TextLayout, text_layout
from bayou.typing import Name

_TEXT_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_MANY = 200
"""Distinct numbers among the first rows from which on a column is read as numbers, not by its labels."""


def file_batches(
    path: str | os.PathLike[str],
    names: Sequence[Name] | None,
    columns: Sequence[Name] | None,
    as_text: Collection[Name],
    batch_rows: int,
) -> Iterator[Columns]:
    """The columns of a file in batches; what kind of file it is, its ending says."""
    file = Path(path)
    if not file.exists():
        raise BadFile.at(file, "there is no such file.")
    if file.is_dir():
        raise BadFile.at(file, "this is a folder; a .csv, .tsv or .parquet file was expected.")
    if file.name.lower().endswith(_TEXT_ENDINGS):
        yield from _TextFile(file, columns).batches(names, as_text, batch_rows)
    elif file.name.lower().endswith(".parquet"):
        yield from _parquet(file, names, batch_rows)
    else:
        raise BadFile.at(file, "unknown kind of file; expected .csv, .tsv (also .gz) or .parquet.")


class _TextFile:
    """A CSV or TSV file; its columns are called c0, c1, … in SQL, where case and quotes matter."""

    def __init__(self, path: Path, columns: Sequence[Name] | None) -> None:
        self.path = path
        self.layout: TextLayout = text_layout(path, columns)

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        positions = wanted_positions(self.layout.names, names)
        texts = {state_key(name) for name in as_text}
        open_kind = [p for p in positions if state_key(self.layout.names[p]) not in texts]
        streaming = batch_rows != ALL_ROWS
        candidates = self._candidates(open_kind, streaming)
        whole = None if streaming else self._whole(positions, candidates)
        if whole is not None:
            yield _typed(whole, positions, set(open_kind), set())
            return
        suspects = self._suspects(candidates)
        numeric = {position for position, texts in suspects.items() if all(map(is_gap_word, texts))}
        exact = {position for position in suspects if spells_numbers(sorted(suspects[position]))} - numeric
        for batch in self._rows(positions, numeric, batch_rows):
            yield _typed(batch, positions, exact if streaming else set(open_kind), exact)

    def _candidates(self, positions: list[int], streaming: bool) -> list[int]:
        """The columns to read as numbers, as it seems: of a stream all that are, else the many-valued."""
        candidates = []
        for position in positions:
            labels = self.layout.first_values(position)
            numbers = spells_numbers(labels)
            unsettled = streaming and all(map(is_gap_word, labels))
            if unsettled or (numbers and (streaming or len(labels) >= _MANY)):
                candidates.append(position)
        return candidates

    def _suspects(self, candidates: list[int]) -> dict[int, set[str]]:
        """What there is in the candidates, over the whole file, that is no ordinary number."""
        found: dict[int, set[str]] = {position: set() for position in candidates}
        if not candidates:
            return found
        conditions = [
            f"case when try_cast(nullif(c{p}, '') as double) is null"
            f" or (abs(try_cast(nullif(c{p}, '') as double)) >= {LARGEST_EXACT}"
            f" and regexp_full_match(c{p}, '\\s*[+-]?[0-9]+\\s*'))"
            f" or regexp_matches(c{p}, '^\\s*[+-]?0[0-9]|_|[xXbB]') then c{p} end as c{p}"
            for p in candidates
        ]
        for batch in self._select(", ".join(conditions), candidates, 1 << 18):
            for position in candidates:
                found[position].update(map(str, batch.coded(self.layout.names[position]).labels))
        return found

    def _whole(self, positions: list[int], candidates: list[int]) -> Columns | None:
        """A regular file all at once by the core's own scanner; None where duckdb must have a look."""
        if self.path.suffix.lower() == ".gz":
            return None
        layout = self.layout
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
            number_column(data) if labels is None else CodedColumn(data, tuple(labels))
            for data, labels in raw
        ]
        return Columns([layout.names[p] for p in positions], columns, rows)

    def _rows(self, positions: list[int], numeric: set[int], batch_rows: int) -> Iterator[Columns]:
        # The nullif keeps duckdb from moving the cast into its CSV reader, where it would not be a mere try.
        parts = [
            f"try_cast(nullif(c{p}, '') as double) as c{p}" if p in numeric else f"c{p}" for p in positions
        ]
        return self._select(", ".join(parts), positions, batch_rows)

    def _select(self, what: str, positions: list[int], batch_rows: int) -> Iterator[Columns]:
        declared = ", ".join(f"'c{p}': 'VARCHAR'" for p in range(len(self.layout.names)))
        query = (
            f"select {what} from read_csv({_sql_path(self.path)}, auto_detect=false, "
            f"header={str(self.layout.has_header).lower()}, delim='{self.layout.separator}', "
            f"quote='\"', escape='\"', columns={{{declared}}})"
        )
        chosen = [self.layout.names[p] for p in positions]
        return _query_batches(_connect(), self.path, query, chosen, batch_rows)


def _parquet(path: Path, names: Sequence[Name] | None, batch_rows: int) -> Iterator[Columns]:
    everything = f"select * from read_parquet({_sql_path(path)})"
    connection = _connect()
    with _as_bad_file(path):
        known: list[Name] = list(connection.sql(everything).columns)
    chosen = [known[position] for position in wanted_positions(known, names)]
    quoted = ", ".join('"' + str(name).replace('"', '""') + '"' for name in chosen)
    query = everything.replace("*", quoted or "*", 1)
    return _query_batches(connection, path, query, chosen, batch_rows)


def _query_batches(
    connection: Any, path: Path, query: str, names: list[Name], batch_rows: int
) -> Iterator[Columns]:
    with _as_bad_file(path):
        yield from stream_batches(connection.sql(query), known=names, batch_rows=batch_rows)


def _connect() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Reading a CSV or Parquet file") from None
    connection = duckdb.connect()
    # Text as views: duckdb then hands over its own short strings as they lie in memory.
    connection.execute("set arrow_output_version='1.4'; set produce_arrow_string_view=true")
    return connection


def _sql_path(path: Path) -> str:
    # A bracket, star or question mark in a file's name is no pattern.
    literal = re.sub(r"([\[*?])", r"[\1]", str(path))
    return "'" + literal.replace("'", "''") + "'"


class _as_bad_file:
    """Turns what duckdb says of a file into a :class:`BadFile` with the line, where it tells one."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, BadData) or (
            error is not None and type(error).__module__ in ("duckdb", "_duckdb")
        ):
            raise _bad_file(self.path, str(error)) from None


def _bad_file(path: Path, said: str) -> BadFile:
    line = re.search(r"CSV Error on Line: (\d+)", said)
    number = int(line[1]) if line else None
    widths = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if widths:
        return BadFile.at(path, f"the line has {widths[2]} fields; {widths[1]} were expected.", number)
    if "not utf-8" in said or "Invalid unicode" in said:
        return BadFile.at(path, "the file is not UTF-8 text; save it as UTF-8.", number)
    if "unterminated quote" in said:
        return BadFile.at(path, "a quoted field is never closed.", number)
    if "state machine reached an invalid state" in said:
        return BadFile.at(path, "the line ends or quotes are mixed; use one kind of line end throughout.")
    return BadFile.at(path, said.partition("\n")[0], number)


def _typed(batch: Columns, positions: list[int], spelled: set[int], exact: set[int]) -> Columns:
    columns = [
        _typed_column(batch[name], position in spelled, position in exact)
        for name, position in zip(batch.names, positions, strict=True)
    ]
    return Columns(batch.names, columns, batch.rows)


def _typed_column(column: Column, spelled: bool, exact: bool) -> Column:
    """A file does not say int or float: a column of whole numbers is taken for integers."""
    if isinstance(column, CodedColumn):
        return exact_numbers(column) if exact else numbers_of_text(column) if spelled else column
    return NumberColumn(column.values, column.integral, "int" if column.integral else "float")
