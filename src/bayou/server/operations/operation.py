"""One question of the API: its name, the form of its request and answer, and the function that answers it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from bayou.loading import load
from bayou.server.models.kinds import NETWORK
from bayou.suggestions import did_you_mean

_UNKNOWN = re.compile(r"Object contains unknown field `(\w+)`")
_MEANT = {
    "given": ("findings",),
    "evidence": ("findings",),
    "observations": ("findings",),
    "target": ("targets", "variable"),
    "targets": ("target", "variable"),
    "query": ("targets", "target"),
    "variables": ("targets",),
    "data": ("rows", "columns"),
    "features": ("rows", "columns"),
}
"""What members of requests are called by the library, and by others."""


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
    try:
        return _decoder(operation.request).decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise with_meant_member(error, operation.request) from None


def with_meant_member(error: msgspec.ValidationError, form: type[msgspec.Struct]) -> msgspec.ValidationError:
    """The same error; for a member that the request itself does not have, with the one that was meant.

    >>> from bayou.server.operations.beliefs import BELIEFS
    >>> error = msgspec.ValidationError("Object contains unknown field `given`")
    >>> str(with_meant_member(error, BELIEFS.request))
    'Object contains unknown field `given` (did you mean `findings`?)'
    """
    found = _UNKNOWN.fullmatch(str(error))
    if found is None:
        return error
    members = [field.encode_name for field in msgspec.structs.fields(form)]
    meant = next((name for name in _MEANT.get(found[1].lower(), ()) if name in members), None)
    if meant is None:
        near = did_you_mean(found[1], members)
        meant = next((name for name in members if f"{name!r}" in near), None)
    known = f"did you mean `{meant}`?" if meant else f"it has: {', '.join(members)}"
    return msgspec.ValidationError(f"{error} ({known})")


@cache
def _decoder(form: type[msgspec.Struct]) -> msgspec.json.Decoder[msgspec.Struct]:
    return msgspec.json.Decoder(form)
