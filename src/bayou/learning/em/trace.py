"""How an iterative learner got where it is: one run from one start, and all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics

CONVERGED = "converged"
STOPPED = "stopped at max_iterations"
INTERRUPTED = "interrupted"
OUT_OF_TIME = "out of time"
FAILED = "failed"
RUNNING = "running"
STALLED = "stalled before it settled"
COLLAPSED = "stopped where a spread vanishes"
OUT_OF_TRIES = "stopped at the limit of tries"


@dataclass(frozen=True)
class Settings:
    """How long and from how many starts to learn.

    It has converged when a step gains no more than ``tolerance`` times the size of the objective (or, where
    that is smaller, the number of rows).
    """

    method: str = "em"
    restarts: int = 1
    seed: int = 0
    tolerance: float = 1e-7
    max_iterations: int = 1000


@dataclass(frozen=True)
class Run:
    """One start: the tables it has reached, the statistics they come from, and what each step was worth.

    ``objectives[k]`` is that of the tables after k iterations: ``log_likelihoods[k]`` and the prior's part.
    ``previous`` has the tables and statistics of one iteration before, should the last one turn out worse.
    """

    number: int
    network: FrozenNetwork
    statistics: Statistics | None = None
    log_likelihoods: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()
    iterations: int = 0
    verdict: str = RUNNING
    previous: tuple[FrozenNetwork, Statistics] | None = None

    @property
    def objective(self) -> float:
        """What the last tables that were looked at are worth."""
        return self.objectives[-1] if self.objectives else -math.inf

    @property
    def worth(self) -> tuple[bool, float]:
        """What starts are compared by: where a spread vanishes the likelihood is large and says nothing."""
        return self.verdict != COLLAPSED, self.objective


@dataclass(frozen=True)
class Outcome:
    """One finished start, without its tables."""

    number: int
    iterations: int
    objective: float
    verdict: str
    problem: str = ""


@dataclass(frozen=True)
class Progress:
    """All starts: those behind us, the best of them, and the one under way.

    ``stopped`` has the finished ones that ran out of iterations: they go on when they may do more.
    """

    finished: tuple[Outcome, ...] = ()
    best: Run | None = None
    current: Run | None = None
    settings: Settings = field(default_factory=Settings)
    stopped: tuple[Run, ...] = ()

    def with_outcome(self, outcome: Outcome) -> tuple[Outcome, ...]:
        """The finished starts by number, with this one in place of what it was before."""
        others = [one for one in self.finished if one.number != outcome.number]
        return tuple(sorted([*others, outcome], key=lambda one: one.number))

    @property
    def leading(self) -> Run | None:
        """The better of the best finished start and the one under way (if it has any statistics)."""
        now = self.current
        if now is None or now.statistics is None:
            return self.best
        return now if self.best is None or now.worth > self.best.worth else self.best
