"""Errors as answers: ``application/problem+json`` (RFC 9457) with the library's sentence and its remedy."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from bayou.errors import BadData, BadFile, BayouError, ImpossibleEvidence, MissingPackage, NotFitted, TooWide
from bayou.server.json_words import in_json_words

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = 2
_WORDS_OF_A_FULL_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread")


class Problem(Exception):
    """A request that cannot be answered: what to tell, and the status of the answer."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        more: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.more, self.headers = dict(more or {}), dict(headers or {})

    def document(self) -> dict[str, Any]:
        """The problem as a document."""
        title = self.kind.replace("-", " ").capitalize()
        return {
            "type": self.kind,
            "title": title,
            "status": self.status,
            "detail": self.detail,
            **self.more,
        }

    def body(self) -> bytes:
        """The document as it is sent."""
        return msgspec.json.encode(self.document())

    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """The headers as they are sent, with the type of the document."""
        own = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        return [(b"content-type", MEDIA_TYPE.encode()), *own]

    def response(self) -> Response:
        """The problem as an answer."""
        return Response(self.body(), self.status, {**self.headers}, media_type=MEDIA_TYPE)


def not_found() -> Problem:
    """The problem of an address that is none."""
    return Problem(404, "not-found", "There is nothing at this address; /openapi.json lists all.")


def busy() -> Problem:
    """The problem of too many requests at once."""
    headers = {"Retry-After": str(RETRY_AFTER)}
    return Problem(503, "busy", "Too many questions are waiting; ask again in a moment.", headers=headers)


def told_problem(answer: bytes) -> Problem:
    """The problem in the answer of a worker process."""
    known = msgspec.json.decode(answer)
    basic = {"type", "title", "status", "detail"}
    more = {name: value for name, value in known.items() if name not in basic}
    return Problem(known["status"], known["type"], known["detail"], more)


_KINDS: tuple[tuple[type[Exception], str], ...] = (
    (ImpossibleEvidence, "impossible-findings"),
    (TooWide, "too-wide"),
    (NotFitted, "not-fitted"),
    (MissingPackage, "missing-package"),
    (BadFile, "bad-file"),
    (BadData, "bad-data"),
)


_REMEDIES = {
    "impossible-findings": "Release or correct one of them.",
    "too-wide": "Ask for fewer variables, or give more findings.",
    "not-fitted": "Give it a table, or learn the network from data.",
}
"""What a user of the API can do, where the library names its own functions."""
_SENTENCE = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
_PYTHON = re.compile(r"\b(?:net|bayou|model)\.\w")


def without_python(text: str, remedy: str) -> str:
    """Return a message whose sentences that name functions of Python are replaced by a remedy.

    >>> without_python("It is too wide. Use net.query(…) instead.", "Give findings.")
    'It is too wide. Give findings.'
    """
    sentences = _SENTENCE.split(text)
    kept = [sentence for sentence in sentences if not _PYTHON.search(sentence)]
    if len(kept) < len(sentences) and remedy:
        kept.append(remedy)
    return " ".join(kept) or text


def _is_short_of_memory(error: BaseException) -> bool:
    """Also the system's own words for it: Python may still be opening a file, a library or a thread."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError | RuntimeError):
        text = str(error).lower()
        return any(words in text for words in _WORDS_OF_A_FULL_MEMORY)
    # Only modules of packages are compiled here, and they are free of errors: the parser had no room.
    return isinstance(error, MemoryError | SyntaxError)


def problem_of(error: Exception) -> Problem:
    """Return the problem that an error of the library, or of reading a request, stands for.

    >>> from bayou.errors import BadQuestion
    >>> problem_of(BadQuestion("'lung' is asked for twice.")).document()["type"]
    'bad-question'
    """
    if isinstance(error, Problem):
        return error
    if isinstance(error, msgspec.ValidationError):
        return Problem(422, "bad-request", f"The request is not as expected: {error}.")
    if isinstance(error, msgspec.DecodeError | UnicodeDecodeError | RecursionError):
        return Problem(400, "bad-json", f"The body is not JSON that can be read: {error}.")
    if isinstance(error, MissingPackage) and error.__cause__ and _is_short_of_memory(error.__cause__):
        error = MemoryError()  # the package is there, but could not be opened
    if isinstance(error, BayouError):
        kind = next((kind for each, kind in _KINDS if isinstance(error, each)), "bad-question")
        return Problem(422, kind, in_json_words(without_python(str(error), _REMEDIES.get(kind, ""))))
    if _is_short_of_memory(error):
        return Problem(422, "too-wide", "There is not enough memory for this question.")
    return Problem(500, "server-error", "Something went wrong in the server. Its log says more.")
