"""Who gets in, and with how much: every request passes here first.

- The Host header must be a name of this server, so that no foreign page reaches it by DNS rebinding.
- A request that changes something, or asks, must not come from another site (Origin, Sec-Fetch-Site).
- A secret is needed if the server has any: ``Authorization: Bearer …``, or the cookie that ``/?token=…`` is
  exchanged for (HttpOnly, SameSite=Strict, of one path), so that the secret stays in no address.
- Bodies are bounded in size and time, and so are the requests that are answered at once.
- Every answer gets the headers that forbid pages to load, embed or send anything elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bayou.server.access.answer_headers import SafeSending, head_of_answers, raw_headers, safe_headers
from bayou.server.access.bodies import bounded, too_large
from bayou.server.access.body_limits import body_limits
from bayou.server.access.sessions import COOKIE, PATH, Sessions
from bayou.server.access.welcome import ended_page, ended_problem, welcome
from bayou.server.faults import tell_fault
from bayou.server.problems import Problem, busy, not_found, problem_of
from bayou.server.settings import Settings

OPEN_PATHS = ("/healthz", "/readyz", "/openapi.json", "/docs")
"""What everybody may see: whether the server runs, and the description that all servers share."""
OPEN_FILES = "/docs/"
MOST_AT_ONCE = 1000
_SAFE_METHODS = ("GET", "HEAD")
_REMEMBERED = 64
_NAME_AND_PORT = re.compile(r"(\[[^]]*\]|[^:\[\]@]*)(?::[0-9]{0,5})?", re.ASCII)
RequestHeaders = dict[bytes, bytes]
AnswerNow = Callable[[Scope, str, bytes], bytes | None]
"""The answer to the question at a path with this body, if it is a small one; None for all other requests."""


class Gate:
    """The outermost part of the application; ``answer_now`` answers small questions without waiting."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        answer_now: AnswerNow | None = None,
        count_refusal: Callable[[int], None] = lambda status: None,
    ) -> None:
        self._app, self._settings, self._answer_now = app, settings, answer_now
        self.count_refusal = count_refusal
        """Is called with the status of every request that does not get in."""
        self._headers = raw_headers(safe_headers(settings.frames))
        self._head = head_of_answers(self._headers)
        self._sessions = Sessions(settings.tokens)
        self._own_hosts: set[bytes] = set()
        self._running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        sending = SafeSending(send, self._headers)
        self._running += 1
        try:
            await self._let_through(scope, receive, sending)
        except Exception as error:
            problem = problem_of(error)
            if problem is not error:
                tell_fault(scope["method"], error)
            self.count_refusal(problem.status)
            if not sending.has_begun:  # else the connection is cut: the client sees that the end is missing
                await problem.response()(scope, receive, sending)
        finally:
            self._running -= 1

    def answer_now(self, scope: Scope, body: bytes) -> bytes | None:
        """The whole answer, with its head, to a small question of somebody who gets in.

        None for everything else, also for what must be refused: then the application is asked.
        """
        if self._answer_now is None or self._running >= MOST_AT_ONCE:
            return None
        try:
            path = self._entered(scope, dict(scope["headers"]))
            answer = self._answer_now(scope, path, body)
        except Exception:
            return None
        return None if answer is None else b"%b%d\r\n\r\n%b" % (self._head, len(answer), answer)

    async def _let_through(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._running > MOST_AT_ONCE:
            raise busy()
        headers: RequestHeaders = dict(scope["headers"])
        page = self._page_at_the_door(scope, headers)
        if page is not None:
            await page(scope, receive, send)
            return
        scope["path"] = self._entered(scope, headers)
        if scope["method"] not in _SAFE_METHODS:
            receive = self._bounded(scope, headers, receive)
        await self._app(scope, receive, send)

    def _entered(self, scope: Scope, headers: RequestHeaders) -> str:
        """The path inside of this server; a problem if the request may not come in."""
        self._check_host(scope, headers)
        path = self._without_prefix(scope["path"])
        self._check_origin(scope["method"], path, headers)
        return self._with_secret(path, headers) if self._settings.tokens else path

    def _bounded(self, scope: Scope, headers: RequestHeaders, receive: Receive) -> Receive:
        most, seconds = body_limits(self._settings, scope["path"])
        given = headers.get(b"content-length", b"0")
        if not given.isdigit() or int(given[:20]) > most:
            raise too_large(most)
        return bounded(receive, most, seconds)

    def _without_prefix(self, path: str) -> str:
        prefix = self._settings.prefix
        if not path.startswith(f"{prefix}/"):
            raise not_found()
        return path[len(prefix) :]

    def _check_host(self, scope: Scope, headers: RequestHeaders) -> None:
        host, given = headers.get(b"host", b""), scope["headers"]
        several = len(headers) < len(given) and sum(name == b"host" for name, _ in given) > 1
        if host in self._own_hosts and not several:
            return
        if several or _host_name(host.decode("latin-1")).lower() not in self._settings.hosts:
            raise Problem(421, "wrong-host", "This server does not answer under that name.")
        if len(self._own_hosts) < _REMEMBERED:
            self._own_hosts.add(host)

    def _check_origin(self, method: str, path: str, headers: RequestHeaders) -> None:
        origin, site = headers.get(b"origin"), headers.get(b"sec-fetch-site", b"none")
        if origin is None and site in (b"none", b"same-origin"):
            return
        if method in _SAFE_METHODS and "/v1/" not in f"{path}/":
            return
        host = headers.get(b"host", b"").lower()
        foreign = origin is not None and origin.partition(b"://")[2].lower() != host
        if foreign or site not in (b"same-origin", b"none"):
            raise Problem(403, "foreign-page", "A page of another site may not ask this server.")

    def _page_at_the_door(self, scope: Scope, headers: RequestHeaders) -> Response | None:
        """The page for a browser that brings a secret in its address, or asks for an ended session."""
        if not self._settings.tokens or scope["method"] != "GET":
            return None
        self._check_host(scope, headers)
        path = self._without_prefix(scope["path"])
        if path == "/" and scope["query_string"]:
            return self._exchanged(scope)
        is_page = path.startswith(PATH) and path.endswith("/") and path.count("/") == 2
        if is_page and not self._sessions.has(path):
            self.count_refusal(401)
            return ended_page()
        return None

    def _exchanged(self, scope: Scope) -> Response | None:
        """The answer that begins a session, if this request brings a secret in its address."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if not given:
            return None
        client = self._sessions.client_of(given[0])
        if client is None:
            raise Problem(401, "not-allowed", "This link is not valid any more: run `bayou explore` again.")
        session = self._sessions.of(client)
        response = welcome(session.path)
        path = f"{self._settings.prefix}{session.path}/"
        response.set_cookie(COOKIE, session.cookie, httponly=True, samesite="strict", path=path)
        return response

    def _with_secret(self, path: str, headers: RequestHeaders) -> str:
        """The path without that of a session; a problem unless the request has a secret."""
        if path.startswith(PATH):
            found = self._sessions.entered(path, headers.get(b"cookie", b"").decode("latin-1"))
            if found is not None:
                return found
            if not self._sessions.has(path):
                raise ended_problem()
        if path in OPEN_PATHS or path.startswith(OPEN_FILES):
            return path
        scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.lower() == "bearer" and self._sessions.client_of(token.strip()) is not None:
            return path
        raise Problem(
            401,
            "not-allowed",
            "This server answers with a token only: `Authorization: Bearer …`, or the link that it printed.",
            headers={"WWW-Authenticate": "Bearer"},
        )


def _host_name(host: str) -> str:
    """The name in a Host header, without its port; the whole header if what follows the name is none."""
    found = _NAME_AND_PORT.fullmatch(host)
    return found[1] if found else host
