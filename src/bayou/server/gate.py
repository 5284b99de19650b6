"""Who gets in, and with how much: every request passes here first.

- The Host header must be a name of this server, so that no foreign page reaches it by DNS rebinding.
- A request that changes something, or asks, must not come from another site (Origin, Sec-Fetch-Site).
- A secret is needed if the server has any: ``Authorization: Bearer …``, or the cookie that ``/?token=…`` is
  exchanged for (HttpOnly, SameSite=Strict), so that the secret stays in no address.
- Bodies are bounded in size and time.
- Every answer gets the headers that forbid pages to load, embed or send anything elsewhere.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from time import monotonic
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bayou.server.problems import Problem
from bayou.server.settings import Settings

COOKIE = "bayou-session"
"""The beginning of the cookie's name. The port follows: all ports of a host share their cookies."""
WELCOME = b'<!doctype html><title>bayou</title><meta http-equiv="refresh" content="0; url=./">'
"""The answer to a secret in the address: the step to the page is then made by a page of this server, so that
the cookie, which no other site may send (SameSite=Strict), is sent with it."""
OPEN_PATHS = ("/healthz", "/readyz")
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SAFE_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_SAFE_METHODS = ("GET", "HEAD")


class Gate:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._sessions = {secrets.token_urlsafe(32): name for name in settings.tokens}
        self._cookie_of = {name: cookie for cookie, name in self._sessions.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _with_safe_headers(send)
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(scope, headers)
            welcome = self._exchanged(scope, headers)
            if welcome is not None:
                await welcome(scope, receive, send)
                return
            self._check_secret(scope["path"], headers)
            self._check_size(headers)
        except Problem as problem:
            await problem.response()(scope, receive, send)
            return
        await self._app(scope, self._bounded(receive), send)

    def _check_host(self, headers: Headers) -> None:
        name = _host_name(headers.get("host", "")).lower()
        if name not in self._settings.hosts:
            raise Problem(421, "wrong-host", "This server does not answer under that name.")

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        inner = scope["path"].removeprefix(self._settings.prefix)
        if scope["method"] in _SAFE_METHODS and not inner.startswith("/v1"):
            return
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        foreign = origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()
        if foreign or site not in ("same-origin", "none"):
            raise Problem(403, "foreign-page", "A page of another site may not ask this server.")

    def _exchanged(self, scope: Scope, headers: Headers) -> Response | None:
        """The answer that sets the cookie, if this request brings a secret in its address."""
        if scope["path"] != f"{self._settings.prefix}/" or scope["method"] != "GET":
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if not given:
            return None
        name = self._client_of(given[0])
        if name is None:
            raise Problem(401, "not-allowed", "This link is not valid any more: run `bayou explore` again.")
        response = Response(WELCOME, media_type="text/html")
        key, path = _cookie_name(headers), self._settings.prefix or "/"
        response.set_cookie(key, self._cookie_of[name], httponly=True, samesite="strict", path=path)
        return response

    def _check_secret(self, path: str, headers: Headers) -> None:
        inner = path.removeprefix(self._settings.prefix)
        if not self._settings.tokens or inner in OPEN_PATHS:
            return
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._client_of(token.strip()) is not None:
            return
        if _cookie(headers) in self._sessions:
            return
        raise Problem(
            401,
            "not-allowed",
            "This server answers with a token only: `Authorization: Bearer …`, or the link that it printed.",
            headers={"WWW-Authenticate": "Bearer"},
        )

    def _client_of(self, token: str) -> str | None:
        found = None
        for name, secret in self._settings.tokens.items():
            if hmac.compare_digest(secret.encode(), token.encode("utf-8", "surrogatepass")):
                found = name
        return found

    def _check_size(self, headers: Headers) -> None:
        given = headers.get("content-length", "0")
        if not given.isdecimal() or int(given) > self._settings.most_body:
            raise _too_large(self._settings.most_body)

    def _bounded(self, receive: Receive) -> Receive:
        """Receive a body, but no more of it and no longer than the settings allow."""
        size = 0
        ended = False
        deadline = monotonic() + self._settings.body_seconds

        async def bounded() -> Message:
            nonlocal size, ended
            if ended:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(deadline - monotonic(), 0.001))
            except asyncio.TimeoutError:
                raise Problem(408, "too-slow", "The body of the request did not arrive in time.") from None
            size += len(message.get("body", b""))
            ended = not message.get("more_body", False)
            if size > self._settings.most_body:
                raise _too_large(self._settings.most_body)
            return message

        return bounded


def _too_large(most: int) -> Problem:
    return Problem(413, "too-large", f"A request may have at most {most // 2**20} MB.")


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[: host.find("]") + 1]
    return host.rpartition(":")[0] if ":" in host else host


def _cookie_name(headers: Headers) -> str:
    host = headers.get("host", "")
    return COOKIE + host.removeprefix(_host_name(host)).replace(":", "-")


def _cookie(headers: Headers) -> str | None:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(headers))
    except CookieError:
        return None
    return None if found is None else found.value


def _with_safe_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
