"""Worker processes: bounded, killed in time, and never the end of the server."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import msgspec
import pytest
from tests.patience import PATIENCE
from tests.server.wide_network import grid

import bayou
from bayou.server.problems import Problem
from bayou.server.workers.pool import WorkerPool

EASY = msgspec.json.encode({"findings": [{"variable": "dysp", "weights": [0.8, 0.3]}]})
LONG = msgspec.json.encode({"findings": [{"variable": "3 3", "weights": [0.8, 0.3]}]})


@pytest.fixture
def asia(tmp_path: Path) -> str:
    bayou.examples.asia().save(tmp_path / "asia.bayou")
    return str(tmp_path / "asia.bayou")


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """A grid of 18 by 18 variables, whose beliefs take some seconds."""
    grid(18).save(tmp_path / "wide.bayou")
    return str(tmp_path / "wide.bayou")


def test_a_killed_worker_costs_its_question_only(asia: str, wide: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1) as pool:
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            (process,) = pool._idle
            os.kill(process.pid, signal.SIGKILL)
            await process.wait()
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            (process,) = pool._idle
            asked = asyncio.ensure_future(pool.run("beliefs", wide, LONG))
            await asyncio.sleep(0.3)
            os.kill(process.pid, signal.SIGKILL)
            with pytest.raises(Problem) as problem:
                await asked
            assert problem.value.status == 507
            assert (await pool.run("beliefs", asia, EASY))[0] == 200

    asyncio.run(work())


def test_errors_travel(asia: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1) as pool:
            status, body = await pool.run("beliefs", asia, b'{"findings": [{"variable": "x", "state": "y"}]}')
            assert status == 422
            assert "There is no variable 'x'." in msgspec.json.decode(body)["detail"]

    asyncio.run(work())


def test_a_question_ends_at_the_deadline(wide: str, asia: str) -> None:
    """Its process is ready for the next one: no other is started."""

    async def work() -> None:
        async with WorkerPool(size=1, seconds=PATIENCE) as pool:
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            (process,) = pool._idle
            pool._seconds = 1.5
            with pytest.raises(Problem) as problem:
                await pool.run("beliefs", wide, LONG)
            assert problem.value.kind == "too-long"
            pool._seconds = PATIENCE
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            assert pool._idle == [process] or pool.killed

    asyncio.run(work())


def test_a_question_ends_with_its_waiter(wide: str, asia: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1) as pool:
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            waiting = asyncio.ensure_future(pool.run("beliefs", wide, LONG))
            await asyncio.sleep(1.0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (pool.running, pool.waiting) == (0, 0)
            assert pool.stopped + pool.killed == 1
            assert (await pool.run("beliefs", asia, EASY))[0] == 200

    asyncio.run(work())


def test_a_worker_that_does_not_stop_is_killed(asia: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that the system holds is one that hears no signal."""

    async def work() -> None:
        async with WorkerPool(size=1, seconds=PATIENCE) as pool:
            assert (await pool.run("beliefs", asia, EASY))[0] == 200
            (process,) = pool._idle
            os.kill(process.pid, signal.SIGSTOP)
            pool._seconds = 0.5
            with pytest.raises(Problem):
                await pool.run("beliefs", asia, EASY)
            assert (pool.stopped, pool.killed) == (0, 1)
            assert process.returncode is not None
            pool._seconds = PATIENCE
            assert (await pool.run("beliefs", asia, EASY))[0] == 200

    asyncio.run(work())


def test_too_many_questions_are_sent_away(asia: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1, queue=2) as pool:
            asked = [asyncio.ensure_future(pool.run("beliefs", asia, EASY)) for _ in range(6)]
            found = await asyncio.gather(*asked, return_exceptions=True)
        statuses = [each.status if isinstance(each, Problem) else each[0] for each in found]
        assert statuses.count(200) == 3
        assert statuses.count(503) == 3

    asyncio.run(work())
