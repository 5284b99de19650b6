"""Packages whose names load on first use, so that a program loads only what it uses (PEP 562).

The ``__init__`` of such a package has its names twice: as imports, which only type checkers read, and as a
mapping of names to modules, which is what runs. A test compares the two.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def on_first_use(
    package: str, where: Mapping[str, str], elsewhere: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package whose names are in the modules ``where`` says.

    >>> load, names = on_first_use("bayou", {"Dag": "bayou.graphs.dag"})
    >>> load("Dag")("Rain", {})
    Dag('Rain')
    >>> load("Cat")
    Traceback (most recent call last):
    ...
    AttributeError: module 'bayou' has no attribute 'Cat'

    For a name that the package has not, the error says in which module of ``elsewhere`` it is, or what is
    spelt alike.
    """

    def load(name: str) -> Any:
        if name not in where:
            told = _told(name, where, elsewhere)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{told}")
        module = importlib.import_module(where[name])
        value = module if where[name] == f"{package}.{name}" else getattr(module, name)
        # From now on Python finds the name in the package and does not come here again.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        public = vars(sys.modules[package]).get("__all__", where)
        return sorted(public)

    return load, names


def _told(name: str, where: Mapping[str, str], elsewhere: tuple[str, ...]) -> str:
    """Where a name that a package has not is, or what is spelt alike; "" for names with an underscore."""
    if name.startswith("_") or not elsewhere:
        return ""
    for module in elsewhere:
        if hasattr(importlib.import_module(module), name):
            return f". It is {module}.{name}."
    from bayou.suggestions import did_you_mean

    meant = did_you_mean(name, list(where))
    return f".{meant}" if meant else ""
