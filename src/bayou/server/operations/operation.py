"""One question of the API: its name, the form of its request and answer, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from bayou.loading import load
from bayou.server.models.kinds import NETWORK
from bayou.server.operations.request_bodies import decoded


@dataclass(frozen=True)
class Operation:
    """A question about a model, asked by ``POST /v1/models/{model}/{name}``.

    ``quick`` answers at once where the question is small, and returns None where it is not: then ``answer``
    is called in another process, which may be stopped. ``opens`` makes the first argument of ``answer`` from
    the path of the server's own file. With ``takes_table`` the request has a member ``table``, the id of an
    uploaded table, and ``answer`` gets the table (:class:`~bayou.server.tables.table_file.TableFile`)
    between the model and the request. ``kinds`` are the kinds of models that can be asked it.
    """

    name: str
    summary: str
    request: type[msgspec.Struct]
    response: type[msgspec.Struct]
    answer: Callable[..., msgspec.Struct]
    quick: Callable[[Any, Any], msgspec.Struct | None] | None = None
    opens: Callable[[str], Any] = load
    kinds: tuple[str, ...] = (NETWORK,)
    takes_table: bool = False
    address: str = ""

    @property
    def asked_as(self) -> str:
        """The last part of its address: its name, unless another kind of model has that name already."""
        return self.address or self.name


def read_request(operation: Operation, body: bytes) -> msgspec.Struct:
    """Return the body of a request in the form that the operation declares; raises msgspec's errors."""
    return decoded(body or b"{}", operation.request)
