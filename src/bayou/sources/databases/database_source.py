"""A table, view or query of a database as a source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any, TypeVar

import numpy as np

from bayou.errors import BadData
from bayou.progress import tracked
from bayou.schema import Variable, is_number
from bayou.sources.databases.cell_answers import (
    MOST_DISTINCT,
    CellAnswers,
    check_histograms,
    families_of,
    in_cells,
    numbers_of,
)
from bayou.sources.databases.cell_counts import MOST_CELLS, Counted, joined_blocks
from bayou.sources.databases.cost_rule import Choice, chosen, counted_cells, slice_sizes
from bayou.sources.databases.database_columns import DatabaseColumns
from bayou.sources.databases.first_rows import first_rows, first_values
from bayou.sources.databases.spelled_texts import with_spelled_texts
from bayou.sources.databases.which_rows import OnlyRows, check_weights, parted, rows_refused
from bayou.sources.discretising import discretised
from bayou.sources.state_matching import with_matched_states
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.times import as_days
from bayou.sources.weights import Weights
from bayou.statistics import Batch, CountTable, Request, RowSample, Statistics
from bayou.typing import Name, State

T = TypeVar("T")


class DatabaseSource(DatabaseColumns):
    """The rows of a table, view or query in a database; see :func:`bayou.from_sql`.

    What can be counted in the database is, unless a trial on some rows shows that reading the rows is faster:
    ``transport`` is "auto", "cells" (only counts, sums and the values that occur leave) or "rows".
    ``weights`` names the column with the weights of the rows, which is then no column of the data.
    """

    def variable(self, name: Name) -> Variable:
        """Real numbers are continuous, by the type of the column; other values are states, all that occur."""
        if self.is_continuous(name):
            return Variable(name)
        key = ("variable", self.relation.key, self._conditions, self.weights, self._variables, name)
        with self.driver.reading(self.relation):
            axis: Variable = self.driver.remember(key, lambda: self._counted_axis(name))
        if not axis.states:
            raise BadData(
                f"Column {name!r} of {self.label} has no value at all, so its states are unknown. Declare "
                "them (states=…)."
            )
        return axis

    def _counted_axis(self, name: Name) -> Variable:
        """The states of a column, from all its values, counted."""
        cells = self._checked.cells((name,))
        request = CountTable((name,))
        axis: Variable = self._table(cells.table, cells.counts).collect([request])[request].axes[0]
        return axis

    def with_all_states(self, names: Sequence[Name]) -> list[Variable]:
        """The variables of these columns, which have the states of all rows anyway."""
        with self.driver.reading(self.relation):
            return [self.variable(name) for name in names]

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer the requests in the database or from its rows, whichever is faster, all from one state."""
        asked = tuple(dict.fromkeys(requests))
        self._check(asked)
        with self.driver.reading(self.relation):
            choice = self._choice(asked)
            if choice == "rows":
                return self._counted_in_rows(asked)
            if self.transport == "cells":
                check_histograms(self._counted, asked)
            return self._counted_in_cells(asked, grouping_sets=choice == "sets")

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in the codes of these variables; a value that is not a state is an error that names it."""
        self._refuse_rows("Reading rows one by one")
        needed = {variable.name for variable in variables}
        return (table.batch(variables) for table in self.tables(needed))

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results over all rows; distinct rows, counted, where they are few."""
        with self.driver.reading(self.relation):
            if not self._are_few(variables):
                return super().map_batches(kernel, variables)
            cells = self._checked.all_cells([v.name for v in variables if v.name in self._columns])
            batch = self._table(cells.table).batch(variables)
        repeated = self.weights is None
        return kernel(replace(batch, weights=cells.counts.astype(np.float64), repeated=repeated))

    def _are_few(self, variables: Sequence[Variable]) -> bool:
        """Whether the rows of these variables are counted in the database: all are states, and few differ."""
        here = tuple(v.name for v in variables if v.name in self._columns)
        if self.transport == "rows" or not here or any(v.is_continuous for v in variables):
            return False
        if self.transport == "cells":
            return True
        size = prod(slice_sizes(self._counted, [here]).values())
        return size <= MOST_CELLS and size * 8 <= self.driver.size(self.relation)

    def tables(self, needed: Collection[Name] | None = None) -> Iterator[TableSource]:
        """Yield all rows as tables, some at a time, in the order in which the database gives them."""
        self._refuse_rows("Reading rows one by one")
        return self._tables(needed)

    @cached_property
    def first_table(self) -> TableSource:
        """Some rows, which show what the columns look like; with ``transport="cells"`` column by column."""
        columns = list(self._columns.values())
        for column in columns:
            column.require_usable()
        some = first_rows if self.gives_rows else first_values
        with self.driver.reading(self.relation):
            return self._table(some(self._counted, columns))

    def declaring(self, variables: Collection[Variable], declared: Collection[Name] | None) -> DatabaseSource:
        """The same source with these declarations."""
        return self._changed(variables=tuple(variables), declared=declared)

    def restricted(self, cut: Sequence[Variable], only: tuple[Name, State] | None) -> DatabaseSource | None:
        """The same source with numbers cut into ranges, and only the rows with a state in a column."""
        conditions = self._conditions
        if only is not None:
            column, state = self._column(only[0]), only[1]
            plain = state is None or isinstance(state, str | bool) or is_number(state)
            if not plain or self._read_here([column.name]):
                return None
            conditions = (*conditions, OnlyRows(self.driver, column, state))
        others = [v for v in self._variables if v.name not in {each.name for each in cut}]
        return self._changed(variables=(*others, *cut), conditions=conditions)

    def measuring(self, times: Sequence[Name]) -> DatabaseSource:
        """The same source with columns of dates and times as numbers of days."""
        return self._changed(measured=frozenset(times))

    def close(self) -> None:
        """Close the connection, if it was opened for a URL or a file; one of the user stays open."""
        self.driver.close()

    def __enter__(self) -> DatabaseSource:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.label})"

    def _changed(self, **changes: Any) -> DatabaseSource:
        given: dict[str, Any] = {
            "transport": self.transport,
            "variables": self._variables,
            "declared": self._declared,
            "conditions": self._conditions,
            "names": self._wanted,
            "weights": self.weights,
            "measured": self._measured,
            "ignored": self._ignored,
            **changes,
        }
        return DatabaseSource(self.driver, self.relation, **given)

    def _check(self, requests: Sequence[Request]) -> None:
        for request in requests:
            for name in (*request.states, *request.numbers, *request.values):
                self._column(name)

    def _choice(self, requests: Sequence[Request]) -> Choice:
        """How to answer the requests."""
        beyond = next((request for request in requests if not in_cells(request)), None)
        if (
            self.transport == "cells"
            and isinstance(beyond, RowSample)
            and self.gives_sample(beyond.variables)
        ):
            others = [request for request in requests if not isinstance(request, RowSample)]
            return self._choice(others)
        if self.transport == "cells" and beyond is not None:
            self._refuse_rows(f"{type(beyond).__name__} of {', '.join(map(repr, beyond.variables))}")
        if self.transport != "auto":
            return "rows" if self.transport == "rows" else "cells"
        if beyond is not None or self._read_here(numbers_of(requests)):
            return "rows"  # the database has no sums of numbers that are made here
        rows = self._passes.remembered()
        if rows is not None and rows.have(_needed(requests)):
            return "rows"
        return chosen(self._counted, requests, self._trial_rows, 0 if rows is None else rows.memory.most)

    def gives_sample(self, names: Sequence[Name]) -> bool:
        """Whether a sample of rows may be had: with "cells", if they are states and few rows differ."""
        if self.transport != "cells":
            return True
        if any(self.is_continuous(name) for name in names):
            return False
        with self.driver.reading(self.relation):
            return self._counted.distinct_up_to(MOST_DISTINCT + 1, names) <= MOST_DISTINCT

    def _refuse_rows(self, what: str) -> None:
        if self.transport == "cells":
            raise BadData(rows_refused(what, self.relation, self.driver.dialect))

    @cached_property
    def _counted(self) -> Counted:
        cuts = {v.name: v for v in self._variables if v.cuts is not None}
        return Counted(self.driver, self.relation, self._columns, self._conditions, cuts, self._weight_column)

    @property
    def _checked(self) -> Counted:
        """What is counted, after the weights have been checked in this state of the data."""
        if (column := self._weight_column) is not None:
            key = ("weights", self.relation.key, self.weights)
            self.driver.remember(key, lambda: check_weights(self.driver, self.relation, column))
        return self._counted

    def _counted_in_cells(self, requests: Sequence[Request], grouping_sets: bool = False) -> Statistics:
        families = families_of(requests)
        sizes = slice_sizes(self._checked, families)
        cells = counted_cells(self._counted, joined_blocks(families, sizes.__getitem__), grouping_sets)
        made_here = self._read_here(_needed(requests))
        return CellAnswers(self._counted, self._table, cells, made_here).statistics(requests)

    def _counted_in_rows(self, requests: Sequence[Request]) -> Statistics:
        total: Statistics | None = None
        with closing(self._tables(_needed(requests))) as tables:
            for table in tracked(tables, f"Counting {self.label}"):
                total = table.collect_after(total, requests)
        assert total is not None  # there is at least one table, perhaps without rows
        return total

    def _trial_rows(self, requests: Sequence[Request], rows: int) -> None:
        """Answer the requests from some rows, to see how long it takes."""
        with closing(self._tables(_needed(requests), rows)) as tables:
            for table in tables:
                table.collect(requests)

    def _tables(
        self, needed: Collection[Name] | None = None, slice_rows: int | None = None
    ) -> Generator[TableSource]:
        columns = [column for name, column in self._columns.items() if needed is None or name in needed]
        columns = columns or list(self._columns.values())[:1]
        for column in columns:
            column.require_usable()
        first, wanted = 0, [] if self._weight_column is None else [self._weight_column]
        with ExitStack() as stack:
            stack.enter_context(self.driver.reading(self.relation))
            self._spellings(column.name for column in columns)  # before the rows keep the connection busy
            for table in stack.enter_context(closing(self._passes.tables([*columns, *wanted], slice_rows))):
                kept, weights = parted(table, self.weights)
                yield self._table(kept, weights, first)
                first += table.rows

    def _table(self, columns: Columns, weights: Weights | None = None, first_row: int = 0) -> TableSource:
        spelled = with_spelled_texts(columns, self._spellings(columns.names))
        times = [name for name in self._measured if name in spelled]
        spelled = spelled.replaced(dict.fromkeys(times, as_days)) if times else spelled
        table = with_matched_states(discretised(spelled, self._variables, strict=True), self._variables)
        return TableSource(table, weights, self._declared, first_row)


def _needed(requests: Sequence[Request]) -> set[Name]:
    return {name for request in requests for name in (*request.states, *request.numbers, *request.values)}
