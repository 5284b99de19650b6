"""Nodes added, removed and renamed, and everything that moves along with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.models.editing.joints import joint, same_joint, valid

import bayou
from bayou.errors import BadGraph, BadQuestion, BadTable, BadVariable, NotFitted, UnknownVariable


@law
@given(networks(), st.data())
def test_a_new_name_changes_nothing_else(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    new = data.draw(st.sampled_from(["new", 7, ("new", 1), "a -> b"]))
    edited = net.copy().rename_node(name, new)
    assert edited.names == tuple(new if other == name else other for other in net.names)
    np.testing.assert_array_equal(joint(edited), joint(net))
    assert edited.rename_node(new, name).same_as(net)


@law
@given(networks(), st.data())
def test_a_node_without_children_goes_without_a_trace(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.dag.leaves))
    edited = net.copy().remove_node(name)
    assert edited.names == tuple(other for other in net.names if other != name)
    for other in edited.names:
        assert edited.frozen.blocks[other] is net.frozen.blocks[other]
    place = net.names.index(name)
    parents, table = net.parents(name), net.cpt(name).to_array()
    again = edited.add_node(name, net.states(name), parents, table, at=place)
    assert again.dag == net.dag
    same_joint(net, again)


@law
@given(networks(), st.data())
def test_children_of_a_removed_node_are_averaged_over_it(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    edited = net.copy().remove_node(name)
    if edited.names:
        valid(edited)
    for child in net.children(name):
        alone = net.copy().remove_arc(name, child)
        np.testing.assert_array_equal(edited.cpt(child).to_array(), alone.cpt(child).to_array())


def test_nodes_are_added_in_every_way() -> None:
    net = bayou.Network("")
    net.add_node("Rain", ["no", "yes"], table=[0.8, 0.2])
    net.add_node(
        "Wet", parents="Rain", table={"no": {"dry": 0.9, "wet": 0.1}, "yes": {"dry": 0.2, "wet": 0.8}}
    )
    assert net.query("Rain", {"Wet": "wet"})["yes"] == pytest.approx(2 / 3)
    net.add_node("Litres", continuous=True, parents=["Rain"], table={"no": (0, 1), "yes": (9, 4)}, at=0)
    assert net.names == ("Litres", "Rain", "Wet")
    assert net.query("Litres", {"Rain": "yes"}).mean == pytest.approx(9)
    net.add_node("Slip", ["no", "yes"], "Wet", "uniform")
    assert net.query("Slip")["yes"] == pytest.approx(0.5)
    net.add_node("Age", bayou.Cuts(30), table=[0.5, 0.5])
    assert net.query("Age")[20] == pytest.approx(0.5)
    net.add_node("Alarm", ["no", "yes"], ["Rain", "Slip"], bayou.NoisyOr({"Rain": 0.5, "Slip": 0.5}))
    assert net.structure.kinds["Alarm"].title == "NoisyOr"
    net.add_node("Later", ["no", "yes"])
    with pytest.raises(NotFitted, match="'Later'"):
        net.query("Later")
    assert net.query("Rain", {"Wet": "wet"})["yes"] == pytest.approx(2 / 3)


def test_a_node_whose_states_come_later() -> None:
    net = bayou.examples.rain_and_wet_grass().add_node("Slip", parents=["WetGrass"])
    with pytest.raises(NotFitted, match="'Slip'"):
        net.query("Rain")
    net.add_arc("Rain", "Slip").rename_node("Slip", "Slippery")
    rows = {(r, w): {"no": 0.5, "yes": 0.5} for r in ("no", "yes") for w in ("no", "yes")}
    net.set_cpt("Slippery", rows)
    assert net.parents("Slippery") == ("WetGrass", "Rain")
    assert net.query("Rain", {"WetGrass": "yes"})["yes"] == pytest.approx(0.18 / 0.26)


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        (("Rain",), {}, BadVariable, "There is a variable 'Rain' already"),
        (("p_R",), {}, BadGraph, "shared parameters of other variables are called 'p_R'"),
        ((["x"],), {}, BadVariable, "must be hashable"),
        ((None,), {}, BadVariable, "cannot be a missing value"),
        (("X", "ab"), {}, BadVariable, "give a list of states"),
        (("X", ["a"]), {"continuous": True}, BadVariable, "both with states and as continuous"),
        (("X", ["a"], ["Rian"]), {}, UnknownVariable, "Did you mean 'Rain'"),
        (("X", ["a", "b"], "Rain", [[1, 0]]), {}, BadTable, "has shape"),
        (("X", ["a", "b"], "Rain", [[1, 0], [0.5, 0.6]]), {}, BadTable, "sums to 1.1"),
        (("X", ["a"]), {"at": 9}, BadQuestion, "a whole number from 0 to 3"),
        (("X", ["a"]), {"at": True}, BadQuestion, "a whole number from 0 to 3"),
        (("X",), {"table": "uniform", "continuous": True}, BadVariable, "so it has no states"),
        (("X", {"a", "b"}), {}, BadVariable, "is a set, which has no order"),
        (("X",), {"table": "uniform"}, BadVariable, "states of 'X' are not known yet"),
    ],
)
def test_nodes_that_cannot_be_added(arguments: Any, options: Any, kind: type, message: str) -> None:
    net = bayou.Network(
        "Rain; R1; R2", states={n: ["no", "yes"] for n in ("Rain", "R1", "R2")}, share={"p_R": ["R1", "R2"]}
    )
    net.set_cpt("Rain", [0.8, 0.2]).set_cpt("R1", [0.5, 0.5])
    before = net.copy()
    with pytest.raises(kind, match=message):
        net.add_node(*arguments, **options)
    assert net.same_as(before)
    assert net.names == before.names


def test_names_that_are_taken_are_refused() -> None:
    net = bayou.examples.rain_and_wet_grass()
    with pytest.raises(BadVariable, match="There is a variable 'Rain' already"):
        net.rename_node("WetGrass", "Rain")
    with pytest.raises(UnknownVariable, match="Did you mean 'Rain'"):
        net.rename_node("Rian", "Shower")
    assert net.rename_node("Rain", "Rain").names == ("Rain", "WetGrass")


def test_remarks_kinds_and_shared_parameters_move_along(tmp_path: Path) -> None:
    (tmp_path / "a.bif").write_text(
        'network "toy" { property "2024"; }\n'
        'variable A { type discrete [ 2 ] { no, yes }; property "seen"; }\n'
        'variable B { type discrete [ 2 ] { no, yes }; property "old"; }\n'
        "probability ( A ) { table 0.4, 0.6; }\nprobability ( B | A ) { (no) 0.1, 0.9; (yes) 0.3, 0.7; }\n"
    )
    net = bayou.load(tmp_path / "a.bif").rename_node("A", "C")
    net.save(tmp_path / "b.bif")
    again = bayou.load(tmp_path / "b.bif")
    assert again.same_as(net)
    text = (tmp_path / "b.bif").read_text()
    assert all(word in text for word in ("seen", "old", "2024"))
    net.remove_node("B").save(tmp_path / "c.bif")
    assert "old" not in (tmp_path / "c.bif").read_text()
    shared = bayou.Network("A -> B -> C", states={n: [0, 1] for n in "ABC"}, share={"step": ["B", "C"]})
    shared.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]]).rename_node("B", "M")
    assert shared.sharing == {"step": ("M", "C")}
    shared.remove_node("C")
    assert shared.sharing == {"step": ("M",)}
    assert shared.remove_node("M").sharing == {}
    assert list(shared.frozen.blocks) == ["A"]


def test_noisy_nodes_know_their_causes_by_the_new_name() -> None:
    tables = {"Flu": {"well": 0.9, "ill": 0.1}, "Cold": {"no": 0.7, "yes": 0.3}}
    net = bayou.Network("Flu, Cold -> Fever", tables=tables, states={"Fever": ["no", "yes"]})
    net.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, present={"Flu": "ill"}))
    renamed = net.copy().rename_node("Flu", "Influenza")
    np.testing.assert_array_equal(joint(renamed), joint(net))
    rows = renamed.sample(300, seed=2).to_dicts()
    assert renamed.fit(rows).names == ("Influenza", "Cold", "Fever")
    removed = net.copy().remove_node("Flu")
    assert removed.structure.kinds["Fever"].marked == {}
    same_joint(removed, net, ["Cold", "Fever"])


def test_leaves_with_other_distributions() -> None:
    net = bayou.Network(
        "S -> Calls", states={"S": ["a", "b"]}, nodes={"Calls": bayou.features.PoissonFeature()}
    )
    rows = {"S": ["a", "a", "b", "b"], "Calls": [1, 2, 8, 9]}
    net.fit(rows)
    renamed = net.copy().rename_node("Calls", "Rings").rename_state("S", "a", "quiet")
    assert renamed.names == ("S", "Rings")
    assert renamed.query("S", {"Rings": 9})["b"] == pytest.approx(net.query("S", {"Calls": 9})["b"])
    for edit in (
        lambda n: n.add_node("T", ["x", "y"], table="uniform").add_arc("T", "Calls"),
        lambda n: n.remove_arc("S", "Calls"),
        lambda n: n.reorder_states("S", ["b", "a"]),
    ):
        with pytest.raises(BadTable, match=r"Poisson.*net.clear_table\('Calls'\)"):
            edit(net.copy())
        edit(net.copy().clear_table("Calls"))
    assert net.copy().remove_node("Calls").names == ("S",)
