"""The layout of a printed probability table."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from bayou.probability.table_algebra import LabelledArray
from bayou.schema.states import label, state_labels
from bayou.text.tables import Bar, Cell, TextTable

_ROUNDING = 1e-14
"""How far an entry may be from the fraction that it is written as."""
_MOST_COLUMNS = 8
"""The last target has a column per state if it has at most this many."""


def printed_table(table: LabelledArray) -> TextTable:
    """Return the table for printing.

    With one axis there is one row per state, with a bar. With several axes the states of the last target are
    columns, if they are few.
    """
    across = table.targets[-1]
    down = [*table.conditions, *(axis for axis in table.targets if axis != across)]
    if not down or table.array.shape[across] > _MOST_COLUMNS:
        return _one_cell_per_row(table, [*down, across])
    variables = table.schema.variables
    numbers = table.array.transpose([*down, across]).reshape(-1, table.array.shape[across])
    heads = product(*(state_labels(variables[axis].states) for axis in down))
    written = _fractions(table)
    rows: list[list[Cell]] = [
        [*head, *(written.get(value, value) for value in map(float, row))]
        for head, row in zip(heads, numbers, strict=True)
    ]
    states = state_labels(variables[across].states)
    if len(table.targets) > 1:
        states = [f"{label(variables[across].name)}={state}" for state in states]
    return TextTable([*(label(variables[axis].name) for axis in down), *states], rows, title=table.title)


def _one_cell_per_row(table: LabelledArray, order: list[int]) -> TextTable:
    variables = [table.schema.variables[axis] for axis in order]
    cells = product(*(state_labels(variable.states) for variable in variables))
    numbers = table.array.transpose(order).ravel().tolist()
    written = _fractions(table)
    rows: list[list[Cell]] = [
        [*cell, written.get(number, number), Bar(number)] for cell, number in zip(cells, numbers, strict=True)
    ]
    return TextTable([*(label(variable.name) for variable in variables), "P", ""], rows, title=table.title)


def _fractions(table: LabelledArray) -> dict[float, str]:
    """Each entry as a fraction, such as 2/3; empty if one is no fraction, or if none is asked for."""
    if not table.largest_denominator:
        return {}
    written: dict[float, str] = {}
    for value in dict.fromkeys(table.array.ravel().tolist()):
        near = Fraction(value).limit_denominator(table.largest_denominator)
        if abs(float(near) - value) > _ROUNDING:
            return {}
        written[value] = str(near)
    return written
