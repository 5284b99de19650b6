"""Answers to requests from the cells of blocks of columns: a cell is a row that occurs several times."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from sqlglot import exp

from bayou.codes import is_missing_code
from bayou.errors import BadData
from bayou.sources.databases.cell_counts import Cells, Counted
from bayou.sources.databases.class_moments import class_moments_of
from bayou.sources.databases.drivers.statements import Statement, count_values, selected
from bayou.sources.databases.group_moments import moments_of
from bayou.sources.databases.shifted_sums import MakeTable
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import CodedColumn
from bayou.sources.weights import whole_weights
from bayou.statistics import (
    Counts,
    CountTable,
    DistinctRows,
    GapCounts,
    MissingCounts,
    Moments,
    NumberSummary,
    PairCounts,
    PairTables,
    Request,
    RowSample,
    Statistics,
    ValueHistogram,
    WholeNumbers,
)
from bayou.statistics.matrix.class_moments import MomentsByClass
from bayou.statistics.number_summary import MANY
from bayou.statistics.result import Result
from bayou.typing import Name

Block = tuple[Name, ...]
_COUNTED = (CountTable, PairCounts, DistinctRows, ValueHistogram, NumberSummary)
_IN_CELLS = (*_COUNTED, Moments, MissingCounts)
MOST_DISTINCT = 2**16
"""The most distinct rows of which a sample is made, and the most distinct values of a histogram, under
transport="cells"."""


def in_cells(request: Request) -> bool:
    """Whether a request can be answered from sums and counts that the database makes."""
    if isinstance(request, MomentsByClass):
        return not request.with_sample
    return isinstance(request, _IN_CELLS)


def numbers_of(requests: Sequence[Request]) -> list[Name]:
    """Return the columns whose means and variances are asked for."""
    return [
        name for each in requests if isinstance(each, Moments | MomentsByClass) for name in each.variables
    ]


def families_of(requests: Sequence[Request]) -> list[Block]:
    """Return the sets of columns whose cells are needed."""
    found: dict[Block, None] = {}
    for request in requests:
        if isinstance(request, PairCounts):
            pairs = combinations(request.variables, 2)
            alone = () if len(request.variables) > 1 else request.states
            found.update(dict.fromkeys((*request.given, *pair) for pair in pairs))
            found.update(dict.fromkeys([alone] if alone else []))
        elif isinstance(request, ValueHistogram):
            found[(request.variable, *request.given)] = None
        elif isinstance(request, CountTable | DistinctRows | RowSample) and request.variables:
            found[tuple(dict.fromkeys(request.variables))] = None
    return list(found)


def check_histograms(counted: Counted, requests: Sequence[Request]) -> None:
    """Refuse histograms of columns with very many values: all of them would leave the database."""
    for name in dict.fromkeys(each.variable for each in requests if isinstance(each, ValueHistogram)):
        key = ("values", counted.relation.key, counted.conditions, name, (counted.cuts or {}).get(name))
        most = partial(counted.distinct_up_to, MOST_DISTINCT + 1, (name,))
        if counted.driver.remember(key, most) <= MOST_DISTINCT:
            continue
        raise BadData(
            f"Column {name!r} of {counted.relation.label} has more than {MOST_DISTINCT:,} different values. "
            'Kernel densities and cuts need each of them, counted, and transport="cells" lets no more than '
            f"that leave the database. Round {name!r} in the query (ROUND({name}, 1) AS {name}), use normal "
            'densities (NaiveBayes("gaussian"), GaussianBayes("shared")), or leave transport= out.'
        )


class CellAnswers:
    """Answers requests from the cells of blocks, which are in ``cells``, and from statements of their own.

    Columns in ``made_here`` have texts or times that become numbers or dates here: the database counts what
    it has.
    """

    def __init__(
        self,
        counted: Counted,
        table: MakeTable,
        cells: Mapping[Block, Cells],
        made_here: Collection[Name] = (),
    ) -> None:
        self.counted, self._make, self._cells, self._made_here = counted, table, cells, made_here
        self._tables: dict[Block, TableSource] = {}

    def statistics(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests."""
        gaps = [request for request in requests if isinstance(request, MissingCounts | NumberSummary)]
        names = list(dict.fromkeys(name for each in gaps for name in each.variables))
        rows, weight, values = self._values_of(names)
        found: dict[Request, Result] = {}
        for request in requests:
            if isinstance(request, MissingCounts):
                missing = tuple(rows - values[name] for name in request.variables)
                found[request] = GapCounts(request.variables, rows, missing)
            elif isinstance(request, NumberSummary):
                found[request] = self._summary(request, rows, values[request.variable])
            elif self._made_here and any(name in self._made_here for name in numbers_of([request])):
                found[request] = self._of_made_numbers(request)
            elif isinstance(request, Moments):
                found[request] = moments_of(self.counted, self._make, request)
            elif isinstance(request, MomentsByClass):
                found[request] = class_moments_of(self.counted, self._make, request)
            elif isinstance(request, CountTable) and not request.variables:
                found[request] = Counts((), np.asarray(weight))
            else:
                found[request] = self._counted(request)
        return Statistics(found, weight)

    def _values_of(self, names: Sequence[Name]) -> tuple[int, float, dict[Name, int]]:
        """The number of rows, their weight, and how many values each column has.

        Columns that are in a block are counted from its cells, all others in one statement.
        """
        here = [name for name in names if self._has((name,)) or name in self._made_here]
        values = {name: self._values_in_cells(name) for name in here}
        others = [name for name in names if name not in values]
        if self._cells and not others:
            cells = min(self._cells.values(), key=lambda each: each.table.rows)
            return int(cells.rows.sum()), cells.counts.sum().item(), values
        statement = Statement()
        counts: list[exp.Expression] = [count_values(self.counted.key(name, statement)) for name in others]
        where = [condition(statement) for condition in self.counted.conditions]
        statement.tree = selected([*self.counted.totals(), *counts], where=where)
        found = list(self.counted.driver.run(statement, self.counted.relation)[0])
        rows = weight = int(found.pop(0))
        if self.counted.weights is not None:
            weight = whole_weights(np.array([float(found.pop(0) or 0)]))[0].item()
        return rows, weight, {**values, **dict(zip(others, map(int, found), strict=True))}

    def _values_in_cells(self, name: Name) -> int:
        """How many rows have a value in a column."""
        here = self._has((name,))
        cells = self._cells[self._holder((name,))] if here else self.counted.all_cells((name,))
        column = (
            self._make(cells.table, cells.counts).columns[name]
            if name in self._made_here
            else cells.table[name]
        )
        gaps = is_missing_code(column.codes) if isinstance(column, CodedColumn) else np.isnan(column.values)
        return int(cells.rows[~gaps].sum())

    def _summary(self, request: NumberSummary, rows: int, seen: int) -> WholeNumbers:
        """Whether a column has few whole numbers, and how often each occurs."""
        # One value more than a column with few has, and perhaps NULL: no others leave the database.
        # (Several texts may spell one number: all of them are needed.)
        most = None if request.variable in self._made_here else MANY + 2
        cells = self.counted.cells((request.variable,), most=most)
        values = self._make(cells.table, cells.counts).columns.numbers(request.variable)
        counts = cells.rows
        kept = ~np.isnan(values)
        distinct, place = np.unique(values[kept], return_inverse=True)
        few = len(distinct) <= MANY and bool(np.isfinite(distinct).all() and (distinct % 1 == 0).all())
        sums = np.bincount(place, counts[kept], minlength=len(distinct)).astype(np.int64)
        found = dict(zip(map(int, distinct.tolist()), sums.tolist(), strict=True)) if few else None
        return WholeNumbers(request.variable, found, seen, rows - seen)

    def _of_made_numbers(self, request: Request) -> Result:
        """Means of one column of numbers that are made here, from its values, counted; of several no sums."""
        names = tuple(dict.fromkeys((*request.states, *request.numbers, *request.values)))
        if len(numbers_of([request])) > 1:
            made = next(name for name in numbers_of([request]) if name in self._made_here)
            raise BadData(
                f"Column {made!r} of {self.counted.relation.label} has dates, or numbers as text: the "
                'database cannot sum them with other numbers, as transport="cells" needs. Make it a column '
                "of numbers in the query (days since 1970, CAST(… AS DOUBLE PRECISION)), or leave "
                "transport= out."
            )
        cells = self.counted.all_cells(names)
        answer: Result = self._make(cells.table, cells.counts).collect([request])[request]
        return answer

    def _counted(self, request: Request) -> Result:
        """The answer to a request that counts, from the block that has all its columns, or pair by pair."""
        names = tuple(dict.fromkeys((*request.states, *request.numbers, *request.values)))
        if isinstance(request, PairCounts) and not self._has(names):
            return self._pairs(request)
        answer: Result = self._block(names).collect([request])[request]
        return answer

    def _pairs(self, request: PairCounts) -> PairTables:
        """The tables of all pairs, each from the block that has both columns."""
        tables = [
            self._block(names).collect([asked := CountTable(names)])[asked]
            for names in ((*request.given, *pair) for pair in combinations(request.variables, 2))
        ]
        given = tables[0].axes[: len(request.given)]
        axes = {axis.name: axis for table in tables for axis in table.axes}
        size = int(np.prod([axis.cardinality for axis in given], dtype=np.int64))
        flat = [table.values.reshape(size, -1) for table in tables]
        return PairTables(
            tuple(axes[name] for name in request.variables), given, np.concatenate(flat, axis=1)
        )

    def _has(self, names: Block) -> bool:
        return any(set(names) <= set(block) for block in self._cells)

    def _holder(self, names: Block) -> Block:
        """The smallest block with these columns."""
        holders = [block for block in self._cells if set(names) <= set(block)]
        return min(holders, key=lambda each: self._cells[each].table.rows)

    def _block(self, names: Block) -> TableSource:
        """The cells of the smallest block with these columns, as a table."""
        block = self._holder(names)
        if block not in self._tables:
            cells = self._cells[block]
            self._tables[block] = self._make(cells.table, cells.counts)
        return self._tables[block]
