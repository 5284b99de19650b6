"""Questions on their way: answered at once where they are small, else by a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic

import msgspec

from bayou.memory import limits
from bayou.models.network import Network
from bayou.server.operations.operation import Operation, read_request
from bayou.server.pool import WorkerPool
from bayou.server.problems import Problem, told_problem
from bayou.server.revisions import Revision, Revisions
from bayou.server.settings import Settings


class Service:
    """The models of a server, and the processes that answer questions about them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.revisions = Revisions()
        self.named: dict[str, Revision] = {}
        self.pool = WorkerPool(
            settings.workers, seconds=settings.question_seconds, memory=settings.worker_memory
        )

    def publish(self, name: str, network: Network) -> Revision:
        """Serve a network under a name; one that had the name before stays as a revision for a while."""
        earlier = self.named.get(name)
        revision = self.revisions.add(network, kept=True)
        self.named[name] = revision
        if earlier is not None and earlier not in self.named.values():
            earlier.kept = False
        return revision

    def find(self, model: str) -> Revision:
        """The revision of a name, or the revision itself."""
        return self.named.get(model) or self.revisions.find(model)

    async def answer(self, operation: Operation, revision: Revision, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer to a question."""
        request = read_request(operation, body)
        if operation.quick is not None and revision.is_small:
            begun = monotonic()
            with limits(work=self.settings.quick_work):
                found = operation.quick(revision.network, request)
            revision.took(monotonic() - begun)
            if found is not None:
                return 200, msgspec.json.encode(found)
        return await self.pool.run(operation.name, str(revision.file), body)

    async def document(self, operation: Operation, revision: Revision, body: bytes) -> bytes:
        """The answer that depends on the network alone; it is made once."""
        key = f"{operation.name} {body.decode()}"
        if key not in revision.documents:
            status, answer = await self.pool.run(operation.name, str(revision.file), body)
            if status != 200:
                raise told_problem(answer)
            revision.documents[key] = answer
        return revision.documents[key]

    async def close(self) -> None:
        """End the worker processes, and delete the files."""
        await self.pool.close()
        self.revisions.close()


async def unless_gone(
    work: Awaitable[tuple[int, bytes]], gone: Callable[[], Awaitable[None]]
) -> tuple[int, bytes]:
    """Await the work, but give it up as soon as the client has gone."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem(499, "gone", "The client has closed the connection.")
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)
