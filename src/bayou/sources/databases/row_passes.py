"""Passes over the rows of a relation: from the database, or from memory where they were kept."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.sql_columns import SqlColumn
from bayou.sources.databases.drivers.statements import Relation
from bayou.sources.databases.kept_labels import KeptLabels
from bayou.sources.databases.remembered_rows import RememberedRows, RowMemory
from bayou.sources.tables.columns import Columns

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class RowPasses:
    """The rows of a relation that meet the conditions."""

    driver: Driver
    relation: Relation
    conditions: tuple[Condition, ...]

    def tables(self, columns: Sequence[SqlColumn], slice_rows: int | None = None) -> Generator[Columns]:
        """The rows of these columns as they are in the database, or as they were kept."""
        names = [column.name for column in columns]
        rows = self.remembered() if slice_rows is None else None
        if rows is not None and rows.have(names):
            yield from rows.tables(names)
            return
        options: dict[str, Any] = {"batch_rows": BATCH_ROWS, "slice_rows": slice_rows}
        with closing(self.driver.tables(self.relation, columns, self.conditions, **options)) as read:
            tables = map(KeptLabels().recoded, read)
            yield from tables if rows is None else rows.remembering(tables)

    def remembered(self) -> RememberedRows | None:
        """The rows that are kept while one state of the data is shown; None if none is."""
        if not self.driver.is_reading:
            return None
        memory: RowMemory = self.driver.remember("rows", RowMemory)
        return memory.rows((self.relation.key, self.conditions))
