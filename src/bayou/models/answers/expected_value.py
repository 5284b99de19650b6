"""The mean of a probability table whose states are numbers, or intervals of numbers."""

from __future__ import annotations

from bayou.errors import BadQuestion
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Interval, is_number, label
from bayou.typing import State


def expected_value(table: ProbabilityTable) -> float:
    """Return Σ P(state) · state; an interval counts as its midpoint, so it needs two ends unless P is 0."""
    if len(table.names) > 1:
        raise BadQuestion(f"{table.title} has several targets: ask for the mean of one at a time.")
    total = 0.0
    for state, probability in table:
        if probability > 0:
            total += probability * _number(table, state)
    return total


def mean_text(table: ProbabilityTable) -> str:
    """Describe the mean of a single discretised variable in a line; empty for any other table."""
    if len(table.names) > 1 or table.variables[0].cuts is None:
        return ""
    open_ends = [label(state) for state, p in table if p > 0 and not state.is_bounded]
    if open_ends:
        return f"no mean: unbounded are {', '.join(open_ends)} (Cuts(…, low=…, high=…) gives them ends)"
    return f"mean {expected_value(table):.6g}, each interval at its middle"


def _number(table: ProbabilityTable, state: State) -> float:
    """Return a state as a number: itself, or the midpoint of an interval; raise if it has neither."""
    if isinstance(state, Interval):
        if state.is_bounded:
            return state.mid
        raise BadQuestion(
            f"{table.title} has no mean: the interval {label(state)!r} is unbounded, without a midpoint. "
            "Declare the range of the variable: Cuts(…, low=…, high=…)."
        )
    if is_number(state):
        return float(state)  # type: ignore[arg-type]  # is_number was just checked
    raise BadQuestion(f"{table.title} has no mean: its state {state!r} is not a number.")
