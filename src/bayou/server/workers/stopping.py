"""Stopping a worker process in the middle of a question, so that the next question finds it ready.

The server sends a signal; the kernels ask for signals now and then and end their work. A worker that does not
end it in time is killed.
"""

from __future__ import annotations

import asyncio
import signal
from asyncio.subprocess import Process
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

SIGNAL: signal.Signals | None = getattr(signal, "SIGUSR1", None)
"""The signal; None on systems that have none to spare: there workers are killed."""
PATIENCE = 0.6
"""The seconds that a worker has to end its question."""


class Stopped(BaseException):
    """Raised inside a question that nobody waits for any more."""


class Stopping:
    """In a worker: whether a question is being worked on, which a signal may then end."""

    def __init__(self) -> None:
        self._is_working = False
        if SIGNAL is not None:
            signal.signal(SIGNAL, self._stop)

    @contextmanager
    def working(self) -> Iterator[None]:
        """A question that may be stopped; raises Stopped if it was."""
        self._is_working = True
        try:
            yield
        finally:
            self._is_working = False

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self._is_working:
            self._is_working = False
            raise Stopped


async def has_stopped(process: Process, answer: asyncio.Future[Any]) -> bool:
    """Ask a worker to end its question, whose answer is waited for; whether it did, and is ready again."""
    if SIGNAL is None or process.returncode is not None:
        return False
    with suppress(ProcessLookupError):
        process.send_signal(SIGNAL)
    await asyncio.wait((answer,), timeout=PATIENCE)
    return answer.done() and answer.exception() is None


async def ended(process: Process) -> None:
    """Kill a worker."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
