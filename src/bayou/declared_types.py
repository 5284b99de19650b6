"""Whether a value from a file has the type that its class declares in its annotations.

Files can hold any value in any place. The annotations of a class say what its methods expect, so they are
the one description that values are checked against when a file is read.
"""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Collection, Hashable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np

from bayou.errors import BadFile

T = TypeVar("T")


def require_declared(owner: type[Any], name: str, value: Any) -> None:
    """Raise BadFile unless a value has the type that the class, or one of its bases, declares for the name.

    >>> from bayou import AODE
    >>> require_declared(AODE, "features_", ("height", "weight"))
    >>> require_declared(AODE, "features_", 3)
    Traceback (most recent call last):
    bayou.errors.BadFile: features_ of AODE is an int, not a tuple[Name, ...].
    """
    for base in owner.__mro__:
        declared = inspect.get_annotations(base).get(name)
        if declared is not None:
            if not fits(value, _evaluated(base, declared)):
                what = type(value).__name__
                article = "an" if what[0] in "aeiou" else "a"
                raise BadFile(f"{name} of {owner.__name__} is {article} {what}, not a {declared}.")
            return


def with_declared_fields(made: T) -> T:
    """Return a dataclass's object, if every field has the declared type; else raise BadFile."""
    for field in fields(made):  # type: ignore[arg-type]
        require_declared(type(made), field.name, getattr(made, field.name))
    return made


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value is of the type; a whole number is a float too, a truth value is not a number.

    >>> fits({"a": (1, 2.5)}, Mapping[str, tuple[float, ...]]), fits([1, "one"], list[int])
    (True, False)
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in arguments)
    if origin is Literal:
        return any(type(value) is type(one) and value == one for one in arguments)
    if not isinstance(origin, type):
        return _is_instance(value, hint)
    return isinstance(value, origin) and _parts_fit(value, origin, arguments)


def _parts_fit(value: Any, origin: type[Any], arguments: tuple[Any, ...]) -> bool:
    if issubclass(origin, np.ndarray):
        (number,) = get_args(arguments[-1]) or (Any,)
        kind = get_origin(number) or number
        return kind is Any or not isinstance(kind, type) or issubclass(value.dtype.type, kind)
    if issubclass(origin, tuple) and arguments[-1:] != (Ellipsis,):
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if issubclass(origin, Mapping):
        return all(fits(key, arguments[0]) and fits(item, arguments[1]) for key, item in value.items())
    if issubclass(origin, Collection):
        return all(fits(item, arguments[0]) for item in value)
    return True


def _is_instance(value: Any, hint: Any) -> bool:
    if hint is float:
        return isinstance(value, float | int | np.floating | np.integer) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if hint is Hashable:
        return _is_hashable(value)
    if hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return True  # Any, a variable of types, or an interface: no description of data
    return isinstance(value, hint)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


@cache
def _evaluated(owner: type[Any], annotation: Any) -> Any:
    """An annotation as a type; parts that are imported for type checkers only are Any."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, {}, _Names({**vars(builtins), **vars(sys.modules[owner.__module__])}))
    except Exception:
        return Any


class _Names(dict[str, Any]):
    """The names that an annotation may use; a name that is not known at run time is Any."""

    def __missing__(self, name: str) -> Any:
        return Any
