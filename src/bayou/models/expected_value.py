"""The mean of a probability table whose states are numbers, or intervals of numbers."""

from __future__ import annotations

from bayou.errors import BadQuestion
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Interval, is_number, label
from bayou.typing import State


def expected_value(table: ProbabilityTable) -> float:
    """Σ p · state; an interval stands at its middle, so it must have both ends unless it is impossible."""
    if len(table.names) > 1:
        raise BadQuestion(f"{table.title} has several targets: ask for the mean of one at a time.")
    total = 0.0
    for state, probability in table:
        if probability > 0:
            total += probability * _number(table, state)
    return total


def mean_text(table: ProbabilityTable) -> str:
    """What there is to say of the mean of a single discretised variable; nothing for any other table."""
    if len(table.names) > 1 or table.variables[0].cuts is None:
        return ""
    open_ends = [label(state) for state, p in table if p > 0 and not state.is_bounded]
    if open_ends:
        return f"no mean: without an end are {', '.join(open_ends)} (Cuts(…, low=…, high=…) gives it one)"
    return f"mean {expected_value(table):.6g}, each interval at its middle"


def _number(table: ProbabilityTable, state: State) -> float:
    if isinstance(state, Interval):
        if state.is_bounded:
            return state.mid
        raise BadQuestion(
            f"{table.title} has no mean: the interval {label(state)!r} has no end, so no middle. Declare the "
            "range of the variable: Cuts(…, low=…, high=…)."
        )
    if is_number(state):
        return float(state)  # type: ignore[arg-type]  # it is a number, as was just asked
    raise BadQuestion(f"{table.title} has no mean: its state {state!r} is not a number.")
