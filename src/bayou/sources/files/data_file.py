"""What every kind of data file has in common: one class per kind inherits from :class:`DataFile`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

from bayou.errors import BadData, BadFile
from bayou.sources.files.compression import begins_and_ends_with
from bayou.sources.files.file_options import FileOptions
from bayou.sources.files.found_files import FoundFiles
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.number_text import Spelling
from bayou.typing import Name


class DataFile(ABC):
    """A table in one file or in several files of a kind; ``batches`` can be read any number of times.

    To add a kind of file, inherit from this class, say how its files are recognised (``endings``,
    ``magic`` or ``recognises``), define ``names`` (in the constructor) and ``batches``, and list the class in
    ``file_kinds.KINDS``. What else it knows makes it faster: the number of rows, the bytes of a row.
    """

    endings: ClassVar[tuple[str, ...]] = ()
    """The endings of such files, without those of compression (.gz, .zst)."""
    magic: ClassVar[bytes] = b""
    """How such files begin and end, whatever their names are; empty if that tells nothing."""
    kind: ClassVar[str]
    """What messages call such a file, such as "a Parquet file"."""
    is_text: ClassVar[bool] = False
    """Whether the options of text files (``sep=``, ``encoding=``, ``decimal=``, ``na=``) apply."""
    is_typed: ClassVar[bool] = True
    """Whether the file gives its columns types."""
    is_decoded_fast: ClassVar[bool] = False
    """Whether reading again takes little longer than counting, so that the first pass need keep nothing."""
    may_have_weights: ClassVar[bool] = False
    """Whether files of this kind may say which column has the weights of the rows."""

    names: tuple[Name, ...]
    """The columns."""
    spellings: dict[int, Spelling | None]
    """What columns are over the whole file, by position, as far as rows were looked through for it."""
    weights: Name | None = None
    """The column with the weights of the rows, if the file itself says so; it is not among the names."""

    def __init__(self, files: FoundFiles, options: FileOptions, columns: Sequence[Name] | None) -> None:
        """Open the files; ``columns`` are the names that the user gives to columns without names."""
        self.files = files
        self.path = files.shown
        self.spellings: dict[int, Spelling | None] = {}
        if not self.is_text:
            options.refuse_for(self.path, self.kind)
            if columns is not None:
                raise BadData(
                    f"{self.path}: columns= is for data without names; {self.kind} has its own names."
                )

    @property
    def takes_decimal_commas(self) -> bool:
        """Whether ``decimal=","`` would read numbers of the file that are text without it."""
        return False

    @classmethod
    def recognises(cls, path: str) -> bool:
        """Whether a file on this machine is of this kind by its content, whatever its name is."""
        return bool(cls.magic) and begins_and_ends_with(path, cls.magic)

    @abstractmethod
    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all) in row order, ``batch_rows`` rows at a time; at least one batch.

        Columns in ``as_text`` stay text. A column has the same kind in every batch, and codes keep their
        meaning: later batches have the labels of earlier ones and perhaps more. Only a column with more
        labels than memory allows begins anew, with other codes.
        """

    def batches_from(
        self, first_row: int, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the same batches without those of the first rows; some kinds do not read those.

        ``first_row`` is the first row of one of the batches. Codes begin anew, and there may be no batch.
        """
        row = 0
        for batch in self.batches(names, as_text, batch_rows):
            if row >= first_row:
                yield batch
            row += batch.rows

    @property
    def rows(self) -> int | None:
        """About how many rows there are; None if that is not known without reading them."""
        return None

    @abstractmethod
    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """About how many bytes a row of these columns (None: all) takes in memory."""

    def bytes_in_memory(self, names: Sequence[Name] | None) -> float:
        """About how many bytes these columns (None: all) take in memory; infinite if that is not known."""
        return float("inf") if self.rows is None else self.rows * self.bytes_per_row(names)

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """The smallest and the largest number of a column of integers, if the file states them; else None."""
        return None

    def attach(self, connection: Any, columns: Sequence[str] | None = None) -> None:  # noqa: B027 - most kinds need nothing
        """Make a connection of duckdb ready for one query about these columns (None: all)."""

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The whole table as an SQL query for duckdb, and the SQL names of its columns."""
        raise BadFile.at(self.path, f"copies of {self.kind} cannot be written; convert it to Parquet first.")
