"""Progress of long work: the protocol of a reporter; the command line plugs in one that draws bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Protocol, TypeVar

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
