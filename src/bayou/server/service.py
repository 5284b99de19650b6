"""Questions on their way: answered at once where they are small, else by a worker process."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import thread_time
from typing import Any, Literal, TypeVar

import msgspec
from starlette.types import Receive

from bayou.memory import Limits
from bayou.server.files.exports import WRITE, Losses, WriteTask
from bayou.server.files.saving import SaveAnswer, SavedFile, SaveRequest
from bayou.server.files.served_files import ServedFiles
from bayou.server.jobs.job_list import JobList
from bayou.server.kept_objects import keep_what_is_there
from bayou.server.models.kinds import NETWORK
from bayou.server.operations.operation import Operation, read_request
from bayou.server.operations.request_bodies import decoded
from bayou.server.problems import Problem, told_problem
from bayou.server.revisions import Revision, Revisions
from bayou.server.settings import Settings
from bayou.server.tables.stored_tables import StoredTables
from bayou.server.workers.pool import WorkerPool

T = TypeVar("T")
MOST_READ_HERE = 256 * 2**10
"""The bytes of the largest question that is read here, which takes milliseconds."""


class Service:
    """The models of a server, and the processes that answer questions about them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.revisions = Revisions()
        self.tables = StoredTables(settings.most_table)
        self.named: dict[str, Revision] = {}
        self.file: SavedFile | None = None
        """The file of the model that may be written back; None: nothing is ever written."""
        self.files: ServedFiles | None = None
        """The files of the models, which are read again on a signal; None: models come from elsewhere."""
        self.state: Literal["loading", "ready", "stopping"] = "ready"
        self.end: Callable[[], None] = lambda: None
        """Ends the server."""
        self._saving = asyncio.Lock()
        self._limits = Limits(work=settings.quick_work)
        self.pool = WorkerPool(
            settings.workers, seconds=settings.question_seconds, memory=settings.worker_memory
        )
        self.rows_pool = WorkerPool(
            settings.workers, seconds=settings.rows_seconds, memory=settings.worker_memory
        )
        self.jobs = JobList(settings, self.revisions)

    def publish(self, name: str, model: Any, remarks: tuple[str, ...] = ()) -> Revision:
        """Serve a model under a name; one that had the name before stays as a revision for a while."""
        revision = self.revisions.add(model, remarks)
        self.name(name, revision)
        return revision

    async def publish_soon(self, name: str, model: Any) -> None:
        """The same while the server answers."""
        self.name(name, await self.revisions.add_soon(model))

    def find(self, model: str) -> Revision:
        """The revision of a name, or the revision itself."""
        found = self.named.get(model)
        if found is None and self.state == "loading":
            detail = "The models are being loaded; ask again in a moment."
            raise Problem(503, "loading", detail, headers={"Retry-After": "1"})
        return found or self.revisions.find(model)

    def begin(self) -> None:
        """Start what runs beside the answers, in the loop of the server."""
        if self.files is None:
            keep_what_is_there()
        else:
            self.state = "loading"
            self.files.begin(self)

    def stop_soon(self) -> None:
        """The server is about to stop: it is not ready any more, and streams of events end."""
        self.state = "stopping"
        self.jobs.end_streams()

    def quick_answer(self, operation: Operation, revision: Revision, body: bytes) -> bytes | None:
        """The answer to a small question, made here; None if a worker must make it, and read a large one."""
        if len(body) > MOST_READ_HERE:
            return None
        request = read_request(operation, body)
        if operation.quick is None or not revision.is_small:
            return None
        begun = thread_time()
        found = self._limits.hold_for(operation.quick, revision.model, request)
        revision.took(thread_time() - begun)
        return None if found is None else msgspec.json.encode(found)

    async def long_answer(self, operation: Operation, revision: Revision, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer that a worker makes."""
        table = ""
        if operation.takes_table:
            request: Any = read_request(operation, body)
            table = str(self.tables.find(request.table).file)
        return await self.pool.run(operation.name, str(revision.file), body, table)

    async def document(self, operation: Operation, revision: Revision, body: bytes) -> bytes:
        """The answer that depends on the network alone; it is made once."""
        key = f"{operation.name} {body.decode()}"
        if key not in revision.documents:
            status, answer = await self.pool.run(operation.name, str(revision.file), body)
            if status != 200:
                raise told_problem(answer)
            revision.documents[key] = answer
        return revision.documents[key]

    def file_of(self, name: str) -> SavedFile | None:
        """The file to which the model of this name is saved; None: it is not."""
        return self.file if self.file is not None and self.file.name == name else None

    async def save(self, revision: Revision, body: bytes) -> SaveAnswer:
        """Write a revision back to the file that the server was started with."""
        file = self.file
        if file is None:
            raise Problem(403, "read-only", "This server writes no file back. Download a copy instead.")
        request = decoded(body or b"{}", SaveRequest)
        revision.require_kind(NETWORK)
        async with self._saving:
            believed = request.revision_on_disk
            if not request.overwrite and believed not in (None, self.named[file.name].name):
                raise file.changed()
            losses = await self._written(revision, file, request.overwrite)
            self.name(file.name, revision)
        return SaveAnswer(revision.name, losses)

    async def _written(self, revision: Revision, file: SavedFile, overwrite: bool) -> list[str]:
        """Let a worker write the network in the format of a file, then replace the file; what is lost."""
        with tempfile.TemporaryDirectory(prefix="bayou-save-") as folder:
            written = Path(folder, file.name)
            task = msgspec.json.encode(WriteTask(str(written)))
            status, answer = await self.pool.run(WRITE.name, str(revision.file), task)
            if status != 200:
                raise told_problem(answer)
            await asyncio.to_thread(file.replace, written, overwrite)
        return msgspec.json.decode(answer, type=Losses).losses

    def name(self, name: str, revision: Revision) -> Revision | None:
        """Give a revision a name; the answer is the one that had it before."""
        earlier = self.named.get(name)
        self.named[name] = revision
        revision.kept = True
        if earlier is not None and earlier not in self.named.values():
            earlier.kept = False
        return earlier

    async def close(self) -> None:
        """End the worker processes, and delete the files."""
        await self.jobs.close()
        await self.pool.close()
        await self.rows_pool.close()
        self.revisions.close()
        self.tables.close()


async def unless_gone(work: Awaitable[T], receive: Receive) -> T:
    """Await the work, but give it up as soon as the client has gone."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem(499, "gone", "The client has closed the connection.")
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
