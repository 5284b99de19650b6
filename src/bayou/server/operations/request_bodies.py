"""Bodies of requests: JSON of a declared form, in which no member stands twice."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, TypeVar

import msgspec

from bayou.suggestions import did_you_mean

Form = TypeVar("Form")

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


def decoded(body: bytes, form: type[Form]) -> Form:
    """Return a body in its form; raises msgspec's errors, also for a member that stands twice.

    msgspec takes the last of two members of one name. Other readers take the first, so that what a gateway
    has checked may not be what is answered: such a body is refused, as RFC 8259 advises.

    >>> decoded(b'{"a": 1}', dict)
    {'a': 1}
    >>> decoded(b'{"a": 1, "\\\\u0061": 2}', dict)
    Traceback (most recent call last):
    msgspec.ValidationError: The member 'a' stands twice in an object: give it once
    """
    own: Any = form
    try:
        found: Form = _decoder(own).decode(body)
    except msgspec.ValidationError as error:
        raise with_meant_member(error, own) from None
    try:
        _PAIRS.decode(body.decode())
    except json.JSONDecodeError as error:
        raise msgspec.DecodeError(str(error)) from None
    return found


def with_meant_member(error: msgspec.ValidationError, form: type[Any]) -> msgspec.ValidationError:
    """The same error; for a member that the request itself does not have, with the one that was meant.

    >>> from bayou.server.operations.beliefs import BELIEFS
    >>> error = msgspec.ValidationError("Object contains unknown field `given`")
    >>> str(with_meant_member(error, BELIEFS.request))
    'Object contains unknown field `given` (did you mean `findings`?)'
    """
    found = _UNKNOWN.fullmatch(str(error))
    if found is None or not issubclass(form, msgspec.Struct):
        return error
    members = [field.encode_name for field in msgspec.structs.fields(form)]
    meant = next((name for name in _MEANT.get(found[1].lower(), ()) if name in members), None)
    if meant is None:
        near = did_you_mean(found[1], members)
        meant = next((name for name in members if f"{name!r}" in near), None)
    known = f"did you mean `{meant}`?" if meant else f"it has: {', '.join(members)}"
    return msgspec.ValidationError(f"{error} ({known})")


@cache
def _decoder(form: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(form)


def _refuse_twice(members: list[tuple[str, Any]]) -> None:
    """Raise for two members of one name; nothing is kept of an object."""
    if len(dict(members)) == len(members):
        return
    seen: set[str] = set()
    for name, _ in members:
        if name in seen:
            short = name if len(name) <= 80 else f"{name[:80]}…"
            raise msgspec.ValidationError(f"The member {short!r} stands twice in an object: give it once")
        seen.add(name)


_PAIRS = json.JSONDecoder(object_pairs_hook=_refuse_twice, parse_int=str, parse_float=str, strict=False)
"""Reads a small question in 2 µs; numbers stay text."""
