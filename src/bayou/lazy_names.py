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
    package: str, where: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package whose names are in the modules ``where`` says.

    >>> load, names = on_first_use("bayou", {"Dag": "bayou.graphs.dag"})
    >>> load("Dag")("Rain", {})
    Dag('Rain')
    >>> load("Cat")
    Traceback (most recent call last):
    ...
    AttributeError: module 'bayou' has no attribute 'Cat'
    """

    def load(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(where[name])
        value = module if where[name] == f"{package}.{name}" else getattr(module, name)
        # From now on Python finds the name in the package and does not come here again.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        public = vars(sys.modules[package]).get("__all__", where)
        return sorted(public)

    return load, names
