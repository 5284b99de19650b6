"""Rows as few 64-bit integers: PostgreSQL packs the codes of many columns into one.

A field that travels costs far more than a few multiplications: twenty columns of four states are one number.
The codes are positions among the values that occur, which the database lists first, or, for small integers,
their distance from the smallest one. That one may be a guess from some rows: then the statement tells
also whether every number was in the range, at the price of one OR a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from bayou._native import unpack_codes
from bayou.codes import code_type, missing_code
from bayou.sources.databases.drivers.driver import Condition, Driver
from bayou.sources.databases.drivers.packed_columns import PackedColumn, WholeRange
from bayou.sources.databases.drivers.sql_columns import SqlColumn, names_of, number_column
from bayou.sources.databases.drivers.statements import Statement, count_rows, named, selected
from bayou.sources.databases.drivers.statements import column as column_of
from bayou.sources.tables.columns import LARGEST_EXACT, CodedColumn, Column, Columns, NumberColumn

_FIELD_BITS = 62


@dataclass(frozen=True)
class PackedRows:
    """How the columns of a statement travel: fields of packed columns, whole numbers and real numbers.

    ``ranges`` has the range of each column of whole numbers.
    """

    driver: Driver
    columns: tuple[SqlColumn, ...]
    fields: tuple[tuple[PackedColumn, ...], ...]
    ranges: dict[str, WholeRange]

    def statement(self, conditions: Sequence[Condition], slice_rows: int | None) -> Statement:
        """SELECT the packed fields, then the columns that travel alone."""
        statement = Statement()
        where = [condition(statement) for condition in conditions]
        statement.tree = selected(self._outputs(statement), where=where, slice_rows=slice_rows)
        return statement

    def joined_statement(self, conditions: Sequence[Condition], slice_rows: int | None = None) -> Statement:
        """SELECT the fields of all rows as one value of bytes, the number of rows, and a check of ranges."""
        statement = Statement()
        where = [condition(statement) for condition in conditions]
        inner = [*self._outputs(statement), *(named(each, f"d{bits}") for bits, each in self._distances())]
        rows = selected(inner, where=where, slice_rows=slice_rows)
        sent = [
            exp.Anonymous(
                this="float8send" if kind == ">f8" else "int8send", expressions=[column_of(f"f{k}", "r")]
            )
            for k, kind in enumerate(self._kinds)
        ]
        row = sent[0]
        for field in sent[1:]:
            row = exp.DPipe(this=row, expression=field)
        joined = exp.Anonymous(this="string_agg", expressions=[row, exp.Literal.string("")])
        checks = [
            exp.Anonymous(this="bit_or", expressions=[column_of(f"d{bits}", "r")])
            for bits, _ in self._distances()
        ]
        called = exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("r")))
        statement.tree = exp.select(joined, count_rows(), *checks).from_(called)
        return statement

    def checked(self, found: Sequence[Any]) -> bytes | None:
        """The bytes of what the joined statement gives; None if a value was not in its range."""
        data, rows, *distances = found
        data = b"" if data is None else bytes(data)
        inside = all(
            distance is None or 0 <= distance < 1 << bits
            for (bits, _), distance in zip(self._distances(), distances, strict=True)
        )
        return data if inside and len(data) == rows * self._plain_row.itemsize else None

    def _outputs(self, statement: Statement) -> list[exp.Expression]:
        outputs = [self._packed(field, statement) for field in self.fields]
        for column in self._alone:
            value = self.driver.value(column)
            instead: exp.Expression = exp.cast(exp.Literal.string("NaN"), "double")
            if column.kind == "integer":
                value = exp.cast(value, "bigint")
                instead = exp.Literal.number(self.ranges[column.name].low - 1)
            outputs.append(exp.Coalesce(this=value, expressions=[instead]))
        return [named(output, f"f{k}") for k, output in enumerate(outputs)]

    def _distances(self) -> list[tuple[int, exp.Expression]]:
        """By their bits, the OR of the distances of all whole numbers of a row from the first ones."""
        found: dict[int, exp.Expression] = {}
        for part in (part for field in self.fields for part in field if part.column.kind == "integer"):
            bits, distance = part.bits - 1, part.distance(self.driver)
            found[bits] = exp.BitwiseOr(this=found[bits], expression=distance) if bits in found else distance
        return sorted(found.items(), key=lambda each: each[0])

    def _packed(self, field: Sequence[PackedColumn], statement: Statement) -> exp.Expression:
        """Σ number · 2^shift as a 64-bit integer by Horner's rule; the last one has the lowest bits."""
        total: exp.Expression = exp.cast(field[0].number(self.driver, statement), "bigint")
        for part in field[1:]:
            shifted = exp.Mul(this=total, expression=exp.Literal.number(1 << part.bits))
            total = exp.Paren(this=exp.Add(this=shifted, expression=part.number(self.driver, statement)))
        return total

    @property
    def _kinds(self) -> list[str]:
        return [">i8"] * len(self.fields) + [">f8" if c.kind == "number" else ">i8" for c in self._alone]

    @property
    def _alone(self) -> list[SqlColumn]:
        packed = {part.column.name for field in self.fields for part in field}
        return [column for column in self.columns if column.name not in packed]

    @property
    def _plain_row(self) -> np.dtype[Any]:
        return np.dtype([(f"f{k}", kind) for k, kind in enumerate(self._kinds)])

    @property
    def copied_row(self) -> np.dtype[Any]:
        """A row of binary COPY: the number of fields, then the length and the bytes of each."""
        fields = [pair for k, kind in enumerate(self._kinds) for pair in ((f"n{k}", ">i4"), (f"f{k}", kind))]
        return np.dtype([("count", ">i2"), *fields])

    def table(self, data: bytes, copied: bool = False) -> Columns:
        """The rows of some bytes: those of COPY, or the fields alone."""
        layout = self.copied_row if copied else self._plain_row
        made = self._unpacked(data, layout)
        rows = np.frombuffer(data, dtype=layout)
        for k, of in enumerate(self._alone, len(self.fields)):
            values = rows[f"f{k}"]
            if of.kind == "number":
                made[of.name] = number_column(values.astype(np.float64))
            else:
                made[of.name] = _whole(values.astype(np.int64), self.ranges[of.name])
        return Columns(names_of(self.columns), [made[each.name] for each in self.columns], len(rows))

    def _unpacked(self, data: bytes, layout: np.dtype[Any]) -> dict[str, Column]:
        """The packed columns, by the kernel."""
        parts, places, offsets = [], [], []
        for k, field in enumerate(self.fields):
            assert layout.fields is not None
            start, shift, offset = layout.fields[f"f{k}"][1], 0, 0
            for part in reversed(field):
                parts.append(part)
                places.append((start, shift, part.bits, part.states))
                offset += part.offset << shift
                shift += part.bits
            offsets += [offset] * len(field)
        if not parts:
            return {}
        cells = np.frombuffer(data, dtype=np.uint8)
        where = np.array(places, dtype=np.int64)
        codes, seen = unpack_codes(cells, layout.itemsize, where, np.array(offsets, dtype=np.int64))
        made = map(PackedColumn.made, parts, codes, seen)
        return {part.column.name: column for part, column in zip(parts, made, strict=True)}


