"""The headers of every answer: they forbid pages to load, embed or send anything elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.types import Message, Send

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
_CACHING = b"cache-control"
RawHeaders = list[tuple[bytes, bytes]]


def safe_headers(frames: Sequence[str] = ()) -> dict[str, str]:
    """The headers of every answer; ``frames`` are the pages that may show this one in a frame.

    >>> "X-Frame-Options" in safe_headers(), "X-Frame-Options" in safe_headers(["http://localhost:*"])
    (True, False)
    """
    if not frames:
        return SAFE_HEADERS
    policy = CONTENT_POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {' '.join(frames)}")
    rest = {name: value for name, value in SAFE_HEADERS.items() if name != "X-Frame-Options"}
    return {**rest, "Content-Security-Policy": policy}


def raw_headers(headers: dict[str, str]) -> RawHeaders:
    """The same as they are sent: made once, since every answer has them."""
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def head_of_answers(safe: RawHeaders) -> bytes:
    """The head of an answer to a question as it is sent, up to the length of the body.

    >>> head_of_answers([(b"x-frame-options", b"DENY")]).splitlines()[-1]
    b'content-length: '
    """
    headers = [(b"content-type", b"application/json"), *safe, (_CACHING, b"no-store")]
    lines = [b"HTTP/1.1 200 OK", *(b"%b: %b" % header for header in headers), b"content-length: "]
    return b"\r\n".join(lines)


class SafeSending:
    """Sends answers with these headers besides their own; nobody keeps what is not meant to be kept."""

    def __init__(self, send: Send, safe: RawHeaders) -> None:
        self._send, self._safe = send, safe
        self.has_begun = False
        """Whether the head of the answer was sent."""

    async def __call__(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            own = message.get("headers", [])
            kept = any(name == _CACHING for name, _ in own)
            message["headers"] = [*own, *self._safe, *(() if kept else ((_CACHING, b"no-store"),))]
        await self._send(message)
