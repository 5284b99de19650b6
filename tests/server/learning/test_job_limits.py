"""The limits of jobs and tables: time, memory, number and bytes."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.learning.test_jobs import wide_table

from bayou.errors import MissingPackage
from bayou.server.jobs.forms import JobRequest, LearnOptions
from bayou.server.jobs.job_list import ListedJob
from bayou.server.problems import Problem, problem_of
from bayou.server.service import Service
from bayou.server.settings import Settings
from bayou.server.tables.stored_tables import StoredTables

LEARNER = Settings(tables=True, learning=True)


async def body_of(content: bytes) -> AsyncIterator[bytes]:
    for first in range(0, len(content), 1000):
        yield content[first : first + 1000]


def with_service(settings: Settings, work: Callable[[Service], Awaitable[None]]) -> None:
    async def run() -> None:
        service = Service(settings)
        try:
            await work(service)
        finally:
            await service.close()

    asyncio.run(run())


async def job_of(service: Service, request: JobRequest) -> ListedJob:
    table = service.tables.find(request.table)
    job = service.jobs.add(request, table, None, None)
    async for _ in job.events():
        pass
    return job


def test_a_job_that_takes_too_long_is_stopped() -> None:
    async def work(service: Service) -> None:
        table = await service.tables.receive(service.pool, body_of(wide_table()))
        request = JobRequest(table.name, "structure", options=LearnOptions(method="order"))
        job = await job_of(service, request)
        assert job.state == "failed"
        assert job.problem is not None
        assert (job.problem["status"], job.problem["type"]) == (504, "too-long")
        assert "0.3 seconds" in job.problem["detail"]
        assert "fewer rows" in job.problem["detail"]
        assert table.users == 0
        assert service.jobs.pool.killed + service.jobs.pool.stopped == 1

    with_service(replace(LEARNER, job_seconds=0.3), work)


def test_a_job_without_memory_costs_itself_only() -> None:
    async def work(service: Service) -> None:
        table = await service.tables.receive(service.pool, body_of(wide_table(200)))
        options = LearnOptions(method="hill-climbing", seconds=20)
        job = await job_of(service, JobRequest(table.name, "structure", options=options))
        assert job.state == "failed"
        assert job.problem is not None
        assert job.problem["status"] in (422, 507)
        assert "memory" in job.problem["detail"]

    with_service(replace(LEARNER, job_memory=60 * 2**20), work)


def test_the_oldest_tables_are_dropped(tmp_path: Path) -> None:
    async def work(service: Service) -> None:
        tables = StoredTables(2**20, most=2)
        service.tables.close()
        service.tables = tables
        kept = [await tables.receive(service.pool, body_of(b"a\n%d\n" % n)) for n in range(2)]
        with kept[0].used():
            kept.append(await tables.receive(service.pool, body_of(b"a\n2\n")))
        assert len(tables) == 2
        assert tables.find(kept[0].name) is kept[0]
        with pytest.raises(Problem, match="send it again"):
            tables.find(kept[1].name)
        assert not kept[1].file.exists()
        assert [path.name for path in kept[0].file.parent.iterdir()].count(kept[2].file.name) == 1

    with_service(LEARNER, work)


def test_ended_jobs_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.server.jobs.job_list.FORGOTTEN_AFTER", 0.0)

    async def work(service: Service) -> None:
        table = await service.tables.receive(service.pool, body_of(b"a,b\nx,y\nx,z\nu,y\n"))
        job = await job_of(service, JobRequest(table.name, "chow-liu"))
        assert job.state == "done", job.problem
        await asyncio.sleep(0.01)
        with pytest.raises(Problem, match="no such job"):
            service.jobs.find(job.name)

    with_service(LEARNER, work)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ImportError("libx.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        SyntaxError("of a module that the parser had no room for"),
    ],
)
def test_a_full_memory_is_known_by_all_its_names(error: Exception) -> None:
    assert problem_of(error).kind == "too-wide"


def test_a_package_that_memory_kept_from_opening_is_not_called_missing() -> None:
    missing = MissingPackage("scipy is missing")
    missing.__cause__ = ImportError("libx.so: cannot allocate memory in static TLS block")
    assert problem_of(missing).kind == "too-wide"
    missing.__cause__ = ImportError("No module named 'scipy'")
    assert problem_of(missing).kind != "too-wide"
    assert problem_of(OSError(errno.ENOSPC, "No space left on device")).kind == "server-error"
