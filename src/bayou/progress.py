"""Progress of long work: a protocol here, the bars are plugged in from above (the command line does)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Protocol, TypeVar

T = TypeVar("T")


class Reporter(Protocol):
    """Whatever can show that work goes on."""

    def advance(self, task: str, done: int) -> None:
        """``done`` steps of ``task`` are behind us."""

    def finish(self, task: str) -> None:
        """The task is over."""


_reporter: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def reporting_to(reporter: Reporter) -> Iterator[None]:
    """Show the progress of everything inside to this reporter.

    >>> class Shout:
    ...     def advance(self, task, done): print(task, done)
    ...     def finish(self, task): print(task, "done")
    >>> with reporting_to(Shout()):
    ...     list(tracked("ab", "letters"))
    letters 1
    letters 2
    letters done
    ['a', 'b']
    """
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def tracked(steps: Iterable[T], task: str | Callable[[], str]) -> Iterator[T]:
    """Pass the steps on, telling the reporter (if there is one) after each.

    The task may be a function that says how the work stands now.
    """
    reporter = _reporter.get()
    for done, step in enumerate(steps, start=1):
        yield step
        if reporter is not None:
            reporter.advance(task if isinstance(task, str) else task(), done)
    if reporter is not None:
        reporter.finish(task if isinstance(task, str) else task())


@contextmanager
def tracking(task: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """For work that calls back after each step: the function that is given tells the reporter of one more.

    >>> class Shout:
    ...     def advance(self, task, done): print(task, done)
    ...     def finish(self, task): print(task, "done")
    >>> with reporting_to(Shout()), tracking(lambda: "steps") as step:
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
