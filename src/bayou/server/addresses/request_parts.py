"""What all routes do with requests and answers: content types, JSON, clients that go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bayou.server.problems import Problem

JSON = "application/json"
BYTES = "application/octet-stream"
Handler = Callable[[Request], Awaitable[Response]]
MakeRoute = Callable[[str, str, Handler], Route]
"""Makes the route of a path and a method, whose answers are counted."""


def type_of(request: Request) -> str:
    """The content type of a request, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def require_type(request: Request, *wanted: str) -> None:
    """Raise unless the body has one of these types: pages of other sites cannot send them unasked."""
    if type_of(request) not in wanted:
        raise Problem(415, "wrong-type", f"Send Content-Type: {' or '.join(wanted)}.")


def json_answer(document: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A document as an answer."""
    return Response(msgspec.json.encode(document), status, headers, media_type=JSON)


def address_below(request: Request, name: str) -> dict[str, str]:
    """The header with the address of something new: below that of the request, as the client sees it."""
    raw = request.scope.get("raw_path") or request.scope["path"].encode()
    return {"Location": f"{raw.decode('ascii')}/{name}"}
