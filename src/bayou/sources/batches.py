"""Rows of a table in the codes of given variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from bayou.codes import code_type, coded_texts, is_missing_code, missing_code
from bayou.errors import BadData, listed
from bayou.schema import Variable
from bayou.sources.tables.columns import CodedColumn, Column, Columns, NumberColumn
from bayou.sources.tables.label_numbers import amounts_in_several_currencies
from bayou.sources.weights import Weights
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, IntArray, Name, State


def coded_batch(
    table: Columns, variables: Iterable[Variable], weights: Weights | None = None, first: int = 0
) -> Batch:
    """Return all rows of a table as a batch, in the codes of these variables.

    ``first`` is the number of the first row in the data, for messages. A variable without a column is missing
    in every row. A value that is not a state of its variable is an error that names it.

    >>> from bayou.sources import read_columns
    >>> table = read_columns({"A": ["y", None]})
    >>> batch = coded_batch(table, [Variable("A", ["n", "y"]), Variable("H", [0, 1])])
    >>> batch.codes["A"].tolist(), batch.codes["H"].tolist()
    ([1, 255], [255, 255])
    """

    def codes_of(variable: Variable) -> CodeArray:
        return declared_codes(variable, table.coded(variable.name), lambda row: first + row)

    codes, numbers = cells_of(table, variables, codes_of, table.numbers)
    return Batch(table.rows, codes, numbers, None if weights is None else weights.astype(np.float64), first)


def cells_of(
    table: Columns,
    variables: Iterable[Variable],
    codes_of: Callable[[Variable], CodeArray],
    numbers_of: Callable[[Name], FloatArray],
) -> tuple[dict[Name, CodeArray], dict[Name, FloatArray]]:
    """The codes and the numbers of a table by the kinds of the variables; those without a column are missing.

    ``codes_of`` reads the column of a variable with states, ``numbers_of`` a column of numbers.
    """
    codes: dict[Name, CodeArray] = {}
    numbers: dict[Name, FloatArray] = {}
    for variable in variables:
        name = variable.name
        if name not in table:
            code_missing(variable, table.rows, codes, numbers)
        elif variable.is_text:
            numbers[name] = table.texts(name)
        elif variable.is_continuous:
            numbers[name] = np.asarray(numbers_of(name), dtype=np.float64)
        else:
            codes[name] = codes_of(variable)
    return codes, numbers


def columns_of(batch: Batch, variables: Sequence[Variable]) -> Columns:
    """Return coded rows as a table; every column declares all states of its variable, even unused ones.

    >>> from bayou.sources import read_columns
    >>> answers = Variable("A", ["n", "y"])
    >>> columns_of(coded_batch(read_columns({"A": ["y", "y"]}), [answers]), [answers]).coded("A").labels
    ('n', 'y')
    """

    def column(variable: Variable) -> Column:
        if variable.is_text:
            return CodedColumn(*coded_texts(batch.numbers[variable.name].tolist()))
        if variable.is_continuous:
            return NumberColumn(batch.numbers[variable.name], integral=False, kind="float")
        return CodedColumn(batch.codes[variable.name], variable.states, variable.ordered, declared=True)

    return Columns([v.name for v in variables], [column(variable) for variable in variables], batch.rows)


def code_missing(
    variable: Variable, rows: int, codes: dict[Name, CodeArray], numbers: dict[Name, FloatArray]
) -> None:
    """Add a column of missing values, for a variable that the data do not have, to codes or numbers."""
    if variable.is_continuous:
        numbers[variable.name] = np.full(rows, None if variable.is_text else np.nan)
    else:
        kind = code_type(variable.cardinality)
        codes[variable.name] = np.full(rows, missing_code(kind), dtype=kind)


def variable_codes(variable: Variable, column: CodedColumn) -> tuple[CodeArray, IntArray]:
    """Return the column in the variable's codes, and the rows whose value is not one of its states.

    Those rows get the missing code.
    """
    kind = code_type(variable.cardinality)
    if column.codes.dtype == kind and Variable(variable.name, column.labels).same_states(variable):
        return column.codes, np.empty(0, dtype=np.int64)
    places = np.full(len(column.labels) + 1, missing_code(kind), dtype=kind)
    never_seen = []
    amounts = amounts_in_several_currencies(column.labels) if variable.cuts is not None else frozenset()
    for code, state in enumerate(column.labels):
        place = None if state in amounts else variable.find(state)
        if place is None:
            never_seen.append(code)
        else:
            places[code] = place
    codes = places[np.where(is_missing_code(column.codes), len(column.labels), column.codes)]
    rows = np.flatnonzero(np.isin(column.codes, never_seen)) if never_seen else np.empty(0, dtype=np.int64)
    return codes, rows.astype(np.int64)


def declared_codes(variable: Variable, column: CodedColumn, number: Callable[[int], int]) -> CodeArray:
    """The column in the variable's codes; other values are an error. ``number`` tells that of a row."""
    codes, rows = variable_codes(variable, column)
    if not len(rows):
        return codes
    unknown: dict[State, None] = dict.fromkeys(column.labels[code] for code in np.unique(column.codes[rows]))
    raise BadData(
        f"The data have values of {variable.name!r} that are not among its declared states: "
        f"{listed(unknown)} (first in row {number(int(rows[0]))}, counting from 0). "
        f"Declared: {listed(variable.states)}. Declare them too, or clean the data."
    )
