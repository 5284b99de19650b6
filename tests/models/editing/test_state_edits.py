"""States renamed, reordered, added, removed and merged: tables of variables and children, by enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.models.editing.joints import joint, same_joint, same_network, valid

import bayou
from bayou.errors import BadGraph, BadQuestion, BadTable, BadVariable, UnknownState, UnknownVariable


@law
@given(networks(), st.data())
def test_new_names_of_states_change_no_number(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    state = data.draw(st.sampled_from(net.states(name)))
    edited = net.copy().rename_state(name, state, "another name")
    assert edited.states(name).index("another name") == net.variables[name].code(state)
    same_joint(net, edited)
    assert edited.rename_state(name, "another name", state).same_as(net)


@law
@given(networks(), st.data())
def test_states_in_another_order_keep_their_probabilities(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    places = data.draw(st.permutations(range(len(net.states(name)))))
    edited = net.copy().reorder_states(name, [net.states(name)[k] for k in places])
    axis = net.names.index(name)
    np.testing.assert_array_equal(joint(edited), np.take(joint(net), places, axis=axis))
    assert edited.reorder_states(name, list(net.states(name))).same_as(net)


@law
@given(networks(), st.data())
def test_a_new_state_has_probability_0_and_changes_nothing_else(
    net: bayou.Network, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(net.names))
    at = data.draw(st.integers(0, len(net.states(name))))
    like = data.draw(st.sampled_from([None, *net.states(name)]))
    edited = net.copy().add_state(name, "a new state", at=at, like=like)
    assert edited.states(name)[at] == "a new state"
    valid(edited)
    axis = net.names.index(name)
    np.testing.assert_allclose(np.delete(joint(edited), at, axis=axis), joint(net), rtol=0, atol=1e-12)
    for child in net.children(name) if like is not None else ():
        place = net.parents(child).index(name)
        table = edited.cpt(child).to_array()
        old = edited.variables[name].code(like)
        np.testing.assert_array_equal(np.take(table, at, axis=place), np.take(table, old, axis=place))
    same_network(net, edited.remove_state(name, "a new state"))


@law
@given(networks(), st.data())
def test_without_a_state_the_rest_of_a_row_is_divided_by_its_sum(
    net: bayou.Network, data: st.DataObject
) -> None:
    several = [name for name in net.names if len(net.states(name)) > 1]
    assume(several)
    name = data.draw(st.sampled_from(several))
    code = data.draw(st.integers(0, len(net.states(name)) - 1))
    kept = np.delete(net.cpt(name).to_array(), code, axis=-1)
    if np.any(kept.sum(axis=-1) == 0):
        before = net.copy()
        with pytest.raises(BadTable, match=r"gives all its probability to .*net.merge_states"):
            net.remove_state(name, net.states(name)[code])
        assert net.same_as(before)
        return
    edited = net.copy().remove_state(name, net.states(name)[code])
    valid(edited)
    expected = kept / kept.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(edited.cpt(name).to_array(), expected, rtol=0, atol=1e-15)
    for child in net.children(name):
        rest = np.delete(net.cpt(child).to_array(), code, axis=net.parents(child).index(name))
        np.testing.assert_array_equal(edited.cpt(child).to_array(), rest)


@law
@given(networks(), st.data())
def test_after_a_merge_each_family_keeps_its_probabilities(net: bayou.Network, data: st.DataObject) -> None:
    several = [name for name in net.names if len(net.states(name)) > 1]
    assume(several)
    name = data.draw(st.sampled_from(several))
    size = len(net.states(name))
    codes = sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=size)))
    edited = net.copy().merge_states(name, [net.states(name)[k] for k in codes], into="merged")
    valid(edited)
    assert edited.states(name)[codes[0]] == "merged"
    for child in (name, *net.children(name)):
        family = [*net.parents(child), child]
        before, axis = joint(net, family), family.index(name)
        merged = np.take(before, codes, axis=axis).sum(axis=axis, keepdims=True)
        rest = np.delete(before, codes, axis=axis)
        expected = np.insert(rest, [codes[0]], merged, axis=axis)
        np.testing.assert_allclose(joint(edited, family), expected, rtol=0, atol=1e-12)


def test_ranges_stay_ranges() -> None:
    net = bayou.Network("Age -> Ill", states={"Age": bayou.Cuts(30, 50), "Ill": ["no", "yes"]})
    net.set_cpt("Age", [0.5, 0.25, 0.25]).set_cpt("Ill", [[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]])
    merged = net.copy().merge_states("Age", [40, 60])
    assert [str(state) for state in merged.states("Age")] == ["up to 30", "over 30"]
    assert merged.query("Ill", {"Age": 99})["yes"] == pytest.approx(0.3)
    with pytest.raises(BadVariable, match="adjoining ranges"):
        net.remove_state("Age", 40)
    with pytest.raises(BadVariable, match="adjoining ranges"):
        net.rename_state("Age", 40, "middle")
    with pytest.raises(BadQuestion, match="Say what the merged state"):
        net.merge_states("Age", [20, 60])
    assert [str(state) for state in net.remove_state("Age", 60).states("Age")] == ["up to 30", "30 to 50"]


@pytest.mark.parametrize(
    ("method", "arguments", "kind", "message"),
    [
        ("rename_state", ("Rain", "maybe", "x"), UnknownState, "not a state of 'Rain'"),
        ("rename_state", ("Rain", "yes", "no"), BadVariable, "has the state 'no' twice"),
        ("rename_state", ("Rain", "yes", None), BadVariable, "means 'missing'"),
        ("rename_state", ("Rain", "yes", ["no"]), BadVariable, "must be hashable"),
        ("rename_state", ("Rian", "yes", "no"), UnknownVariable, "Did you mean 'Rain'"),
        ("reorder_states", ("Rain", ["yes"]), BadVariable, "give each of them once"),
        ("reorder_states", ("Rain", "yes"), BadQuestion, "give a list of states"),
        ("add_state", ("Rain", "yes"), BadVariable, "has the state 'yes' twice"),
        ("add_state", ("Rain", "x", 7), TypeError, "positional"),
        ("merge_states", ("Rain", ["yes"], "x"), BadVariable, "at least two states"),
        ("merge_states", ("Rain", ["yes", "no"]), BadQuestion, "Say what the merged state"),
    ],
)
def test_states_that_cannot_be_edited(method: str, arguments: Any, kind: type, message: str) -> None:
    net = bayou.examples.rain_and_wet_grass()
    before = net.copy()
    with pytest.raises(kind, match=message):
        getattr(net, method)(*arguments)
    assert net.same_as(before)


def test_variables_without_states_are_refused() -> None:
    net = bayou.Network("S; X; U", states={"S": ["only"]}, continuous=["X"])
    with pytest.raises(BadVariable, match="holds real numbers"):
        net.rename_state("X", 1, 2)
    with pytest.raises(BadVariable, match="are not known yet"):
        net.add_state("U", "x")
    with pytest.raises(BadVariable, match=r"only state of 'S'.*net.remove_node\('S'\)"):
        net.remove_state("S", "only")
    with pytest.raises(BadQuestion, match="a whole number from 0 to 1"):
        net.add_state("S", "x", at=5)
    assert net.add_state("S", "x", at=0).structure.declared["S"].states == ("x", "only")


def test_variables_that_share_parameters_keep_the_same_states() -> None:
    net = bayou.Network("A -> B -> C", states={n: [0, 1] for n in "ABC"}, share={"step": ["B", "C"]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]])
    renamed = net.copy().rename_state("B", 1, "one")
    assert [renamed.states(name) for name in "ABC"] == [(0, "one")] * 3
    same_joint(net, renamed)
    turned = net.copy().reorder_states("C", [1, 0])
    assert [turned.states(name) for name in "ABC"] == [(1, 0)] * 3
    np.testing.assert_array_equal(joint(turned), joint(net)[::-1, ::-1, ::-1])
    assert turned.reorder_states("A", [0, 1]).same_as(net)
    with pytest.raises(BadGraph, match=r"net.unshare\('B'\)"):
        net.merge_states("B", [0, 1], into="any")


def fever(**options: Any) -> bayou.Network:
    tables = {"Flu": {"no": 0.9, "yes": 0.1}, "Cold": {"no": 0.7, "yes": 0.3}}
    net = bayou.Network("Flu, Cold -> Fever", tables=tables, states={"Fever": ["no", "yes"]})
    return net.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05, **options))


@pytest.mark.parametrize("options", [{}, {"present": "yes"}, {"present": {"Flu": "yes"}}])
def test_noisy_nodes_keep_their_meaning_under_new_names_and_orders(options: Any) -> None:
    net = fever(**options)
    for name in net.names:
        renamed = net.copy().rename_state(name, "yes", "ill").rename_state(name, "no", "well")
        same_joint(net, renamed)
        turned = renamed.copy().reorder_states(name, ["ill", "well"])
        same_joint(renamed.copy().set_cpt("Fever", renamed.cpt("Fever")), renamed)
        axis = net.names.index(name)
        np.testing.assert_allclose(joint(turned), np.flip(joint(net), axis=axis), rtol=0, atol=1e-15)
        rows = turned.sample(400, seed=1).to_dicts()
        plain = [{key: _plain(value) for key, value in row.items()} for row in rows]
        learned, expected = turned.copy().fit(rows), fever(**options).fit(plain)
        np.testing.assert_allclose(joint(learned), np.flip(joint(expected), axis=axis), rtol=0, atol=1e-9)


def _plain(value: Any) -> Any:
    return {"ill": "yes", "well": "no"}.get(value, value)


def test_noisy_nodes_follow_more_states_of_causes_or_say_why_not() -> None:
    net = fever()
    more = net.copy().add_state("Flu", "bad", like="yes")
    assert more.structure.kinds["Fever"].title == "NoisyOr"
    valid(more)
    np.testing.assert_allclose(joint(more)[:2], joint(net), rtol=0, atol=1e-15)
    with pytest.raises(BadTable, match=r"NoisyOr.*net.set_cpt\('Fever', net.cpt\('Fever'\)\)"):
        net.copy().remove_state("Flu", "no")
    with pytest.raises(BadTable, match="needs two states"):
        net.copy().add_state("Fever", "high")
    table = net.copy().set_cpt("Fever", net.cpt("Fever"))
    assert table.add_state("Fever", "high").states("Fever") == ("no", "yes", "high")


def test_a_noisy_max_gets_states_that_nothing_proposes() -> None:
    net = bayou.Network("Flu -> Heat", tables={"Flu": {"no": 0.9, "yes": 0.1}}, states={"Heat": [0, 1, 2]})
    net.set_cpt("Heat", bayou.NoisyMax({"Flu": {"yes": [0.1, 0.5, 0.4]}}, leak=[0.8, 0.1, 0.1]))
    more = net.copy().add_state("Heat", 1.5, at=2)
    np.testing.assert_allclose(np.delete(joint(more), 2, axis=1), joint(net), rtol=0, atol=1e-15)
    with pytest.raises(BadTable, match="order of its states is their strength"):
        net.copy().reorder_states("Heat", [2, 1, 0])
    with pytest.raises(BadTable, match="order of its states is their strength"):
        net.copy().add_state("Heat", -1, at=0)


def test_functions_follow_their_states() -> None:
    net = bayou.Network("A -> C", states={"A": ["x", "y", "z"]}, tables={"A": [0.5, 0.3, 0.2]})
    net.set_cpt("C", bayou.Deterministic({"x": "low", "y": "high", "z": "high"}))
    assert net.copy().merge_states("A", ["y", "z"], into="w").cpt("C")["w", "high"] == 1.0
    with pytest.raises(BadTable, match="its values differ"):
        net.copy().merge_states("A", ["x", "y"], into="w")
    with pytest.raises(BadTable, match="'low' is one of its values"):
        net.copy().remove_state("C", "low")
    turned = net.copy().reorder_states("C", net.states("C")[::-1])
    np.testing.assert_array_equal(joint(turned), joint(net)[:, ::-1])
    assert net.copy().add_state("A", "v", like="x").cpt("C")["v", "low"] == 1.0
    with pytest.raises(BadTable, match="its values differ"):
        net.copy().add_state("A", "v")


def test_groups_of_a_gaussian_follow() -> None:
    net = bayou.Network("S -> X", states={"S": ["a", "b", "c"]}, continuous=["X"])
    net.set_cpt("S", [0.2, 0.3, 0.5]).set_gaussian("X", {"a": (0, 1), "b": (5, 1), "c": (1, 4)})
    before = net.query("X")
    merged = net.copy().merge_states("S", ["a", "b"], into="ab")
    gaussian = merged.frozen.gaussian("X")
    assert gaussian.intercept.tolist() == pytest.approx([3.0, 1.0])
    assert gaussian.variance.tolist() == pytest.approx([1 + 0.4 * 9 + 0.6 * 4, 4.0])
    assert merged.query("X").mean == pytest.approx(before.mean)
    assert merged.query("X").variance == pytest.approx(before.variance)
    assert net.copy().reorder_states("S", ["c", "a", "b"]).query("X", {"S": "c"}).variance == pytest.approx(4)
    assert net.copy().remove_state("S", "a").frozen.gaussian("X").intercept.tolist() == [5, 1]
