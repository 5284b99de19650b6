"""Why a row that was left out has an infinite loss in cross-validation: what has the probability 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import counted, without_warnings
from bayou.models.network import Network
from bayou.sources import Columns, NumberColumn
from bayou.typing import FloatArray, IntArray, Name, State

SMOOTHED = "Smooth the tables: a prior above 0, such as prior=1, leaves no value without probability."


def infinite_note(
    losses: FloatArray,
    weights: FloatArray | None,
    reasons: Mapping[int, str],
    numbers: IntArray | None = None,
) -> str:
    """Return what a user should know of infinite losses; empty if all are finite.

    ``reasons`` has sentences about some of the rows; ``numbers`` are the rows' numbers in the data, if some
    were left out.

    >>> infinite_note(np.array([0.5, np.inf]), None, {1: "It is a new class."})
    '1 row has the probability 0, so that the loss is infinite: row 1 (counting from 0). It is a new class.'
    """
    infinite = np.isposinf(losses) if weights is None else np.isposinf(losses) & (weights > 0)
    rows = np.flatnonzero(infinite).tolist()
    if not rows:
        return ""
    first = next((row for row in rows if row in reasons), rows[0])
    have, where = ("has", "row") if len(rows) == 1 else ("have", "the first is row")
    number = first if numbers is None else int(numbers[first])
    told = f"{counted(len(rows), 'row')} {have} the probability 0, so that the loss is infinite"
    return f"{told}: {where} {number} (counting from 0). {reasons.get(first, '')}".rstrip()


def impossible_row(network: Network, row: Columns) -> str:
    """Say what in a table of one row has the probability 0 in a network learned from other rows."""
    cells = {name: _value(row, name) for name in row.names if name in network.names}
    found = None
    if set(cells) == set(network.names) and all(value is not None for value in cells.values()):
        with without_warnings():
            terms = network.log_likelihood(row, by="table")
        found = next((name for name, term in terms.items() if np.isneginf(term)), None)
    if found is None:
        given = ", ".join(f"{name}={value!r}" for name, value in cells.items() if value is not None)
        return f"In the other folds its values never occur together ({given}). {SMOOTHED}"
    parents = ", ".join(f"{name}={cells[name]!r}" for name in network.parents(found))
    condition = f" | {parents}" if parents else ""
    return f"Learned from the other folds, P({found}={cells[found]!r}{condition}) = 0. {SMOOTHED}"


def impossible_class(target: Name, label: State, known: bool) -> str:
    """Say why a classifier gives the class of a row the probability 0."""
    if known:
        return f"Learned from the other folds, P({target}={label!r}) = 0 given its features. {SMOOTHED}"
    return (
        f"It is the class {label!r}, of which there is no row in the other folds. Leave out classes of so "
        f"few rows, or declare them (states={{{target!r}: […]}}); bayou.evaluate has scores that stay finite."
    )


def _value(row: Columns, name: Name) -> Any:
    column = row[name]
    if isinstance(column, NumberColumn):
        number = float(column.values[0])
        return None if np.isnan(number) else number
    code = int(column.codes[0])
    return None if code == column.missing_code else column.labels[code]
