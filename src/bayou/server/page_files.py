"""The files of the explorer's page, at addresses with the version of the package."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bayou.version import __version__

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_VERSION = "VERSION"
"""Stands in index.html for the version in the addresses of modules."""


def page_routes() -> list[BaseRoute]:
    """The address of the page, and one for each of its files."""
    folder = Path(__file__).parent / "page"
    index = (folder / "index.html").read_text(encoding="utf-8").replace(_VERSION, __version__)
    routes: list[BaseRoute] = [Route("/", partial(_send, index.encode(), TYPES["html"], False))]
    for file in sorted(folder.rglob("*.*")):
        path, kind = file.relative_to(folder).as_posix(), TYPES.get(file.suffix[1:])
        if kind is not None and path != "index.html":
            send = partial(_send, file.read_bytes(), kind, True)
            routes.append(Route(f"/page/{__version__}/{path}", send))
    return routes


async def _send(content: bytes, kind: str, kept: bool, request: Request) -> Response:
    caching = "public, max-age=31536000, immutable" if kept else "no-store"
    return Response(content, headers={"Cache-Control": caching}, media_type=kind)
