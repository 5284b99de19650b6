"""What a benchmark is: one piece of work, done by several systems, whose answers must agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Work:
    """What is timed, and how its answer is checked (not timed).

    ``input_bytes`` is the size of what the work starts from, where memory is judged against it.
    ``own_times`` says that ``run`` returns its own seconds, measured inside another process.
    ``facts`` tells more of the answer than the check: how good a structure is, how many steps it took.
    """

    run: Callable[[], Any]
    check: Callable[[Any], float]
    input_bytes: int | None = None
    own_times: bool = False
    facts: Callable[[Any], dict[str, float]] | None = None


@dataclass(frozen=True)
class Case:
    """One row of the table.

    ``systems`` maps a system's name to a function that prepares its work from the scale (1 for a full
    run, less for a quick one). ``targets`` says how many times faster than each peer bayou must be,
    ``other_targets`` the same for another way of ours (such as a cold start) and a peer; ``within_ms``
    how many milliseconds bayou may take beyond a peer, ``below_ms`` how many it may take at all, where no
    peer ends; ``memory`` the most extra memory in sizes of the input. Check values must agree to the
    relative ``tolerance``; where systems search, each finds something else: then ``at_least`` names those
    of ours whose check (a score) must not be below any peer's. Where they estimate, the check is an
    error: bayou's may be ``at_most`` this.
    """

    name: str
    title: str
    systems: dict[str, Callable[[float], Work]]
    targets: dict[str, float] = field(default_factory=dict)
    other_targets: dict[tuple[str, str], float] = field(default_factory=dict)
    within_ms: dict[str, float] = field(default_factory=dict)
    below_ms: float | None = None
    memory: float | None = None
    tolerance: float | None = 1e-9
    at_least: tuple[str, ...] = ()
    at_most: float | None = None
    note: str = ""
    bayou: str = "bayou"
