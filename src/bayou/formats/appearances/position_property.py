"""Positions in BIF and XMLBIF: the property ``position = (x, y)`` that JavaBayes and others write."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from bayou.formats.draft import NetworkDraft
from bayou.networks.appearance import Appearance, NodeAppearance, Point
from bayou.typing import Name

_NUMBER = r"([-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)"
_POSITION = re.compile(rf'"?\s*position\s*=\s*\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)\s*"?')


def position_of(text: str) -> Point | None:
    """The position that a property gives; None if it is another property.

    >>> position_of("position = (73, 165)"), position_of("colour = red")
    ((73.0, 165.0), None)
    """
    found = _POSITION.fullmatch(text)
    if found is None:
        return None
    place = float(found[1]), float(found[2])
    return place if all(map(math.isfinite, place)) else None


def position_property(shown: Appearance, name: Name) -> list[str]:
    """The property with the position of a variable, if it has one.

    >>> position_property(Appearance(nodes={"A": NodeAppearance(position=(73, 1.5))}), "A")
    ['position = (73, 1.5)']
    """
    place = shown.node(name).position
    return [] if place is None else [f"position = ({_number(place[0])}, {_number(place[1])})"]


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def with_positions(draft: NetworkDraft) -> NetworkDraft:
    """The draft with positions from properties, which are then properties no more."""
    nodes: dict[Name, NodeAppearance] = {}
    properties = dict(draft.properties)
    for variable in draft.variables:
        texts = draft.properties.get(variable.name, ())
        places = {text: position_of(text) for text in texts}
        first = next((text for text in texts if places[text] is not None), None)
        if first is not None:
            nodes[variable.name] = NodeAppearance(position=places[first])
            properties[variable.name] = tuple(text for text in texts if places[text] is None)
    if not nodes:
        return draft
    kept = {owner: texts for owner, texts in properties.items() if texts}
    return replace(draft, properties=kept, appearance=replace(draft.appearance, nodes=nodes))
