"""EM whose E-step is estimated with random numbers.

Every E-step draws anew, so that the objective goes up and down around its course. At first the M-step takes
the statistics of the last E-step. When the objective no longer rises beyond this noise, statistics are
averaged over the steps, each new one with a smaller share, so that the noise averages out (stochastic
approximation EM; Delyon, Lavielle and Moulines 1999, Annals of Statistics 27). It ends when the objective
has not risen beyond its noise during the averaging, or when a whole step would move no parameter by more than
the tolerance. Then the parameters are close to the optimum within the error of drawing, no closer.

What a run needs to go on (its statistics, objectives and iterations) is kept with it: an interrupted run that
continues gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.expectation_maximisation import TaskOf, improved, objective, progress_text
from bayou.learning.em.trace import CONVERGED, OUT_OF_TIME, RUNNING, SETTLED, STOPPED, M, RunOf
from bayou.progress import tracked

WINDOW = 10
"""The objective rises as long as the mean of so many values exceeds that of so many before by two errors."""
AVERAGED = 40
"""The least number of steps whose statistics are averaged."""
POWER = 0.7
"""The k-th averaged step has the share k^-POWER."""


@dataclass(frozen=True)
class NoisyClimb(Generic[M]):
    """Runs EM from one start.

    ``expect(parameters, start, iteration)`` is the E-step, with random numbers of its own for each iteration;
    ``evaluate(parameters)`` is a better estimate of the log-likelihood, for the end.
    """

    expect: Callable[[M, int, int], Expectation]
    evaluate: Callable[[M], float]

    def __call__(self, task: TaskOf[M], run: RunOf[M], keep: Callable[[RunOf[M]], None]) -> RunOf[M]:
        """Run EM until it has settled; ``keep`` is called after every iteration."""
        now = run

        def steps() -> Iterator[RunOf[M]]:
            nonlocal now
            while now.verdict == RUNNING:
                now = self._step(task, now)
                yield now

        for done in tracked(steps(), lambda: progress_text(task, now.log_likelihoods[-1], now)):
            keep(done)
        return now

    def _step(self, task: TaskOf[M], run: RunOf[M]) -> RunOf[M]:
        if run.iterations >= task.settings.max_iterations:
            return self._ended(task, run, STOPPED)
        expected = self.expect(run.network, run.number, run.iterations)
        value = objective(task, run.network, expected)
        run = replace(
            run,
            log_likelihoods=(*run.log_likelihoods, expected.log_likelihood),
            objectives=(*run.objectives, value),
        )
        since, share = rising_until(run.objectives, WINDOW), 1.0
        fresh = expected.statistics.only(task.problem.countable)
        if since is not None and run.statistics is not None:
            share = (len(run.objectives) - since + 1) ** -POWER
            fresh = run.statistics * (1 - share) + fresh * share
        ahead = improved(task, run, replace(expected, statistics=fresh))
        moved = task.distance(run.network, ahead.network)
        ahead = replace(ahead, moved=moved, previous=None)
        if moved <= task.settings.tolerance * share:
            return self._ended(task, ahead, CONVERGED)
        if since is not None and len(run.objectives) - since >= AVERAGED:
            averaged = run.objectives[since:]
            if rising_until(averaged[-AVERAGED:], AVERAGED // 2) is not None:
                return self._ended(task, ahead, SETTLED)
        return self._ended(task, ahead, OUT_OF_TIME) if task.budget.over else ahead

    def _ended(self, task: TaskOf[M], run: RunOf[M], verdict: str) -> RunOf[M]:
        """The run with the likelihood of its last parameters."""
        found = self.evaluate(run.network)
        value = found + task.problem.log_prior(run.network)
        return replace(
            run,
            log_likelihoods=(*run.log_likelihoods, found),
            objectives=(*run.objectives, value),
            verdict=verdict,
        )


def rising_until(values: Sequence[float], window: int) -> int | None:
    """The number of values until which their mean over a window rises by more than twice its error; None if
    it rises to the end, or if there are fewer than two windows.

    >>> rising_until([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3) is None
    True
    >>> rising_until([1.0, 5.0, 9.0, 9.1, 9.0, 9.1, 9.0, 9.1], 2)
    5
    """
    if len(values) < 2 * window:
        return None
    windows = sliding_window_view(np.asarray(values, dtype=np.float64), window)
    means, variances = windows.mean(axis=1), windows.var(axis=1, ddof=1)
    errors = np.sqrt((variances[:-window] + variances[window:]) / window)
    steady = np.flatnonzero(means[window:] - means[:-window] <= 2 * errors)
    return int(steady[0]) + 2 * window if len(steady) else None
