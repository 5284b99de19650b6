"""The remarks of a network after an edit: they move along with their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bayou.formats.draft import Remarks
from bayou.typing import Name


def remarks_renamed(remarks: Remarks, names: Mapping[Name, Name]) -> Remarks:
    """Return the remarks with texts under the new names (old → new) of variables.

    >>> remarks_renamed(Remarks("net", {"A": ("seen",)}), {"A": "B"}).properties
    {'B': ('seen',)}
    """
    moved = {key if key is None else names.get(key, key): text for key, text in remarks.properties.items()}
    return replace(remarks, properties=moved)


def remarks_of(remarks: Remarks, names: Iterable[Name]) -> Remarks:
    """Return the remarks about the network and about some variables only.

    >>> remarks_of(Remarks("net", {None: ("2024",), "A": ("seen",), "B": ("old",)}), ["A"]).properties
    {None: ('2024',), 'A': ('seen',)}
    """
    kept = {None, *names}
    return replace(remarks, properties={key: t for key, t in remarks.properties.items() if key in kept})


def remarks_together(remarks: Remarks, other: Remarks) -> Remarks:
    """Return the remarks of a network and those about the variables of another one that is added to it.

    >>> added = Remarks("other", {None: ("2024",), "B": ("old",)})
    >>> remarks_together(Remarks("net", {"A": ("seen",)}), added).properties
    {'A': ('seen',), 'B': ('old',)}
    """
    about = {key: text for key, text in other.properties.items() if key is not None}
    return replace(remarks, properties={**remarks.properties, **about})
