"""Expectation-maximisation (Dempster, Laird & Rubin 1977), from one start or several.

The E-step computes the expected statistics of the incomplete rows under the current parameters; the M-step
estimates parameters from them. No iteration decreases the objective: log P(observed values) + log prior.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from bayou.errors import BadData, BayouError, ImpossibleEvidence, NoConvergence
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.trace import (
    CONVERGED,
    FAILED,
    INTERRUPTED,
    OUT_OF_TIME,
    RUNNING,
    STOPPED,
    Outcome,
    Progress,
    Run,
    Settings,
)
from bayou.learning.search.search_result import Budget
from bayou.networks import FrozenNetwork
from bayou.progress import tracked

ROUNDING = 1e-9
"""The objective may fall by this share of its size, because sums over many rows are rounded."""
Expect = Callable[[FrozenNetwork], Expectation]
Climb = Callable[["EMTask", Run, Callable[[Run], None]], Run]


@dataclass(frozen=True)
class EMTask:
    """A problem with its E-step, its settings and its time budget (at least one iteration is always made)."""

    problem: LearningProblem
    expect: Expect
    settings: Settings
    rows: float
    budget: Budget = field(default_factory=Budget)

    def settled(self, gain: float, objective: float) -> bool:
        """Whether a gain is so small that EM has converged."""
        return gain <= self._smallest_gain(objective)

    def fell(self, gain: float, objective: float, expected: Expectation, network: FrozenNetwork) -> bool:
        """Whether the objective fell by more than rounding and the convergence tolerance explain."""
        if gain >= -max(ROUNDING * max(abs(objective), 1.0), self._smallest_gain(objective)):
            return False
        return gain < -self.problem.rounding(network, expected.statistics)

    def _smallest_gain(self, objective: float) -> float:
        return self.settings.tolerance * max(abs(objective), self.rows)


def em_step(task: EMTask, run: Run) -> Run:
    """One iteration: evaluate the current parameters (E-step); unless converged, improve them (M-step)."""
    expected = task.expect(run.network)
    value = objective(task, run.network, expected)
    seen = replace(
        run,
        log_likelihoods=(*run.log_likelihoods, expected.log_likelihood),
        objectives=(*run.objectives, value),
    )
    if run.objectives:
        gain = value - run.objectives[-1]
        if task.fell(gain, value, expected, run.network):
            raise _fall(gain, value, run.iterations)
        if task.settled(gain, value):
            return _one_back(run) if gain < 0 and run.previous else replace(seen, verdict=CONVERGED)
    if run.iterations >= task.settings.max_iterations:
        return replace(seen, verdict=STOPPED)
    return improved(task, seen, expected)


def _one_back(run: Run) -> Run:
    """The run one iteration earlier, as converged: the last step lost a little to rounding."""
    assert run.previous is not None
    network, statistics = run.previous
    return replace(
        run, network=network, statistics=statistics, iterations=run.iterations - 1, verdict=CONVERGED
    )


def improved(task: EMTask, run: Run, expected: Expectation) -> Run:
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


def objective(task: EMTask, network: FrozenNetwork, expected: Expectation) -> float:
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


def climb(task: EMTask, run: Run, keep: Callable[[Run], None]) -> Run:
    """Run EM from one start until it converges; ``keep`` is called after every iteration."""
    now = run

    def steps() -> Iterator[Run]:
        nonlocal now
        while now.verdict == RUNNING:
            now = em_step(task, now)
            if now.verdict == RUNNING and task.budget.over:
                now = replace(now, verdict=OUT_OF_TIME)
            yield now

    for done in tracked(steps(), lambda: progress_text(task, now.log_likelihoods[-1], now)):
        keep(done)
    return now


def progress_text(task: EMTask, log_likelihood: float, run: Run) -> str:
    """One line about the state of a run."""
    starts = f", start {run.number + 1} of {task.settings.restarts}" if task.settings.restarts > 1 else ""
    return f"Learning with gaps{starts}: log-likelihood {log_likelihood:,.6g}"


def learn(
    task: EMTask,
    start: Callable[[int], FrozenNetwork],
    climb_from: Climb = climb,
    resumed: Progress | None = None,
    keep: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Learn from all starts, one after the other, and keep the best. Ctrl-C ends it with the best so far.

    ``resumed`` is progress that an earlier call passed to ``keep``: the result is the same as without the
    interruption, also if the earlier call was limited to fewer iterations.
    """
    progress = resumed or Progress(settings=task.settings)

    def note(run: Run) -> None:
        nonlocal progress
        progress = replace(progress, current=run)
        keep(progress)

    try:
        while (run := _next(progress, start)) is not None:
            progress = replace(progress, current=run)
            progress = _finished(progress, run.number, _attempt(task, climb_from, run, note))
            keep(progress)
    except KeyboardInterrupt:
        return _interrupted(progress)
    return progress


def _next(progress: Progress, start: Callable[[int], FrozenNetwork]) -> Run | None:
    """The next run: the current one, else a stopped one that may now go on, else a new start, else None."""
    if progress.current is not None:
        return progress.current
    for run in progress.stopped:
        if run.iterations < progress.settings.max_iterations:
            # The next iteration begins with evaluating the last parameters again.
            logs, objectives = run.log_likelihoods[:-1], run.objectives[:-1]
            return replace(run, verdict=RUNNING, log_likelihoods=logs, objectives=objectives)
    number = len(progress.finished)
    return Run(number, start(number)) if number < progress.settings.restarts else None


def _attempt(task: EMTask, climb_from: Climb, run: Run, note: Callable[[Run], None]) -> Run | BayouError:
    """The finished run, or its error if there are several starts (a single start raises it)."""
    try:
        return climb_from(task, run, note)
    except (BadData, NoConvergence, ImpossibleEvidence) as error:
        if task.settings.restarts == 1:
            raise
        return error


def _finished(progress: Progress, number: int, run: Run | BayouError) -> Progress:
    """The progress with this start finished; raises its error if every start has failed."""
    stopped = tuple(one for one in progress.stopped if one.number != number)
    if isinstance(run, BayouError):
        outcome = Outcome(number, 0, -math.inf, FAILED, str(run))
        best = progress.best
    else:
        outcome = Outcome(number, run.iterations, run.objective, run.verdict)
        best = _better(progress.best, run)
        stopped = (*stopped, run) if run.verdict == STOPPED else stopped
    finished = progress.with_outcome(outcome)
    if best is None and len(finished) == progress.settings.restarts and isinstance(run, BayouError):
        raise run
    return replace(progress, finished=finished, best=best, current=None, stopped=stopped)


def _better(best: Run | None, run: Run) -> Run:
    """The better of two starts, the earlier if they are equal; a continued start replaces itself."""
    if best is None or best.number == run.number:
        return run
    return run if (run.worth, -run.number) > (best.worth, -best.number) else best


def _interrupted(progress: Progress) -> Progress:
    """The progress when the user interrupts; without any result the interrupt is raised again."""
    leading = progress.leading
    if leading is None:
        raise KeyboardInterrupt
    now = progress.current
    finished = progress.finished
    if now is not None and now.statistics is not None:
        finished = progress.with_outcome(Outcome(now.number, now.iterations, now.objective, INTERRUPTED))
    return replace(progress, finished=finished, best=replace(leading, verdict=INTERRUPTED))
