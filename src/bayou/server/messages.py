"""The parts that requests and answers of the API have in common: values, findings, problems."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, Struct, UnsetType, field, to_builtins

from bayou.errors import BadQuestion, BayouError
from bayou.schema import label
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.models.network import Network


class TypedValue(Struct, forbid_unknown_fields=True):
    """A name or a state of a type that JSON has not: ``{"type": "date", "value": "2024-02-29"}``."""

    type: str
    value: Any


Value = str | int | float | bool | TypedValue
"""A name of a variable, or a state."""


class Message(Struct, forbid_unknown_fields=True, omit_defaults=False):
    """The base of requests: a member that nobody knows is an error, so that misspelt ones are found."""


class Finding(Message, omit_defaults=True):
    """What is known of one variable: exactly one member besides ``variable`` says what."""

    variable: Value
    state: Value | UnsetType = UNSET
    value: float | UnsetType = UNSET
    among: list[Value] | UnsetType = field(default=UNSET, name="in")
    excluded: list[Value] | UnsetType = field(default=UNSET, name="not")
    weights: list[float] | UnsetType = UNSET
    do: Value | UnsetType = UNSET

    def has_more(self) -> bool:
        """Whether it says anything else than a state."""
        return not (
            self.value is UNSET
            and self.among is UNSET
            and self.excluded is UNSET
            and self.weights is UNSET
            and self.do is UNSET
        )


def decoded(value: Value) -> Any:
    """Return a value of a request as the value of Python that it stands for.

    >>> decoded("yes"), decoded(TypedValue("tuple", [1, 2]))
    ('yes', (1, 2))
    """
    if not isinstance(value, TypedValue):
        return value
    try:
        return decode_value(to_builtins(value))
    except (BayouError, TypeError, ValueError, KeyError, OverflowError, RecursionError):
        raise BadQuestion(f"{value.value!r} is not a value of the type {value.type!r}.") from None


def encoded(value: Name | State) -> Any:
    """Return a name or a state as a JSON value.

    >>> encoded("yes"), encoded((1, 2))
    ('yes', {'type': 'tuple', 'value': [1, 2]})
    """
    return encode_value(value)


def known_name(net: Network, value: Value) -> Name:
    """The name of a variable of the network; the library would read another text as a whole question."""
    return net.variables[decoded(value)].name


def known_names(net: Network, values: Sequence[Value]) -> list[Name]:
    """The names of variables of the network, each once."""
    names: dict[Name, None] = {}
    for value in values:
        name = known_name(net, value)
        if name in names:
            raise BadQuestion(f"{name!r} is asked for twice: name each variable once.")
        names[name] = None
    return list(names)


def labels_of(states: tuple[State, ...]) -> list[str]:
    """The states as texts for people."""
    return [label(state) for state in states]


def plain(document: Any) -> Any:
    """Return nested data in which names and states of other types than JSON's are typed values.

    >>> plain({"name": ("a", 1), "p": float("inf")})
    {'name': {'type': 'tuple', 'value': ['a', 1]}, 'p': None}
    """
    if isinstance(document, dict):
        return {str(name): plain(value) for name, value in document.items()}
    if isinstance(document, list):
        return [plain(value) for value in document]
    if isinstance(document, float):
        return document if isfinite(document) else None
    return encode_value(document)
