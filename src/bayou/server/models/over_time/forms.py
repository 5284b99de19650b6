"""The forms of questions over time: findings at single steps in, what is known of every step out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from bayou.server.messages import Finding, Message

MOST_STEPS = 10_000
MOST_AHEAD = 1_000


class StepFinding(Finding, kw_only=True, omit_defaults=True):
    """What is known of one variable at one step; steps count from 0."""

    step: Annotated[int, Meta(ge=0, lt=MOST_STEPS)]


class OverTimeRequest(Message):
    """A sequence of so many steps, what is known of them, and how many steps after it are wanted, too.

    ``what``: ``smooth`` answers about each step given all findings, ``filter`` given those up to this step.
    With ``path`` the answer has the most probable path as well.
    """

    steps: Annotated[int, Meta(ge=1, le=MOST_STEPS)]
    findings: list[StepFinding] = field(default_factory=list)
    what: Literal["smooth", "filter"] = "smooth"
    forecast: Annotated[int, Meta(ge=0, le=MOST_AHEAD)] = 0
    path: bool = False


class Track(Message, omit_defaults=True):
    """What is known of one variable, step by step: shares of its states in order, or mean and deviation.

    null: the variable does not exist at this step, or its distribution there has no such form.
    """

    variable: Any
    probabilities: list[list[float] | None] | None = None
    means: list[float | None] | None = None
    deviations: list[float | None] | None = None


class BestTrack(Message, omit_defaults=True):
    """One variable on the most probable path: the places of its states, or numbers."""

    variable: Any
    states: list[int] | None = None
    values: list[float] | None = None


class OverTimeAnswer(Message):
    """The tracks of all variables; the steps of the forecast follow those of the sequence.

    ``log_probability`` is the natural logarithm of P(findings), of numbers that of their density.
    """

    log_probability: float
    tracks: list[Track]
    path: list[BestTrack] | None
    approximate: bool
    notes: list[str]
