"""Classes by the name of their kind; a class given as text is imported when it is first needed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from bayou.errors import BadFile, BayouError, listed

T = TypeVar("T")


class Registry(Generic[T]):
    """Names of kinds and their classes, as ``"module:Class"`` text or as the class itself.

    Text costs no import until the kind is used; a class defined elsewhere is entered with ``add``.

    >>> numbers = Registry[object]("number", {"fraction": "fractions:Fraction"})
    >>> numbers.find("fraction")(1, 2)
    Fraction(1, 2)
    >>> numbers.find("quaternion")
    Traceback (most recent call last):
    ...
    bayou.errors.BadFile: there is no number of the kind 'quaternion'; known: 'fraction'.
    """

    def __init__(self, what: str, known: Mapping[str, str], error: type[BayouError] = BadFile) -> None:
        self._what = what
        self._known: dict[str, str | T] = dict(known)
        self._error = error

    def add(self, kind: str, entry: T) -> None:
        """Enter a class under the name of its kind; a kind that has another class already is an error."""
        place = _place(entry)
        before = self._known.get(kind)
        if before is not None and (before if isinstance(before, str) else _place(before)) != place:
            raise ValueError(f"There is a {self._what} of the kind {kind!r} already: {before!r}.")
        self._known[kind] = entry

    def find(self, kind: str) -> T:
        """Return the class of a kind; the error for an unknown kind lists the known ones."""
        entry = self._known.get(kind)
        if entry is None:
            raise self._error(f"there is no {self._what} of the kind {kind!r}; known: {listed(self)}.")
        if isinstance(entry, str):
            entry = self._known[kind] = cast(T, loaded(entry))
        return entry

    def __contains__(self, kind: object) -> bool:
        return kind in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)


def loaded(place: str) -> Any:
    """Import what ``"module:name"`` names.

    >>> loaded("math:tau")
    6.283185307179586
    """
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _place(entry: object) -> str:
    """Where a class is defined, as ``"module:Class"``."""
    return f"{getattr(entry, '__module__', '')}:{getattr(entry, '__qualname__', entry)}"
