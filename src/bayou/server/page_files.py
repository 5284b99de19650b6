"""The files of the explorer's page and of the API's, at addresses with the version of the package."""

from __future__ import annotations

import gzip
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
"""Stands in pages for the version in the addresses of modules."""


_DOCS_FILES = (
    "docs.js",
    "icon.svg",
    "style/colours.css",
    "style/docs.css",
    "view/elements.js",
    "view/reference/reference_page.js",
    "logic/reference/description.js",
)
_FOLDER = Path(__file__).parent / "page"


def page_routes() -> list[BaseRoute]:
    """The address of the explorer's page, and one for each of its files."""
    files = (file for file in sorted(_FOLDER.rglob("*.*")) if file.suffix[1:] in TYPES)
    paths = [file.relative_to(_FOLDER).as_posix() for file in files]
    return [_first("/", "index.html"), *(_part("page", path) for path in paths if not path.endswith(".html"))]


def docs_routes() -> list[BaseRoute]:
    """The address of the page of the API, and one for each of its files: they have no secrets."""
    return [_first("/docs", "docs.html"), *(_part("docs", path) for path in _DOCS_FILES)]


def _first(address: str, path: str) -> Route:
    text = (_FOLDER / path).read_text(encoding="utf-8").replace(_VERSION, __version__)
    return Route(address, partial(_send, _packed(text.encode()), TYPES["html"], False))


def _part(below: str, path: str) -> Route:
    content, kind = (_FOLDER / path).read_bytes(), TYPES[path.rpartition(".")[2]]
    return Route(f"/{below}/{__version__}/{path}", partial(_send, _packed(content), kind, True))


def _packed(content: bytes) -> tuple[bytes, bytes]:
    """A file as it is, and as it is sent to browsers that unpack it: a quarter of the bytes."""
    return content, gzip.compress(content, mtime=0)


async def _send(content: tuple[bytes, bytes], kind: str, kept: bool, request: Request) -> Response:
    caching = "public, max-age=31536000, immutable" if kept else "no-store"
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(content[0], headers=headers, media_type=kind)
    return Response(content[1], headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)
