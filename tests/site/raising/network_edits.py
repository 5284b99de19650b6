"""What calls of networks raise: edits of nodes, arcs, states, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bayou
from tests.site.raising.models import asia, bare, rain

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("Network.absorb_node", "UnknownVariable"): lambda: rain().absorb_node("Snow"),
    ("Network.add_arc", "BadGraph"): lambda: rain().add_arc("WetGrass", "Rain"),
    ("Network.add_arc", "UnknownVariable"): lambda: rain().add_arc("Rain", "Snow"),
    ("Network.add_network", "BadQuestion"): lambda: rain().add_network(3),
    ("Network.add_network", "BadVariable"): lambda: rain().add_network(rain()),
    ("Network.add_network", "UnknownVariable"): lambda: rain().add_network(asia(), rename={"Snow": "Hail"}),
    ("Network.add_node", "BadQuestion"): lambda: rain().add_node("Slip", at=9),
    ("Network.add_node", "BadTable"): lambda: rain().add_node("Slip", ["no", "yes"], table=[0.5, 0.6]),
    ("Network.add_node", "BadVariable"): lambda: rain().add_node("Rain"),
    ("Network.add_node", "UnknownVariable"): lambda: rain().add_node("Slip", ["no", "yes"], "Snow"),
    ("Network.add_state", "BadQuestion"): lambda: rain().add_state("Rain", "hail", at=9),
    ("Network.add_state", "BadVariable"): lambda: rain().add_state("Rain", "yes"),
    ("Network.add_state", "UnknownState"): lambda: rain().add_state("Rain", "hail", like="snow"),
    ("Network.add_state", "UnknownVariable"): lambda: rain().add_state("Snow", "x"),
    ("Network.clear_table", "UnknownVariable"): lambda: rain().clear_table("Snow"),
    ("Network.describe_arc", "BadGraph"): lambda: rain().describe_arc("WetGrass", "Rain", "x"),
    ("Network.describe_arc", "BadQuestion"): lambda: rain().describe_arc("Rain", "WetGrass", 3),
    ("Network.describe_arc", "UnknownVariable"): lambda: rain().describe_arc("Rain", "Snow", "x"),
    ("Network.describe_state", "BadVariable"): lambda: rain().describe_state("Rain", "no", title=3),
    ("Network.describe_state", "NotFitted"): lambda: bare().describe_state("a", 0),
    ("Network.describe_state", "UnknownState"): lambda: rain().describe_state("Rain", "maybe"),
    ("Network.describe_state", "UnknownVariable"): lambda: rain().describe_state("Snow", "no"),
    ("Network.describe", "BadQuestion"): lambda: rain().describe(colour="#fff"),
    ("Network.describe", "BadVariable"): lambda: rain().describe("Rain", position=3),
    ("Network.describe", "UnknownVariable"): lambda: rain().describe("Snow"),
    ("Network.explore", "NotFitted"): lambda: bare().explore(),
    ("Network.group", "BadGraph"): lambda: rain().group("weather", ["Rain"], inside="x"),
    ("Network.group", "BadVariable"): lambda: rain().group(3, ["Rain"]),
    ("Network.group", "UnknownVariable"): lambda: rain().group("weather", ["Snow"]),
    ("Network.merge_states", "BadQuestion"): lambda: rain().merge_states("Rain", ["no", "yes"]),
    ("Network.merge_states", "BadVariable"): lambda: rain().merge_states("Rain", ["no"], "x"),
    ("Network.merge_states", "UnknownState"): lambda: rain().merge_states("Rain", ["no", "maybe"], "x"),
    ("Network.merge_states", "UnknownVariable"): lambda: rain().merge_states("Snow", ["no", "yes"], "x"),
    ("Network.remove_arc", "BadGraph"): lambda: rain().remove_arc("WetGrass", "Rain"),
    ("Network.remove_arc", "UnknownVariable"): lambda: rain().remove_arc("Rain", "Snow"),
    ("Network.remove_node", "UnknownVariable"): lambda: rain().remove_node("Snow"),
    ("Network.remove_state", "BadTable"): lambda: bayou.Network(
        "a", tables={"a": {"x": 1, "y": 0}}
    ).remove_state("a", "x"),
    ("Network.remove_state", "BadVariable"): lambda: bayou.Network("a", tables={"a": {"x": 1}}).remove_state(
        "a", "x"
    ),
    ("Network.remove_state", "UnknownState"): lambda: rain().remove_state("Rain", "maybe"),
    ("Network.remove_state", "UnknownVariable"): lambda: rain().remove_state("Snow", "x"),
    ("Network.rename_node", "BadVariable"): lambda: rain().rename_node("Rain", "WetGrass"),
    ("Network.rename_node", "UnknownVariable"): lambda: rain().rename_node("Snow", "Hail"),
    ("Network.rename_state", "BadVariable"): lambda: rain().rename_state("Rain", "no", "yes"),
    ("Network.rename_state", "UnknownState"): lambda: rain().rename_state("Rain", "maybe", "none"),
    ("Network.rename_state", "UnknownVariable"): lambda: rain().rename_state("Snow", "no", "none"),
    ("Network.reorder_parents", "BadGraph"): lambda: rain().reorder_parents("WetGrass", []),
    ("Network.reorder_parents", "UnknownVariable"): lambda: rain().reorder_parents("Snow", []),
    ("Network.reorder_states", "BadVariable"): lambda: rain().reorder_states("Rain", ["yes"]),
    ("Network.reorder_states", "UnknownState"): lambda: rain().reorder_states("Rain", ["yes", "maybe"]),
    ("Network.reorder_states", "UnknownVariable"): lambda: rain().reorder_states("Snow", []),
    ("Network.reverse_arc", "BadGraph"): lambda: rain().reverse_arc("WetGrass", "Rain"),
    ("Network.reverse_arc", "UnknownVariable"): lambda: rain().reverse_arc("Rain", "Snow"),
    ("Network.set_probability", "BadQuestion"): lambda: rain().set_probability("Rain", "no", 2),
    ("Network.set_probability", "BadTable"): lambda: rain().set_probability(
        "Rain", "no", 0.9, locked=["yes"]
    ),
    ("Network.set_probability", "NotFitted"): lambda: bare().set_probability("a", 0, 0.5),
    ("Network.set_probability", "UnknownState"): lambda: rain().set_probability("Rain", "maybe", 0.5),
    ("Network.set_probability", "UnknownVariable"): lambda: rain().set_probability("Snow", "no", 0.5),
    ("Network.set_row", "BadTable"): lambda: rain().set_row("Rain", [1, 1]),
    ("Network.set_row", "NotFitted"): lambda: bare().set_row("a", [1, 0]),
    ("Network.set_row", "UnknownState"): lambda: rain().set_row("Rain", {"maybe": 1}),
    ("Network.set_row", "UnknownVariable"): lambda: rain().set_row("Snow", [1, 0]),
    ("Network.show_as", "UnknownVariable"): lambda: rain().show_as(
        bare().describe("a", title="A").appearance
    ),
    ("Network.subnetwork", "BadQuestion"): lambda: rain().subnetwork([]),
    ("Network.subnetwork", "UnknownVariable"): lambda: rain().subnetwork("Snow"),
    ("Network.ungroup", "BadGraph"): lambda: rain().ungroup("weather"),
    ("Network.unshare", "BadGraph"): lambda: rain().unshare("Rain"),
    ("Network.unshare", "UnknownVariable"): lambda: rain().unshare("Snow"),
}
