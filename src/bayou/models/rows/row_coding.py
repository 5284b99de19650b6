"""Convert a table of new rows to the codes of a network, with a policy for values that are not states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code
from bayou.errors import BadQuestion, UnknownState, listed, warn_user
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, state_key, text_names
from bayou.sources import CodedColumn, Columns, IfPresent, discretised, read_columns
from bayou.sources.batches import cells_of, variable_codes
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name, State

POLICIES = ("error", "missing", "smooth")
"""What to do with values that are not states of the network."""

CodedRows = Batch
"""Rows in the codes of a network; a variable without a column is missing in every row."""


def read_rows(network: FrozenNetwork, data: Any, columns: Sequence[Name] | None) -> Columns:
    """Read the columns of the network's variables from the data; text states are read as text."""
    names = IfPresent(network.schema.names)
    table = read_columns(data, names=names, columns=columns, as_text=text_names(network.schema))
    return discretised(table, network.schema)


def unseen_values(network: FrozenNetwork, table: Columns) -> dict[Name, list[State]]:
    """Return the values in the table that are not states of the network, by variable."""
    unseen: dict[Name, list[State]] = {}
    for variable in network.schema:
        if variable.name in table.names and not variable.is_continuous:
            unknown = [s for s in _used_labels(table.coded(variable.name)) if variable.find(s) is None]
            if unknown:
                unseen[variable.name] = unknown
    return unseen


def _used_labels(column: CodedColumn) -> list[State]:
    """Return the labels that occur; a categorical column may declare more, as do columns of truth values."""
    used = np.bincount(column.codes[~is_missing_code(column.codes)], minlength=1)
    return [label for code, label in enumerate(column.labels) if code < len(used) and used[code]]


def never_seen_cells(network: FrozenNetwork, table: Columns) -> dict[Name, npt.NDArray[np.bool_]]:
    """Return for each variable with unseen values a mask of the rows that have one."""
    cells = {}
    for name, values in unseen_values(network, table).items():
        column = table.coded(name)
        unseen = {state_key(value) for value in values}
        codes = [code for code, state in enumerate(column.labels) if state_key(state) in unseen]
        cells[name] = np.isin(column.codes, codes)
    return cells


def code_rows(
    network: FrozenNetwork,
    table: Columns,
    unknown: str,
    warn: bool = True,
    choices: str = "'error', 'missing' or 'smooth'",
) -> CodedRows:
    """Convert rows to codes; unseen values raise or become missing, with one warning that counts them.

    ``choices`` are the policies that the warning names.
    """
    check_policy(unknown)
    unseen: dict[Name, int] = {}

    def codes_of(variable: Variable) -> CodeArray:
        found, unseen[variable.name] = _recoded(variable, table.coded(variable.name), unknown)
        return found

    def numbers_of(name: Name) -> FloatArray:
        found, unseen[name] = _numbers(network.schema[name], table, unknown)
        return found

    codes, numbers = cells_of(table, network.schema, codes_of, numbers_of)
    unseen = {name: count for name, count in unseen.items() if count}
    if unseen and warn:
        counts = ", ".join(f"{count} in {name!r}" for name, count in unseen.items())
        warn_user(
            f"Values that the network has never seen count as missing: {counts}. "
            f"Choose with unknown={choices}."
        )
    return CodedRows(table.rows, codes, numbers)


def check_policy(unknown: str) -> None:
    """Raise if ``unknown`` is not one of the policies."""
    if unknown not in POLICIES:
        raise BadQuestion(f"unknown={unknown!r}: the policies are {listed(POLICIES)}.")


def texts_among_numbers(network: FrozenNetwork, table: Columns, unknown: str) -> dict[Name, int]:
    """Return how many cells of continuous variables have a text that is no number; "error" refuses them."""
    given = [v for v in network.schema if v.is_continuous and not v.is_text and v.name in table.names]
    counts = {variable.name: _numbers(variable, table, unknown)[1] for variable in given}
    return {name: count for name, count in counts.items() if count}


def _numbers(variable: Variable, table: Columns, unknown: str) -> tuple[FloatArray, int]:
    """Return a column of numbers, and the number of cells with texts that are no numbers."""
    if unknown == "error":
        return table.numbers(variable.name), 0
    return table.seen_numbers(variable.name)


def _recoded(variable: Variable, column: CodedColumn, unknown: str) -> tuple[CodeArray, int]:
    """Return a column in the codes of the variable, and the number of cells with unseen values."""
    codes, never_seen = variable_codes(variable, column)
    if len(never_seen) and unknown == "error":
        row = int(never_seen[0])
        value = column.labels[int(column.codes[row])]
        raise UnknownState.of(variable.name, value, variable.states, f"in row {row} (counting from 0)")
    return codes, len(never_seen)
