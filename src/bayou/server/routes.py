"""The addresses of the API, and what each of them does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bayou.server import gallery
from bayou.server.drawing import DRAWING
from bayou.server.exports import EXPORT, FORMATS, LOSSES, Export, export_request
from bayou.server.metrics import Metrics
from bayou.server.operations.operation import Operation
from bayou.server.operations.registry import OPERATIONS
from bayou.server.problems import MEDIA_TYPE, Problem, problem_of
from bayou.server.revisions import Revision
from bayou.server.service import Service, unless_gone
from bayou.server.uploads import network_of_upload

JSON = "application/json"
BYTES = "application/octet-stream"
Handler = Callable[[Request], Awaitable[Response]]


class Routes:
    """The handlers of one server."""

    def __init__(self, service: Service, metrics: Metrics) -> None:
        self._service, self._metrics = service, metrics

    def all(self) -> list[BaseRoute]:
        """Every address, with its method."""
        asked = [
            self._route(f"/v1/models/{{model}}/{name}", "POST", partial(self._asked, operation))
            for name, operation in OPERATIONS.items()
        ]
        return [
            self._route("/v1/models", "GET", self._models),
            self._route("/v1/models", "POST", self._uploaded),
            self._route("/v1/gallery/{name}", "POST", self._from_gallery),
            self._route("/v1/models/{model}", "GET", self._model),
            self._route("/v1/models/{model}/file", "GET", self._file),
            self._route("/v1/models/{model}/losses", "GET", self._losses),
            *asked,
            Route("/healthz", _alive, methods=["GET"]),
            Route("/readyz", _alive, methods=["GET"]),
            Route("/metrics", self._numbers, methods=["GET"]),
        ]

    def _route(self, path: str, method: str, handler: Handler) -> Route:
        async def counted(request: Request) -> Response:
            begun = time.perf_counter()
            try:
                response = await handler(request)
            except Exception as error:
                response = problem_of(error).response()
                if response.status_code >= 500 and not isinstance(error, Problem):
                    raise
            self._metrics.answered(f"{method} {path}", response.status_code, time.perf_counter() - begun)
            return response

        return Route(path, counted, methods=[method])

    async def _models(self, request: Request) -> Response:
        models = [self._listed(name, revision) for name, revision in self._service.named.items()]
        shown = await asyncio.to_thread(gallery.gallery)
        return _json({"models": models, "gallery": shown})

    def _listed(self, name: str, revision: Revision) -> dict[str, Any]:
        network = revision.network
        return {
            "name": name,
            "revision": revision.name,
            "kind": "network",
            "variables": len(network.names),
            "arcs": len(network.arcs),
            "path_name": None,
            "can_save": False,
        }

    async def _uploaded(self, request: Request) -> Response:
        _require_type(request, BYTES)
        network, remarks = await network_of_upload(self._service.pool, await request.body())
        revision = self._service.revisions.add(network, remarks)
        return _json({"revision": revision.name, "remarks": list(remarks)}, 201)

    async def _from_gallery(self, request: Request) -> Response:
        network = await asyncio.to_thread(gallery.exhibit, request.path_params["name"])
        return _json({"revision": self._service.revisions.add(network).name}, 201)

    async def _model(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        drawn = msgspec.json.decode(await self._service.document(DRAWING, revision, b"{}"))
        about = {"revision": revision.name, "kind": "network", "remarks": list(revision.remarks)}
        return _json({**about, **drawn})

    async def _file(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        name = request.query_params.get("format")
        answer = await self._service.document(EXPORT, revision, export_request(name))
        content = msgspec.json.decode(answer, type=Export).content
        headers = {"Content-Disposition": f'attachment; filename="network.{name}"'}
        return Response(content, headers=headers, media_type=FORMATS[str(name)])

    async def _losses(self, request: Request) -> Response:
        revision = self._service.find(request.path_params["model"])
        body = export_request(request.query_params.get("format"))
        return Response(await self._service.document(LOSSES, revision, body), media_type=JSON)

    async def _asked(self, operation: Operation, request: Request) -> Response:
        _require_type(request, JSON)
        revision = self._service.find(request.path_params["model"])
        work = self._service.answer(operation, revision, await request.body())
        status, body = await unless_gone(work, partial(_gone, request))
        return Response(body, status, media_type=JSON if status < 400 else MEDIA_TYPE)

    async def _numbers(self, request: Request) -> Response:
        pool = self._service.pool
        gauges: dict[str, float] = {
            "questions_running": pool.running,
            "questions_waiting": pool.waiting,
            "workers_killed": pool.killed,
            "revisions": len(self._service.revisions),
        }
        return PlainTextResponse(self._metrics.text(gauges), media_type="text/plain; version=0.0.4")


async def _alive(request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _gone(request: Request) -> None:
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            return


def _require_type(request: Request, wanted: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != wanted:
        raise Problem(415, "wrong-type", f"Send Content-Type: {wanted}.")


def _json(document: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type=JSON)
