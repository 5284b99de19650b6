"""The addresses of uploaded tables."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from bayou.server.addresses.request_parts import (
    BYTES,
    JSON,
    MakeRoute,
    address_below,
    json_answer,
    require_type,
)
from bayou.server.problems import MEDIA_TYPE, Problem
from bayou.server.service import Service
from bayou.server.tables.reading import DESCRIBE_TABLE, TABLE_ROWS, DescribeTable

TABLE_TYPES = (
    BYTES,
    "text/csv",
    "text/tab-separated-values",
    "application/x-ndjson",
    "application/jsonl",
    "application/vnd.apache.parquet",
    "application/vnd.apache.arrow.file",
    "application/vnd.apache.arrow.stream",
    "application/gzip",
)
"""The content types of tables. The bytes themselves tell the format, whichever of these is sent."""


class TableRoutes:
    """The handlers of tables."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def all(self, route: MakeRoute) -> list[BaseRoute]:
        """Every address, with its method."""
        return [
            route("/v1/tables", "POST", self._sent),
            route("/v1/tables/{table}", "GET", self._table),
            route("/v1/tables/{table}/rows", "POST", self._rows),
        ]

    async def _sent(self, request: Request) -> Response:
        self._require_allowed()
        require_type(request, *TABLE_TYPES)
        stored = await self._service.tables.receive(self._service.pool, request.stream())
        if self._service.settings.learning:
            self._service.jobs.warm_up()
        return json_answer(stored.answer, 201, address_below(request, stored.name))

    async def _table(self, request: Request) -> Response:
        self._require_allowed()
        stored = self._service.tables.find(request.path_params["table"])
        target = request.query_params.get("target")
        if target is None:
            return json_answer(stored.answer)
        body = msgspec.json.encode(DescribeTable(stored.name, target))
        status, answer = await self._service.pool.run(DESCRIBE_TABLE.name, str(stored.file), body)
        return Response(answer, status, media_type=JSON if status < 400 else MEDIA_TYPE)

    async def _rows(self, request: Request) -> Response:
        self._require_allowed()
        require_type(request, JSON)
        stored = self._service.tables.find(request.path_params["table"])
        body = await request.body()
        status, answer = await self._service.pool.run(TABLE_ROWS.name, str(stored.file), body)
        return Response(answer, status, media_type=JSON if status < 400 else MEDIA_TYPE)

    def _require_allowed(self) -> None:
        if not self._service.settings.tables:
            detail = "This server takes no tables: start it with `--allow tables`, or `--allow learn`."
            raise Problem(403, "read-only", detail)
