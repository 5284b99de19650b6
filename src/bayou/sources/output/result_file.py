"""Results written to a CSV or Parquet file some rows at a time: the file appears complete or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy.typing as npt

from bayou.errors import BadFile, MissingPackage
from bayou.files.replacement import put_in_place, temporary_stem
from bayou.schema import Variable
from bayou.sources.files.duckdb_reading import memory_limit, sql_name, too_many_columns
from bayou.sources.output.table_kinds import plain_kind

_ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
_SHARE = 0.25
"""Which part of the memory for reading files the database that collects the rows may use."""
_WIDE_SHARE = 0.8
"""The same for a table of very many columns, of which no batches are kept beside it."""


def sql_type(variable: Variable) -> str:
    """Return the SQL type for the states of a variable."""
    kinds = {"int": "BIGINT", "float": "DOUBLE", "number": "DOUBLE", "truth": "BOOLEAN"}
    return kinds.get(plain_kind(variable.states), "VARCHAR")


class ResultFile:
    """Rows to be written to a file; they are collected in a database beside it, in bounded memory."""

    def __init__(self, target: Path, stem: str, names: Sequence[str], types: Sequence[str]) -> None:
        self.target = target
        self.names = list(names)
        self.rows = 0
        self.stem = stem
        self._types = list(types)
        self.connection: Any = None

    def begin(self) -> None:
        """Make the database; a full disk may leave a part of it, for :meth:`discard`."""
        self.connection = _database(f"{self.stem}.duckdb")
        # Each column of a wide table takes memory in each thread, however few its rows are.
        wide = too_many_columns(len(self.names))
        self.connection.execute(f"set memory_limit='{memory_limit(_WIDE_SHARE if wide else _SHARE)}'")
        if wide:
            self.connection.execute("set threads=1")
        declared = ", ".join(f"c{k} {kind}" for k, kind in enumerate(self._types))
        self.connection.execute(f"create table answers ({declared})")

    def add(self, columns: Sequence[npt.NDArray[Any]]) -> None:
        """Add rows, given as one array per column; None and NaN are missing values."""
        chunk = {f"c{k}": column for k, column in enumerate(columns)}  # duckdb finds it by its name below
        if len(chunk["c0"]):
            self.connection.execute("insert into answers select * from chunk")
        self.rows += len(chunk["c0"])

    def finish(self, parts: Sequence[str], origin: str = "answers") -> None:
        """Write the file: one SQL expression per column, evaluated on the relation ``origin``."""
        temporary = Path(f"{self.stem}.tmp")
        collide = len({name.casefold() for name in self.names}) < len(self.names)
        if _ending(self.target) != ".parquet" and collide:
            self._copy(parts, origin, Path(f"{self.stem}.body"), False)
            self._with_header(temporary)
        elif collide:
            raise BadFile.at(
                self.target, "Parquet cannot hold columns whose names differ only in case; write CSV."
            )
        else:
            named = [f"{part} as {sql_name(name)}" for part, name in zip(parts, self.names, strict=True)]
            self._copy(named, origin, temporary, True)
        put_in_place(temporary, self.target)

    def _copy(self, parts: Sequence[str], origin: str, target: Path, header: bool) -> None:
        choices = _choices(self.target, header)
        path = str(target).replace("'", "''")
        self.connection.execute(f"copy (select {', '.join(parts)} from {origin}) to '{path}' ({choices})")

    def _with_header(self, temporary: Path) -> None:
        """Write the header ourselves, then the rows: SQL would rename one of the names ``a`` and ``A``."""
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in self.names)
        self._copy([names], "(select 1)", temporary, False)
        # Two gzip files one after the other are a valid gzip file.
        with temporary.open("ab") as whole, Path(f"{self.stem}.body").open("rb") as body:
            shutil.copyfileobj(body, whole)

    def discard(self) -> None:
        """Close the database and delete all temporary files."""
        if self.connection is not None:
            self.connection.close()
        for ending in (".duckdb", ".duckdb.wal", ".tmp", ".body"):
            with contextlib.suppress(OSError):
                os.unlink(f"{self.stem}{ending}")
        shutil.rmtree(f"{self.stem}.duckdb.tmp", ignore_errors=True)


@contextmanager
def result_file(out: Any, names: Sequence[str], types: Sequence[str]) -> Iterator[ResultFile]:
    """Open a file to ``add`` rows to and then to ``finish``; no temporary file remains, even after errors."""
    target = checked_target(out)
    try:
        with temporary_stem(target) as stem:
            file = ResultFile(target, stem, names, types)
            try:
                file.begin()
                yield file
            finally:
                file.discard()
    except OSError as error:
        raise BadFile.at(target, f"cannot be written: {error.strerror or error}.") from None
    except Exception as error:
        if type(error).__module__ in ("duckdb", "_duckdb"):
            reason = str(error).splitlines()[0]
            if "Out of Memory" in reason:
                reason = (
                    "the memory for reading files is too small for it; allow more with "
                    f"bayou.limits(memory=…), or write Parquet, which takes less for each column. ({reason})"
                )
            raise BadFile.at(target, f"cannot be written: {reason}") from None
        raise


def checked_target(out: Any) -> Path:
    """Return the path of a file to be written, after checks; its ending decides the format.

    >>> checked_target("answers.txt")
    Traceback (most recent call last):
    bayou.errors.BadFile: answers.txt: unknown kind of file; expected .csv, .tsv (also .gz) or .parquet.
    """
    try:
        target = Path(os.path.realpath(out))
    except (TypeError, ValueError) as error:
        raise BadFile.at(repr(out), f"is not a path: {error}.") from None
    if not _ending(target):
        raise BadFile.at(out, "unknown kind of file; expected .csv, .tsv (also .gz) or .parquet.")
    if target.is_dir():
        raise BadFile.at(out, "cannot be written: it is a directory.")
    if not target.parent.is_dir():
        raise BadFile.at(out, "cannot be written: there is no such folder.")
    return target


def _ending(target: Path) -> str:
    name = target.name.lower()
    return next((ending for ending in reversed(_ENDINGS) if name.endswith(ending)), "")


def _choices(target: Path, header: bool) -> str:
    """The options of SQL's COPY for this kind of file."""
    ending = _ending(target)
    if ending == ".parquet":
        return "format parquet"
    separator = "\t" if ending.startswith(".tsv") else ","
    packing = "gzip" if ending.endswith(".gz") else "none"
    return f"format csv, header {str(header).lower()}, delimiter '{separator}', compression {packing}"


def _database(path: str) -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Writing a CSV or Parquet file") from None
    return duckdb.connect(path)
