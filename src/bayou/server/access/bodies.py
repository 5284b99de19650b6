"""The bodies of requests: no more of them, and no longer waited for, than the settings allow."""

from __future__ import annotations

import asyncio
from types import TracebackType

from starlette.types import Message, Receive

from bayou.server.problems import Problem


def too_large(most: int) -> Problem:
    """The problem of a body that is larger than ``most`` bytes."""
    return Problem(413, "too-large", f"A request may have at most {most // 2**20} MB.")


def bounded(receive: Receive, most: int, seconds: float) -> Receive:
    """Receive a body of at most ``most`` bytes, within so many seconds; what follows it is not limited."""
    size = 0
    ended = False
    end = asyncio.get_running_loop().time() + seconds

    async def receiving() -> Message:
        nonlocal size, ended
        if ended:
            return await receive()
        async with _Until(end):
            message = await receive()
        size += len(message.get("body", b""))
        ended = not message.get("more_body", False)
        if size > most:
            raise too_large(most)
        return message

    return receiving


class _Until:
    """What is awaited inside is cancelled at a time of the loop, as a problem of the request.

    The same as asyncio.timeout_at, which Python 3.10 has not; wait_for would make a task for each request.
    """

    def __init__(self, end: float) -> None:
        self._end, self._is_over = end, False

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._timer = asyncio.get_running_loop().call_at(self._end, self._stop)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        self._timer.cancel()
        if not self._is_over:
            return
        if hasattr(self._task, "uncancel"):
            self._task.uncancel()
        raise Problem(408, "too-slow", "The body of the request did not arrive in time.") from None

    def _stop(self) -> None:
        self._is_over = True
        self._task.cancel()
