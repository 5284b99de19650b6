"""A table in the server's own folder, as worker processes see it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayou.server.messages import Value, decoded, encoded
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.sources import Columns


@dataclass(frozen=True)
class TableFile:
    """The file of a table; its rows are read when they are asked for."""

    path: str

    @property
    def columns(self) -> Columns:
        """All rows as columns. A worker keeps those of one table."""
        return _columns(self.path)

    def known_name(self, value: Value) -> Name:
        """The name of a column; an error suggests the nearest name."""
        from bayou.sources.tables.column_names import find_name, name_index

        names = self.columns.names
        return names[find_name(name_index(names), decoded(value), names)]

    def cells(self, name: Name, first: int, last: int) -> list[Any]:
        """The cells of some rows as JSON values, None for gaps."""
        from bayou.sources.tables.columns import NumberColumn

        column = self.columns[name]
        if isinstance(column, NumberColumn):
            return [_number(value, column.kind == "int") for value in column.values[first:last].tolist()]
        codes = column.codes[first:last].tolist()
        labels = [encoded(state) for state in column.labels]
        return [None if code == column.missing_code else labels[code] for code in codes]

    def without_path(self, text: str) -> str:
        """A message of the library that does not tell where the server keeps its files."""
        return text.replace(self.path, "the table").replace(Path(self.path).name, "the table")


@lru_cache(maxsize=1)
def _columns(path: str) -> Columns:
    from bayou.sources import read_columns

    return read_columns(path)


def _number(value: float, whole: bool) -> float | int | None:
    if isnan(value):
        return None
    return int(value) if whole else value
