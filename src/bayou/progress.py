"""Progress of long work: the protocol of a reporter; the command line plugs in one that draws bars."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Protocol, TypeVar

from bayou.errors import BadQuestion

T = TypeVar("T")


class Reporter(Protocol):
    """An object that shows the progress of long work."""

    def advance(self, task: str, done: int) -> None:
        """Show that ``done`` steps of ``task`` are complete."""

    def finish(self, task: str) -> None:
        """Show that the task is complete."""


_reporter: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def show_progress(reporter: Reporter) -> Iterator[None]:
    """Report the progress of all work inside the ``with`` block to this reporter.

    ``reporter`` has two methods, ``advance(task, done)`` and ``finish(task)``.

    Raises ``BadQuestion`` for an object that lacks one of them.

    >>> class Shout:
    ...     def advance(self, task, done): print(task, done)
    ...     def finish(self, task): print(task, "done")
    >>> with show_progress(Shout()):
    ...     list(tracked("ab", "letters"))
    letters 1
    letters 2
    letters done
    ['a', 'b']
    """
    for method in ("advance", "finish"):
        if not callable(getattr(reporter, method, None)):
            raise BadQuestion(
                f"A {type(reporter).__name__} reports no progress: it has no method {method!r}."
            )
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def tracked(steps: Iterable[T], task: str | Callable[[], str]) -> Iterator[T]:
    """Yield the steps, and report each one to the reporter, if there is one.

    ``task`` is the name to show, or a function that returns it, called after every step.
    """
    reporter = _reporter.get()
    for done, step in enumerate(steps, start=1):
        yield step
        if reporter is not None:
            reporter.advance(task if isinstance(task, str) else task(), done)
    if reporter is not None:
        reporter.finish(task if isinstance(task, str) else task())


def tracked_rows(
    parts: Iterable[T], task: str, rows_of: Callable[[T], int], total: int | None
) -> Iterator[T]:
    """Yield parts of a table; the name of the task tells how many rows were read, how fast, what is left.

    ``total`` is about how many rows there are (None: unknown).
    """
    pace = RowPace(task, total)

    def counted() -> Iterator[T]:
        for part in parts:
            yield part
            pace.rows += rows_of(part)

    return tracked(counted(), pace)


class RowPace:
    """How many rows were read, how many a second, and how long the rest will take.

    >>> RowPace("Counting days.csv", None, lambda: 0.0)()
    'Counting days.csv: 0 rows, 0 rows/s'
    """

    def __init__(self, task: str, total: int | None, now: Callable[[], float] = time.monotonic) -> None:
        self._task, self._total, self._now, self._started = task, total, now, now()
        self.rows = 0

    def __call__(self) -> str:
        """The name of the task with the pace, for a reporter.

        >>> clock = iter([0.0, 2.0])
        >>> pace = RowPace("Counting days.csv", 3_000_000, lambda: next(clock))
        >>> pace.rows = 1_000_000
        >>> pace()
        'Counting days.csv: 1,000,000 of about 3,000,000 rows, 500,000 rows/s, 4 s left'
        """
        seconds = max(self._now() - self._started, 1e-9)
        speed = self.rows / seconds
        if self._total is None or self.rows >= self._total or not speed:
            return f"{self._task}: {self.rows:,} rows, {speed:,.0f} rows/s"
        left = (self._total - self.rows) / speed
        shown = f"{left:.0f} s" if left < 120 else f"{left / 60:.0f} min"
        told = f"{self.rows:,} of about {self._total:,} rows, {speed:,.0f} rows/s, {shown} left"
        return f"{self._task}: {told}"


@contextmanager
def tracking(task: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """Give a function that reports one more step; for work that calls back after each step.

    >>> class Shout:
    ...     def advance(self, task, done): print(task, done)
    ...     def finish(self, task): print(task, "done")
    >>> with show_progress(Shout()), tracking(lambda: "steps") as step:
    ...     step()
    ...     step()
    steps 1
    steps 2
    steps done
    """
    reporter, done = _reporter.get(), count(1)

    def step() -> None:
        if reporter is not None:
            reporter.advance(task(), next(done))

    yield step
    if reporter is not None:
        reporter.finish(task())
