"""The utility of each action in each state: utilities or costs in any form become one matrix."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.decisions.beliefs import class_names
from bayou.errors import BadQuestion, BadTable, listed
from bayou.schema import Variable, label, plain, state_key
from bayou.typing import FloatArray, State

REJECT = "reject"
"""The name of the action that leaves the case undecided."""


@dataclass(frozen=True)
class UtilityTable:
    """Utilities, actions × states; costs are stored as negative utilities, with ``as_costs`` set."""

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
    """Read utilities or costs for these states; see :func:`bayou.decide` for the forms.

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
            raise BadQuestion(f"There is an action {REJECT!r} already; omit reject=, or rename that action.")
        names = (*names, REJECT)
        rows = np.vstack([rows, _row(REJECT, reject, states)])
    values = -rows if as_costs else rows
    _check(names, states, values, "cost" if as_costs else "utility")
    return UtilityTable(names, values, as_costs)


def _right_or_wrong(states: Sequence[State]) -> tuple[tuple[State, ...], FloatArray]:
    """The default: one action per state, which names it, with utility 1 if right and 0 if wrong."""
    return tuple(states), np.eye(len(states))


def _actions_and_rows(
    given: Any, states: Sequence[State], actions: Iterable[State] | None
) -> tuple[tuple[State, ...], FloatArray]:
    """The names of the actions and their numbers (actions × states), from any form."""
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
            raise BadQuestion(
                "actions= names the rows of an array; these utilities name their actions themselves: "
                "omit actions=."
            )
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
            f"An array of utilities has one row per action and one column per state ({listed(states)}); "
            f"this one has the shape {rows.shape}."
        )
    if actions is None:
        # In a square table the actions are usually to name each state.
        named = tuple(states) if len(rows) == len(states) else tuple(range(len(rows)))
    else:
        named = class_names(actions)
    if len(named) != len(rows):
        raise BadTable(f"actions= names {len(named)} actions and the array has {len(rows)} rows.")
    return named, rows


def _row(action: State, row: Any, states: Sequence[State]) -> FloatArray:
    """One action's numbers in the order of ``states``; a single number holds for all states.

    A state may be written as in data: the text "1" stands for 1 where "1" is not a state.
    """
    if isinstance(row, Mapping) or hasattr(row, "to_dict"):
        entries = dict(row if isinstance(row, Mapping) else row.to_dict())
        known = Variable("state", states)
        by_code: dict[int, Any] = {}
        others = []
        for entry, value in entries.items():
            code = known.find(plain(entry))
            if code is None:
                others.append(entry)
            elif code in by_code:
                raise BadTable(f"The action {action!r} has two numbers for the state {states[code]!r}.")
            else:
                by_code[code] = value
        for code, state in enumerate(states):
            if code not in by_code:
                raise BadTable(f"The action {action!r} has no number for the state {state!r}.")
        if others:
            raise BadTable(
                f"The action {action!r} has a number for {others[0]!r}, which is not a state of the "
                f"posterior: {listed(states)}."
            )
        return np.array([_number(by_code[code], action, s) for code, s in enumerate(states)])
    if isinstance(row, numbers.Real):
        return np.full(len(states), float(row))
    cells = list(row) if hasattr(row, "__iter__") and not isinstance(row, str) else None
    if cells is None or len(cells) != len(states):
        raise BadTable(
            f"The action {action!r} needs one number per state, by name or in this order: {listed(states)}."
        )
    return np.array([_number(cell, action, s) for cell, s in zip(cells, states, strict=True)])


def _number(value: Any, action: State, state: State) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_):
        return float(value)
    raise BadTable(f"The action {action!r} in the state {state!r} has {value!r} instead of a number.")


def _check(actions: Sequence[State], states: Sequence[State], values: FloatArray, kind: str) -> None:
    """Refuse NaN and +inf; -inf is allowed: the action is never taken while that state is possible."""
    for place, action in enumerate(actions):
        for column, state in enumerate(states):
            value = float(values[place, column])
            if math.isnan(value) or value == math.inf:
                shown = "missing (NaN)" if math.isnan(value) else "infinite"
                raise BadTable(f"The {kind} of {label(action)!r} in the state {label(state)!r} is {shown}.")
