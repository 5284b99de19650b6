"""Reading the next batch while the one before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from bayou.sources.ctrl_c import closed_after

T = TypeVar("T")


def reading_ahead(batches: Iterator[T], at_once: bool = False) -> Iterator[T]:
    """Yield the batches in order; a thread makes the next one meanwhile, from the second on or ``at_once``.

    Unless ``at_once``, who needs only the first batch does not wait for others. Errors come out where the
    batch would. At the end ``batches`` is closed.

    >>> list(reading_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    reader, in_use = ThreadPoolExecutor(max_workers=1), Lock()
    try:
        if not at_once:
            for first in batches:
                yield first
                break
        coming = reader.submit(_next, batches, in_use)
        while (batch := coming.result()) is not None:
            coming = reader.submit(_next, batches, in_use)
            yield batch[0]
    finally:
        _end(reader, batches, in_use)


def _next(batches: Iterator[T], in_use: Lock) -> tuple[T] | None:
    """The next batch; None at the end."""
    with in_use:
        for batch in batches:
            return (batch,)
    return None


def _end(reader: ThreadPoolExecutor, batches: Iterator[T], in_use: Lock) -> None:
    """Wait for the thread, then close the batches; Ctrl-C meanwhile is raised when that is done."""
    interrupt: KeyboardInterrupt | None = None
    while True:
        try:
            reader.shutdown(wait=True)
            # A thread whose start was interrupted is unknown to the pool, and may still read.
            with in_use, closed_after(batches):
                break
        except KeyboardInterrupt as problem:
            interrupt = problem
    if interrupt is not None:
        raise interrupt
