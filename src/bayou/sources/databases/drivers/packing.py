"""How columns are packed: the ranges of whole numbers and the lists of texts and times that occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.packed_columns import MOST_BITS, PackedColumn, WholeRange
from bayou.sources.databases.drivers.packed_rows import PackedRows, fields_of
from bayou.sources.databases.drivers.sql_columns import SqlColumn
from bayou.sources.databases.drivers.statements import (
    Relation,
    Statement,
    count_rows,
    count_values,
    selected,
)

MOST_VALUES = 1000
"""The most texts or times of one column that are listed; columns with more are read as they are."""
_LARGEST = 2**62
_TRIAL = 20_000
_NARROW = ("int2", "int4")
_ALL_INT4 = WholeRange(-(2**31), 2**31 - 1)


@dataclass(frozen=True)
class Packing:
    """What is packed: the rows of a relation that meet the conditions, or the first of them."""

    driver: Driver
    relation: Relation
    columns: tuple[SqlColumn, ...]
    conditions: tuple[Condition, ...]
    slice_rows: int | None = None

    def packed_rows(self, guess: bool = False) -> PackedRows | None:
        """How the columns travel; None if one has too many different texts, or too large numbers.

        With ``guess`` the ranges of narrow whole numbers are those of some rows, as finding all would take
        longer than reading them: the rows must be read by the joined statement, which checks them.
        """
        whole = [column for column in self.columns if column.kind == "integer"]
        narrow = [column for column in whole if guess and column.sql_type in _NARROW]
        first = replace(self, slice_rows=_TRIAL)
        key = ("ranges", self.relation.key, self.conditions, tuple(narrow))
        ranges = dict(self.driver.remember(key, lambda: first.ranges(narrow)))
        ranges.update(self.ranges([column for column in whole if column not in narrow]))
        if any(not -_LARGEST < each.low <= each.high < _LARGEST for each in ranges.values()):
            return None
        parts: list[PackedColumn] = []
        for column in self.columns:
            if column.kind == "truth":
                parts.append(PackedColumn(column, 2))
            elif column.kind not in ("integer", "number"):
                values = self._listed(column)
                if values is None:
                    return None
                parts.append(PackedColumn(column, len(values).bit_length() or 1, values=values))
        return self._with_ranges(parts, ranges)

    def widened(self, packed: PackedRows) -> PackedRows:
        """The same with ranges that hold the numbers of these rows, too."""
        whole = [column for column in self.columns if column.kind == "integer"]
        found = self.ranges(whole)
        ranges = {name: packed.ranges[name] | found[name] for name in found}
        parts = [part for field in packed.fields for part in field if part.column.kind != "integer"]
        return self._with_ranges(parts, ranges)

    def _with_ranges(self, others: Sequence[PackedColumn], ranges: dict[str, WholeRange]) -> PackedRows:
        """The columns of whole numbers in these ranges, beside others; wide ones travel alone."""
        parts, known = list(others), dict(ranges)
        for column in self.columns:
            if column.kind != "integer":
                continue
            found = ranges[column.name]
            if found.bits < MOST_BITS:  # one bit more, as 0 stands for NULL
                parts.append(PackedColumn(column, found.bits + 1, found.first - 1, gaps=found.gaps))
            elif column.sql_type in _NARROW:
                known[column.name] = _ALL_INT4
        return PackedRows(self.driver, self.columns, fields_of(parts), known)

    def ranges(self, columns: Sequence[SqlColumn]) -> dict[str, WholeRange]:
        """The range of each of some columns of whole numbers, in one statement."""
        if not columns:
            return {}
        statement = Statement()
        where = [condition(statement) for condition in self.conditions]
        outputs: list[exp.Expression] = [count_rows()]
        for column in columns:
            value = self.driver.value(column)
            outputs += [exp.Min(this=value.copy()), exp.Max(this=value.copy()), count_values(value.copy())]
        statement.tree = selected(outputs, where=where, slice_rows=self.slice_rows)
        rows, *found = (0 if each is None else int(each) for each in self._run(statement)[0])
        triples = zip(found[::3], found[1::3], found[2::3], strict=True)
        return {
            column.name: WholeRange(low, high, seen < rows)
            for column, (low, high, seen) in zip(columns, triples, strict=True)
        }

    def _listed(self, column: SqlColumn) -> tuple[Any, ...] | None:
        """The values of a column that occur, ascending; None if there are too many."""
        trial = Statement()
        distinct = exp.Distinct(expressions=[self.driver.value(column)])
        where = [condition(trial) for condition in self.conditions]
        trial.tree = selected([count_values(distinct)], where=where, slice_rows=_TRIAL)
        if int(self._run(trial)[0][0]) > MOST_VALUES:
            return None
        statement = Statement()
        where = [condition(statement) for condition in self.conditions]
        where.append(exp.Not(this=exp.Is(this=self.driver.value(column), expression=exp.null())))
        tree = selected([self.driver.value(column)], where=where, groups=1, slice_rows=self.slice_rows)
        statement.tree = tree.order_by(exp.Literal.number(1)).limit(MOST_VALUES + 1)
        found = self._run(statement)
        return tuple(row[0] for row in found) if len(found) <= MOST_VALUES else None

    def _run(self, statement: Statement) -> Any:
        return self.driver.run(statement, self.relation)
