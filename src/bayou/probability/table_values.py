"""Read the numbers of a probability table from user input, and check them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from bayou.errors import BadTable, TooWide
from bayou.schema import Schema, Variable, labelled
from bayou.schema.states import label, state_key
from bayou.typing import FloatArray, Name, State

_ROW_TOLERANCE = 1e-9
"""How far the sum of a row may be from 1, times the number of its entries."""
_EXACT = 1e-13
"""Rows whose sum is this close to 1 are not rescaled, so that their entries keep the digits given."""
_MOST_ENTRIES = 50_000_000


def axis_schema(axes: Mapping[Any, Iterable[State]] | Iterable[Variable]) -> Schema:
    """Return the axes of a table as variables with states."""
    if isinstance(axes, Mapping):
        variables = [Variable(name, _states(name, states)) for name, states in axes.items()]
    else:
        variables = _only_variables(axes)
    for variable in variables:
        if variable.is_continuous:
            raise BadTable(
                f"The axis {variable.name!r} has no states; a table needs them: {{name: [state, …]}}."
            )
    if not variables:
        raise BadTable("A probability table needs at least one axis: {name: [state, …]}.")
    return Schema(variables)


def _only_variables(axes: Any) -> list[Variable]:
    found = list(axes) if isinstance(axes, Iterable) else [axes]
    for axis in found:
        if not isinstance(axis, Variable):
            raise BadTable(f"The axes must be {{name: [state, …]}} or Variables; got {axis!r}.")
    return found


def _states(name: Name, states: Any) -> list[State]:
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise BadTable(f"The states of {name!r} must be a list, not {states!r}.")
    return list(states)


def read_values(schema: Schema, values: Any, title: str) -> FloatArray:
    """Return the entries as an array.

    ``values`` are numbers in the order of the axes, or a mapping from states (or tuples of them) to numbers.
    """
    shape = tuple(variable.cardinality for variable in schema)
    values = labelled(values) if len(schema) == 1 else values
    if isinstance(values, Mapping):
        values = _from_mapping(schema, values, title)
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadTable(f"{title}: the entries are not numbers in {_shape_text(schema)}.") from None
    if array.shape != shape:
        raise BadTable(f"{title}: expected {_shape_text(schema)}, got the shape {array.shape}.")
    return array


def _shape_text(schema: Schema) -> str:
    return " × ".join(f"{variable.cardinality} ({label(variable.name)})" for variable in schema)


def _from_mapping(schema: Schema, values: Mapping[Any, Any], title: str) -> FloatArray:
    """Return the entries of a mapping; raise if one is missing or given twice."""
    check_size([variable.cardinality for variable in schema], title)
    array = np.full([variable.cardinality for variable in schema], np.nan)
    for key, value in values.items():
        states = _key_states(schema, key, title)
        place = tuple(variable.code(state) for variable, state in zip(schema, states, strict=True))
        if not np.isnan(array[place]):
            raise BadTable(f"{title}: the entry for {key!r} is given twice.")
        array[place] = stated_number(value, f"{title}: the entry for {key!r}")
    absent = np.argwhere(np.isnan(array))
    if len(absent):
        cell = cell_text(schema, absent[0])
        raise BadTable(f"{title}: no entry for {cell} ({len(absent)} missing); add it, 0 if impossible.")
    return array


def _key_states(schema: Schema, key: Any, title: str) -> Sequence[State]:
    """Return the states in a key, one per axis; with one axis the key is the state itself."""
    if len(schema) == 1:
        only = schema.variables[0]
        wrapped = isinstance(key, tuple) and len(key) == 1 and only.find(key) is None
        return key if wrapped else (key,)
    if not isinstance(key, tuple) or len(key) != len(schema):
        names = ", ".join(label(variable.name) for variable in schema)
        raise BadTable(f"{title}: the key {key!r} must be a tuple with one state each of: {names}.")
    return key


def stated_number(value: Any, where: str) -> float:
    """Return a given probability or likelihood as a float; it must be finite and not negative."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadTable(f"{where} is {value!r}, which is not a number.") from None
    if isinstance(value, str) or not np.isfinite(number) or number < 0:
        raise BadTable(f"{where} is {value!r}; it must be a finite number, 0 or more.")
    return number