def _whole(numbers: npt.NDArray[np.int64], inside: WholeRange) -> Column:
    """Whole numbers of a wide range; one below the smallest stands for NULL."""
    missing = numbers == inside.low - 1
    if max(abs(inside.low), abs(inside.high)) < LARGEST_EXACT:
        return NumberColumn(np.where(missing, np.nan, numbers.astype(np.float64)), integral=True, kind="int")
    distinct, codes = np.unique(numbers[~missing], return_inverse=True)
    kind = code_type(len(distinct))
    coded = np.full(len(numbers), missing_code(kind), dtype=kind)
    coded[~missing] = codes
    return CodedColumn(coded, tuple(distinct.tolist()))


def fields_of(parts: Sequence[PackedColumn]) -> tuple[tuple[PackedColumn, ...], ...]:
    """The columns in fields of 62 bits, in which even numbers beyond the guessed ranges have room.

    The first column of a field has its highest bits, so that the sum of those after it is their shift.
    """
    fields: list[list[PackedColumn]] = []
    for part in parts:
        if fields and _has_room([*fields[-1], part]):
            fields[-1].append(part)
        else:
            fields.append([part])
    return tuple(map(tuple, fields))


def _has_room(field: Sequence[PackedColumn]) -> bool:
    shift = 0
    for part in reversed(field):
        if shift + part.most_bits > _FIELD_BITS:
            return False
        shift += part.bits
    return True


def stretches(blocks: Iterator[bytes], width: int, batch_rows: int) -> Iterator[bytes]:
    """Yield what binary COPY sends as stretches of about so many whole rows, without its header and trailer.

    >>> header = b"PGCOPY\\n\\xff\\r\\n\\0" + bytes(8)
    >>> list(stretches(iter([header + b"abc", b"defghi", b"jkl\\xff\\xff"]), 3, 2))
    [b'abcdef', b'ghijkl']
    """
    pending, held, header = [], 0, 19
    for block in blocks:
        pending.append(block[header:])
        held += len(pending[-1])
        header = max(0, header - len(block))
        if held >= batch_rows * width + 2:
            data = b"".join(pending)
            whole = min(held // width, batch_rows) * width
            yield data[:whole]
            pending, held = [data[whole:]], held - whole
    data = b"".join(pending)
    rest = (len(data) - 2) // width * width
    if rest > 0:
        yield data[:rest]
