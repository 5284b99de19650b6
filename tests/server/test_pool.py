"""Worker processes: bounded, killed in time, and never the end of the server."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import msgspec
import numpy as np
import pytest

import bayou
from bayou.server.pool import WorkerPool
from bayou.server.problems import Problem

EASY = msgspec.json.encode({"findings": [{"variable": "dysp", "weights": [0.8, 0.3]}]})
LONG = msgspec.json.encode({"findings": [{"variable": "3 3", "weights": [0.8, 0.3]}]})


@pytest.fixture
def asia(tmp_path: Path) -> str:
    bayou.examples.asia().save(tmp_path / "asia.bayou")
    return str(tmp_path / "asia.bayou")


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """A grid of 18 by 18 variables, whose beliefs take some seconds."""
    size = 18
    arcs = [(f"{i} {j}", f"{i + 1} {j}") for i in range(size - 1) for j in range(size)]
    arcs += [(f"{i} {j}", f"{i} {j + 1}") for i in range(size) for j in range(size - 1)]
    names = sorted({name for arc in arcs for name in arc})
    net = bayou.Network(arcs, states={name: ["no", "yes"] for name in names})
    chance = np.random.default_rng(1)
    for name in names:
        shares = chance.uniform(0.2, 0.8, (2,) * len(net.parents(name)))
        net.set_cpt(name, np.stack([shares, 1 - shares], axis=-1))
    net.save(tmp_path / "wide.bayou")
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


def test_a_question_ends_at_the_deadline(wide: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1, seconds=1.5) as pool:
            with pytest.raises(Problem) as problem:
                await pool.run("beliefs", wide, LONG)
            assert problem.value.kind == "too-long"
            assert not pool._idle

    asyncio.run(work())


def test_a_question_ends_with_its_waiter(wide: str, asia: str) -> None:
    async def work() -> None:
        async with WorkerPool(size=1) as pool:
            waiting = asyncio.ensure_future(pool.run("beliefs", wide, LONG))
            await asyncio.sleep(0.3)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (pool.running, pool.waiting) == (0, 0)
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
