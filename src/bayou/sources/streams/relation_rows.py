"""The rows of a duckdb relation, some at a time: a column has the kind that it has over all rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from bayou.schema import state_key
from bayou.sources.files.duckdb_reading import sql_name
from bayou.sources.files.text.column_spelling import (
    as_over_all_rows,
    has_digits_after_the_point,
    spelling_of_column,
)
from bayou.sources.tables.arrow import stream_batches
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.number_text import Spelling
from bayou.typing import Name

_ROWS_AT_ONCE = 1 << 17


@dataclass(frozen=True)
class RelationPart:
    """Some rows of a relation, and what its columns of floats and of text are over all rows."""

    rows: Columns
    spellings: dict[Name, Spelling]

    def columns(self, as_text: Collection[Name]) -> Columns:
        """The rows, with texts as what they spell, except in the columns ``as_text``."""
        kept = {state_key(name) for name in as_text}
        changes = {
            name: partial(as_over_all_rows, spelling)
            for name, spelling in self.spellings.items()
            if state_key(name) not in kept
        }
        return self.rows.replaced(changes) if changes else self.rows


class RelationRows:
    """Every call gives the rows again, from a query of its own.

    >>> import duckdb
    >>> rows = RelationRows(duckdb.sql("select '2024-02-29' as day"))
    >>> [part.columns([])["day"].labels for part in rows()]
    [(datetime.date(2024, 2, 29),)]
    """

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def __call__(self) -> Iterator[RelationPart]:
        """The rows, at least one part."""
        spellings = self._spellings  # asked first: another query of its connection would end the stream
        for rows in stream_batches(self._relation, batch_rows=_ROWS_AT_ONCE):
            yield RelationPart(rows, spellings)

    @cached_property
    def _spellings(self) -> dict[Name, Spelling]:
        """What each column is that is not only what its type says."""
        found = {}
        for name, kind in zip(self._relation.columns, map(str, self._relation.types), strict=True):
            value = f"{sql_name(name)}::double" if has_digits_after_the_point(kind) else sql_name(name)
            spelling = spelling_of_column(name, kind, partial(self._summary, value))
            if spelling is not None:
                found[name] = spelling
        return found

    def _summary(self, value: str, aggregates: str, first_rows: int | None) -> tuple[Any, ...]:
        """Aggregates of a column as ``v``; only by the relation, so that no view is made."""
        values = self._relation.project(f"{value} as v")
        values = values if first_rows is None else values.limit(first_rows)
        (row,) = values.aggregate(aggregates).fetchall()
        found: tuple[Any, ...] = row
        return found
