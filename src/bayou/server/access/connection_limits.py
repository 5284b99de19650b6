"""Connections that send nothing, a request drop by drop, or more than a request, or read nothing, end."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from bayou.server.access.joined_writes import JoinedWrites
from bayou.server.access.no_http import NoHttp
from bayou.server.access.short_way import ShortWay
from bayou.server.access.slow_readers import SlowReaders

HEADER_SECONDS = 10.0
MOST_HEADER_BYTES = 64 * 2**10
MOST_REFUSED_BYTES = 64 * 2**20
"""What is read of a body after its request was refused, so that the client gets to read why."""
MOST_CONNECTIONS = 1000


class ConnectionLimits(NoHttp, SlowReaders):
    """The head of each request must come within some seconds and bytes; for a class of uvicorn's."""

    loop: Any
    cycle: Any
    scope: Any
    transport: Any
    connections: set[Any]
    _deadline: asyncio.TimerHandle | None = None
    _bytes = 0

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(JoinedWrites(transport, self.loop, self.watch_reader))  # type: ignore[misc]
        if len(self.connections) > MOST_CONNECTIONS:
            stalled = next((other for other in self.connections if other.is_stalled), self)
            stalled.transport.abort()
            if stalled is self:
                return
        self._deadline = self.loop.call_later(HEADER_SECONDS, self._too_slow)

    def data_received(self, data: bytes) -> None:
        """Take what has come; a request whose head is complete may take longer."""
        if self._is_idle():
            self._bytes += len(data)
        super().data_received(data)  # type: ignore[misc]
        if not self._is_idle():
            self._stop_waiting()
        elif self._bytes > (MOST_REFUSED_BYTES if self._is_refused() else MOST_HEADER_BYTES):
            self.transport.abort()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        self._bytes = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if self._is_idle():
            self.transport.close()

    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _is_refused(self) -> bool:
        """Whether what comes belongs to the request that was answered last."""
        return self.cycle is not None and self.scope is self.cycle.scope


class TimedProtocol(ConnectionLimits, H11Protocol):
    """A bounded connection that Python reads."""


def bounded_protocol() -> type[asyncio.Protocol]:
    """The class of connections: with the faster reader of the package ``httptools``, where that is there."""
    if find_spec("httptools") is None:
        return TimedProtocol
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class FastTimedProtocol(ShortWay, ConnectionLimits, HttpToolsProtocol):
        """A bounded connection that C reads; small questions take the short way."""

    return FastTimedProtocol
