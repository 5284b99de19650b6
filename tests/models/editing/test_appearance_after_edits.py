"""What a network shows moves along with an edit, and goes with what it was about."""

from __future__ import annotations

import pytest

import bayou
from bayou import Network


@pytest.fixture
def net() -> Network:
    made = bayou.examples.rain_and_wet_grass()
    made.describe("Rain", title="Rain in Ghent", position=(10, 20)).describe("WetGrass", title="Grass")
    made.describe_state("Rain", "yes", title="it rains").describe_state("WetGrass", "no", title="dry")
    return made.describe_arc("Rain", "WetGrass", "obvious").group("weather", ["Rain"])


def test_names(net: Network) -> None:
    shown = net.rename_node("Rain", "Shower").rename_state("Shower", "yes", "wet").appearance
    assert shown.node("Shower").title == "Rain in Ghent"
    assert shown.node("Shower").of_state("wet").title == "it rains"
    assert shown.arcs == {("Shower", "WetGrass"): "obvious"}
    assert shown.submodels_of("Shower") == ("weather",)
    assert "Rain" not in shown.names()


def test_what_is_removed_is_not_shown(net: Network) -> None:
    assert net.copy().remove_arc("Rain", "WetGrass").appearance.arcs == {}
    assert net.copy().reverse_arc("Rain", "WetGrass").appearance.arcs == {("WetGrass", "Rain"): "obvious"}
    shown = net.copy().remove_node("Rain").appearance
    assert shown.names() == {"WetGrass"}
    assert shown.submodels == ()
    more = net.add_state("Rain", "drizzle").describe_state("Rain", "drizzle", title="a little")
    assert more.remove_state("Rain", "drizzle").appearance.node("Rain").of_state("drizzle").title == ""


def test_copy_and_paste(net: Network) -> None:
    part = net.subnetwork(["Rain"])
    assert part.appearance.names() == {"Rain"}
    shown = net.add_network(part, prefix="next ").appearance
    assert shown.node("next Rain").title == shown.node("Rain").title == "Rain in Ghent"


def test_edited_networks_are_saved_with_what_they_show(net: Network, tmp_path: object) -> None:
    net.rename_node("Rain", "Shower").save(f"{tmp_path}/net.bayou")
    assert bayou.load(f"{tmp_path}/net.bayou").appearance == net.appearance


def test_a_renamed_state_leaves_the_identifiers_of_others() -> None:
    from dataclasses import replace

    net = bayou.Network("A", states={"A": ["x", "y"]}).describe_state("A", "x", title="first")
    net.describe_state("A", "y", title="second")
    node = net.appearance.node("A")
    named = replace(node, states=tuple(replace(one, identifier=f"id_{one.state}") for one in node.states))
    net.show_as(net.appearance.with_node("A", named)).rename_state("A", "x", "z")
    assert [(one.state, one.identifier) for one in net.appearance.node("A").states] == [
        ("z", ""),
        ("y", "id_y"),
    ]
