"""The progress of an iterative learner: one run from one start, and all runs together."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from bayou.learning.em.acceleration import StepHistory
from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics

M = TypeVar("M")
"""The parameters that are learned: those of a network, or of another model."""
PLAIN_EM = "plain-em"
CONVERGED = "converged"
STOPPED = "stopped at max_iterations"
INTERRUPTED = "interrupted"
OUT_OF_TIME = "out of time"
FAILED = "failed"
RUNNING = "running"
STALLED = "stalled before it settled"
SETTLED = "settled within its Monte Carlo error"
COLLAPSED = "stopped where a spread vanishes"
OUT_OF_TRIES = "stopped at the limit of tries"


@dataclass(frozen=True)
class Settings:
    """The limits of learning and the number of starts.

    It has converged when no parameter is further than ``tolerance`` from its limit, by estimation. Means and
    slopes are measured in deviations of the variables.
    """

    method: str = "em"
    restarts: int = 1
    seed: int = 0
    tolerance: float = 1e-6
    max_iterations: int = 1000


@dataclass(frozen=True)
class RunOf(Generic[M]):
    """One start: its current parameters (``network``), the statistics they come from, and the values of each
    iteration.

    ``objectives[k]`` belongs to the parameters after k iterations: ``log_likelihoods[k]`` plus the log-prior.
    ``previous`` has the parameters and statistics one iteration earlier, in case the last one is worse.
    ``steps`` are the last steps, from which the next is ``extrapolated``; ``moved`` is the length of the last
    one where EM does not extrapolate.
    """

    number: int
    network: M
    statistics: Statistics | None = None
    log_likelihoods: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()
    iterations: int = 0
    verdict: str = RUNNING
    previous: tuple[M, Statistics] | None = None
    steps: StepHistory | None = None
    extrapolated: bool = False
    moved: float = 0.0

    @property
    def objective(self) -> float:
        """The objective of the parameters that were evaluated last; −∞ before the first evaluation."""
        return self.objectives[-1] if self.objectives else -math.inf

    @property
    def worth(self) -> tuple[bool, float]:
        """The key that starts are compared by. Collapsed starts come last: with a variance near 0 the
        likelihood is large but means nothing."""
        return self.verdict != COLLAPSED, self.objective


@dataclass(frozen=True)
class Outcome:
    """One finished start, without its parameters; ``problem`` is the error of a failed one."""

    number: int
    iterations: int
    objective: float
    verdict: str
    problem: str = ""


@dataclass(frozen=True)
class ProgressOf(Generic[M]):
    """All starts: the finished ones, the best of them, and the current one.

    ``stopped`` has the starts that reached the limit of iterations: they continue if the limit is raised.
    """

    finished: tuple[Outcome, ...] = ()
    best: RunOf[M] | None = None
    current: RunOf[M] | None = None
    settings: Settings = field(default_factory=Settings)
    stopped: tuple[RunOf[M], ...] = ()

    def with_outcome(self, outcome: Outcome) -> tuple[Outcome, ...]:
        """The finished starts by number, with this outcome in place of an earlier one of the same start."""
        others = [one for one in self.finished if one.number != outcome.number]
        return tuple(sorted([*others, outcome], key=lambda one: one.number))

    @property
    def leading(self) -> RunOf[M] | None:
        """The better of the best finished start and the current one (if that has statistics already)."""
        now = self.current
        if now is None or now.statistics is None:
            return self.best
        return now if self.best is None or now.worth > self.best.worth else self.best


Run: TypeAlias = RunOf[FrozenNetwork]
Progress: TypeAlias = ProgressOf[FrozenNetwork]
