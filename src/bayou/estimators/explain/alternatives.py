"""Other values that a finding could have: the states of a feature, or numbers over its learned range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from bayou.distributions import TEXTS
from bayou.estimators.input.time_columns import parts_of_day
from bayou.schema import Interval, Variable, is_number
from bayou.schema.spelled_values import quantity_spelled
from bayou.sources.tables.times import days_of
from bayou.statistics import GroupMoments, Statistics, ValueCounts
from bayou.statistics.matrix.class_moments import ClassMoments
from bayou.typing import Name, State

_REACH = 3.0
"""Numbers are searched up to this many standard deviations around the means."""
_TINY = 1e-6


@dataclass(frozen=True)
class Alternatives:
    """Other values of one finding; numbers are ``ordered``, the nearest first.

    Real numbers (``is_range``) are points of a grid. ``complete`` says that the values include those with the
    largest log-odds of every two classes, as far as the finding is searched at all. Where ``parts`` is not 0
    the values are multiples of 1 / parts: whole days of dates, seconds of other times.
    """

    name: Name
    current: State
    values: tuple[State, ...]
    is_range: bool = False
    ordered: bool = False
    complete: bool = True
    parts: int = 0

    def beyond(self, number: float) -> float:
        """The value at a number, or the next one in the direction away from the present value."""
        if not self.parts:
            return number
        up = number > as_number(self.current)
        share = number * self.parts
        return (math.ceil(share - _TINY) if up else math.floor(share + _TINY)) / self.parts


def alternatives(
    estimator: Any, model: Any, name: Name, current: State, points: int, parts: int = 0
) -> Alternatives:
    """Return the values that a finding may be changed to; none if the model does not have them."""
    variable = known_variable(model, name)
    if variable is not None and variable.cardinality:
        if variable.cuts is not None and is_number(current):
            others = tuple(_other_intervals(variable, as_number(current), parts))
            return Alternatives(name, current, others, ordered=True)
        code = variable.find(current)
        states = [s for k, s in enumerate(variable.states) if k != code]
        if is_number(current) and all(is_number(state) for state in states):
            return Alternatives(name, current, _nearest_first(states, as_number(current)), ordered=True)
        return Alternatives(name, current, tuple(states))
    if not is_number(current):
        return Alternatives(name, current, ())
    value = as_number(current)
    grid = _grid(estimator, model, name, points)
    whole = all(isinstance(v, int) for v in grid)
    tops = None if whole else _tops(model, name, grid)
    complete = tops is not None or (whole and max(grid, default=0) - min(grid, default=0) < len(grid))
    points_of = [*grid, *(tops or [])]
    if parts:
        points_of = list(dict.fromkeys(k / parts for v in points_of for k in _whole_around(v * parts)))
    nearest = _nearest_first([v for v in points_of if v != value], value)
    return Alternatives(name, current, nearest, not whole, ordered=True, complete=complete, parts=parts)


def _whole_around(number: float) -> tuple[int, int]:
    return math.floor(number), math.ceil(number)


def _nearest_first(values: Sequence[State], current: float) -> tuple[State, ...]:
    return tuple(sorted(values, key=lambda value: abs(as_number(value) - current)))


def _tops(model: Any, name: Name, grid: Sequence[float]) -> list[float] | None:
    """Where the log-odds of two Gaussian classes may be largest inside the grid's range; None: not Gaussian.

    log N(x; m, v) − log N(x; n, u) is a parabola with its vertex at (m/v − n/u) / (1/v − 1/u). Otherwise
    it is largest at an end of the range, which the grid has.
    """
    own = next((d for d in getattr(model, "densities", ()) if d.variable.name == name), None)
    gaussian = None if own is None else own.distribution.gaussian
    if gaussian is None or not grid:
        return None
    mean, precision = gaussian.intercept.ravel(), 1 / gaussian.variance.ravel()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        above = np.subtract.outer(mean * precision, mean * precision)
        vertices = np.unique(above / np.subtract.outer(precision, precision))
    inside: list[float] = vertices[(vertices > min(grid)) & (vertices < max(grid))].tolist()
    return inside


def as_number(value: State) -> float:
    """Return a value that is a number as a float."""
    return float(cast("float", value))


def known_variable(model: Any, name: Name) -> Variable | None:
    """Return the variable of a feature in the model, with its states if it has any; None if unknown."""
    known = [density.variable for density in getattr(model, "densities", ())]
    known += list(getattr(model, "variables", ()))
    known += [Variable(column, states) for column, states in getattr(model, "levels", {}).items()]
    if hasattr(model, "network"):
        known += list(model.network.schema)
    return next((v for v in known if isinstance(v, Variable) and v.name == name), None)


def as_the_model(model: Any, name: Name, value: State) -> State:
    """Return the number that a date or a text stands for, where the model has numbers; else the value."""
    variable = known_variable(model, name)
    if value is None or is_number(value) or (variable is not None and variable.is_text):
        return value
    states = () if variable is None or variable.cuts is not None else variable.states
    if not all(map(is_number, states)):
        return value
    if isinstance(value, str):
        number = quantity_spelled(value)
        return value if number is None else number
    return days_of(value) if parts_of_day(value) else value


def _other_intervals(variable: Variable, value: float, parts: int) -> list[float]:
    """The number in each other interval that is nearest to ``value``; a multiple of 1 / parts."""
    others = []
    for interval in variable.states:
        assert isinstance(interval, Interval)
        if value in interval:
            continue
        if not parts:
            below = interval.upper < value
            others.append(interval.upper if below else float(np.nextafter(interval.lower, np.inf)))
            continue
        end = math.floor((interval.upper if interval.upper < value else interval.lower) * parts)
        nearest = (end if interval.upper < value else end + 1) / parts
        others += [nearest] if nearest in interval else []
    return sorted(others, key=lambda other: abs(other - value))


def _grid(estimator: Any, model: Any, name: Name, points: int) -> list[float]:
    """Numbers over the range of a feature; whole numbers for counts."""
    if hasattr(model, "numbers_of"):
        return list(model.numbers_of(name, points))
    own = next((d for d in getattr(model, "densities", ()) if d.variable.name == name), None)
    if own is not None:
        return [] if own.distribution.values_are == TEXTS else own.distribution.likely_values(points)
    mean, deviation = _spread(model, estimator.statistics_, name)
    if not len(mean):
        return []
    low, high = (mean - _REACH * deviation).min(), (mean + _REACH * deviation).max()
    result: list[float] = np.linspace(low, high, points).tolist()
    return result


def _spread(model: Any, statistics: Any, name: Name) -> tuple[Any, Any]:
    """Means and standard deviations of a feature in each class, or over all classes; empty if unknown."""
    if isinstance(statistics, ClassMoments):  # one Gaussian of all columns per class
        place = list(statistics.variables).index(name)
        variances = [model.covariance(k)[place, place] for k in range(len(model.means))]
        return model.means[:, place], np.sqrt(variances)
    for result in statistics.values() if isinstance(statistics, Statistics) else [statistics]:
        if isinstance(result, GroupMoments) and name in result.variables:
            whole = result.marginal([])
            place = result.variables.index(name)
            variance = whole.scatter[place, place] / max(float(whole.n), 1.0)
            return np.array([whole.mean[place]]), np.sqrt(np.array([variance]))
        if isinstance(result, ValueCounts) and result.variable == name and result.total > 0:
            mean = np.average(result.values, weights=result.weights)
            variance = np.average((result.values - mean) ** 2, weights=result.weights)
            return np.array([mean]), np.sqrt(np.array([variance]))
    return np.zeros(0), np.zeros(0)
