"""New rows in the codes that a classifier learned: two more codes stand for 'missing' and 'never seen'."""

from __future__ import annotations

import numpy as np

from bayou.errors import BadQuestion, UnknownState
from bayou.schema import Variable
from bayou.sources import CodedColumn
from bayou.sources.tables.columns import code_type
from bayou.typing import CodeArray


def positions(variable: Variable, column: CodedColumn, unknown: str) -> tuple[CodeArray, int]:
    """The position of each row's state; one past the last is 'missing', two past it 'never seen'.

    With ``unknown="error"`` a value that was never seen is refused, its row named. Also gives how many there
    are.

    >>> colour = Variable("colour", ["blue", "red"])
    >>> positions(colour, CodedColumn(np.array([1, 0, 255, 2], np.uint8), ("red", "blue", "?")), "missing")
    (array([0, 1, 2, 3], dtype=uint8), 1)
    """
    missing, strange = variable.cardinality, variable.cardinality + 1
    kind = code_type(variable.cardinality + 2)
    places = np.full(len(column.labels) + 1, missing, dtype=kind)
    never_seen: list[int] = []
    for code, state in enumerate(column.labels):
        place = variable.find(state)
        places[code] = strange if place is None else place
        if place is None:
            never_seen.append(code)
    result = places[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
    count = int((result == strange).sum()) if never_seen else 0
    if count and unknown == "error":
        row = int(np.flatnonzero(result == strange)[0])
        value = column.labels[int(column.codes[row])]
        raise UnknownState.of(variable.name, value, variable.states, f"in row {row} (counting from 0)")
    return result, count


def check_left_out(unknown: str) -> None:
    """The policies of classifiers that leave a value never seen out, or refuse it."""
    if unknown not in ("missing", "error"):
        raise BadQuestion(f"unknown={unknown!r}: use 'missing' (the cell is left out) or 'error'.")
