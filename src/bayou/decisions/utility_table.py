"""What each action is worth in each state: utilities or costs in any form as one matrix."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.decisions.beliefs import class_names
from bayou.errors import BadQuestion, BadTable, listed
from bayou.schema import label, plain, state_key
from bayou.typing import FloatArray, State

REJECT = "reject"
"""What the action is called that leaves the case to somebody else."""


@dataclass(frozen=True)
class UtilityTable:
    """Utilities, actions × states; where costs were given they are stored with their sign turned."""

    actions: tuple[State, ...]
    values: FloatArray
    as_costs: bool


def utility_table(
    states: Sequence[State],
    utilities: Any = None,
    costs: Any = None,
    reject: Any = None,
    actions: Iterable[State] | None = None,
) -> UtilityTable:
    """Read utilities or costs for these states.

    >>> utility_table(["ill", "well"], costs={"treat": {"ill": 1, "well": 2}}, reject=0.5).values.tolist()
    [[-1.0, -2.0], [-0.5, -0.5]]
    """
    if utilities is not None and costs is not None:
        raise BadQuestion("Give utilities or costs=, not both.")
    as_costs = costs is not None
    given = costs if as_costs else utilities
    names, rows = _right_or_wrong(states) if given is None else _actions_and_rows(given, states, actions)
    if reject is not None:
        if state_key(REJECT) in {state_key(name) for name in names}:
            raise BadQuestion(f"There is an action {REJECT!r} already; leave reject= out, or rename it.")
        names = (*names, REJECT)
        rows = np.vstack([rows, _row(REJECT, reject, states)])
    values = -rows if as_costs else rows
    _check(names, states, values, "cost" if as_costs else "utility")
    return UtilityTable(names, values, as_costs)


def _right_or_wrong(states: Sequence[State]) -> tuple[tuple[State, ...], FloatArray]:
    """To name the state: worth 1 when right and 0 when wrong."""
    return tuple(states), np.eye(len(states))


def _actions_and_rows(
    given: Any, states: Sequence[State], actions: Iterable[State] | None
) -> tuple[tuple[State, ...], FloatArray]:
    if hasattr(given, "columns"):
        columns, rows = class_names(given.columns), np.asarray(given, dtype=object)
        named = getattr(given, "index", range(len(rows)) if actions is None else actions)
        given = {
            action: dict(zip(columns, row, strict=True))
            for action, row in zip(class_names(named), rows, strict=True)
        }
        actions = None
    if isinstance(given, Mapping):
        if actions is not None:
            raise BadQuestion("actions= names the rows of an array; these utilities have names of their own.")
        if not given:
            raise BadTable("There are no actions to choose from.")
        return class_names(given), np.stack([_row(action, row, states) for action, row in given.items()])
    return _from_array(given, states, actions)


def _from_array(
    given: Any, states: Sequence[State], actions: Iterable[State] | None
) -> tuple[tuple[State, ...], FloatArray]:
    try:
        rows = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(
            "Utilities are {action: {state: number}}, a DataFrame (actions × states) or an array; "
            f"got a {type(given).__name__}."
        ) from None
    if rows.ndim != 2 or rows.shape[1] != len(states) or not len(rows):
        raise BadTable(
            f"An array of utilities has a row an action and a column a state ({listed(states)}); its shape "
            f"is {rows.shape}."
        )
    if actions is None:
        # A square table mostly says what it is worth to name each state.
        named = tuple(states) if len(rows) == len(states) else tuple(range(len(rows)))
    else:
        named = class_names(actions)
    if len(named) != len(rows):
        raise BadTable(f"actions= names {len(named)} actions and the array has {len(rows)} rows.")
    return named, rows


def _row(action: State, row: Any, states: Sequence[State]) -> FloatArray:
    """One action's number for each state; a single number means the same in all of them."""
    if isinstance(row, Mapping) or hasattr(row, "to_dict"):
        entries = dict(row if isinstance(row, Mapping) else row.to_dict())
        known = {state_key(plain(state)): value for state, value in entries.items()}
        wanted = {state_key(state): state for state in states}
        for key, state in wanted.items():
            if key not in known:
                raise BadTable(f"The action {action!r} has no number for the state {state!r}.")
        for state in entries:
            if state_key(plain(state)) not in wanted:
                raise BadTable(
                    f"The action {action!r} has a number for {state!r}, which is no state of the posterior: "
                    f"{listed(states)}."
                )
        return np.array([_number(known[state_key(s)], action, s) for s in states], dtype=np.float64)
    if isinstance(row, numbers.Real):
        return np.full(len(states), float(row))
    cells = list(row) if hasattr(row, "__iter__") and not isinstance(row, str) else None
    if cells is None or len(cells) != len(states):
        raise BadTable(
            f"The action {action!r} needs a number for each of {listed(states)}, by name or in this order."
        )
    return np.array([_number(cell, action, s) for cell, s in zip(cells, states, strict=True)])


def _number(value: Any, action: State, state: State) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_):
        return float(value)
    raise BadTable(f"The action {action!r} in the state {state!r} has {value!r} instead of a number.")


def _check(actions: Sequence[State], states: Sequence[State], values: FloatArray, kind: str) -> None:
    for place, action in enumerate(actions):
        for column, state in enumerate(states):
            value = float(values[place, column])
            if math.isnan(value) or value == math.inf:
                shown = "missing (NaN)" if math.isnan(value) else "without bound"
                raise BadTable(f"The {kind} of {label(action)!r} in the state {label(state)!r} is {shown}.")
