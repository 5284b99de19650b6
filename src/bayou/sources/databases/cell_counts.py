"""Counting in the database: GROUP BY over blocks of columns, whose cells are summed to all tables here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from sqlglot import exp

from bayou.errors import TooWide, listed
from bayou.memory import amount_text, available_memory, current_limits
from bayou.schema import Variable
from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.sql_columns import Kind, SqlColumn
from bayou.sources.databases.drivers.statements import (
    Relation,
    Statement,
    column,
    count_rows,
    named,
    selected,
)
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.row_selection import taken_rows
from bayou.sources.weights import Weights, whole_weights
from bayou.typing import Name

MOST_CELLS = 2**12
"""Blocks of columns are joined up to about this many cells: hash tables of this size are fast."""
_BYTES_OF_VALUE = 64
"""About what a value of a cell takes while it is read: an object, its place in the row and in the column."""
_ROWS, _WEIGHT, _SET = "\0rows", "\0weight", "\0set"
_LARGEST_SET = 30
"""The most columns in one statement with grouping sets: GROUPING has a bit for each."""


@dataclass(frozen=True)
class Cells:
    """Combinations of values that occur (NULL included), the weight and the number of rows with each."""

    table: Columns
    counts: Weights
    rows: Weights


@dataclass(frozen=True)
class Counted:
    """What is counted: the rows of a relation that meet the conditions, columns by name, some of them cut.

    ``weights`` is the column with the weights of the rows; without one each row counts once.
    """

    driver: Driver
    relation: Relation
    columns: Mapping[Name, SqlColumn]
    conditions: tuple[Condition, ...] = ()
    cuts: Mapping[Name, Variable] | None = None
    weights: SqlColumn | None = None

    def weight(self) -> exp.Expression:
        """The weight of a row."""
        assert self.weights is not None
        return self.driver.value(self.weights)

    def totals(self) -> list[exp.Expression]:
        """The number of rows, and their weight where rows have weights."""
        weight = [] if self.weights is None else [exp.Sum(this=self.weight())]
        return [count_rows(), *weight]

    def total_columns(self) -> list[SqlColumn]:
        """The columns of :meth:`totals`."""
        kind: Kind = "number" if self.weights is None else self.weights.kind
        return [SqlColumn(_ROWS, "integer"), *([SqlColumn(_WEIGHT, kind)] if self.weights else [])]

    def key(self, name: Name, statement: Statement) -> exp.Expression:
        """The value that rows are grouped by: for a cut column a number that stands for its range."""
        of = self.columns[name]
        of.require_usable()
        value = self.driver.value(of)
        variable = (self.cuts or {}).get(name)
        if variable is None or variable.cuts is None or of.kind not in ("number", "integer"):
            return value
        low, high, points = variable.cuts.low, variable.cuts.high, variable.cuts.points
        case = exp.Case().when(exp.Is(this=value.copy(), expression=exp.null()), exp.null())
        # A value outside the declared range stays itself, so that the error can name it.
        for beyond, bound in ((exp.LT, low), (exp.GT, high)):
            if np.isfinite(bound):
                case = case.when(beyond(this=value.copy(), expression=statement.bound(float(bound))), value)
        for point in points:
            limit = exp.LTE(this=value.copy(), expression=statement.bound(float(point)))
            case = case.when(limit, exp.cast(statement.bound(float(point)), "double"))
        last = high if np.isfinite(high) else np.nextafter(points[-1] if points else max(low, 0.0), np.inf)
        return case.else_(exp.cast(statement.bound(float(last)), "double"))

    def key_column(self, name: Name) -> SqlColumn:
        """The column of the keys."""
        of = self.columns[name]
        return SqlColumn(of.name, "number") if name in (self.cuts or {}) and of.kind == "integer" else of

    def statement(self, names: Sequence[Name], slice_rows: int | None = None) -> Statement:
        """SELECT keys, COUNT(*) … GROUP BY keys."""
        statement = Statement()
        keys = [self.key(name, statement) for name in names]
        where = [condition(statement) for condition in self.conditions]
        totals = [named(total, f"n{k}") for k, total in enumerate(self.totals())]
        expressions = [*(named(key, f"c{k}") for k, key in enumerate(keys)), *totals]
        statement.tree = selected(expressions, where=where, groups=len(keys), slice_rows=slice_rows)
        return statement

    def cells(
        self, names: Sequence[Name], slice_rows: int | None = None, *, most: int | None = None
    ) -> Cells:
        """The cells of one block of columns; with ``most`` no more than so many of them, whichever."""
        result = [*map(self.key_column, names), *self.total_columns()]
        statement = self.statement(names, slice_rows)
        if most is not None:
            assert isinstance(statement.tree, exp.Select)
            statement.tree = statement.tree.limit(most)
        return _cells(self.driver.read(statement, self.relation, result))

    def all_cells(self, names: Sequence[Name]) -> Cells:
        """The cells of one block of columns; an error if they are too many for memory, which are not read."""
        most = max(MOST_CELLS, int(_most_memory() / (_BYTES_OF_VALUE * (len(names) + 2))))
        cells = self.cells(names, most=most + 1)
        if cells.table.rows <= most:
            return cells
        raise TooWide(
            f"{self.relation.label} has more than {most:,} different rows in {listed(names)}: so many do not "
            f"fit into the {amount_text(_most_memory())} that counts of a database may take. Ask for fewer "
            "columns or edges, make values coarser in the query, raise the limit "
            "(with bayou.limits(memory=…)), or leave transport= out, so that rows are read some at a time."
        )

    def distinct_up_to(self, most: int, names: Sequence[Name]) -> int:
        """How many different rows these columns have, counted up to a limit; no row leaves the database."""
        statement = Statement()
        keys = [self.key(name, statement) for name in names]
        where = [condition(statement) for condition in self.conditions]
        rows = selected([named(key, f"c{k}") for k, key in enumerate(keys)], where=where, groups=len(keys))
        inner = exp.Subquery(this=rows.limit(most), alias=exp.TableAlias(this=exp.to_identifier("d")))
        statement.tree = exp.select(count_rows()).from_(inner)
        return int(self.driver.run(statement, self.relation)[0][0])

    def sets_statement(self, blocks: Sequence[Sequence[Name]], slice_rows: int | None = None) -> Statement:
        """The cells of all blocks in one statement, by grouping sets; GROUPING tells the set of a cell."""
        statement = Statement()
        names = _all_names(blocks)
        keys = [named(self.key(name, statement), f"c{k}") for k, name in enumerate(names)]
        where = [condition(statement) for condition in self.conditions]
        weight = [] if self.weights is None else [named(self.weight(), "w")]
        rows = selected([*keys, *weight], where=where, slice_rows=slice_rows)
        places = {name: column(f"c{k}", "g") for k, name in enumerate(names)}
        sets = [exp.Tuple(expressions=[places[name].copy() for name in block]) for block in blocks]
        which = exp.Anonymous(this="GROUPING", expressions=[each.copy() for each in places.values()])
        totals = [count_rows(), *(exp.Sum(this=column("w", "g")) for _ in weight)]
        tree = exp.select(*(place.copy() for place in places.values()), which, *totals)
        tree = tree.from_(exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("g"))))
        statement.tree = tree.group_by(exp.GroupingSets(expressions=sets))
        return statement

    def cells_of_sets(self, blocks: Sequence[Sequence[Name]], slice_rows: int | None = None) -> list[Cells]:
        """The cells of several blocks from one statement."""
        names = _all_names(blocks)
        result = [*map(self.key_column, names), SqlColumn(_SET, "integer"), *self.total_columns()]
        found = self.driver.read(self.sets_statement(blocks, slice_rows), self.relation, result)
        which = found.numbers(_SET).astype(np.int64)
        made = []
        for block in blocks:
            mask = sum(1 << (len(names) - 1 - k) for k, name in enumerate(names) if name not in block)
            rows = np.flatnonzero(which == mask)
            kept = [*block, *(each.name for each in self.total_columns())]
            made.append(_cells(taken_rows(Columns(kept, [found[name] for name in kept], found.rows), rows)))
        return made


def _most_memory() -> float:
    """The bytes that cells may take: a quarter of the memory that is left or allowed."""
    return min(available_memory(), current_limits().memory) / 4


def _cells(found: Columns) -> Cells:
    """A result whose last columns have the numbers and the weights of rows."""
    names = [name for name in found.names if name not in (_ROWS, _WEIGHT)]
    rows = found.numbers(_ROWS).astype(np.int64)
    counts = whole_weights(found.numbers(_WEIGHT)) if _WEIGHT in found.names else rows
    return Cells(Columns(names, [found[name] for name in names], found.rows), counts, rows)


def _all_names(blocks: Sequence[Sequence[Name]]) -> list[Name]:
    return list(dict.fromkeys(name for block in blocks for name in block))


def joined_blocks(
    families: Iterable[tuple[Name, ...]], size: Callable[[Name], int], most: int = MOST_CELLS
) -> list[tuple[Name, ...]]:
    """Return blocks of columns, few of them, so that each family lies in one; larger families stay alone.

    >>> joined_blocks([("y", "a"), ("y", "b"), ("y", "c")], lambda name: 10, most=1000)
    [('y', 'a', 'b'), ('y', 'c')]
    """
    blocks: list[dict[Name, None]] = []
    for family in sorted(dict.fromkeys(families), key=len, reverse=True):
        if any(all(name in block for name in family) for block in blocks):
            continue
        for block in blocks:
            if prod(size(name) for name in {**block, **dict.fromkeys(family)}) <= most:
                block.update(dict.fromkeys(family))
                break
        else:
            blocks.append(dict.fromkeys(family))
    return [tuple(block) for block in blocks]


def set_groups(blocks: Sequence[tuple[Name, ...]]) -> list[list[tuple[Name, ...]]]:
    """Return the blocks in groups whose columns fit into one statement with grouping sets."""
    groups: list[list[tuple[Name, ...]]] = []
    for block in blocks:
        if groups and len(_all_names([*groups[-1], block])) <= _LARGEST_SET:
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups
