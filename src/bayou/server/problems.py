"""Errors as answers: ``application/problem+json`` (RFC 9457) with the library's sentence and its remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from bayou.errors import BadData, BadFile, BayouError, ImpossibleEvidence, MissingPackage, NotFitted, TooWide

MEDIA_TYPE = "application/problem+json"


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

    def response(self) -> Response:
        """The problem as an answer."""
        body = msgspec.json.encode(self.document())
        return Response(body, self.status, {**self.headers}, media_type=MEDIA_TYPE)


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
    if isinstance(error, BayouError):
        kind = next((kind for each, kind in _KINDS if isinstance(error, each)), "bad-question")
        return Problem(422, kind, without_python(str(error), _REMEDIES.get(kind, "")))
    if isinstance(error, MemoryError):
        return Problem(422, "too-wide", "There is not enough memory for this question.")
    return Problem(500, "server-error", "Something went wrong in the server. Its log says more.")
