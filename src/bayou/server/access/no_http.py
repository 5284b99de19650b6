"""What is no HTTP is refused as everything else is: by a problem, with the headers of all answers."""

from __future__ import annotations

from typing import Any

from bayou.server.access.answer_headers import SAFE_HEADERS
from bayou.server.problems import Problem

_DETAIL = "This is no request of HTTP/1.1: its first line, a header, a length or a chunk cannot be read."


def refusal() -> bytes:
    """The whole answer to bytes that are no request.

    >>> refusal().splitlines()[0]
    b'HTTP/1.1 400 Bad Request'
    """
    problem = Problem(400, "bad-http", _DETAIL)
    headers = [
        *problem.raw_headers(),
        *((name.lower().encode(), value.encode()) for name, value in SAFE_HEADERS.items()),
        (b"cache-control", b"no-store"),
        (b"content-length", b"%d" % len(problem.body())),
        (b"connection", b"close"),
    ]
    lines = [b"HTTP/1.1 400 Bad Request", *(b"%b: %b" % header for header in headers)]
    return b"\r\n".join(lines) + b"\r\n\r\n" + problem.body()


_REFUSAL = refusal()


class NoHttp:
    """Refuses bytes that are no request, and closes the connection; for a class of uvicorn's."""

    app: Any
    cycle: Any
    transport: Any

    def send_400_response(self, msg: str) -> None:
        """Refuse what has come, or end with the answer to the request before it."""
        if self._is_answering():
            self.cycle.keep_alive = False
            return
        self.app.count_refusal(400)
        if not self._is_behind_others():
            self.transport.write_whole(_REFUSAL)
        self.transport.close()

    def _is_answering(self) -> bool:
        """Whether a whole request came before, whose answer is not complete."""
        return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

    def _is_behind_others(self) -> bool:
        """Whether a client would take a refusal for the answer to a request before, or for a part of it."""
        begun = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        return begun or bool(getattr(self, "pipeline", ()))
