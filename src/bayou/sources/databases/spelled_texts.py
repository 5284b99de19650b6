"""Columns of text in a database that spell something else: dates, numbers with marks.

They are what the same texts are in files and frames (``schema/spelled_values.py``). All distinct texts of a
column decide it, in the state of the data that is shown; most columns are known from their first rows.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain

from sqlglot import exp

from bayou.schema.spelled_values import date_spelled, is_marked, quantity_spelled
from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.sql_columns import SqlColumn, as_text
from bayou.sources.databases.drivers.statements import Relation, Statement, named, selected
from bayou.sources.tables.columns import Column, Columns, NumberColumn
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import is_gap, spelled_as, spelling_of_texts
from bayou.typing import Name

_FIRST_ROWS = 2_000
_AT_ONCE = 10_000
"""Texts that are fetched together."""
_IN_PLAIN_NUMBERS = " 0123456789+-."
"""Without these signs at its ends nothing is left of a plain number, but something of a marked one."""


@dataclass(frozen=True)
class SpelledTexts:
    """What the texts of a relation's columns spell; ``by_rows``: first rows may be read as they are."""

    driver: Driver
    relation: Relation
    by_rows: bool = True

    def of(self, columns: Iterable[SqlColumn]) -> dict[Name, Spelling]:
        """What each of some columns spells; columns that are not here stay what their type says."""
        with self.driver.reading(self.relation):
            known: dict[Name, Spelling | None] = self.driver.remember(("spelled", self.relation.key), dict)
            asked = [column for column in columns if column.may_spell]
            unknown = [column for column in asked if column.name not in known]
            for column, first in zip(unknown, self._first_texts(unknown), strict=True):
                known[column.name] = self._spelling(column, first)
        return {column.name: found for column in asked if (found := known[column.name]) is not None}

    def _spelling(self, column: SqlColumn, first: Sequence[str]) -> Spelling | None:
        """What a column spells whose first rows have these texts; None: nothing but texts."""
        if not all(map(_may_spell, first)):
            return None
        numbers = [text for text in first if not is_gap(text) and date_spelled(text) is None]
        if numbers and any(date_spelled(text) is not None for text in first):
            return None
        if numbers and not any(map(is_marked, numbers)) and not self._has_marks(column):
            return None  # plain numbers: whoever made the table chose text for them
        texts: dict[str, None] = {}
        with closing(self._texts(column)) as found:
            for text in found:
                if not _may_spell(text):
                    return None
                texts[text] = None
        spelling = spelling_of_texts(sorted(texts), column.name)
        return spelling if spelling.other else None

    def _first_texts(self, columns: Sequence[SqlColumn]) -> list[list[str]]:
        """The texts of each column in the first rows; one statement for all, where rows may be read."""
        groups = [columns] if self.by_rows else [[column] for column in columns]
        found: list[list[str]] = []
        for group in groups if columns else ():
            values = [named(self.driver.value(each), f"c{k}") for k, each in enumerate(group)]
            tree = selected(values, groups=0 if self.by_rows else 1, slice_rows=_FIRST_ROWS)
            rows = self.driver.run(Statement(tree=tree), self.relation)
            by_column = zip(*rows, strict=True) if rows else [()] * len(group)
            found += [_texts_of(cells) for cells in by_column]
        return found

    def _has_marks(self, column: SqlColumn) -> bool:
        """Whether a text is more than digits, so that it may be a number with marks."""
        rest = exp.Trim(this=self.driver.value(column), expression=exp.Literal.string(_IN_PLAIN_NUMBERS))
        marked = exp.NEQ(this=rest, expression=exp.Literal.string(""))
        tree = selected([exp.Literal.number(1)], where=[marked]).limit(1)
        return bool(self.driver.run(Statement(tree=tree), self.relation))

    def _texts(self, column: SqlColumn) -> Generator[str]:
        """All distinct texts of a column."""
        statement = Statement(tree=selected([named(self.driver.value(column), "c0")], groups=1))
        blocks = self.driver.run(statement, self.relation, stream=_AT_ONCE)
        with self.driver.telling(self.relation), self.driver.busy_with(self.relation), closing(blocks):
            yield from chain.from_iterable(_texts_of(row[0] for row in block) for block in blocks)


def with_spelled_texts(table: Columns, spellings: Mapping[Name, Spelling]) -> Columns:
    """Return rows or cells with columns of text as what they spell."""
    changes = {name: partial(_spelled, spelling) for name, spelling in spellings.items() if name in table}
    return table.replaced(changes) if changes else table


def _spelled(spelling: Spelling, column: Column) -> Column:
    # Rows without any text come as numbers that are all missing.
    return spelled_as(column.coded() if isinstance(column, NumberColumn) else column, spelling)


def _texts_of(cells: Iterable[object]) -> list[str]:
    return list(dict.fromkeys(as_text(cell) for cell in cells if cell is not None))


def _may_spell(text: str) -> bool:
    return is_gap(text) or quantity_spelled(text) is not None
