"""Gradient ascent: L-BFGS on free parameters, the gradient exact from expected counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from bayou.errors import BadData, ImpossibleEvidence, NoConvergence
from bayou.learning.em import Task, improved, objective, told
from bayou.learning.expectation import Expectation
from bayou.learning.free_parameters import FreeParameters
from bayou.learning.trace import COLLAPSED, CONVERGED, OUT_OF_TRIES, RUNNING, STALLED, STOPPED, Run
from bayou.progress import tracked
from bayou.typing import FloatArray

_MEMORY = 20
_TRIES = 20
"""How many points one line search may look at."""
_FINENESS = 1e-3
"""A step of L-BFGS stalls now and then: it must gain less than one of EM to be the last."""


class _Climber:
    """Remembers the best point that was looked at, and one line a step of L-BFGS."""

    def __init__(self, task: Task, run: Run) -> None:
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


def ascend(task: Task, run: Run, keep: Callable[[Run], None]) -> Run:
    """L-BFGS from one start until a step gains next to nothing, then one EM step.

    The last step makes the tables those that the expected statistics give.
    """
    climber = _Climber(task, run)

    def state() -> Run:
        _, network, expected = climber.best
        return _reached(task, replace(run, network=network), climber, expected)

    def after_step(_: FloatArray) -> None:
        climber.note()
        keep(state())

    # scipy's stubs want arrays whose number of axes is known.
    loss: Any = climber.loss
    noted: Any = after_step
    for _ in tracked((None,), lambda: told(task, state())):
        ended = minimize(
            loss, climber.free.start, method="L-BFGS-B", jac=True, callback=noted, options=_options(task)
        )
    return _judged(task, _evaluated(task, state()), int(ended.status), climber)


def _judged(task: Task, run: Run, status: int, climber: _Climber) -> Run:
    """The run with what scipy said of its end: 0 settled, 1 out of steps or tries, 2 no better point found.

    A search that finds nothing better at the top, for rounding, has settled if the EM step says so too.
    """
    if run.verdict != RUNNING:
        return run
    if status == 0:
        return replace(run, verdict=CONVERGED)
    if status == 1:
        stopped = len(climber.values) > task.settings.max_iterations
        return replace(run, verdict=STOPPED if stopped else OUT_OF_TRIES)
    gain = run.objectives[-1] - climber.best[0]
    return replace(run, verdict=CONVERGED if task.settled(gain, run.objectives[-1]) else STALLED)


def _options(task: Task) -> Any:
    """When to stop, and how much to remember."""
    return {
        "maxcor": _MEMORY,
        "maxiter": task.settings.max_iterations,
        "maxfun": _TRIES * task.settings.max_iterations,
        "maxls": _TRIES,
        "ftol": task.settings.tolerance * _FINENESS,
        "gtol": 1e-9,
    }


def _reached(task: Task, run: Run, climber: _Climber, expected: Expectation) -> Run:
    """The run at the climber's best point, one M-step on (unless that leads into a corner)."""
    seen = replace(
        run,
        log_likelihoods=tuple(one for one, _ in climber.values),
        objectives=tuple(two for _, two in climber.values),
        iterations=len(climber.values) - 1,
    )
    try:
        return improved(task, seen, expected)
    except NoConvergence:
        return replace(seen, statistics=expected.statistics, verdict=COLLAPSED)


def _evaluated(task: Task, run: Run) -> Run:
    expected = task.expect(run.network)
    return replace(
        run,
        log_likelihoods=(*run.log_likelihoods, expected.log_likelihood),
        objectives=(*run.objectives, objective(task, run.network, expected)),
    )
