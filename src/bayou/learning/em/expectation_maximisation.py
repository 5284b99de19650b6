"""Expectation-maximisation (Dempster, Laird & Rubin 1977).

The E-step computes the expected statistics of the incomplete rows under the current parameters; the M-step
estimates parameters from them, or from statistics extrapolated from the last steps (acceleration.py). No
iteration decreases the objective, log P(observed values) + log prior: an extrapolation that does is dropped.

It ends when every parameter is so close to its limit as the tolerance says. The distance to the limit is
estimated twice: by the extrapolation, and as that of one EM step divided by 1 − λ, with λ the rate at which
the steps become shorter. (A single step, or its gain, may be small far from the limit.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeAlias

from bayou.errors import BadData, BadStatistics, ImpossibleEvidence, NoConvergence
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.acceleration import SLOWEST, StatisticsVectors, StepHistory
from bayou.learning.em.trace import (
    CONVERGED,
    OUT_OF_TIME,
    PLAIN_EM,
    RUNNING,
    STOPPED,
    M,
    RunOf,
    Settings,
)
from bayou.learning.time_budget import TimeBudget
from bayou.networks import FrozenNetwork
from bayou.progress import tracked
from bayou.statistics import Request, Statistics
from bayou.typing import Units

ROUNDING = 1e-9
"""The objective may fall by this share of its size, because sums over many rows are rounded."""
NO_GAIN = 2.0**-50
"""A gain of at most this share of the objective is rounding."""
PLATEAU, PLATEAU_GAIN = 50, 1e-3
"""EM ends, too, when so many extrapolated steps together gain at most this share of the tolerance, times the
objective: the data do not determine the parameters, which could wander on for ever."""
SMALLEST_GAIN = 0.1
"""Gradient ascent ends when a step gains at most this share of the tolerance, times the objective."""
UNFIT = (BadData, BadStatistics, NoConvergence, ImpossibleEvidence)
"""The errors of extrapolated statistics that no rows could have."""


class Problem(Protocol[M]):
    """What is learned: the M-step, and the part of its objective that does not come from the rows."""

    @property
    def countable(self) -> frozenset[Request]:
        """The statistics that are kept with the parameters."""

    def maximised(self, now: M, expected: Expectation) -> M:
        """The parameters that maximise the expected log-likelihood plus the log-prior."""

    def log_prior(self, network: M) -> float:
        """The term added to the log-likelihood."""

    def distance(self, one: M, other: M, units: Units) -> float:
        """The largest difference of a parameter."""

    def rounding(self, network: M, statistics: Statistics) -> float:
        """An estimate of the rounding error of the log-likelihood."""


@dataclass(frozen=True)
class TaskOf(Generic[M]):
    """A problem with its E-step, its settings and its time budget (at least one iteration is always made).

    ``units`` has a mean and a deviation of each continuous variable: differences are measured by these.
    """

    problem: Problem[M]
    expect: Callable[[M], Expectation]
    settings: Settings
    rows: float
    budget: TimeBudget = field(default_factory=TimeBudget)
    units: Units = field(default_factory=dict)
    _made: list[StatisticsVectors | None] = field(default_factory=list)

    def vectors(self, statistics: Statistics) -> StatisticsVectors | None:
        """The vectors of the expected statistics, made once; None for plain EM and some distributions."""
        if not self._made:
            plain = self.settings.method == PLAIN_EM
            self._made.append(None if plain else StatisticsVectors.like(statistics, self.units))
        return self._made[0]

    @property
    def has_vectors(self) -> bool:
        """Whether an E-step has shown what the expected statistics look like."""
        return bool(self._made)

    def distance(self, one: M, other: M) -> float:
        """The largest difference of a parameter."""
        return self.problem.distance(one, other, self.units)

    def settled(self, gain: float, objective: float) -> bool:
        """Whether a gain is so small that gradient ascent has converged."""
        return gain <= self._smallest_gain(objective)

    def on_plateau(self, objectives: Sequence[float]) -> bool:
        """Whether the objective has hardly risen for many steps, so that it will not rise any more."""
        if len(objectives) <= PLATEAU:
            return False
        size = max(abs(objectives[-1]), self.rows)
        return objectives[-1] - objectives[-1 - PLATEAU] <= PLATEAU_GAIN * self.settings.tolerance * size

    def fell(self, gain: float, objective: float, expected: Expectation, network: M) -> bool:
        """Whether the objective fell by more than rounding and the convergence tolerance explain."""
        if gain >= -max(ROUNDING * max(abs(objective), 1.0), self._smallest_gain(objective)):
            return False
        return gain < -self.problem.rounding(network, expected.statistics)

    def _smallest_gain(self, objective: float) -> float:
        return SMALLEST_GAIN * self.settings.tolerance * max(abs(objective), self.rows)


EMTask: TypeAlias = TaskOf[FrozenNetwork]


def em_step(task: TaskOf[M], run: RunOf[M]) -> RunOf[M]:
    """One iteration: evaluate the current parameters (E-step); unless converged, improve them (M-step)."""
    try:
        expected = task.expect(run.network)
        value = objective(task, run.network, expected)
    except UNFIT:
        if not run.extrapolated or not task.has_vectors:
            raise
        return em_step(task, _unextrapolated(task, run))
    seen = replace(
        run,
        log_likelihoods=(*run.log_likelihoods, expected.log_likelihood),
        objectives=(*run.objectives, value),
        extrapolated=False,
    )
    vectors = task.vectors(expected.statistics)
    if run.objectives:
        gain = value - run.objectives[-1]
        if gain <= NO_GAIN * abs(value):
            if run.extrapolated:
                return em_step(task, _unextrapolated(task, run))
            if task.fell(gain, value, expected, run.network):
                raise _fall(gain, value, run.iterations)
            back = gain < 0 and run.previous is not None and run.previous[1] is not None
            return one_back(run, CONVERGED) if back else replace(seen, verdict=CONVERGED)
    if run.iterations >= task.settings.max_iterations:
        return replace(seen, verdict=STOPPED)
    return _plain_step(task, seen, expected) if vectors is None else _step(task, seen, expected, vectors)


def one_back(run: RunOf[M], verdict: str) -> RunOf[M]:
    """The run one iteration earlier: the last step lost a little to rounding, or was never evaluated."""
    assert run.previous is not None
    network, statistics = run.previous
    now = replace(run, network=network, statistics=statistics, iterations=run.iterations - 1)
    return replace(now, verdict=verdict, extrapolated=False)


def _plain_step(task: TaskOf[M], run: RunOf[M], expected: Expectation) -> RunOf[M]:
    """The M-step without extrapolation; the rate is the ratio of the last two steps (Aitken)."""
    ahead = improved(task, run, expected)
    moved = task.distance(run.network, ahead.network)
    rate = min(moved / run.moved, SLOWEST) if run.moved else SLOWEST
    if run.statistics is not None and moved <= task.settings.tolerance * (1 - rate):
        return replace(run, verdict=CONVERGED)
    return replace(ahead, moved=moved)


def _step(task: TaskOf[M], run: RunOf[M], expected: Expectation, vectors: StatisticsVectors) -> RunOf[M]:
    """The M-step on extrapolated statistics; or the run with its present parameters, if it has converged."""
    own = vectors.vector(expected.statistics)
    if run.steps is None:
        return replace(improved(task, run, expected), steps=StepHistory(own))
    steps = run.steps.after(own)
    proposed = steps.proposal(vectors)
    plain = None
    try:
        statistics = expected.statistics if proposed is own else vectors.statistics(proposed)
        ahead = improved(task, run, replace(expected, statistics=statistics))
    except UNFIT:
        ahead = plain = improved(task, run, expected)
        proposed = own
    if task.distance(run.network, ahead.network) <= task.settings.tolerance:
        plain = plain or improved(task, run, expected)
        if task.distance(run.network, plain.network) <= task.settings.tolerance * (1 - steps.rate(vectors)):
            return replace(run, verdict=CONVERGED)
    if task.on_plateau(run.objectives):
        return replace(run, verdict=CONVERGED)
    return replace(ahead, steps=replace(steps, present=proposed), extrapolated=proposed is not own)


def _unextrapolated(task: TaskOf[M], run: RunOf[M]) -> RunOf[M]:
    """The run with the parameters of a plain EM step in place of the extrapolated ones."""
    vectors = task.vectors(Statistics({}, 0))
    assert vectors is not None
    assert run.steps is not None
    assert run.previous is not None
    expected = Expectation(math.nan, vectors.statistics(run.steps.outputs[-1]))
    before = replace(run, network=run.previous[0], statistics=run.previous[1], iterations=run.iterations - 1)
    return replace(improved(task, before, expected), steps=run.steps.forgotten(), extrapolated=False)


def improved(task: TaskOf[M], run: RunOf[M], expected: Expectation) -> RunOf[M]:
    """The M-step: the run with the parameters estimated from these expected statistics."""
    try:
        better = task.problem.maximised(run.network, expected)
    except BadData as error:
        raise NoConvergence(
            f"EM diverged after {run.iterations} iterations: a variance is shrinking to zero, so the "
            f"likelihood is unbounded: {error} More rows, fewer hidden "
            "states or parents, or several starts (restarts=) help."
        ) from None
    return replace(
        run,
        network=better,
        statistics=expected.statistics.only(task.problem.countable),
        iterations=run.iterations + 1,
        previous=None if run.statistics is None else (run.network, run.statistics),
    )


def objective(task: TaskOf[M], network: M, expected: Expectation) -> float:
    """Log-likelihood plus log-prior; NaN, +∞ and impossible rows are refused."""
    value = expected.log_likelihood + task.problem.log_prior(network)
    if math.isnan(value) or value == math.inf:
        raise NoConvergence(
            f"The log-likelihood has become {expected.log_likelihood}: the parameters have left the range of "
            "floating-point numbers. Rescale columns with very large or very small numbers, or use a prior."
        )
    if expected.log_likelihood == -math.inf:
        raise ImpossibleEvidence(
            "Some row cannot occur under the tables that learning starts from (its probability is 0). "
            "Start from tables without zeros."
        )
    return value


def _fall(gain: float, value: float, iteration: int) -> NoConvergence:
    """The error for an objective that fell by more than rounding, which EM never does unless it has a bug."""
    return NoConvergence(
        f"The objective fell by {-gain:.3g} (to {value:.10g}) in iteration {iteration}; it must never "
        "fall. Please report this with the data, if you can."
    )


def climb(task: TaskOf[M], run: RunOf[M], keep: Callable[[RunOf[M]], None]) -> RunOf[M]:
    """Run EM from one start until it converges; ``keep`` is called after every iteration."""
    now = run

    def steps() -> Iterator[RunOf[M]]:
        nonlocal now
        while now.verdict == RUNNING:
            now = em_step(task, now)
            if now.verdict == RUNNING and task.budget.over:
                now = one_back(now, OUT_OF_TIME) if now.extrapolated else replace(now, verdict=OUT_OF_TIME)
            yield now

    for done in tracked(steps(), lambda: progress_text(task, now.log_likelihoods[-1], now)):
        keep(done)
    return now


def progress_text(task: TaskOf[M], log_likelihood: float, run: RunOf[M]) -> str:
    """One line about the state of a run."""
    starts = f", start {run.number + 1} of {task.settings.restarts}" if task.settings.restarts > 1 else ""
    return f"Learning with gaps{starts}: log-likelihood {log_likelihood:,.6g}"
