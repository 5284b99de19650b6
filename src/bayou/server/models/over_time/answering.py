"""The question: what is known of every variable at every step, given findings at some steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bayou.errors import BayouError
from bayou.server.models.kinds import DYNAMIC, HMM, KALMAN, SEQUENCES, kind_of
from bayou.server.models.over_time.forms import OverTimeAnswer, OverTimeRequest
from bayou.server.models.over_time.hidden_states import hidden_state_beliefs
from bayou.server.models.over_time.series import series_beliefs
from bayou.server.models.over_time.slices import slice_beliefs
from bayou.server.operations.operation import Operation

QUICK_CELLS = 50_000
"""Answers with more numbers are made by workers."""

_ANSWERS: dict[str, Callable[[Any, OverTimeRequest], OverTimeAnswer]] = {
    HMM: hidden_state_beliefs,
    DYNAMIC: slice_beliefs,
    KALMAN: series_beliefs,
}


def over_time(model: Any, request: OverTimeRequest) -> OverTimeAnswer:
    """The beliefs of all variables at all steps.

    >>> import bayou
    >>> from bayou.server.models.over_time.forms import StepFinding
    >>> seen = [StepFinding("Umbrella", step=step, state="yes") for step in (0, 1)]
    >>> found = over_time(bayou.examples.umbrella_world(), OverTimeRequest(steps=2, findings=seen))
    >>> [round(shares[1], 4) for shares in found.tracks[0].probabilities]
    [0.8834, 0.8834]
    """
    return _ANSWERS[kind_of(model)](model, request)


def quick(model: Any, request: OverTimeRequest) -> OverTimeAnswer | None:
    """The same where it is small and exact; None for anything else, and for errors."""
    kind = kind_of(model)
    if kind == DYNAMIC:
        if model.has_numbers:  # they may need particles
            return None
        width = sum(variable.cardinality for variable in model.variables.values())
    elif kind == HMM:
        width = model.chain.states**2
    else:
        width = len(model.states) ** 3
    if (request.steps + request.forecast) * width > QUICK_CELLS:
        return None
    try:
        return over_time(model, request)
    except BayouError:
        return None


OVER_TIME = Operation(
    "over-time",
    "What is known of all variables at every step, given findings at some steps",
    OverTimeRequest,
    OverTimeAnswer,
    over_time,
    quick,
    kinds=SEQUENCES,
)
