"""The addresses of jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute

from bayou.server.addresses.request_parts import JSON, MakeRoute, address_below, json_answer, require_type
from bayou.server.jobs.forms import JobRequest
from bayou.server.jobs.job_list import ListedJob
from bayou.server.jobs.ways import check_members
from bayou.server.operations.request_bodies import decoded
from bayou.server.problems import Problem
from bayou.server.revisions import Revision
from bayou.server.service import Service

EVENTS = "text/event-stream"


class JobRoutes:
    """The handlers of jobs."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def all(self, route: MakeRoute) -> list[BaseRoute]:
        """Every address, with its method."""
        return [
            route("/v1/jobs", "POST", self._asked),
            route("/v1/jobs/{job}", "GET", self._job),
            route("/v1/jobs/{job}", "DELETE", self._cancelled),
            route("/v1/jobs/{job}/events", "GET", self._events),
        ]

    async def _asked(self, request: Request) -> Response:
        if not self._service.settings.learning:
            detail = "This server does not learn: start it with `--allow learn`."
            raise Problem(403, "read-only", detail)
        require_type(request, JSON)
        asked = decoded(await request.body(), JobRequest)
        check_members(asked)
        table = self._service.tables.find(asked.table)
        arcs, other = self._network(asked.arcs_of), self._network(asked.compare_with)
        job = self._service.jobs.add(asked, table, arcs, other)
        return json_answer(job.document(), 202, address_below(request, job.name))

    def _network(self, model: str | None) -> Revision | None:
        if model is None:
            return None
        found = self._service.find(model)
        found.require_kind("network")
        return found

    async def _job(self, request: Request) -> Response:
        return json_answer(self._found(request).document())

    async def _cancelled(self, request: Request) -> Response:
        await self._service.jobs.cancel(self._found(request))
        return Response(status_code=204)

    async def _events(self, request: Request) -> Response:
        stream = event_stream(self._found(request))
        return StreamingResponse(stream, media_type=EVENTS, headers={"X-Accel-Buffering": "no"})

    def _found(self, request: Request) -> ListedJob:
        return self._service.jobs.find(request.path_params["job"])


async def event_stream(job: ListedJob) -> AsyncIterator[bytes]:
    """The news of a job as server-sent events; a comment now and then shows that the connection lives."""
    async for kind, document in job.events():
        if kind:
            yield b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(document))
        else:
            yield b": still running\n\n"
