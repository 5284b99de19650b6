"""Storm, bus, campfire, lightning, thunder, forest fire: the network on which the ideas are introduced."""

from __future__ import annotations

from typing import Any

from bayou.examples.bundled_tables import bundled_table
from bayou.models.network import Network

_ARCS = """
Storm -> Lightning -> Thunder
Storm, BusTourGroup -> Campfire
Storm, Lightning, Campfire -> ForestFire
"""


def storm() -> Network:
    """The causes of a forest fire: causes, effects, explaining away.

    The arcs and the table of Campfire (.4 .1 .8 .2) are the lecture's; all other tables are bayou's own.

    >>> net = storm()
    >>> net.cpt("Campfire")["yes", "no", "yes"]  # a storm and no bus tour
    0.1
    >>> bool(net.d_separated("Campfire", "Thunder", given=["Storm", "BusTourGroup"]))
    True
    """
    return Network(
        _ARCS,
        states={name: ["no", "yes"] for name in _NAMES},
        tables={
            "Storm": {"yes": 0.25},
            "BusTourGroup": {"yes": 0.3},
            "Lightning": {"no": {"yes": 0.02}, "yes": {"yes": 0.6}},
            "Thunder": {"no": {"yes": 0.01}, "yes": {"yes": 0.95}},
            "Campfire": {
                ("yes", "yes"): {"yes": 0.4},
                ("yes", "no"): {"yes": 0.1},
                ("no", "yes"): {"yes": 0.8},
                ("no", "no"): {"yes": 0.2},
            },
            "ForestFire": {
                ("no", "no", "no"): {"yes": 0.01},
                ("no", "no", "yes"): {"yes": 0.1},
                ("no", "yes", "no"): {"yes": 0.3},
                ("no", "yes", "yes"): {"yes": 0.4},
                ("yes", "no", "no"): {"yes": 0.005},
                ("yes", "no", "yes"): {"yes": 0.05},
                ("yes", "yes", "no"): {"yes": 0.2},
                ("yes", "yes", "yes"): {"yes": 0.25},
            },
        },
    )


_NAMES = ("Storm", "Lightning", "Thunder", "BusTourGroup", "Campfire", "ForestFire")


def storm_data() -> dict[str, list[Any]]:
    """400 rows drawn from :func:`storm` (with seed 2026), to learn the network from.

    >>> rows = storm_data()
    >>> len(rows["Storm"]), rows["Storm"].count("yes")
    (400, 92)
    """
    return bundled_table("storm.csv")


def campfire_counts() -> dict[str, list[Any]]:
    """Counts of campfires by storm and bus tour: one row per cell, with its weight in ``count``.

    The lecture's counts for a storm without a bus tour are 1 and 10, so 1/11 is learned, not the .1 in the
    lecture's table.

    >>> net = Network("Storm, BusTourGroup -> Campfire").fit(campfire_counts(), prior=0, weights="count")
    >>> net.cpt("Campfire")["yes", "no", "yes"] == 1 / 11
    True
    """
    return {
        "Storm": ["yes", "yes", "yes", "yes", "no", "no", "no", "no"],
        "BusTourGroup": ["yes", "yes", "no", "no", "yes", "yes", "no", "no"],
        "Campfire": ["yes", "no", "yes", "no", "yes", "no", "yes", "no"],
        "count": [4, 6, 1, 10, 8, 2, 2, 8],
    }


def thunder_and_rain() -> Network:
    """Thunder is evidence for rain, unless lightning is observed. (The tables are bayou's own.)

    >>> net = thunder_and_rain()
    >>> net.query("Rain", {"Thunder": "yes"})["yes"] > net.query("Rain")["yes"]
    True
    >>> bool(net.d_separated("Thunder", "Rain", given="Lightning"))
    True
    """
    return Network(
        "Rain -> Lightning -> Thunder",
        tables={
            "Rain": {"no": 0.7, "yes": 0.3},
            "Lightning": {"no": {"no": 0.98, "yes": 0.02}, "yes": {"no": 0.75, "yes": 0.25}},
            "Thunder": {"no": {"no": 0.99, "yes": 0.01}, "yes": {"no": 0.1, "yes": 0.9}},
        },
    )
