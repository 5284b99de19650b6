"""The networks that everybody can start from: the lectures' and the classic ones."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from bayou import examples
from bayou.models.network import Network
from bayou.server.problems import Problem

NAMES = (
    "asia",
    "earthquake",
    "cold_and_allergies",
    "rain_and_wet_grass",
    "storm",
    "thunder_and_rain",
    "cancer_test_network",
    "cancer",
    "two_dice",
    "jim_and_martha_network",
    "heights_network",
    "survey",
    "sachs",
    "child",
    "insurance",
    "alarm",
)


@cache
def exhibit(name: str) -> Network:
    """Return a network of the gallery, which nobody may change."""
    if name not in NAMES:
        raise Problem(404, "not-found", f"The gallery has {', '.join(NAMES)}.")
    network: Network = getattr(examples, name)()
    return network


@cache
def gallery() -> list[dict[str, Any]]:
    """The networks of the gallery as documents: name, title, a sentence about each, and its size."""
    return [
        {
            "name": name,
            "title": title_of(name),
            "about": _first_line(getattr(examples, name).__doc__),
            "variables": len(exhibit(name).names),
            "arcs": len(exhibit(name).arcs),
        }
        for name in NAMES
    ]


def title_of(name: str) -> str:
    """The name of an example as a title.

    >>> title_of("cold_and_allergies"), title_of("heights_network")
    ('Cold and allergies', 'Heights')
    """
    return name.removesuffix("_network").replace("_", " ").capitalize()


def _first_line(text: str | None) -> str:
    """The first line of a docstring, without the marks of its references."""
    return re.sub(r":\w+:`~?([^`]*)`|``([^`]*)``", r"\1\2", (text or "").strip().splitlines()[0])
