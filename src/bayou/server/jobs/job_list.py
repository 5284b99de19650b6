"""The jobs of a server: waiting, running, ended, and forgotten after a while."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec

from bayou.server.jobs.forms import Job, JobRequest, Learned, Progress, State
from bayou.server.jobs.learning import LEARN, WARM_UP, LearnTask, LearnTaskDone
from bayou.server.problems import Problem, problem_of, told_problem
from bayou.server.revisions import FILE, Revision, Revisions
from bayou.server.settings import Settings
from bayou.server.tables.stored_tables import StoredTable
from bayou.server.tables.table_file import TableFile
from bayou.server.workers.pool import WorkerPool

FORGOTTEN_AFTER = 3600.0
MOST_ENDED = 100
RETRY_AFTER = 10
_SIGN_OF_LIFE = 15.0
_WORDS = {
    "too-long": "Learning took longer than {seconds:g} seconds and was stopped. Learn from fewer rows or "
    "columns, limit the search (option 'seconds'), or learn with the library itself, which has no limit.",
    "out-of-memory": "The process that learned was ended by the system, probably for lack of memory. Learn "
    "from fewer rows or columns, or with the library itself.",
}


class ListedJob:
    """A job, and those who wait for its news."""

    def __init__(self, request: JobRequest) -> None:
        self.name = secrets.token_hex(16)
        self.request = request
        self.state: State = "waiting"
        self.progress: Progress | None = None
        self.result: Learned | None = None
        self.problem: dict[str, Any] | None = None
        self.task: asyncio.Task[None] | None = None
        self.began: float | None = None
        self.ended: float | None = None
        self.is_silent = False
        """Whether nobody is told of news any more, because the server stops."""
        self._news = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will happen."""
        return self.ended is not None

    def document(self) -> Job:
        """The job as an answer."""
        seconds = 0.0 if self.began is None else (self.ended or monotonic()) - self.began
        asked = self.request
        return Job(
            self.name,
            self.state,
            asked.table,
            asked.learn,
            asked.target,
            seconds,
            None if self.has_ended else self.progress,
            self.result,
            self.problem,
        )

    def tell(self) -> None:
        """Wake those who wait for news."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    def start(self) -> None:
        """It is running now."""
        self.state, self.began = "running", monotonic()
        self.tell()

    def advance(self, task: str, done: int) -> None:
        """It has told of its progress."""
        self.progress = Progress(task, done)
        self.tell()

    def end(self, state: State) -> None:
        """Nothing more will happen."""
        self.state, self.ended = state, monotonic()
        self.tell()

    async def events(self) -> AsyncIterator[tuple[str, Any]]:
        """The news: ("job", document) if the state changed, else ("progress", …); ("", None): no news."""
        told: State | None = None
        while True:
            news, state = self._news, self.state
            if told != state:
                yield "job", self.document()
            elif self.progress is not None:
                yield "progress", self.progress
            told = state
            if self.is_silent or (self.has_ended and told == self.state):
                return
            try:
                await asyncio.wait_for(news.wait(), _SIGN_OF_LIFE)
            except asyncio.TimeoutError:
                yield "", None


class JobList:
    """Jobs by name; a few run at a time, a few wait, those that ended are forgotten after a while."""

    def __init__(self, settings: Settings, revisions: Revisions) -> None:
        self._settings, self._revisions = settings, revisions
        self._free = asyncio.Semaphore(settings.jobs)
        self._known: dict[str, ListedJob] = {}
        self._warming: asyncio.Task[None] | None = None
        self.pool = WorkerPool(settings.jobs, settings.jobs, settings.job_seconds, settings.job_memory)

    def warm_up(self) -> None:
        """Start a worker that will soon be needed: a table has come, from which somebody will learn."""
        if self._warming is None:
            self._warming = asyncio.create_task(self._warmed())

    async def _warmed(self) -> None:
        with suppress(Problem):  # the job itself will tell what is wrong
            await self.pool.run(WARM_UP.name, "", b"{}")

    def add(
        self, request: JobRequest, table: StoredTable, arcs: Revision | None, other: Revision | None
    ) -> ListedJob:
        """Start a job, or let it wait; raises the problem 503 if too many wait."""
        self._forget()
        going = sum(not job.has_ended for job in self._known.values())
        if going >= self._settings.jobs + self._settings.waiting_jobs:
            detail = "Too many jobs are waiting; ask again in a while."
            raise Problem(503, "busy", detail, headers={"Retry-After": str(RETRY_AFTER)})
        job = ListedJob(request)
        self._known[job.name] = job
        job.task = asyncio.create_task(self._run(job, table, arcs, other))
        return job

    def find(self, name: str) -> ListedJob:
        """Return a job by its name."""
        self._forget()
        found = self._known.get(name)
        if found is None:
            detail = "There is no such job. It may have been forgotten, an hour after its end."
            raise Problem(404, "unknown-job", detail)
        return found

    async def cancel(self, job: ListedJob) -> None:
        """End a job that has not ended, together with its process; forget one that has."""
        if job.has_ended:
            self._known.pop(job.name, None)
        elif job.task is not None:
            job.task.cancel()
            await asyncio.gather(job.task, return_exceptions=True)
            if not job.has_ended:  # it was cancelled before it began
                job.end("cancelled")

    def end_streams(self) -> None:
        """Let the streams of events end: clients would keep a stopping server waiting."""
        for job in self._known.values():
            job.is_silent = True
            job.tell()

    async def close(self) -> None:
        """Cancel all jobs, and end their processes."""
        for job in list(self._known.values()):
            if not job.has_ended:
                await self.cancel(job)
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        await self.pool.close()

    def __len__(self) -> int:
        return sum(not job.has_ended for job in self._known.values())

    async def _run(
        self, job: ListedJob, table: StoredTable, arcs: Revision | None, other: Revision | None
    ) -> None:
        try:
            with table.used():
                async with self._free:
                    job.start()
                    job.result = await self._learned(job, table, arcs, other)
            job.end("done")
        except asyncio.CancelledError:
            job.end("cancelled")
            raise
        except Exception as error:
            problem = problem_of(error)
            words = _WORDS.get(problem.kind)
            if words is not None:
                problem.detail = words.format(seconds=self._settings.job_seconds)
            job.problem = problem.document()
            job.end("failed")

    async def _learned(
        self, job: ListedJob, table: StoredTable, arcs: Revision | None, other: Revision | None
    ) -> Learned:
        with tempfile.TemporaryDirectory(prefix="bayou-job-") as folder:
            saved = Path(folder, FILE)
            task = LearnTask(
                str(saved),
                job.request,
                "" if arcs is None else str(arcs.file),
                "" if other is None else str(other.file),
                "" if other is None else other.name,
            )
            file = TableFile(str(table.file))
            status, answer = await self.pool.run(
                LEARN.name,
                file.path,
                msgspec.json.encode(task),
                told=lambda task, done: job.advance(file.without_path(task), done),
            )
            if status != 200:
                raise told_problem(answer)
            done = msgspec.json.decode(answer, type=LearnTaskDone)
            revision = await self._revisions.take(saved, done.stored, tuple(done.facts.notes))
        return Learned(**msgspec.structs.asdict(done.facts), revision=revision.name)

    def _forget(self) -> None:
        """Forget jobs that ended long ago, and the oldest of too many."""
        now = monotonic()
        ended = [job for job in self._known.values() if job.ended is not None]
        for place, job in enumerate(ended):
            late = now - (job.ended or now) > FORGOTTEN_AFTER
            if late or place < len(ended) - MOST_ENDED:
                del self._known[job.name]