def checked_rows(
    array: FloatArray, schema: Schema, conditions: Sequence[int], title: str, normalise: bool
) -> FloatArray:
    """Return the array with every row summing to 1.

    Rounding errors are corrected; larger deviations raise unless ``normalise`` is true.
    """
    _refuse_bad_entries(array, schema, title)
    targets = tuple(axis for axis in range(array.ndim) if axis not in conditions)
    sums = array.sum(axis=targets, keepdims=True)
    row_size = array.size // sums.size
    off = np.abs(sums - 1)
    bad = (sums <= 0) if normalise else (off > _ROW_TOLERANCE * row_size)
    if bad.any():
        place = np.argwhere(bad)[0] if normalise else np.unravel_index(int(off.argmax()), off.shape)
        row = cell_text(schema, place, conditions)
        where = f"the row {row} sums" if row else "the entries sum"
        total = float(sums[tuple(place)])
        remedy = (
            "so it cannot be normalised."
            if normalise
            else ("not 1. Correct it, or have it divided by its sum: ProbabilityTable(…, normalise=True).")
        )
        raise BadTable(f"{title}: {where} to {total:.12g}, {remedy}")
    # A row that sums to 1 keeps its digits; adding 0 turns -0 into 0.
    scaled: FloatArray = array / np.where(off > _EXACT, sums, 1.0) + 0.0
    return scaled


def _refuse_bad_entries(array: FloatArray, schema: Schema, title: str) -> None:
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        place = np.argwhere(bad)[0]
        value = float(array[tuple(place)])
        cell = cell_text(schema, place)
        raise BadTable(f"{title}: the entry for {cell} is {value}; it must be a finite number, 0 or more.")


def cell_text(schema: Schema, place: Iterable[Any], axes: Sequence[int] | None = None) -> str:
    """Describe a cell of the array by names and states.

    >>> cell_text(axis_schema({"weather": ["sun", "rain"]}), [1])
    "weather = 'rain'"
    """
    return ", ".join(
        f"{label(variable.name)} = {variable.states[int(code)]!r}"
        for axis, (variable, code) in enumerate(zip(schema, place, strict=True))
        if axes is None or axis in axes
    )


def check_size(shape: Sequence[int], title: str) -> None:
    """Raise, before anything is allocated, if a table would have too many entries."""
    entries = 1
    for card in shape:
        entries *= card
    if entries > _MOST_ENTRIES:
        raise TooWide(
            f"{title} would have {entries:,} entries (the most is {_MOST_ENTRIES:,}). "
            "Use a bayou.Network instead: it never builds the whole joint table."
        )


def state_tuples(schema: Schema) -> Iterator[tuple[State, ...]]:
    """Iterate over all combinations of states, in the order of the array."""
    return product(*(variable.states for variable in schema))


def conditional_cells(
    target: Name, rows: Mapping[Any, Mapping[Any, Any]], given: Any
) -> tuple[dict[Any, list[State]], dict[Any, Any]]:
    """Return the axes (the target last) and the cells of {given states: {state: probability}}."""
    names = list(given) if isinstance(given, list) else [given]
    if isinstance(given, tuple) and all(isinstance(key, tuple) and len(key) == len(given) for key in rows):
        names = list(given)
    title = f"P({label(target)} | {', '.join(label(name) for name in names)})"
    columns: list[list[State]] = [[] for _ in (*names, target)]
    cells = {}
    for key, row in rows.items():
        states = key if len(names) > 1 else (key,)
        if not isinstance(states, tuple) or len(states) != len(names) or not isinstance(row, Mapping):
            raise BadTable(
                f"{title}: the row {key!r} must map a state of each condition to {{state: probability}}."
            )
        for state, value in row.items():
            cells[(*states, state)] = value
            for column, entry in zip(columns, (*states, state), strict=True):
                column.append(entry)
    axes = zip((*names, target), columns, strict=True)
    return {name: _distinct(column) for name, column in axes}, cells


def _distinct(states: Iterable[State]) -> list[State]:
    """Return the distinct states in order; 1 and True are different states."""
    seen: dict[Any, State] = {}
    for state in states:
        seen.setdefault(state_key(state), state)
    return list(seen.values())
