"""The columns of a table, view or query of a database: which there are, and what their values mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Literal

from bayou.errors import BadQuestion
from bayou.schema import Variable, text_names
from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.sql_columns import SqlColumn, require_distinct
from bayou.sources.databases.drivers.statements import Relation
from bayou.sources.databases.row_passes import RowPasses
from bayou.sources.databases.spelled_texts import SpelledTexts
from bayou.sources.databases.which_rows import weight_column
from bayou.sources.files.fewer_columns import kept_names
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.number_text import Spelling
from bayou.typing import Name

Transport = Literal["auto", "cells", "rows"]


class DatabaseColumns(TableStream):
    """What a source in a database knows of its columns; ``measured`` are columns of times as days,
    ``ignored`` those that are no data.
    """

    def __init__(
        self,
        driver: Driver,
        relation: Relation,
        *,
        transport: Transport = "auto",
        variables: Collection[Variable] = (),
        declared: Collection[Name] | None = None,
        conditions: tuple[Condition, ...] = (),
        names: Sequence[Name] | None = None,
        weights: Name | None = None,
        measured: Collection[Name] = (),
        ignored: Sequence[Name] = (),
    ) -> None:
        if transport not in ("auto", "cells", "rows"):
            raise BadQuestion.choice("transport", transport, ("auto", "cells", "rows"))
        self.driver, self.relation, self.transport = driver, relation, transport
        self.gives_rows = transport != "cells"
        self._variables, self._declared = tuple(variables), declared
        self._conditions, self._wanted, self.weights = conditions, names, weights
        self._measured, self._ignored = (
            measured,
            ignored,
        )  # columns of times as days, columns that are no data
        self._passes = RowPasses(driver, relation, conditions)
        self._texts = SpelledTexts(driver, relation, by_rows=self.gives_rows)

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.relation.label

    @cached_property
    def _all_columns(self) -> dict[Name, SqlColumn]:
        """The columns by name, that of the weights included."""
        with self.driver.reading(self.relation):
            key = ("columns", self.relation.key)
            found = self.driver.remember(key, lambda: self.driver.columns(self.relation))
        require_distinct(found, self.label)
        return {column.name: column for column in found}

    @cached_property
    def _columns(self) -> dict[Name, SqlColumn]:
        """The columns of the data by name."""
        weights = None if self._weight_column is None else self._weight_column.name
        kept = kept_names(list(self._all_columns), self._ignored, self.label)
        by_name = {name: self._all_columns[name] for name in kept if name != weights}
        if self._wanted is None:
            return by_name
        known = list(by_name)
        return {known[place]: by_name[known[place]] for place in wanted_positions(known, self._wanted)}

    @cached_property
    def _weight_column(self) -> SqlColumn | None:
        """The column of the weights, which must hold numbers."""
        return None if self.weights is None else weight_column(self._all_columns, self.weights, self.label)

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return tuple(self._columns)

    def one_state(self) -> AbstractContextManager[None]:
        """One state of the data for all that is read inside: a transaction that only reads."""
        return self.driver.reading(self.relation)

    def is_continuous(self, name: Name) -> bool:
        """Whether the type of a column is one of real numbers, or its texts spell numbers with marks."""
        if self._declared_states(name):
            return False
        return self._column(name).kind == "number" or self._is_made_number(name)

    def has_numbers(self, name: Name) -> bool:
        """Whether the type of a column is a number, or its texts spell numbers with marks."""
        return self._column(name).kind in ("number", "integer") or self._is_made_number(name)

    def _column(self, name: Name) -> SqlColumn:
        wanted_positions(self.names, [name])
        column = self._columns[name]
        column.require_usable()
        return column

    def _declared_states(self, name: Name) -> bool:
        return any(v.name == name and v.states for v in self._variables)

    def _spellings(self, names: Iterable[Name]) -> dict[Name, Spelling]:
        """What columns of text spell, except those whose states were declared as texts."""
        texts = text_names(self._variables)
        asked = [self._columns[name] for name in names if name in self._columns and name not in texts]
        return self._texts.of(asked) if any(column.may_spell for column in asked) else {}

    def _read_here(self, names: Collection[Name]) -> set[Name]:
        """Those columns whose values in the database are not those of the data: spelled ones, and times."""
        return {*self._spellings(names), *(name for name in names if name in self._measured)}

    def _is_made_number(self, name: Name) -> bool:
        spelled = self._spellings([name]).values()
        return name in self._measured or any(found.other == "marked" for found in spelled)
