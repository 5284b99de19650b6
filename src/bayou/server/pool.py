"""Worker processes: few, each with a memory limit, killed at a deadline or when nobody waits."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

from bayou.server.frames import next_frame, packed
from bayou.server.problems import Problem

RETRY_AFTER = 2


class WorkerPool:
    """Runs questions in worker processes, at most ``size`` at a time, at most ``queue`` waiting.

    A question that takes longer than ``seconds``, or whose waiter is cancelled, ends with its process: the
    next question starts another one. A worker that the system kills costs its question only.
    """

    def __init__(self, size: int = 2, queue: int = 64, seconds: float = 60, memory: int = 2 * 2**30) -> None:
        self._seconds, self._memory, self._queue = seconds, memory, queue
        self._free = asyncio.Semaphore(size)
        self._idle: list[Process] = []
        self.waiting = 0
        self.running = 0
        self.killed = 0

    async def run(self, operation: str, path: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the body of the answer."""
        if self.waiting >= self._queue:
            raise Problem(
                503,
                "busy",
                "Too many questions are waiting; ask again in a moment.",
                headers={"Retry-After": str(RETRY_AFTER)},
            )
        self.waiting += 1
        try:
            await self._free.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            return await self._ask(operation, path, body)
        finally:
            self.running -= 1
            self._free.release()

    async def __aenter__(self) -> WorkerPool:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End all workers."""
        for process in self._idle:
            await _killed(process)
        self._idle.clear()

    async def _ask(self, operation: str, path: str, body: bytes) -> tuple[int, bytes]:
        self._idle = [process for process in self._idle if process.returncode is None]
        process = self._idle.pop() if self._idle else await self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        finished = False
        try:
            process.stdin.write(packed([operation, path, body]))
            status, answer = await asyncio.wait_for(next_frame(process.stdout), self._seconds)
            finished = True
            return status, answer
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
            if finished:
                self._idle.append(process)
            else:
                self.killed += 1
                await asyncio.shield(_killed(process))

    async def _started(self) -> Process:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bayou.server.worker",
            str(self._memory),
            stdin=PIPE,
            stdout=PIPE,
            limit=2**20,
            start_new_session=True,  # Ctrl-C in the terminal is for the server, which lets questions finish
        )


async def _killed(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
