"""One question of the API: its name, the form of its request and answer, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec


@dataclass(frozen=True)
class Operation:
    """A question about a network, asked by ``POST /v1/models/{model}/{name}``.

    ``quick`` answers at once where the question is small, and returns None where it is not: then ``answer``
    is called in another process, which may be stopped.
    """

    name: str
    summary: str
    request: type[msgspec.Struct]
    response: type[msgspec.Struct]
    answer: Callable[[Any, Any], msgspec.Struct]
    quick: Callable[[Any, Any], msgspec.Struct | None] | None = None


def read_request(operation: Operation, body: bytes) -> msgspec.Struct:
    """Return the body of a request in the form that the operation declares; raises msgspec's errors."""
    return msgspec.json.decode(body or b"{}", type=operation.request)
