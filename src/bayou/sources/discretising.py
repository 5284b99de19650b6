"""Columns of discretised variables: each number becomes the code of the interval that contains it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from bayou._native import digitise
from bayou.codes import code_type, in_code_type, is_missing_code, missing_code
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.label_numbers import amounts_in_several_currencies
from bayou.typing import CodeArray, FloatArray, State


def discretised(table: Columns, variables: Iterable[Variable], strict: bool = False) -> Columns:
    """Return the table with the columns of variables that have cuts coded as intervals; others unchanged.

    A value that is in no interval (text, or outside a declared range) stays a label of its own, so that it is
    later treated like any other value that is not a state of its variable; ``strict`` refuses it.

    >>> ages = Columns(["age"], [NumberColumn(np.array([29.5, 30, 61]), integral=False, kind="float")], 3)
    >>> discretised(ages, [Variable("age", cuts=[30, 50])]).coded("age").codes.tolist()
    [0, 0, 2]
    """
    code = _strictly_coded if strict else _coded
    changes = {v.name: partial(code, v) for v in variables if v.cuts is not None and v.name in table}
    return table.replaced(changes) if changes else table


def _coded(variable: Variable, column: Column) -> CodedColumn:
    if isinstance(column, NumberColumn):
        return _numbers(variable, column.values)
    return _labels(variable, column)


def _strictly_coded(variable: Variable, column: Column) -> CodedColumn:
    coded = _coded(variable, column)
    if len(coded.labels) == variable.cardinality:
        return coded
    row = int(np.flatnonzero((coded.codes >= variable.cardinality) & (coded.codes != coded.missing_code))[0])
    value = coded.labels[int(coded.codes[row])]
    raise BadData(
        f"Column {variable.name!r} has the value {value!r} in row {row} (counting from 0), which is "
        f"in none of its intervals: {variable.cuts!r}. Correct it, make it missing, or widen the range."
    )


def _numbers(variable: Variable, values: FloatArray) -> CodedColumn:
    assert variable.cuts is not None
    if not values.flags.aligned or values.strides[0] % values.itemsize:
        values = values.copy()  # a field of a packed record array: the kernel needs aligned values
    codes: CodeArray = digitise(values, np.array(variable.cuts.points, dtype=np.float64))
    if np.isinf([variable.cuts.low, variable.cuts.high]).all():
        return CodedColumn(codes, variable.states, declared=True)
    outside = (values < variable.cuts.low) | (values > variable.cuts.high)
    never_seen, which = np.unique(values[outside], return_inverse=True)
    codes = in_code_type(codes, len(variable.states) + len(never_seen))
    codes[outside] = len(variable.states) + which
    return CodedColumn(codes, (*variable.states, *never_seen.tolist()), declared=True)


def _labels(variable: Variable, column: CodedColumn) -> CodedColumn:
    """Code a column whose labels are numbers or intervals; several labels may fall into one interval."""
    never_seen: list[State] = []
    meanings = []
    amounts = amounts_in_several_currencies(column.labels)
    for label in column.labels:
        code = None if label in amounts else variable.find(label)
        if code is None:
            code = variable.cardinality + len(never_seen)
            never_seen.append(label)
        meanings.append(code)
    kind = code_type(variable.cardinality + len(never_seen))
    table = np.array([*meanings, missing_code(kind)], dtype=kind)
    codes: CodeArray = np.take(table, np.minimum(column.codes, len(meanings)).astype(np.intp))
    seen = np.bincount(codes[~is_missing_code(codes)], minlength=len(variable.states) + len(never_seen))
    if never_seen and not seen[len(variable.states) :].any():
        # Only categories that no row uses are outside the intervals: they are dropped.
        return CodedColumn(in_code_type(codes, variable.cardinality), variable.states, declared=True)
    return CodedColumn(codes, (*variable.states, *never_seen), declared=True)
