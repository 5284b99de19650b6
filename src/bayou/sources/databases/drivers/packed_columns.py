"""One column among the codes that are packed into a 64-bit number: its place, its expression, its values."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from bayou.sources.databases.drivers.driver import Driver
from bayou.sources.databases.drivers.sql_columns import SqlColumn, as_text
from bayou.sources.databases.drivers.statements import Statement
from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, FewNumbers
from bayou.statistics.coded_numbers import CodedNumbers
from bayou.typing import CodeArray, State

MOST_BITS = 16
"""The most bits of a code; whole numbers of a wider range travel alone."""
_ARRAYS = {"date": "date", "time": "time", "timestamp": "timestamp", "timestamptz": "timestamptz"}
_TYPE_BITS = {"int2": 16, "int4": 32}


@dataclass(frozen=True)
class WholeRange:
    """The smallest and the largest of some whole numbers, and whether some of them are missing."""

    low: int
    high: int
    gaps: bool = True

    def __or__(self, other: WholeRange) -> WholeRange:
        return WholeRange(min(self.low, other.low), max(self.high, other.high), self.gaps or other.gaps)

    @property
    def first(self) -> int:
        """Where codes begin: 0 where that costs no more than one bit, as nothing is then subtracted."""
        return 0 if 0 <= self.low <= self.high - self.low else self.low

    @property
    def bits(self) -> int:
        """The bits of a number's distance from the first one."""
        return max(1, (self.high - self.first).bit_length())


@dataclass(frozen=True)
class PackedColumn:
    """A column as codes of ``bits`` bits; 0 stands for NULL.

    The code k stands for the whole number k + ``offset``, for the truth value k - 1, or for the k-th of
    ``values``. Without ``gaps`` NULL makes the whole number NULL, which whoever reads it must notice.
    """

    column: SqlColumn
    bits: int
    offset: int = 0
    values: tuple[Any, ...] = ()
    gaps: bool = True

    @property
    def most_bits(self) -> int:
        """The bits of the largest number that can stand here, should a number be beyond the range."""
        return max(self.bits, _TYPE_BITS.get(self.column.sql_type, 0))

    @property
    def states(self) -> int:
        """How many values the codes stand for; 0 for whole numbers, of which those that occur count."""
        return {"truth": 2, "integer": 0}.get(self.column.kind, len(self.values))

    def number(self, driver: Driver, statement: Statement) -> exp.Expression:
        """The expression for code + offset."""
        value = driver.value(self.column)
        if self.column.kind == "integer":
            return self._whole(value, self.offset)
        if self.column.kind == "truth":
            place: exp.Expression = exp.Add(this=exp.cast(value, "int"), expression=exp.Literal.number(1))
        else:
            kind = _ARRAYS.get(self.column.sql_type, "text")
            listed = exp.cast(statement.bound(self._texts_or_times()), f"{kind}[]", dialect="postgres")
            place = exp.Anonymous(this="width_bucket", expressions=[value, listed])
        return exp.Coalesce(this=place, expressions=[exp.Literal.number(0)])

    def distance(self, driver: Driver) -> exp.Expression:
        """The expression for a whole number's distance from the first one; 0 for NULL."""
        first = self.offset + 1
        whole = self._whole(driver.value(self.column), first)
        if not first:
            return whole
        return exp.Paren(this=exp.Sub(this=exp.cast(whole, "bigint"), expression=exp.Literal.number(first)))

    def _whole(self, value: exp.Expression, instead: int) -> exp.Expression:
        if self.column.sql_type not in _TYPE_BITS:
            value = exp.cast(value, "bigint")
        if not self.gaps:
            return value
        stand_in: exp.Expression = exp.Literal.number(instead)
        if self.column.sql_type == "int2" and abs(instead) < 2**15:  # else all would become wider
            stand_in = exp.cast(stand_in, "smallint")
        return exp.Coalesce(this=value, expressions=[stand_in])

    def made(self, codes: CodeArray, seen: npt.NDArray[np.int64]) -> Column:
        """The column of these codes; of whole numbers ``seen`` tells which they stand for."""
        if self.column.kind == "integer":
            whole = seen + self.offset
            if abs(self.offset) + (1 << self.bits) >= LARGEST_EXACT:  # floats would make two of them one
                return CodedColumn(codes, tuple(whole.tolist()))
            return FewNumbers(CodedNumbers(codes, whole.astype(np.float64)))
        return CodedColumn(codes, (False, True) if self.column.kind == "truth" else self._labels())

    def _texts_or_times(self) -> list[Any]:
        return list(map(as_text, self.values)) if self.column.kind == "text" else list(self.values)

    def _labels(self) -> tuple[State, ...]:
        if self.column.kind == "text":
            return tuple(map(as_text, self.values))
        if self.column.kind != "zoned time":
            return self.values
        return tuple(value.astimezone(datetime.timezone.utc) for value in self.values)
