"""The models that everybody can start from: the lectures' and the classic ones."""

from __future__ import annotations

from functools import cache
from typing import Any

from bayou import examples
from bayou.server.gallery_meanings import MEANINGS
from bayou.server.gallery_words import WORDS
from bayou.server.models.about import about
from bayou.server.models.kinds import kind_of
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
    "casino",
    "umbrella_world",
    "survey",
    "sachs",
    "child",
    "insurance",
    "alarm",
)
_TITLES = {"jim_and_martha_network": "Jim and Martha"}


@cache
def exhibit(name: str) -> Any:
    """Return a model of the gallery, which nobody may change."""
    if name not in NAMES:
        raise Problem(404, "not-found", f"The gallery has {', '.join(NAMES)}.")
    model = getattr(examples, name)()
    for variable, meaning in MEANINGS.get(name, {}).items():
        model.describe(variable, description=meaning)
    if name in MEANINGS:
        model.describe(description=WORDS[name])
    return model


@cache
def gallery() -> list[dict[str, Any]]:
    """The models of the gallery as documents: name, title, a sentence about each, its kind and size."""
    return [
        {
            "name": name,
            "title": title_of(name),
            "about": WORDS[name],
            "kind": kind_of(exhibit(name)),
            **about(exhibit(name)),
        }
        for name in NAMES
    ]


def title_of(name: str) -> str:
    """The name of an example as a title.

    >>> title_of("cold_and_allergies"), title_of("heights_network")
    ('Cold and allergies', 'Heights')
    """
    return _TITLES.get(name) or name.removesuffix("_network").replace("_", " ").capitalize()
