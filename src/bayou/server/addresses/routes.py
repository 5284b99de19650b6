"""The addresses of the API, and what each of them does."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bayou.models.network import Network
from bayou.server import gallery
from bayou.server.addresses.request_parts import BYTES, JSON, Handler, json_answer, require_type, type_of
from bayou.server.drawing import DRAWING
from bayou.server.edits.editing import edited, require_editing
from bayou.server.faults import tell_fault
from bayou.server.files.exports import EXPORT, FORMATS, LOSSES, Export, export_request
from bayou.server.files.uploads import revision_of_upload
from bayou.server.jobs.job_routes import JobRoutes
from bayou.server.metrics import Metrics
from bayou.server.models.descriptions import DESCRIPTION
from bayou.server.models.kinds import NETWORK
from bayou.server.operations.registry import by_address
from bayou.server.problems import MEDIA_TYPE, Problem, problem_of
from bayou.server.revisions import Revision
from bayou.server.rows.row_routes import RowRoutes
from bayou.server.service import Service
from bayou.server.tables.table_routes import TableRoutes


class Routes:
    """The handlers of one server."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    def all(self) -> list[BaseRoute]:
        """Every address, with its method."""
        asked = [
            Route(f"/v1/models/{{model}}/{address}", _not_here, methods=["POST"]) for address in by_address()
        ]
        return [
            self._route("/v1/models", "GET", self._models),
            self._route("/v1/models", "POST", self._uploaded),
            self._route("/v1/gallery/{name}", "POST", self._from_gallery),
            self._route("/v1/models/{model}", "GET", self._model),
            self._route("/v1/models/{model}/drawing", "POST", self._drawn),
            self._route("/v1/models/{model}/file", "GET", self._file),
            self._route("/v1/models/{model}/losses", "GET", self._losses),
            self._route("/v1/models/{model}/save", "POST", self._saved),
            self._route("/v1/models/{model}/edits", "POST", self._edited),
            *asked,
            *TableRoutes(self._service).all(self._route),
            *JobRoutes(self._service).all(self._route),
            *RowRoutes(self._service).all(self._route),
            Route("/healthz", _alive, methods=["GET"]),
            Route("/readyz", self._ready, methods=["GET"]),
            Route("/metrics", self._numbers, methods=["GET"]),
        ]

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        async def counted(request: Request) -> Response:
            begun = time.perf_counter()
            try:
                response = await handler(request)
            except Exception as error:
                problem = _gone() if isinstance(error, ClientDisconnect) else problem_of(error)
                response = problem.response()
                if problem is not error and problem.status >= 500:
                    tell_fault(path, error)
            self._metrics.answered(f"{method} {path}", response.status_code, time.perf_counter() - begun)
            return response

        return Route(path, counted, methods=[method])

    async def _models(self, request: Request) -> Response:
        models = [self._listed(name, revision) for name, revision in self._service.named.items()]
        shown = await asyncio.to_thread(gallery.gallery)
        can_edit = self._service.settings.editing
        return json_answer({"models": models, "gallery": shown, "can_edit": can_edit})

    def _listed(self, name: str, revision: Revision) -> dict[str, Any]:
        file = self._service.file_of(name)
        return {
            "name": name,
            "revision": revision.name,
            "kind": revision.kind,
            **revision.about,
            "path_name": file.name if file is not None else None,
            "can_save": file is not None,
        }

    async def _edited(self, request: Request) -> Response:
        require_editing(self._service.settings.editing)
        require_type(request, JSON)
        return await self._new_revision(self._service.find(request.path_params["model"]), request)

    async def _begun(self, request: Request) -> Response:
        require_editing(self._service.settings.editing)
        return await self._new_revision(await self._service.revisions.add_soon(Network("")), request)

    async def _new_revision(self, before: Revision, request: Request) -> Response:
        before.require_kind(NETWORK)
        service, body = self._service, await request.body()
        revision = await edited(service.pool, service.revisions, before, body)
        return json_answer({"revision": revision.name}, 201)

    async def _uploaded(self, request: Request) -> Response:
        if type_of(request) == JSON:
            return await self._begun(request)
        require_editing(self._service.settings.editing)
        require_type(request, BYTES)
        service, body = self._service, await request.body()
        revision, remarks = await revision_of_upload(service.pool, service.revisions, body)
        told = {"revision": revision.name, "kind": revision.kind, "remarks": remarks}
        return json_answer(told, 201)

    async def _from_gallery(self, request: Request) -> Response:
        require_editing(self._service.settings.editing)
        model = await asyncio.to_thread(gallery.exhibit, request.path_params["name"])
        revision = await self._service.revisions.add_soon(model)
        return json_answer({"revision": revision.name, "kind": revision.kind}, 201)

    async def _model(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        is_drawn = revision.kind == NETWORK
        answer = await self._service.document(DRAWING if is_drawn else DESCRIPTION, revision, b"{}")
        return _described(revision, answer)

    async def _drawn(self, request: Request) -> Response:
        require_type(request, JSON)
        revision = self._service.find(request.path_params["model"])
        revision.require_kind(NETWORK)
        status, answer = await self._service.long_answer(DRAWING, revision, await request.body())
        if status != 200:
            return Response(answer, status, media_type=MEDIA_TYPE)
        return _described(revision, answer)

    async def _file(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        name = request.query_params.get("format")
        if name != "bayou":
            revision.require_kind(NETWORK)
        answer = await self._service.document(EXPORT, revision, export_request(name))
        content = msgspec.json.decode(answer, type=Export).content
        headers = {"Content-Disposition": f'attachment; filename="network.{name}"'}
        return Response(content, headers=headers, media_type=FORMATS[str(name)])

    async def _losses(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        revision.require_kind(NETWORK)
        body = export_request(request.query_params.get("format"))
        return Response(await self._service.document(LOSSES, revision, body), media_type=JSON)

    async def _saved(self, request: Request) -> Response:
        require_type(request, JSON)
        revision = self._service.find(request.path_params["model"])
        return json_answer(await self._service.save(revision, await request.body()))

    async def _ready(self, request: Request) -> Response:
        state = self._service.state
        headers = {} if state == "ready" else {"Retry-After": "1"}
        words = "ok\n" if state == "ready" else f"{state}\n"
        return PlainTextResponse(words, 200 if state == "ready" else 503, headers)

    async def _numbers(self, request: Request) -> Response:
        pool = self._service.pool
        gauges: dict[str, float] = {
            "questions_running": pool.running,
            "questions_waiting": pool.waiting,
            "questions_stopped": pool.stopped,
            "workers_killed": pool.killed,
            "revisions": len(self._service.revisions),
            "tables": len(self._service.tables),
            "jobs": len(self._service.jobs),
        }
        return PlainTextResponse(self._metrics.text(gauges), media_type="text/plain; version=0.0.4")


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _not_here(request: Request) -> Response:
    """Stands for the questions, which never come here: so that a wrong method is told from no address."""
    raise AssertionError("questions are answered before")


def _gone() -> Problem:
    return Problem(499, "gone", "The client has closed the connection.")


def _described(revision: Revision, answer: bytes) -> Response:
    about = {"revision": revision.name, "kind": revision.kind, "remarks": list(revision.remarks)}
    if revision.kind != NETWORK:
        return json_answer({**about, **msgspec.json.decode(answer)["document"]})
    # Not decoded: the drawing of a large network has megabytes.
    return Response(msgspec.json.encode(about)[:-1] + b"," + answer[1:], media_type=JSON)
