"""Netica's case files as tables to learn from: cleaned copies, which are read as text files are."""

from __future__ import annotations

import csv
import gzip
import os
import shutil
import tempfile
import weakref
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import IO

from bayou.errors import BadFile
from bayou.sources.files.case_text import MARK, UNKNOWN, WEIGHT, CaseTable, case_table, set_in
from bayou.sources.files.compression import compression_of, start_of
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.files.text.text_file import TextFile
from bayou.sources.tables.columns import Columns
from bayou.typing import Name


class CaseFile(DataFile):
    """A case file: ``IDnum`` is left out, and ``NumCases`` has the weights of the rows.

    ``*`` and ``?`` are missing values. A set of states is refused: a table for learning has one state in a
    cell, or none (``bayou.read_cases`` reads sets as findings).
    """

    endings = (".cas",)
    kind = "a case file"
    is_typed = False
    may_have_weights = True

    def __init__(
        self, files: FoundFiles, options: FileOptions, columns: Sequence[Name] | None = None
    ) -> None:
        super().__init__(files, options, columns)
        if files.is_remote or not files.is_one:
            raise BadFile.at(self.path, "give one case file on this machine; convert others to CSV first.")
        folder = tempfile.mkdtemp(prefix="bayou-")
        copy = os.path.join(folder, "cases.tsv")
        try:
            with lines_of(files) as lines:
                table = case_table(lines, self.path)
                self.names = tuple(table.names[place] for place in table.variables)
                self.weights = WEIGHT if table.place(WEIGHT) is not None else None
                _write_copy(table, copy, self.path)
            self._text = TextFile(FoundFiles((copy,), files.shown), FileOptions())
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(self._text, shutil.rmtree, folder, ignore_errors=True)  # its batches outlive this
        self.spellings = self._text.spellings

    @classmethod
    def recognises(cls, path: str) -> bool:
        """Whether a file begins as case files do."""
        return start_of(path).startswith(MARK[:8])

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all variables) in row order; columns in ``as_text`` stay text."""
        return self._text.batches(self._chosen(names), as_text, batch_rows)

    def batches_from(
        self, first_row: int, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the batches after the first rows."""
        return self._text.batches_from(first_row, self._chosen(names), as_text, batch_rows)

    @property
    def rows(self) -> int | None:
        """About how many rows there are."""
        return self._text.rows

    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """About how many bytes a row of these columns (None: all variables) takes in memory."""
        return self._text.bytes_per_row(self._chosen(names))

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The variables as an SQL query for duckdb, and the SQL names of its columns."""
        query, names = self._text.relation
        kept = names[: len(self.names)]
        return f"select {', '.join(kept)} from ({query})", kept

    def _chosen(self, names: Sequence[Name] | None) -> Sequence[Name]:
        return self.names if names is None else names


@contextmanager
def lines_of(files: FoundFiles) -> Iterator[Iterator[str]]:
    """The lines of a case file: UTF-8, or else the encoding of Windows in the west; gzip is unpacked."""
    compression = compression_of(files)
    if compression == "zstd":
        raise BadFile.at(files.shown, "unpack the file first (unzstd).")
    try:
        with _opened(files.paths[0], compression, _encoding(files.paths[0], compression)) as file:
            yield iter(file)
    except (OSError, EOFError, UnicodeError) as problem:
        raise BadFile.at(files.shown, f"the file cannot be read: {problem}.") from None


def _opened(path: str, compression: str, encoding: str) -> IO[str]:
    if compression == "gzip":
        return gzip.open(path, "rt", encoding=encoding)
    return open(path, encoding=encoding)


def _encoding(path: str, compression: str) -> str:
    try:
        with _opened(path, compression, "utf-8-sig") as file:
            for _ in file:
                pass
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _write_copy(table: CaseTable, target: str, path: str) -> None:
    """Write the variables, and the weights last, as a table separated by tabs; gaps are empty cells."""
    places = table.variables
    weight = table.place(WEIGHT)
    if not places:
        raise BadFile.at(path, "the file has no columns besides the numbers of its cases.")
    with open(target, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        own = [table.names[place] for place in places]
        writer.writerow([*own, WEIGHT] if weight is not None else own)
        for row in table.rows:
            cells = [row.cells[place] for place in places]
            for name, cell in zip(own, cells, strict=True):
                if set_in(cell) is not None:
                    raise BadFile.at(
                        path,
                        f"line {row.line}: {name} is {cell}, several states. A table to learn from has one "
                        "state in a cell, or * where it is not known; sets are for cases (findings).",
                    )
            known = ["" if cell in UNKNOWN else cell for cell in cells]
            writer.writerow(known if weight is None else [*known, _number_of(row.cells[weight])])


def _number_of(cell: str) -> str:
    """How many such cases there are: one where the file does not tell."""
    return "1" if cell in UNKNOWN else cell
