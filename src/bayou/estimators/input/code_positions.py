"""New rows in the codes of the training rows: two more codes stand for 'missing' and 'never seen'."""

from __future__ import annotations

import numpy as np

from bayou.codes import code_type
from bayou.errors import BadQuestion, UnknownState
from bayou.schema import Variable
from bayou.sources import CodedColumn
from bayou.sources.tables.label_numbers import amounts_in_several_currencies
from bayou.typing import CodeArray, State


def state_positions(variable: Variable, column: CodedColumn, unknown: str) -> tuple[CodeArray, int]:
    """Return the position of each row's state among the variable's, and the number of unseen values.

    The position ``cardinality`` means 'missing', ``cardinality + 1`` 'never seen in training'. With
    ``unknown="error"`` an unseen value raises an error that names its row.

    >>> colour = Variable("colour", ["blue", "red"])
    >>> column = CodedColumn(np.array([1, 0, 255, 2], np.uint8), ("red", "blue", "?"))
    >>> state_positions(colour, column, "missing")
    (array([0, 1, 2, 3], dtype=uint8), 1)
    """
    missing, unseen = variable.cardinality, variable.cardinality + 1
    kind = code_type(variable.cardinality + 2)
    places = np.full(len(column.labels) + 1, missing, dtype=kind)
    any_unseen = False
    amounts = amounts_in_several_currencies(column.labels) if variable.cuts is not None else frozenset()
    for code, state in enumerate(column.labels):
        place = None if state in amounts else _found(variable, state)
        places[code] = unseen if place is None else place
        any_unseen = any_unseen or place is None
    result = places[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    count = int((result == unseen).sum()) if any_unseen else 0
    if count and unknown == "error":
        row = int(np.flatnonzero(result == unseen)[0])
        value = column.labels[int(column.codes[row])]
        raise UnknownState.of(variable.name, value, variable.states, f"in row {row} (counting from 0)")
    return result, count


def position(variable: Variable, value: State, unknown: str) -> int | None:
    """Return the position of one plain value; None if only :func:`state_positions` can code or refuse it."""
    if value is None or value != value:
        return variable.cardinality
    if variable.cuts is not None and type(value) not in (int, float):
        return None
    place = _found(variable, value)
    if place is not None:
        return place
    # Numbers outside of all ranges, and values to be refused, are left to `positions`.
    return None if unknown == "error" or variable.cuts is not None else variable.cardinality + 1


def _found(variable: Variable, state: State) -> int | None:
    """The code of a state; an integer too long for a float is the nearest float, as in learning from values.

    >>> _found(Variable("id", [5, 2**60], ordered=True), 2**60 + 1)
    1
    """
    place = variable.find(state)
    if place is None and variable.ordered and type(state) is int and 2**53 < abs(state) < 2**1023:
        return variable.find(float(state))
    return place


def check_left_out(unknown: str) -> None:
    """Check ``unknown=`` of classifiers that either leave out an unseen value or refuse it."""
    if unknown not in ("missing", "error"):
        raise BadQuestion(f"unknown={unknown!r}: use 'missing' (the cell is left out) or 'error'.")
