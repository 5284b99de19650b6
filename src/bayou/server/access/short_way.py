"""The short way of small questions: answered as soon as they have arrived, in one turn of the loop.

No task is made for them, and no message passes between the connection and the application; this halves what
a small question costs. Whatever is not answered so takes the usual way, from its beginning.
"""

from __future__ import annotations

from typing import Any

MOST_BYTES = 1 << 16
"""The largest body of a small question."""


class ShortWay:
    """Connections that ask ``app.answer_now`` first; for uvicorn's class that reads with httptools.

    It holds back the task of a question until its body has arrived, too. Versions of uvicorn that begin
    tasks by another method are not held back: they answer on the usual way.
    """

    flow: Any
    transport: Any
    _held: tuple[Any, Any] | None = None
    _running: Any = None
    """The request that a task answers; others may have come behind it."""
    _is_receiving = False

    def data_received(self, data: bytes) -> None:
        """Take what has come, and answer a question that is complete."""
        self._is_receiving = True
        try:
            super().data_received(data)  # type: ignore[misc]
        finally:
            self._is_receiving = False
        if self._held is not None:
            (cycle, app), self._held = self._held, None
            if not self._is_answered(cycle, app):
                self._start_asgi_task(cycle, app)

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        may_be_asked = cycle.scope["method"] == "POST" and hasattr(app, "answer_now")
        if self._is_receiving and self._held is None and may_be_asked:
            self._held = cycle, app
        else:
            self._running = cycle
            super()._start_asgi_task(cycle, app)  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered that nobody waits; uvicorn tells the last one only."""
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)  # type: ignore[misc]

    def _is_answered(self, cycle: Any, app: Any) -> bool:
        """Answer a request here, if it is a small question that has come as a whole."""
        is_whole = not cycle.more_body and len(cycle.body) <= MOST_BYTES
        is_plain = cycle.keep_alive and not cycle.waiting_for_100_continue and not cycle.disconnected
        if not is_whole or not is_plain or self.flow.write_paused or self.transport.is_closing():
            return False
        answer = app.answer_now(cycle.scope, bytes(cycle.body))
        if answer is None:
            return False
        self.transport.write_whole(answer)
        cycle.response_started = cycle.response_complete = True
        cycle.on_response()
        return True
