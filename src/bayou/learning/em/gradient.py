"""Gradient ascent: L-BFGS on free parameters, with the exact gradient from expected statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.errors import BadData, ImpossibleEvidence, NoConvergence
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning.em.expectation_maximisation import ROUNDING, EMTask, improved, objective, progress_text
from bayou.learning.em.free_parameters import FreeParameters
from bayou.learning.em.m_step import LearningProblem
from bayou.learning.em.trace import COLLAPSED, CONVERGED, OUT_OF_TRIES, RUNNING, STALLED, STOPPED, Run
from bayou.progress import tracking
from bayou.typing import FloatArray

_MEMORY = 20
"""The number of earlier steps that L-BFGS uses to approximate the curvature."""
_TRIES = 20
"""The most points that one line search may evaluate."""
_OUT_OF_STEPS = 1
"""The status that scipy returns at the limit of steps or evaluations."""
_FINENESS = 1e-3
"""The tolerance relative to that of EM: single steps of L-BFGS may gain little before convergence."""


class _Climber:
    """The loss function of L-BFGS; remembers the best point so far, and its values after each step."""

    def __init__(self, task: EMTask, run: Run) -> None:
        self._task = task
        first = task.expect(run.network)
        assert isinstance(task.problem, LearningProblem)
        self.free = FreeParameters(task.problem, run.network, first)
        self.best = (objective(task, run.network, first), run.network, first)
        self._refused = 1.0 - self.best[0] / task.rows
        self.values: list[tuple[float, float]] = []
        self.note()

    def note(self) -> None:
        """Record the values of the best point at the end of a step."""
        self.values.append((self.best[2].log_likelihood, self.best[0]))

    @property
    def likelihood(self) -> float:
        """The log-likelihood of the best point so far."""
        return self.best[2].log_likelihood

    def loss(self, free: FloatArray) -> tuple[float, FloatArray]:
        """Minus the objective per row, and its gradient.

        A point without a value (a variance of 0, numbers out of range) gets a loss above that of the start,
        so that the line search turns back.
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
    """Run L-BFGS from one start until a step gains almost nothing, then one EM step, which counts too.

    After the EM step the parameters are those estimated from the expected statistics.
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

        # scipy's type stubs require arrays with a known number of axes.
        loss: Any = climber.loss
        noted: Any = after_step
        if task.settings.max_iterations > 1:
            # Imported here: scipy's optimisers take longer to load than the rest of bayou.
            from scipy.optimize import minimize

            ended = minimize(
                loss, climber.free.start, method="L-BFGS-B", jac=True, callback=noted, options=_options(task)
            )
            status = int(ended.status)
    return _ended(task, run, _evaluated(task, state()), status, climber)


def _ended(task: EMTask, run: Run, last: Run, status: int, climber: _Climber) -> Run:
    """The run after the final EM step, or before it if that step lost something to rounding."""
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
    """The run with its verdict, from scipy's status: 0 converged, 1 out of steps, 2 no better point found.

    With status 0 or 2 it has converged only if the final EM step gains almost nothing as well: rounding may
    stop a line search at the optimum, but also on a long ridge far from it.
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
    """The options of scipy's L-BFGS."""
    return {
        "maxcor": _MEMORY,
        "maxiter": task.settings.max_iterations - 1,
        "maxfun": _TRIES * task.settings.max_iterations,
        "maxls": _TRIES,
        "ftol": task.settings.tolerance * _FINENESS,
        "gtol": 1e-9,
    }


def _reached(task: EMTask, run: Run, climber: _Climber, expected: Expectation) -> Run:
    """The run at the climber's best point after one M-step (without it if a variance would become 0)."""
    seen = _noted(run, climber)
    try:
        return improved(task, seen, expected)
    except NoConvergence:
        return replace(seen, statistics=expected.statistics.only(task.problem.countable), verdict=COLLAPSED)


def _noted(run: Run, climber: _Climber) -> Run:
    """The run with the log-likelihood and the objective after each step."""
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
