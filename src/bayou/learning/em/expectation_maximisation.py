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
"""The objective may fall by this share of its size: sums of many rows are rounded."""
Expect = Callable[[FrozenNetwork], Expectation]
Climb = Callable[["EMTask", Run, Callable[[Run], None]], Run]


@dataclass(frozen=True)
class EMTask:
    """A problem with its E-step, its settings, and the time for it (at least one iteration is made)."""

    problem: LearningProblem
    expect: Expect
    settings: Settings
    rows: float
    budget: Budget = field(default_factory=Budget)

    def settled(self, gain: float, objective: float) -> bool:
        """Whether a gain is too small to go on for."""
        return gain <= self._smallest_gain(objective)

    def fell(self, gain: float, objective: float, expected: Expectation, network: FrozenNetwork) -> bool:
        """Whether a loss is larger than rounding explains, and than a gain that would be too small."""
        if gain >= -max(ROUNDING * max(abs(objective), 1.0), self._smallest_gain(objective)):
            return False
        return gain < -self.problem.rounding(network, expected.statistics)

    def _smallest_gain(self, objective: float) -> float:
        return self.settings.tolerance * max(abs(objective), self.rows)


def em_step(task: EMTask, run: Run) -> Run:
    """One iteration: what the present tables are worth and, unless that settles it, better tables."""
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
    """The last step lost a little to rounding: the tables before it are the better ones, and the end."""
    assert run.previous is not None
    network, statistics = run.previous
    return replace(
        run, network=network, statistics=statistics, iterations=run.iterations - 1, verdict=CONVERGED
    )


def improved(task: EMTask, run: Run, expected: Expectation) -> Run:
    """The M-step: the run with the tables that these expectations give."""
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
    """Log-likelihood and log-prior; neither NaN nor +∞ is ever taken for a result."""
    value = expected.log_likelihood + task.problem.log_prior(network)
    if math.isnan(value) or value == math.inf:
        raise NoConvergence(
            f"The log-likelihood has become {expected.log_likelihood}: the parameters have run out of the "
            "range of numbers. Rescale columns with very large or very small numbers, or use a prior."
        )
    if expected.log_likelihood == -math.inf:
        raise ImpossibleEvidence(
            "Some row can not occur under the tables that learning starts from (its probability is 0). "
            "Start from tables without zeros."
        )
    return value


def _fall(gain: float, value: float, iteration: int) -> NoConvergence:
    """EM can not lose: a fall beyond rounding means that something is wrong, and is said."""
    return NoConvergence(
        f"The objective fell by {-gain:.3g} (to {value:.10g}) in iteration {iteration}; it must never "
        "fall. Please report this with the data, if you can."
    )


def climb(task: EMTask, run: Run, keep: Callable[[Run], None]) -> Run:
    """EM from one start until it settles; ``keep`` is told of every iteration."""
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
    """How a run stands, in a line."""
    starts = f", start {run.number + 1} of {task.settings.restarts}" if task.settings.restarts > 1 else ""
    return f"Learning with gaps{starts}: log-likelihood {log_likelihood:,.6g}"


def learn(
    task: EMTask,
    start: Callable[[int], FrozenNetwork],
    climb_from: Climb = climb,
    resumed: Progress | None = None,
    keep: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """All starts, one after the other; the best is kept. Ctrl-C ends it with the best so far.

    ``resumed`` is the progress that an earlier call had handed to ``keep``: the result is the same, also
    where that call had fewer iterations.
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
    """The start under way, else one that had to stop and may do more iterations now, else a new one."""
    if progress.current is not None:
        return progress.current
    for run in progress.stopped:
        if run.iterations < progress.settings.max_iterations:
            # Its last tables are looked at again, as the next iteration does first.
            logs, objectives = run.log_likelihoods[:-1], run.objectives[:-1]
            return replace(run, verdict=RUNNING, log_likelihoods=logs, objectives=objectives)
    number = len(progress.finished)
    return Run(number, start(number)) if number < progress.settings.restarts else None


def _attempt(task: EMTask, climb_from: Climb, run: Run, note: Callable[[Run], None]) -> Run | BayouError:
    try:
        return climb_from(task, run, note)
    except (BadData, NoConvergence, ImpossibleEvidence) as error:
        if task.settings.restarts == 1:
            raise
        return error


def _finished(progress: Progress, number: int, run: Run | BayouError) -> Progress:
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
    """The better of two starts, the earlier of equals; a start that went on takes its own place."""
    if best is None or best.number == run.number:
        return run
    return run if (run.worth, -run.number) > (best.worth, -best.number) else best


def _interrupted(progress: Progress) -> Progress:
    """What there is when the user stops it; with nothing yet there is nothing to give back."""
    leading = progress.leading
    if leading is None:
        raise KeyboardInterrupt
    now = progress.current
    finished = progress.finished
    if now is not None and now.statistics is not None:
        finished = progress.with_outcome(Outcome(now.number, now.iterations, now.objective, INTERRUPTED))
    return replace(progress, finished=finished, best=replace(leading, verdict=INTERRUPTED))
