"""Learning linear Gaussian systems by EM, from the present parameters and from disturbed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bayou.errors import BadData
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequence_fit import warn_about
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.expectation_maximisation import TaskOf, learn
from bayou.learning.em.trace import Settings
from bayou.learning.search.search_result import Budget
from bayou.temporal.kalman.linear_system import (
    COVARIANCES,
    MATRICES,
    LinearSystem,
    ObservedSeries,
    second_moments,
    statistic_names,
)
from bayou.temporal.kalman.system_problem import FIXED, SystemProblem, part_units
from bayou.typing import BoolArray, FloatArray, Name, Units

_SMALL = 1e-6
"""The least unit of what is left over of a variable, as a share of the variable's."""
_DISTURBED = 0.3
"""The deviation of the random changes of a start: of coefficients in units of the variables, of the logarithm
of noise."""


@dataclass(frozen=True)
class SystemFitOptions:
    """What is learned, and how."""

    free: Mapping[str, BoolArray]
    shapes: Mapping[str, str]
    settings: Settings = field(default_factory=Settings)
    budget: Budget = field(default_factory=Budget)


def fit_linear_system(
    system: LinearSystem, series: ObservedSeries, how: SystemFitOptions
) -> tuple[LinearSystem, LearningTrace]:
    """Learn a system from sequences; the first start is the system itself, the others are disturbed."""
    if series.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    if np.isnan(series.values).all():
        raise BadData("There is nothing to learn from: all values are missing.")
    problem = SystemProblem(system, how.free, how.shapes)

    def expect(now: LinearSystem) -> Expectation:
        return now.expected(series, system)

    units = _units(system, series, expect(system))
    task = TaskOf(problem, expect, how.settings, series.rows, how.budget, units)

    def start(number: int) -> LinearSystem:
        return system if number == 0 else _disturbed(problem, units, how.settings.seed, number)

    reached = learn(task, start)
    best = reached.best
    assert best is not None
    warn_about(best.verdict, best.iterations, best.objectives, how.settings)
    trace = LearningTrace(
        how.settings.method,
        best.verdict,
        series.rows,
        int(np.isnan(series.values).sum()),
        (),
        best.log_likelihoods,
        best.objectives,
        best.iterations,
        reached.finished,
        best.number,
        how.settings.seed,
    )
    return best.network, trace


def _units(system: LinearSystem, series: ObservedSeries, expected: Expectation) -> Units:
    """The root mean square of each variable of the expected moments; what is left over of one that is
    (almost) explained is at least a small share of it.
    """
    n, k, _ = system.sizes
    start, moves, observed = (second_moments(expected.statistics, names) for names in statistic_names(system))
    states = _sizes(*observed)[:n]
    seen = ~np.isnan(series.values)
    squares = np.where(seen, series.values, 0.0) ** 2
    values = np.sqrt(squares.sum(axis=0) / np.maximum(seen.sum(axis=0), 1))
    floors = (
        _SMALL * states,
        np.concatenate([np.zeros(n + k), _SMALL * states]),
        np.concatenate([np.zeros(n + k), _SMALL * values]),
    )
    units: dict[Name, tuple[float, float]] = {}
    for names, sums, floor in zip(statistic_names(system), (start, moves, observed), floors, strict=True):
        sizes = np.maximum(_sizes(*sums), floor)
        units.update({name: (0.0, float(size) or 1.0) for name, size in zip(names, sizes, strict=True)})
    return units


def _sizes(n: float, _: FloatArray, second: FloatArray) -> FloatArray:
    sizes: FloatArray = np.sqrt(np.maximum(np.diagonal(second), 0.0) / max(n, 1e-300))
    return sizes


def _disturbed(problem: SystemProblem, units: Units, seed: int, number: int) -> LinearSystem:
    """The reference with random changes of what is learned."""
    chance = np.random.default_rng([seed, number])
    system = problem.reference
    sizes = part_units(system, units)
    changed = {}
    for part in MATRICES:
        present = getattr(system, part)
        change = _DISTURBED * sizes[part] * chance.normal(size=present.shape)
        changed[part] = present + np.where(problem.free[part], change, 0.0)
    for part in COVARIANCES:
        factor = float(np.exp(2 * _DISTURBED * chance.normal()))
        changed[part] = getattr(system, part) * (1.0 if problem.shapes[part] == FIXED else factor)
    return system.with_parts(**changed)
