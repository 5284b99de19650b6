"""The application: routes behind the gate, and the page of the explorer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from bayou.server.gate import Gate
from bayou.server.metrics import Metrics
from bayou.server.openapi import description
from bayou.server.page_files import page_routes
from bayou.server.problems import Problem, problem_of
from bayou.server.routes import JSON, Routes
from bayou.server.service import Service


def make_app(service: Service, with_page: bool = True) -> ASGIApp:
    """The application for the models of a service; with the explorer's page or the API alone."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await service.close()

    routes = Routes(service, Metrics()).all()
    routes.append(Route("/openapi.json", _openapi, methods=["GET"]))
    routes += page_routes() if with_page else []
    prefix = service.settings.prefix
    inner = Starlette(
        routes=[Mount(prefix, routes=routes)] if prefix else routes,
        lifespan=lifespan,
        exception_handlers={404: _not_found, 405: _wrong_method, Problem: _problem, Exception: _problem},
    )
    return Gate(inner, service.settings)


async def _openapi(request: Request) -> Response:
    return Response(msgspec.json.encode(description()), media_type=JSON)


async def _problem(request: Request, error: Exception) -> Response:
    return problem_of(error).response()


async def _not_found(request: Request, error: Exception) -> Response:
    return Problem(404, "not-found", "There is nothing at this address; /openapi.json lists all.").response()


async def _wrong_method(request: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None) or {}
    return Problem(
        405, "wrong-method", "This address is asked with another method.", headers=headers
    ).response()
