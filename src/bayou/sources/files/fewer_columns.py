"""Data files without some of their columns, which are never read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from bayou.errors import BadData, UnknownVariable
from bayou.sources.files.data_file import DataFile
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.typing import Name


class FewerColumns(DataFile):
    """The other columns of a file; a name that it does not have is refused."""

    kind = "a file without some columns"

    def __init__(self, whole: DataFile, ignored: Sequence[Name]) -> None:
        self.files, self.path, self.spellings = whole.files, whole.path, whole.spellings
        self._whole = whole
        self.names = kept_names(whole.names, ignored, str(self.path))

    def _asked(self, names: Sequence[Name] | None) -> list[Name]:
        return [self.names[place] for place in wanted_positions(self.names, names)]

    def batches(
        self, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield these columns (None: all that are left)."""
        return self._whole.batches(self._asked(names), as_text, batch_rows)

    def batches_from(
        self, first_row: int, names: Sequence[Name] | None, as_text: Collection[Name], batch_rows: int
    ) -> Iterator[Columns]:
        """Yield the batches after the first rows."""
        return self._whole.batches_from(first_row, self._asked(names), as_text, batch_rows)

    @property
    def rows(self) -> int | None:
        """About how many rows there are."""
        return self._whole.rows

    @property
    def takes_decimal_commas(self) -> bool:
        return self._whole.takes_decimal_commas

    def bytes_per_row(self, names: Sequence[Name] | None) -> float:
        """About how many bytes a row of these columns (None: all that are left) takes in memory."""
        return self._whole.bytes_per_row(self._asked(names))

    def bounds(self, name: Name) -> tuple[int, int] | None:
        """The bounds that the file states."""
        return self._whole.bounds(name)

    def attach(self, connection: Any, columns: Sequence[str] | None = None) -> None:
        """Make a connection of duckdb ready for one query about these columns."""
        self._whole.attach(connection, columns)

    @property
    def relation(self) -> tuple[str, list[str]]:
        """The columns that are left as an SQL query, and their SQL names."""
        query, every = self._whole.relation
        kept = [every[place] for place in wanted_positions(self._whole.names, self.names)]
        return f"select {', '.join(kept)} from ({query})", kept


def kept_names(known: Sequence[Name], ignored: Sequence[Name], where: str) -> tuple[Name, ...]:
    """Return the names without the ignored ones, which must be among them.

    >>> kept_names(["id", "age"], ["id"], "patients.csv")
    ('age',)
    """
    for name in ignored:
        if name not in known:
            raise UnknownVariable.named(name, known, f"to ignore in {where}")
    kept = tuple(name for name in known if name not in ignored)
    if not kept:
        raise BadData(f"ignore={list(ignored)!r} leaves no column of {where}.")
    return kept
