"""Copy and paste: parts of networks, and networks added to others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.models.editing.joints import joint, same_joint, valid

import bayou
from bayou.errors import BadQuestion, BadVariable, UnknownVariable


@law
@given(networks(), st.data())
def test_a_part_keeps_each_family_that_is_in_it(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.sets(st.sampled_from(net.names), min_size=1))
    before = net.copy()
    part = net.subnetwork(list(names))
    assert net.same_as(before)
    assert part.names == tuple(name for name in net.names if name in names)
    assert set(part.arcs) == {(a, b) for a, b in net.arcs if a in names and b in names}
    valid(part)
    for name in part.names:
        family = [*part.parents(name), name]
        if set(net.parents(name)) <= names:
            assert part.frozen.blocks[name] is net.frozen.blocks[name]
        else:
            whole = joint(net, family)
            total = whole.sum(axis=-1, keepdims=True)
            seen = np.broadcast_to(total > 0, whole.shape)
            expected = (whole / np.where(total > 0, total, 1))[seen]
            np.testing.assert_allclose(part.cpt(name).to_array()[seen], expected, rtol=0, atol=1e-12)


@law
@given(networks(most=3), networks(most=3))
def test_two_networks_side_by_side_are_independent(one: bayou.Network, other: bayou.Network) -> None:
    rename = {name: ("added", k) for k, name in enumerate(other.names)}
    both = one.copy().add_network(other, rename=rename)
    assert both.names == (*one.names, *rename.values())
    same_joint(one, both)
    expected = np.multiply.outer(joint(one), joint(other))
    np.testing.assert_allclose(joint(both), expected, rtol=0, atol=1e-15)
    again = both.subnetwork(list(rename.values()))
    for new, old in {new: old for old, new in rename.items()}.items():
        again.rename_node(new, old)
    assert again.same_as(other)


def test_shared_parameters_and_noisy_nodes_are_pasted() -> None:
    net = bayou.Network("A -> B -> C", states={n: ["no", "yes"] for n in "ABC"}, share={"step": ["B", "C"]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", bayou.NoisyOr({"A": 0.7}, leak=0.1))
    both = net.copy().add_network(net, prefix="next ")
    assert both.sharing == {"step": ("B", "C"), "next step": ("next B", "next C")}
    assert both.structure.kinds["next C"].title == "NoisyOr"
    np.testing.assert_allclose(joint(both), np.multiply.outer(joint(net), joint(net)), atol=1e-15)
    part = net.subnetwork(["A", "B"])
    assert part.sharing == {"step": ("B",)}
    both.add_arc("C", "next A")
    assert both.parents("next A") == ("C",)


def test_names_that_clash_or_are_unknown() -> None:
    net = bayou.examples.rain_and_wet_grass()
    before = net.copy()
    wrong: Any = {}
    cases: list[tuple[Any, type, str]] = [
        ({}, BadVariable, r"'Rain', 'WetGrass' would be there twice.*prefix='copy of '"),
        ({"rename": {"Rain": "X", "WetGrass": "X"}}, BadVariable, "'X' would be there twice"),
        ({"rename": {"Rian": "X"}}, UnknownVariable, "Did you mean 'Rain'"),
        ({"rename": {"Rain": ["x"], "WetGrass": "W"}}, BadVariable, "must be hashable"),
        ({"rename": {"Rain": None, "WetGrass": "W"}}, BadVariable, "cannot be a missing value"),
        ({"prefix": 3}, BadQuestion, "give a text"),
        ({"rename": ["x"]}, BadQuestion, "give a mapping"),
    ]
    for options, kind, message in cases:
        with pytest.raises(kind, match=message):
            net.add_network(net.copy(), **options)
    with pytest.raises(BadQuestion, match="takes a network, not a dict"):
        net.add_network(wrong)
    numbers = bayou.Network({1: []}, states={1: ["x"]}, tables={1: [1.0]})
    with pytest.raises(BadQuestion, match=r"rename=\{1: …\}"):
        net.add_network(numbers, prefix="n")
    with pytest.raises(BadQuestion, match="at least one variable"):
        net.subnetwork([])
    with pytest.raises(UnknownVariable, match="Did you mean 'Rain'"):
        net.subnetwork(["Rian"])
    assert net.same_as(before)
    assert net.add_network(numbers).names == ("Rain", "WetGrass", 1)


def test_networks_without_states_yet_are_pasted_too() -> None:
    net = bayou.examples.rain_and_wet_grass().add_network(bayou.Network("A -> B"))
    assert net.arcs == (("Rain", "WetGrass"), ("A", "B"))
    net.set_cpt("A", {"x": 0.5, "y": 0.5}).set_cpt(
        "B", {"x": {"u": 1.0, "v": 0.0}, "y": {"u": 0.5, "v": 0.5}}
    )
    assert net.query("B")["u"] == pytest.approx(0.75)
    assert net.query("Rain", {"WetGrass": "yes"})["yes"] == pytest.approx(0.18 / 0.26)
