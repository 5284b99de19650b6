"""Learning linear Gaussian systems by EM, from the present parameters and from disturbed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.sequences.sequence_fit import warn_of_verdict
from bayou.fitting.sequences.stepwise_fit import step_size
from bayou.fitting.sequences.system_checkpoint import SystemCheckpoint, system_to_be_learned
from bayou.formats.file_content import FilePath
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.expectation_maximisation import TaskOf
from bayou.learning.em.several_starts import learn
from bayou.learning.em.trace import Settings
from bayou.learning.time_budget import TimeBudget
from bayou.statistics import Statistics
from bayou.temporal.kalman.linear_system import (
    COVARIANCES,
    MATRICES,
    LinearSystem,
    second_moments,
    statistic_names,
)
from bayou.temporal.kalman.stored_series import AnySeries, SeriesSummary, expected_of, likelihood_of
from bayou.temporal.kalman.system_problem import FIXED, SystemProblem, part_units
from bayou.typing import BoolArray, FloatArray, Name, Units

_SCALINGS = 10
"""The most times that the noise of the start is brought nearer to the scale of the values."""
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
    budget: TimeBudget = field(default_factory=TimeBudget)
    checkpoint: FilePath | None = None
    model_state: Callable[[LinearSystem], dict[str, Any]] | None = None
    """What a file of the model holds, for a checkpoint."""


@dataclass(frozen=True)
class FittedSystem:
    """A system, what it was learned from, and how: the expected statistics about ``reference``.

    ``steps`` is the number of batches that were added by stepwise EM.
    """

    system: LinearSystem
    reference: LinearSystem
    statistics: Statistics
    free: Mapping[str, BoolArray]
    shapes: Mapping[str, str]
    steps: int = 0

    @property
    def problem(self) -> SystemProblem:
        """The M-step that belongs to the statistics."""
        return SystemProblem(self.reference, self.free, self.shapes)


def fit_linear_system(
    system: LinearSystem, series: AnySeries, how: SystemFitOptions
) -> tuple[FittedSystem, LearningTrace]:
    """Learn a system from sequences; the first start is the system itself, its start mean and its noise
    brought to the scale of the values if that is better; the others are disturbed.
    """
    if series.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    summary = SeriesSummary.of(series)
    if not summary.seen.any():
        raise BadData("There is nothing to learn from: all values are missing.")
    given, system = system, _scaled_start(system, series, summary, how)
    problem = SystemProblem(system, how.free, how.shapes)

    def expect(now: LinearSystem) -> Expectation:
        return expected_of(now, series, system)

    units = _units(system, summary, expect(system))
    task = TaskOf(problem, expect, how.settings, series.rows, how.budget, units)

    def start(number: int) -> LinearSystem:
        return system if number == 0 else _disturbed(problem, units, how.settings.seed, number)

    learned = system_to_be_learned(problem, series, given, how.settings, how.model_state)
    with SystemCheckpoint.at(how.checkpoint, learned) as file:
        resumed: Any = file.resumed
        keep: Any = file.keep
        reached = learn(task, start, resumed=resumed, keep=keep)
    best = reached.best
    assert best is not None
    _refuse_exact(best.objective, summary)
    warn_of_verdict(best.verdict, best.iterations, best.objectives, how.settings)
    gaps = series.rows * len(summary.seen) - int(summary.seen.sum())
    trace = LearningTrace.climbed(reached, series.rows, gaps, ())
    statistics = expect(best.network).statistics if best.statistics is None else best.statistics
    return FittedSystem(best.network, system, statistics, how.free, how.shapes), trace


def step_linear_system(before: FittedSystem, series: AnySeries) -> tuple[FittedSystem, LearningTrace]:
    """The system after one more batch of series, by stepwise EM (see :mod:`stepwise_fit`)."""
    if series.rows == 0:
        raise BadData("There is no row to learn from: all sequences are empty.")
    found = expected_of(before.system, series, before.reference)
    share = step_size(before.steps)
    old, new = (_rows_behind(before.system, one) for one in (before.statistics, found.statistics))
    if not new > 0:
        raise BadData("There is nothing to learn from: all weights are 0.")
    mixed = before.statistics * ((1 - share) * (old + new) / old) + found.statistics * (
        share * (old + new) / new
    )
    system = before.problem.maximised(before.system, Expectation(found.log_likelihood, mixed))
    after = replace(before, system=system, statistics=mixed, steps=before.steps + 1)
    trace = LearningTrace(
        "stepwise",
        "one step for each batch",
        old + new,
        0,
        log_likelihoods=(found.log_likelihood,),
        iterations=after.steps,
    )
    return after, trace


def _rows_behind(system: LinearSystem, statistics: Statistics) -> float:
    """The weight of all rows that statistics are about: each is a first one or follows another."""
    start, moves, _ = statistic_names(system)
    return second_moments(statistics, start)[0] + second_moments(statistics, moves)[0]


def _scaled_start(
    system: LinearSystem, series: AnySeries, summary: SeriesSummary, how: SystemFitOptions
) -> LinearSystem:
    """The system with the start mean that the values show, and with the noise that is learned times the
    factor that fits best, as long as it becomes likelier.
    """
    kept = {part: np.zeros_like(free) for part, free in how.free.items() if part != "start_mean"}
    centred = SystemProblem(system, {**how.free, **kept}, dict.fromkeys(COVARIANCES, FIXED))
    expected = expected_of(system, series, system)
    best, reached = centred.maximised(system, expected), expected.log_likelihood
    learned = [part for part in COVARIANCES if how.shapes[part] != FIXED]
    for _ in range(_SCALINGS):
        factor = _noise_factor(best, series, summary.weight)
        scaled = best.with_parts(**{part: factor * getattr(best, part) for part in learned})
        likelihood = likelihood_of(scaled, series)
        if not likelihood > reached:
            break
        best, reached = scaled, likelihood
        if 0.5 < factor < 2:
            break
    _refuse_exact(reached, summary)
    return best


def _refuse_exact(log_likelihood: float, summary: SeriesSummary) -> None:
    """Refuse values that the model predicts to a billionth of their spread: the likelihood has no bound."""
    if summary.spread > 0 and log_likelihood > summary.weight * np.log(1e9 / summary.spread):
        raise BadData(
            "The model explains the values exactly, so that there is no noise to learn and the likelihood "
            "has no bound. Keep the noise (keep=), or use a model with fewer states."
        )


def _noise_factor(system: LinearSystem, series: AnySeries, count: float) -> float:
    """The best factor of all covariances, between 1e-6 and 1e6.

    With all of them times f the log-likelihood of N values is −½ (constant + N log f + squares / f), best at
    f = squares / N; two values of f show what the squares are.
    """
    wider = system.with_parts(**{part: 4.0 * getattr(system, part) for part in COVARIANCES})
    once, wide = (likelihood_of(one, series) for one in (system, wider))
    squares = (count * np.log(4.0) - 2 * (once - wide)) / 0.75
    return float(np.clip(squares / max(count, 1e-300), 1e-6, 1e6))


def _units(system: LinearSystem, summary: SeriesSummary, expected: Expectation) -> Units:
    """The root mean square of each variable of the expected moments; what is left over of one that is
    (almost) explained is at least a small share of it.
    """
    n, k, _ = system.sizes
    start, moves, observed = (second_moments(expected.statistics, names) for names in statistic_names(system))
    states = _sizes(*observed)[:n]
    values = np.sqrt(summary.squares)
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
