"""Secrets of clients, and what browsers get for them: a cookie, and the path that it belongs to.

A browser sends the cookies of a host to all ports of it, so to servers of other users of this machine, too.
It sends them below their path only. So a session has a path that nobody can guess, and its cookie is sent
there only: who listens at another port of this machine sees neither, and each is worth nothing alone.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

COOKIE = "bayou-session"
PATH = "/s-"
"""The beginning of the paths of sessions."""


@dataclass(frozen=True)
class Session:
    """The path of one client's pages, and the cookie that they send."""

    path: str = field(default_factory=lambda: PATH + secrets.token_urlsafe(18))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))


class Sessions:
    """The sessions of a server: one for each of its clients.

    >>> sessions = Sessions({"ward": "s3cret"})
    >>> sessions.client_of("s3cret"), sessions.client_of("guess")
    ('ward', None)
    >>> session = sessions.of("ward")
    >>> sessions.entered(f"{session.path}/v1/models", f"x=1; bayou-session={session.cookie}")
    '/v1/models'
    >>> sessions.entered(f"{session.path}/v1/models", "bayou-session=guess") is None
    True
    """

    def __init__(self, tokens: Mapping[str, str]) -> None:
        self._tokens = {name: token.encode() for name, token in tokens.items()}
        self._sessions = {name: Session() for name in tokens}
        self._by_path = {session.path: session for session in self._sessions.values()}

    def of(self, client: str) -> Session:
        """The session of a client."""
        return self._sessions[client]

    def client_of(self, token: str) -> str | None:
        """The client that has this token; all are compared, and each in the same time."""
        found = None
        given = token.encode("utf-8", "surrogatepass")
        for name, secret in self._tokens.items():
            if hmac.compare_digest(secret, given):
                found = name
        return found

    def has(self, path: str) -> bool:
        """Whether this path begins with that of a session of this server."""
        return f"/{path[1:].partition('/')[0]}" in self._by_path

    def entered(self, path: str, cookies: str) -> str | None:
        """The path inside a session; None if the session is unknown, or its cookie is not among these.

        Others may have set cookies of the same name: one of them must be right.
        """
        place, slash, rest = path[1:].partition("/")
        session = self._by_path.get(f"/{place}")
        if session is None or not slash:
            return None
        for cookie in cookies.split(";"):
            name, _, value = cookie.strip().partition("=")
            if name == COOKIE and hmac.compare_digest(value.encode(), session.cookie.encode()):
                return f"/{rest}"
        return None
