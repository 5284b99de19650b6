"""The application: routes behind the gate, and the page of the explorer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from bayou.server.access.gate import Gate
from bayou.server.addresses.questions import Questions
from bayou.server.addresses.request_parts import JSON
from bayou.server.addresses.routes import Routes
from bayou.server.described.openapi import description_bytes
from bayou.server.metrics import Metrics
from bayou.server.page_files import docs_routes, page_routes
from bayou.server.problems import Problem, not_found
from bayou.server.service import Service

Handler = Callable[[Request, Exception], Awaitable[Response]]


def make_app(service: Service, with_page: bool = True) -> ASGIApp:
    """The application for the models of a service; with the explorer's page or the API alone."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.begin()
        yield
        await service.close()

    metrics = Metrics()
    routes = Routes(service, metrics).all()
    routes.append(_description(service.settings.prefix))
    routes += docs_routes()
    routes += page_routes() if with_page else []
    inner = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={404: _counted(_not_found, metrics), 405: _counted(_wrong_method, metrics)},
    )
    inner.router.redirect_slashes = False  # an address has one form
    questions = Questions(service, metrics, inner)
    return Gate(questions, service.settings, questions.answer_now, metrics.refused)


def _counted(handler: Handler, metrics: Metrics) -> Handler:
    async def handle(request: Request, error: Exception) -> Response:
        response = await handler(request, error)
        metrics.refused(response.status_code)
        return response

    return handle


def _description(prefix: str) -> Route:
    content = description_bytes(prefix)

    async def send(request: Request) -> Response:
        return Response(content, media_type=JSON)

    return Route("/openapi.json", send, methods=["GET"])


async def _not_found(request: Request, error: Exception) -> Response:
    return not_found().response()


async def _wrong_method(request: Request, error: Exception) -> Response:
    """An address may have a route for each of its methods: all of them are told."""
    known = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    methods = sorted({method for route in known for method in route.methods})
    headers = {"Allow": ", ".join(methods)}
    return Problem(
        405, "wrong-method", f"This address is asked with {' or '.join(methods)}.", headers=headers
    ).response()
