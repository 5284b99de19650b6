"""Gradient ascent: L-BFGS on free parameters, the gradient exact from expected counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from bayou.errors import BadData, ImpossibleEvidence, NoConvergence
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.expectation_maximisation import ROUNDING, EMTask, improved, objective, progress_text
from bayou.learning.em.free_parameters import FreeParameters
from bayou.learning.em.trace import COLLAPSED, CONVERGED, OUT_OF_TRIES, RUNNING, STALLED, STOPPED, Run
from bayou.progress import tracking
from bayou.typing import FloatArray

_MEMORY = 20
_TRIES = 20
"""How many points one line search may look at."""
_OUT_OF_STEPS = 1
"""What scipy says where it ran out of steps or tries."""
_FINENESS = 1e-3
"""A step of L-BFGS stalls now and then: it must gain less than one of EM to be the last."""


class _Climber:
    """Remembers the best point that was looked at, and one line a step of L-BFGS."""

    def __init__(self, task: EMTask, run: Run) -> None:
        self._task = task
        first = task.expect(run.network)
        self.free = FreeParameters(task.problem, run.network, first)
        self.best = (objective(task, run.network, first), run.network, first)
        self._refused = 1.0 - self.best[0] / task.rows
        self.values: list[tuple[float, float]] = []
        self.note()

    def note(self) -> None:
        """A step is behind us."""
        self.values.append((self.best[2].log_likelihood, self.best[0]))

    @property
    def likelihood(self) -> float:
        """The log-likelihood of the best point so far."""
        return self.best[2].log_likelihood

    def loss(self, free: FloatArray) -> tuple[float, FloatArray]:
        """Minus the objective per row, and its gradient.

        A point that has none (a spread of 0, numbers out of range) is worse than the start: the line search
        turns back from it.
        """
        try:
            network = self.free.network(free)
            expected = self._task.expect(network)
            value = objective(self._task, network, expected)
        except (BadData, NoConvergence, ImpossibleEvidence):
            return self._refused, np.zeros_like(free)
        if value > self.best[0]:
            self.best = (value, network, expected)
        return -value / self._task.rows, -self.free.gradient(free, expected) / self._task.rows


def ascend(task: EMTask, run: Run, keep: Callable[[Run], None]) -> Run:
    """L-BFGS from one start until a step gains next to nothing, then one EM step, which counts too.

    The last step makes the tables those that the expected statistics give.
    """
    climber = _Climber(task, run)

    def state() -> Run:
        _, network, expected = climber.best
        return _reached(task, replace(run, network=network), climber, expected)

    status = _OUT_OF_STEPS
    with tracking(lambda: progress_text(task, climber.likelihood, run)) as step:

        def after_step(_: FloatArray) -> None:
            climber.note()
            keep(state())
            step()

        # scipy's stubs want arrays whose number of axes is known.
        loss: Any = climber.loss
        noted: Any = after_step
        if task.settings.max_iterations > 1:
            ended = minimize(
                loss, climber.free.start, method="L-BFGS-B", jac=True, callback=noted, options=_options(task)
            )
            status = int(ended.status)
    return _ended(task, run, _evaluated(task, state()), status, climber)


def _ended(task: EMTask, run: Run, last: Run, status: int, climber: _Climber) -> Run:
    """What the last step of EM leads to, unless that lost something to rounding: then what was before it."""
    judged = _judged(task, last, status, climber)
    value, network, expected = climber.best
    if last.objectives[-1] >= value:
        return judged
    if value > climber.values[-1][1]:
        climber.note()
    return replace(
        _noted(run, climber),
        network=network,
        statistics=expected.statistics.only(task.problem.countable),
        verdict=judged.verdict,
    )


def _judged(task: EMTask, run: Run, status: int, climber: _Climber) -> Run:
    """The run with what scipy said of its end: 0 settled, 1 out of steps or tries, 2 no better point found.

    A search that finds nothing better at the top, for rounding, has settled if the EM step says so too; one
    that only creeps, as along a ridge without end, has not.
    """
    if run.verdict != RUNNING:
        return run
    if status == _OUT_OF_STEPS:
        stopped = len(climber.values) >= task.settings.max_iterations
        return replace(run, verdict=STOPPED if stopped else OUT_OF_TRIES)
    value = run.objectives[-1]
    gain = abs(value - climber.best[0]) - ROUNDING * max(abs(value), 1.0)
    return replace(run, verdict=CONVERGED if task.settled(gain, value) else STALLED)


def _options(task: EMTask) -> Any:
    """When to stop, and how much to remember."""
    return {
        "maxcor": _MEMORY,
        "maxiter": task.settings.max_iterations - 1,
        "maxfun": _TRIES * task.settings.max_iterations,
        "maxls": _TRIES,
        "ftol": task.settings.tolerance * _FINENESS,
        "gtol": 1e-9,
    }


def _reached(task: EMTask, run: Run, climber: _Climber, expected: Expectation) -> Run:
    """The run at the climber's best point, one M-step on (unless that leads into a corner)."""
    seen = _noted(run, climber)
    try:
        return improved(task, seen, expected)
    except NoConvergence:
        return replace(seen, statistics=expected.statistics.only(task.problem.countable), verdict=COLLAPSED)


def _noted(run: Run, climber: _Climber) -> Run:
    """The run with what its steps were worth."""
    return replace(
        run,
        log_likelihoods=tuple(one for one, _ in climber.values),
        objectives=tuple(two for _, two in climber.values),
        iterations=len(climber.values) - 1,
    )


def _evaluated(task: EMTask, run: Run) -> Run:
    expected = task.expect(run.network)
    return replace(
        run,
        log_likelihoods=(*run.log_likelihoods, expected.log_likelihood),
        objectives=(*run.objectives, objective(task, run.network, expected)),
    )
