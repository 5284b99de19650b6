"""Learning from several starts, one after the other: the best is kept, and the progress can be resumed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from bayou.errors import BadData, BayouError, ImpossibleEvidence, NoConvergence
from bayou.learning.em.expectation_maximisation import TaskOf, climb, one_back
from bayou.learning.em.trace import (
    FAILED,
    INTERRUPTED,
    RUNNING,
    STOPPED,
    M,
    Outcome,
    ProgressOf,
    RunOf,
)

Climb: TypeAlias = Callable[[TaskOf[M], RunOf[M], Callable[[RunOf[M]], None]], RunOf[M]]


def learn(
    task: TaskOf[M],
    start: Callable[[int], M],
    climb_from: Climb[M] = climb,
    resumed: ProgressOf[M] | None = None,
    keep: Callable[[ProgressOf[M]], None] = lambda progress: None,
) -> ProgressOf[M]:
    """Learn from all starts, one after the other, and keep the best. Ctrl-C ends it with the best so far.

    ``resumed`` is progress that an earlier call passed to ``keep``: the result is the same as without the
    interruption, also if the earlier call was limited to fewer iterations.
    """
    progress = resumed or ProgressOf(settings=task.settings)

    def note(run: RunOf[M]) -> None:
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


def _next(progress: ProgressOf[M], start: Callable[[int], M]) -> RunOf[M] | None:
    """The next run: the current one, else a stopped one that may now go on, else a new start, else None."""
    if progress.current is not None:
        return progress.current
    for run in progress.stopped:
        if run.iterations < progress.settings.max_iterations:
            # The next iteration begins with evaluating the last parameters again.
            logs, objectives = run.log_likelihoods[:-1], run.objectives[:-1]
            return replace(run, verdict=RUNNING, log_likelihoods=logs, objectives=objectives)
    number = len(progress.finished)
    return RunOf(number, start(number)) if number < progress.settings.restarts else None


def _attempt(
    task: TaskOf[M], climb_from: Climb[M], run: RunOf[M], note: Callable[[RunOf[M]], None]
) -> RunOf[M] | BayouError:
    """The finished run, or its error if there are several starts (a single start raises it)."""
    try:
        return climb_from(task, run, note)
    except (BadData, NoConvergence, ImpossibleEvidence) as error:
        if task.settings.restarts == 1:
            raise
        return error


def _finished(progress: ProgressOf[M], number: int, run: RunOf[M] | BayouError) -> ProgressOf[M]:
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


def _better(best: RunOf[M] | None, run: RunOf[M]) -> RunOf[M]:
    """The better of two starts, the earlier if they are equal; a continued start replaces itself."""
    if best is None or best.number == run.number:
        return run
    return run if (run.worth, -run.number) > (best.worth, -best.number) else best


def _interrupted(progress: ProgressOf[M]) -> ProgressOf[M]:
    """The progress when the user interrupts; without any result the interrupt is raised again."""
    leading = progress.leading
    if leading is None:
        raise KeyboardInterrupt
    now = progress.current
    finished = progress.finished
    if now is not None and now.statistics is not None:
        finished = progress.with_outcome(Outcome(now.number, now.iterations, now.objective, INTERRUPTED))
    ended = one_back(leading, INTERRUPTED) if leading.extrapolated else replace(leading, verdict=INTERRUPTED)
    return replace(progress, finished=finished, best=ended)
