"""Sums of products of deviations from the mean of each group, as one statement.

With c the group's (weighted) mean as the database rounds it, s = Σ w(x − c) and S = Σ w(x − c)(y − c'), the
mean is c + s/n and the scatter S − s s'/n: no digits are lost, however far from zero the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from bayou.errors import BadData, listed
from bayou.sources.databases.cell_counts import Counted
from bayou.sources.databases.drivers.sql_columns import SqlColumn
from bayou.sources.databases.drivers.statements import Statement, column, count_values, named, selected
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import Columns
from bayou.sources.weights import Weights
from bayou.typing import FloatArray, Name

MakeTable = Callable[[Columns, Weights], TableSource]
"""Makes a table of cells or groups, with the user's declarations applied, into a source."""
Term = tuple[int, ...]
"""The positions of the numbers whose deviations are multiplied."""
_MOST_OUTPUTS = 1200
"""PostgreSQL gives at most 1664 columns; wider results come from several statements."""


@dataclass(frozen=True)
class ShiftedSums:
    """What is summed: numbers by the groups of ``keys``, with a sum for each of ``terms``.

    With ``complete``, rows count only if they have all numbers; with ``by_gaps``, rows with gaps at the
    same places are groups of their own.
    """

    counted: Counted
    keys: tuple[Name, ...]
    numbers: tuple[Name, ...]
    terms: tuple[Term, ...]
    complete: bool = False
    by_gaps: bool = False

    def read(self) -> tuple[Columns, FloatArray, FloatArray, FloatArray, FloatArray]:
        """Run it: the groups, their weights, and by column weights and centres; then the sums of the terms.

        The groups are a table that begins with their keys, then tells their gaps. Sums of a group without a
        number are zeros.
        """
        width = _MOST_OUTPUTS - 2 * len(self.numbers)
        parts = [self.terms[k : k + width] for k in range(0, max(1, len(self.terms)), width)]
        found = [self._run(part) for part in parts]
        groups, first = found[0]
        d = len(self.numbers)
        weight, n, centre = first[:, 0], first[:, 1 : 1 + d], first[:, 1 + d : 1 + 2 * d]
        sums = np.concatenate([every[:, 1 + 2 * d :] for _, every in found], axis=1)
        self._refuse_infinite(n, centre, sums)
        return groups, weight, n, np.nan_to_num(centre), np.nan_to_num(sums)

    def _run(self, terms: Sequence[Term]) -> tuple[Columns, FloatArray]:
        counted = self.counted
        outputs = [SqlColumn(f"\0{k}", "number") for k in range(1 + 2 * len(self.numbers) + len(terms))]
        gaps = [SqlColumn(f"\0gap{i}", "integer") for i in range(len(self.numbers) * self.by_gaps)]
        keys = [*map(counted.key_column, self.keys), *gaps]
        found = counted.driver.read(self.statement(terms), counted.relation, [*keys, *outputs])
        return found, np.stack([found.numbers(each.name) for each in outputs], axis=1)

    def statement(self, terms: Sequence[Term]) -> Statement:
        """SELECT groups, n, nᵢ, centres, Σ w(x − c), Σ w(x − c)(y − c') … GROUP BY groups."""
        statement = Statement()
        keys = [f"k{k}" for k in range(len(self.keys))]
        keys += [f"g{i}" for i in range(len(self.numbers) * self.by_gaps)]
        rows = self._rows(statement)
        means = [named(self._mean(i), f"m{i}") for i in range(len(self.numbers))]
        centres = exp.select(*(named(column(key, "a"), key) for key in keys), *means)
        centres = centres.from_(_called(self._rows(statement), "a"))
        if keys:
            centres = centres.group_by(*(column(key, "a") for key in keys))
        weighted = self.counted.weights is not None
        total = exp.Sum(this=column("w", "b")) if weighted else exp.Count(this=exp.Star())
        sizes = [self._size(i, "b") for i in range(len(self.numbers))]
        middles = [exp.Max(this=column(f"m{i}", "c")) for i in range(len(self.numbers))]
        outputs = [*(column(key, "b") for key in keys), total, *sizes, *middles, *map(self._sum, terms)]
        tree = exp.select(*outputs).from_(_called(rows, "b"))
        same = [exp.EQ(this=column(key, "b"), expression=column(key, "c")) for key in keys]
        tree = tree.join(_called(centres, "c"), on=exp.and_(*same) if same else exp.true(), join_type="left")
        if keys:  # in order, so that several statements give the groups alike
            tree = tree.group_by(*(column(key, "b") for key in keys))
            tree = tree.order_by(*(exp.Literal.number(k + 1) for k in range(len(keys))))
        statement.tree = tree
        return statement

    def _rows(self, statement: Statement) -> exp.Expression:
        """The groups, the numbers and the weights of all rows."""
        counted = self.counted
        keys = [counted.key(name, statement) for name in self.keys]
        values = [counted.driver.value(_number(counted.columns[name])) for name in self.numbers]
        numbers = [exp.cast(each.copy(), "double") for each in values]
        needed = [*keys, *(values if self.complete else [])]
        if needed:  # where one of these is missing, so are all numbers
            missing = exp.or_(*map(_is_null, needed))
            numbers = [exp.Case().when(missing.copy(), exp.null()).else_(number) for number in numbers]
        outputs = [*(named(key, f"k{k}") for k, key in enumerate(keys))]
        outputs += [named(number, f"x{i}") for i, number in enumerate(numbers)]
        if self.by_gaps:
            one, zero = exp.Literal.number(1), exp.Literal.number(0)
            outputs += [
                named(exp.Case().when(_is_null(each), one.copy()).else_(zero.copy()), f"g{i}")
                for i, each in enumerate(values)
            ]
        if counted.weights is not None:
            outputs.append(named(exp.cast(counted.weight(), "double"), "w"))
        return selected(outputs, where=[condition(statement) for condition in counted.conditions])

    def _size(self, i: int, table: str) -> exp.Expression:
        """The weight of the rows with a number."""
        if self.counted.weights is None:
            return count_values(column(f"x{i}", table))
        missing = _is_null(column(f"x{i}", table))
        return exp.Sum(this=exp.Case().when(missing, _zero()).else_(column("w", table)))

    def _mean(self, i: int) -> exp.Expression:
        number = column(f"x{i}", "a")
        if self.counted.weights is None:
            return exp.Avg(this=number)
        total = exp.Sum(this=exp.Mul(this=column("w", "a"), expression=number))
        return exp.Div(
            this=total, expression=exp.Nullif(this=self._size(i, "a"), expression=_zero()), typed=True
        )

    def _sum(self, term: Term) -> exp.Expression:
        factors: list[exp.Expression] = [
            exp.Paren(this=exp.Sub(this=column(f"x{i}", "b"), expression=column(f"m{i}", "c"))) for i in term
        ]
        if self.counted.weights is not None:
            factors.append(column("w", "b"))
        product = factors[0]
        for factor in factors[1:]:
            product = exp.Mul(this=product, expression=factor)
        return exp.Sum(this=product)

    def _refuse_infinite(self, n: FloatArray, centre: FloatArray, sums: FloatArray) -> None:
        infinite = np.flatnonzero(((n > 0) & ~np.isfinite(centre)).any(axis=0))
        if len(infinite) or np.isinf(sums).any():
            which = repr(self.numbers[infinite[0]]) if len(infinite) else "one of " + listed(self.numbers)
            raise BadData(
                f"Column {which} has infinite numbers: means and variances need finite numbers. Make such "
                "cells missing (NULL), or declare the column's states."
            )


def _number(of: SqlColumn) -> SqlColumn:
    of.require_usable()
    if of.kind in ("number", "integer"):
        return of
    raise BadData(
        f"The column {of.name!r} must hold numbers, but its SQL type is {of.sql_type or of.kind}. Cast it in "
        "the query, or do not declare it continuous."
    )


def _is_null(value: exp.Expression) -> exp.Expression:
    return exp.Is(this=value.copy(), expression=exp.null())


def _zero() -> exp.Expression:
    return exp.cast(exp.Literal.number(0), "double")


def _called(rows: exp.Expression, name: str) -> exp.Expression:
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(name)))
