"""Rows that were read stay in memory as codes while one state of the data is shown, if they are small there.

Learning often reads the same rows several times: the second time no database is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator

from bayou.memory import available_memory, current_limits
from bayou.sources.tables.columns import CodedColumn, Column, Columns, FewNumbers
from bayou.typing import Name

LARGEST_REMEMBERED = 2**29
"""The most bytes of remembered rows (and at most a quarter of the memory that is left or allowed)."""


class RowMemory:
    """The rows that are remembered for one connection: together no more than ``most`` bytes.

    Rows that were asked for longest ago make room for others.
    """

    def __init__(self) -> None:
        self.most = min(LARGEST_REMEMBERED, available_memory() / 4, current_limits().memory / 4)
        self._rows: dict[Hashable, RememberedRows] = {}

    def rows(self, key: Hashable) -> RememberedRows:
        """The place for the rows of a relation that meet some conditions."""
        found = self._rows.pop(key, None) or RememberedRows(self)
        self._rows[key] = found  # the last one asked for
        return found

    @property
    def held(self) -> int:
        """The bytes that are held now."""
        return sum(rows.held for rows in self._rows.values())

    def has_room(self, wanted: RememberedRows) -> bool:
        """Whether these rows can be held, after others have been forgotten where need be."""
        if wanted.held > self.most:
            return False
        for rows in list(self._rows.values()):
            if self.held <= self.most:
                break
            if rows is not wanted:
                rows.forget()
        return True


class RememberedRows:
    """The tables of one pass over the rows, or nothing if they were too large.

    >>> from bayou.sources import read_columns
    >>> rows = RowMemory().rows("days")
    >>> list(rows.remembering(iter([read_columns({"a": [1, 2], "b": [3, 4]})])))[0].rows, rows.have(["a"])
    (2, True)
    >>> [table.names for table in rows.tables(["b"])], rows.have(["c"])
    ([('b',)], False)
    """

    def __init__(self, memory: RowMemory) -> None:
        self.memory, self.held = memory, 0
        self._tables: list[Columns] = []
        self._whole = False

    def forget(self) -> None:
        """Hold nothing any more."""
        self._tables, self._whole, self.held = [], False, 0

    def remembering(self, tables: Iterator[Columns]) -> Iterator[Columns]:
        """The same tables; kept when all of them have been read."""
        self.forget()
        kept, whole = self._tables, False
        try:
            for table in tables:
                if self._tables is kept:  # else they were too large, or made room for others
                    kept.append(table)
                    self.held += sum(_bytes(table[name]) for name in table.names)
                    if not self.memory.has_room(self):
                        self.forget()
                yield table
            whole = True
        finally:
            if self._tables is kept and not whole:
                self.forget()
            elif self._tables is kept:
                self._whole = True

    def have(self, needed: Collection[Name]) -> bool:
        """Whether all rows of these columns are in memory."""
        return self._whole and all(name in self._tables[0] for name in needed)

    def tables(self, needed: Collection[Name]) -> Iterator[Columns]:
        """The rows of these columns."""
        for table in self._tables:
            names = [name for name in table.names if name in needed]
            yield Columns(names, [table[name] for name in names], table.rows)


def _bytes(column: Column) -> int:
    if isinstance(column, CodedColumn):
        return column.codes.nbytes
    return column.few.codes.nbytes if isinstance(column, FewNumbers) else column.values.nbytes
