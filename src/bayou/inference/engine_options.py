"""How long an engine that estimates goes on: until an accuracy, a number of draws or a time is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from bayou.arguments import real_number, seed_or_random, whole_number

DEFAULT_ACCURACY = 0.005
DEFAULT_SECONDS = 10.0
"""Where neither an accuracy, a number of draws nor a time is asked for, both hold."""
FIRST_ROUND = 128
"""The number of draws of the first round: few, since nobody knows yet how long they take."""
FIRST_LOOK = 4096
"""The number of draws before the accuracy is looked at for the first time."""
TIME_TO_DRAW = 0.95
"""The share of the time by which the draws end; the rest is for intervals and tables."""
MOST_DRAWS = 2**40


@dataclass(frozen=True)
class EngineOptions:
    """The seed of the draws, and when to stop.

    ``accuracy`` is the half width of the widest 99 % interval that is good enough, ``time`` is in seconds.

    >>> EngineOptions.from_arguments(seed=7, samples=1000)
    EngineOptions(seed=7, samples=1000, accuracy=None, time=None)
    """

    seed: int
    samples: int | None = None
    accuracy: float | None = None
    time: float | None = None
    started: float = field(default_factory=lambda: monotonic(), repr=False, compare=False)
    """When the time began, on the clock of ``time.monotonic``."""

    @classmethod
    def from_arguments(
        cls, seed: Any = None, samples: Any = None, accuracy: Any = None, time: Any = None
    ) -> EngineOptions:
        """Check the arguments of a query; without a seed a random one is chosen."""
        chosen = seed_or_random(seed)
        if samples is None and accuracy is None and time is None:
            return cls(chosen, None, DEFAULT_ACCURACY, DEFAULT_SECONDS)
        return cls(
            chosen,
            None if samples is None else whole_number("samples", samples, 1),
            None
            if accuracy is None
            else real_number(
                "accuracy",
                accuracy,
                0,
                1,
                above=True,
                expected="give the half width of the 99 % intervals that you need, above 0 and at most 1, "
                "such as 0.01",
            ),
            None
            if time is None
            else real_number(
                "time",
                time,
                0,
                above=True,
                expected="give the seconds that the answer may take, a finite number above 0",
            ),
        )

    def rounds(self) -> Iterator[int]:
        """The numbers of further draws, round after round; each round doubles the draws, while time is left.

        The caller stops when the accuracy is reached. Only a time limit makes them depend on the clock: a
        round then has at most the draws that fit into half of the time left, at the rate of those before.
        """
        most = MOST_DRAWS if self.samples is None else self.samples
        done, following, began = 0, min(FIRST_ROUND, most), monotonic()
        while following > 0:
            yield following
            done += following
            following = min(done, most - done)
            if self.time is None:
                continue
            now = monotonic()
            left = self.until(TIME_TO_DRAW) - now
            if left <= 0.02 * self.time:
                return
            following = min(following, max(int(done * left / 2 / max(now - began, 1e-4)), 1))

    def until(self, share: float) -> float:
        """When this share of the time is over, on the clock of ``time.monotonic``; infinite without a limit.

        What prepares the draws (a plan, a proof that the findings are possible) has to end by then.
        """
        return self.started + share * self.seconds

    @property
    def seconds(self) -> float:
        """The time limit; infinite where there is none."""
        return float("inf") if self.time is None else self.time
