"""Connections whose clients ask and do not read the answers are closed."""

from __future__ import annotations

import asyncio
from typing import Any

READING_SECONDS = 30.0
LEAST_BYTES = 64 * 2**10
"""What a client must take within these seconds while answers wait for it."""


class SlowReaders:
    """Answers must be taken at some speed, also those behind a closed connection; for a class of uvicorn's.

    The transport must be a :class:`~bayou.server.access.joined_writes.JoinedWrites`: it knows what was taken.
    """

    loop: Any
    transport: Any
    _look: asyncio.TimerHandle | None = None

    @property
    def is_stalled(self) -> bool:
        """Whether answers wait for the client."""
        return self._look is not None

    def pause_writing(self) -> None:
        """More waits for the client than the transport likes to hold."""
        super().pause_writing()  # type: ignore[misc]
        self.watch_reader()

    def resume_writing(self) -> None:
        """The client has taken nearly all; what is behind a closed connection is still watched."""
        super().resume_writing()  # type: ignore[misc]
        if not self.transport.is_closing():
            self._stop_watching()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_watching()
        super().connection_lost(exc)  # type: ignore[misc]

    def watch_reader(self) -> None:
        """Look soon how much the client has taken by then."""
        if self._look is None:
            self._look = self.loop.call_later(READING_SECONDS, self._require_progress, self.transport.taken)

    def _require_progress(self, before: int) -> None:
        self._look = None
        if self.transport.taken - before < LEAST_BYTES:
            self.transport.abort()
        else:
            self.watch_reader()

    def _stop_watching(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None
