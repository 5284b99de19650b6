"""Which rows of the data were counted, and whether they are still the same when a count goes on."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bayou.sources import TableSource
from bayou.sources.tables.columns import CodedColumn


@dataclass(frozen=True)
class CountedRows:
    """The first rows of the data, table after table; ``last`` are the rows of the last table.

    >>> from bayou.sources import open_source
    >>> rows = CountedRows().ending_with(open_source({"A": ["y", "n"]}))
    >>> rows.tables, rows.rows, rows.ends_with(open_source({"A": ["y", "n"]}))
    (1, 2, True)
    """

    tables: int = 0
    rows: int = 0
    last: int = 0
    checksum: int | None = 0
    """Of all cells in order; None if it is not known, because rows were passed over."""
    last_checksum: int = 0
    """Of the cells of the last table."""
    last_table: TableSource | None = None

    def ending_with(self, table: TableSource) -> CountedRows:
        """These rows and those of one more table."""
        rows = table.columns.rows
        checksum = None if self.checksum is None else _checksum(table, self.checksum)
        return CountedRows(self.tables + 1, self.rows + rows, rows, checksum, 0, table)

    def passed_over(self) -> CountedRows:
        """The same rows, of which only the last table was read."""
        return replace(self, checksum=None)

    def ends_with(self, table: TableSource) -> bool:
        """Whether a table has the same cells as the last one."""
        return table.columns.rows == self.last and _label_checksum(table) == self._last_checksum

    @cached_property
    def _last_checksum(self) -> int:
        # It is made when it is needed, and not after each table: sorting labels takes time.
        return self.last_checksum if self.last_table is None else _label_checksum(self.last_table)

    def state(self) -> dict[str, Any]:
        """The content as plain data."""
        plain = asdict(replace(self, last_table=None))
        del plain["last_table"]
        return {**plain, "last_checksum": self._last_checksum}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> CountedRows:
        """The rows that :meth:`state` described."""
        tables, rows, last = (int(state[name]) for name in ("tables", "rows", "last"))
        checksum = None if state["checksum"] is None else int(state["checksum"])
        return cls(tables, rows, last, checksum, int(state["last_checksum"]))


def _checksum(table: TableSource, before: int) -> int:
    """A checksum of a table's cells, continued from that of the rows before."""
    result = before
    for name in table.columns.names:
        column = table.columns[name]
        if isinstance(column, CodedColumn):
            result = zlib.crc32(repr(column.labels).encode("utf-8", "surrogatepass"), result)
            result = zlib.crc32(column.codes.tobytes(), result)
        else:
            result = zlib.crc32(column.values.tobytes(), result)
    return result


def _label_checksum(table: TableSource) -> int:
    """A checksum that does not depend on the codes of labels, which earlier tables may have given."""
    result = 0
    for name, values in _comparable(table):
        result = zlib.crc32(name.encode("utf-8", "surrogatepass") + values, result)
    return result


def _comparable(table: TableSource) -> Iterator[tuple[str, bytes]]:
    for name in table.columns.names:
        column = table.columns[name]
        if not isinstance(column, CodedColumn):
            yield repr(name), column.values.tobytes()
            continue
        codes, places = np.unique(column.codes, return_inverse=True)
        labels = [repr(column.labels[code]) if code < len(column.labels) else "" for code in codes.tolist()]
        order = sorted(range(len(labels)), key=labels.__getitem__)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        yield repr((name, sorted(labels))), ranks[places.ravel()].tobytes()
