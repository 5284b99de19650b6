"""Statements that Ctrl-C stops in the database, with drivers that would wait until they end."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from threading import enumerate as enumerate_threads
from typing import TypeVar

T = TypeVar("T")


def interruptible(run: Callable[[], T], cancel: Callable[[], object]) -> T:
    """Return what ``run`` returns, which runs in a thread: an interruption reaches the thread that waits.

    It cancels the statement, and goes on when the database has ended it.

    >>> interruptible(lambda: 1 + 1, lambda: None)
    2
    """
    results: list[T] = []
    problems: list[BaseException] = []
    ended = Event()  # a thread whose join() was interrupted counts as ended, though it runs on

    def keep() -> None:
        try:
            results.append(run())
        except BaseException as problem:
            problems.append(problem)
        finally:
            ended.set()

    thread = Thread(target=keep, daemon=True)
    try:
        thread.start()
        while not ended.wait(0.2):
            pass
    except KeyboardInterrupt:
        # The statement may not have begun when it is cancelled first, nor the thread.
        while thread in enumerate_threads() and not ended.is_set():
            cancel()
            ended.wait(0.2)
        raise
    if problems:
        raise problems[0]
    return results[0]
