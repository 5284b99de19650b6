"""Worker processes: few, each with a memory limit, stopped at a deadline or when nobody waits."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any

from bayou.server.problems import Problem, busy
from bayou.server.workers.frames import PROGRESS, next_frame, packed
from bayou.server.workers.stopping import ended, has_stopped

Told = Callable[[str, int], None]
"""Is called with the progress of a question: the name of the task, and how many of its steps are done."""


class WorkerPool:
    """Runs questions in worker processes, at most ``size`` at a time, at most ``queue`` waiting.

    A question that takes longer than ``seconds``, or whose waiter is cancelled, is stopped; if it does not
    stop, its process is killed, and the next question starts another one. A worker that the system kills
    costs its question only.
    """

    def __init__(
        self,
        size: int = 2,
        queue: int = 64,
        seconds: float = 60,
        memory: int = 2 * 2**30,
    ) -> None:
        self._seconds, self._memory, self._queue = seconds, memory, queue
        self._free = asyncio.Semaphore(size)
        self._idle: list[Process] = []
        self._all: set[Process] = set()
        self.waiting = 0
        self.running = 0
        self.stopped = 0
        self.killed = 0

    async def run(
        self, operation: str, path: str, body: bytes, table: str = "", told: Told | None = None
    ) -> tuple[int, bytes]:
        """Return the status and the body of the answer; ``table`` is the path of a table, if it needs one."""
        if self.waiting >= self._queue:
            raise busy()
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            return await self._ask([operation, path, body, table], told)
        finally:
            self.running -= 1
            self._free.release()

    async def __aenter__(self) -> WorkerPool:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all workers, also those whose questions are still being stopped: none stays behind."""
        for process in list(self._all):
            await ended(process)
        self._all.clear()
        self._idle.clear()

    async def _ask(self, question: list[Any], told: Told | None) -> tuple[int, bytes]:
        self._idle = [process for process in self._idle if process.returncode is None]
        self._all = {process for process in self._all if process.returncode is None}
        process = self._idle.pop() if self._idle else await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(packed(question))
        answer = asyncio.ensure_future(_answer(process.stdout, told))
        try:
            await asyncio.wait((answer,), timeout=self._seconds)
            if not answer.done():
                raise asyncio.TimeoutError
            status, content = answer.result()
            return status, content
        except asyncio.TimeoutError:
            raise Problem(
                504,
                "too-long",
                f"The question took longer than {self._seconds:g} seconds and was stopped. Ask for fewer "
                "variables, give more findings, or ask the library itself, which has no such limit.",
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Problem(
                507,
                "out-of-memory",
                "The process that worked on this question was ended by the system, probably for lack of "
                "memory. Ask for fewer variables, or give more findings.",
            ) from None
        finally:
            if answer.done() and answer.exception() is None:
                self._idle.append(process)
            else:
                await asyncio.shield(self._put_back(process, answer))

    async def _put_back(self, process: Process, answer: asyncio.Future[Any]) -> None:
        """Stop the question of a worker, so that it is ready for the next; kill it if it does not stop."""
        if await has_stopped(process, answer):
            self.stopped += 1
            self._idle.append(process)
            return
        self.killed += 1
        await ended(process)
        await asyncio.gather(answer, return_exceptions=True)

    async def _started(self) -> Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bayou.server.workers.worker",
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            limit=2**20,
            env={**os.environ, "BAYOU_SERVER_PROCESS": str(os.getpid())},
            start_new_session=True,  # Ctrl-C in the terminal is for the server, which lets questions finish
        )
        self._all.add(process)
        return process


async def _answer(stream: asyncio.StreamReader, told: Told | None) -> tuple[int, bytes]:
    """The answer of a worker; what it tells of its progress before is passed on."""
    while True:
        first, *rest = await next_frame(stream)
        if first != PROGRESS:
            return first, rest[0]
        if told is not None:
            told(*rest)
