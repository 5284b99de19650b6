"""Arcs added, removed and reversed, nodes absorbed, parents reordered: checked by enumeration."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.models.editing.joints import joint, same_joint, same_network, valid

import bayou
from bayou.distributions import LinearGaussian
from bayou.errors import BadGraph, BadTable, NotFitted, TooWide, UnknownVariable
from bayou.models.editing.gaussian_reversal import gaussians_turned


def arcs_to_add(net: bayou.Network) -> list[tuple[Any, Any]]:
    pairs = [(a, b) for a in net.names for b in net.names if a != b]
    return [(a, b) for a, b in pairs if a not in net.parents(b) and a not in net.dag.descendants([b])]


def arcs_to_reverse(net: bayou.Network) -> list[tuple[Any, Any]]:
    def other_way(a: Any, b: Any) -> bool:
        return any(b in net.dag.descendants([c]) for c in net.children(a) if c != b)

    return [(a, b) for a, b in net.arcs if not other_way(a, b)]


@law
@given(networks(), st.data())
def test_a_new_arc_changes_no_probability(net: bayou.Network, data: st.DataObject) -> None:
    assume(arcs_to_add(net))
    parent, child = data.draw(st.sampled_from(arcs_to_add(net)))
    edited = net.copy().add_arc(parent, child)
    assert edited.parents(child) == (*net.parents(child), parent)
    same_joint(net, edited)
    same_network(net, edited.remove_arc(parent, child))


@law
@given(networks(), st.data())
def test_without_an_arc_the_child_keeps_its_probabilities_with_its_other_parents(
    net: bayou.Network, data: st.DataObject
) -> None:
    assume(net.arcs)
    parent, child = data.draw(st.sampled_from(net.arcs))
    edited = net.copy().remove_arc(parent, child)
    assert set(edited.arcs) == set(net.arcs) - {(parent, child)}
    valid(edited)
    same_joint(net, edited, [*edited.parents(child), child])
    for name in net.names:
        if name != child:
            assert edited.frozen.blocks[name] is net.frozen.blocks[name]


def test_states_that_cannot_occur_weigh_as_in_the_marginal_of_the_parent() -> None:
    net = bayou.Network(
        "A -> B; A, B -> C",
        states={"A": [0, 1], "B": [0, 1], "C": [0, 1]},
        tables={"A": [0.25, 0.75], "B": [[1, 0], [1, 0]], "C": [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]},
    )
    np.testing.assert_allclose(net.remove_arc("A", "C").cpt("C").to_array(), [[0.25, 0.75]] * 2)


@law
@given(networks(), st.data())
def test_a_reversed_arc_keeps_the_joint(net: bayou.Network, data: st.DataObject) -> None:
    assume(arcs_to_reverse(net))
    parent, child = data.draw(st.sampled_from(arcs_to_reverse(net)))
    edited = net.copy().reverse_arc(parent, child)
    assert child in edited.parents(parent)
    assert parent not in edited.parents(child)
    shared = {*net.parents(parent), *net.parents(child)} - {parent}
    assert set(edited.parents(child)) == shared
    assert set(edited.parents(parent)) == shared | {child}
    valid(edited)
    same_joint(net, edited)
    same_joint(net, edited.reverse_arc(child, parent))


@law
@given(networks(), st.data())
def test_an_absorbed_node_leaves_the_joint_of_all_others(net: bayou.Network, data: st.DataObject) -> None:
    assume(len(net.names) > 1)
    name = data.draw(st.sampled_from(net.names))
    edited = net.copy().absorb_node(name)
    assert edited.names == tuple(other for other in net.names if other != name)
    valid(edited)
    same_joint(edited, net, edited.names)


@law
@given(networks(), st.data())
def test_the_order_of_parents_changes_no_probability(net: bayou.Network, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(net.names))
    order = data.draw(st.permutations(net.parents(name)))
    edited = net.copy().reorder_parents(name, order)
    assert edited.parents(name) == tuple(order)
    same_joint(net, edited)
    assert edited.reorder_parents(name, list(net.parents(name))).same_as(net)


def test_a_cycle_is_refused_with_its_path() -> None:
    net = bayou.Network("Rain -> Wet -> Slippery")
    with pytest.raises(BadGraph, match=r"would close a cycle: Rain -> Wet -> Slippery -> Rain\."):
        net.add_arc("Slippery", "Rain")
    with pytest.raises(BadGraph, match="cannot be its own parent"):
        net.add_arc("Rain", "Rain")
    net.add_arc("Rain", "Slippery")
    with pytest.raises(
        BadGraph, match=r"cycle: Rain -> Wet -> Slippery -> Rain\..*Rain -> Wet -> Slippery\."
    ):
        net.reverse_arc("Rain", "Slippery")
    net.remove_arc("Rain", "Wet").reverse_arc("Rain", "Slippery")
    assert set(net.arcs) == {("Wet", "Slippery"), ("Wet", "Rain"), ("Slippery", "Rain")}


@pytest.mark.parametrize(
    ("method", "arguments", "kind", "message"),
    [
        ("add_arc", ("Rain", "WetGrass"), BadGraph, "There is an arc Rain -> WetGrass already"),
        ("add_arc", ("Rian", "WetGrass"), UnknownVariable, "Did you mean 'Rain'"),
        ("remove_arc", ("WetGrass", "Rain"), BadGraph, "The arc is Rain -> WetGrass. 'Rain' has no parents"),
        ("reverse_arc", ("WetGrass", "Rain"), BadGraph, "There is no arc WetGrass -> Rain"),
        ("remove_arc", (["Rain"], "WetGrass"), UnknownVariable, "There is no variable"),
        ("reorder_parents", ("WetGrass", []), BadGraph, "give each of them once, not none"),
        ("reorder_parents", ("WetGrass", ["Rain", "WetGrass"]), BadGraph, "give each of them once"),
        ("absorb_node", ("Rian",), UnknownVariable, "Did you mean 'Rain'"),
    ],
)
def test_arcs_that_are_not_there(method: str, arguments: Any, kind: type, message: str) -> None:
    net = bayou.examples.rain_and_wet_grass()
    before = net.copy()
    with pytest.raises(kind, match=message):
        getattr(net, method)(*arguments)
    assert net.same_as(before)


def test_a_table_beyond_the_memory_limit_is_refused_with_its_size() -> None:
    net = bayou.random_network(6, states=4, arcs=9, seed=3)
    wide = next(name for name in net.names if net.children(name) and len(net.markov_blanket(name)) > 3)
    before = net.copy()
    with (
        bayou.limits(memory="1 kB"),
        pytest.raises(TooWide, match=r"would have [\d,]+ cells, and the edit needs"),
    ):
        net.absorb_node(wide)
    assert net.same_as(before)
    same_joint(net.absorb_node(wide), before, net.names)


def test_arcs_of_nodes_without_tables_change_only_the_graph() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]}).reverse_arc("A", "B")
    assert net.arcs == (("B", "A"),)
    net.set_cpt("B", [0.5, 0.5])
    with pytest.raises(NotFitted, match="'A' has no table yet, and 'B' has one"):
        net.reverse_arc("B", "A")
    half = bayou.Network("A -> C <- B", states={n: [0, 1] for n in "ABC"})
    half.set_cpt("C", [[[1, 0], [0, 1]], [[0.5, 0.5], [0.25, 0.75]]])
    # A and B have no probabilities yet, so that their states weigh alike.
    np.testing.assert_allclose(half.remove_arc("A", "C").cpt("C").to_array(), [[0.75, 0.25], [0.125, 0.875]])


def test_gaussian_children_are_averaged_by_their_moments() -> None:
    net = bayou.Network("S -> X -> Y", states={"S": [0, 1]}, continuous=["X", "Y"])
    net.set_cpt("S", [0.25, 0.75]).set_gaussian("X", {0: (0.0, 1.0), 1: (4.0, 2.0)})
    net.set_gaussian("Y", {"mean": 1.0, "variance": 0.5, "coefficients": {"X": 2.0}})
    mean, variance = 3.0, 0.25 * 1 + 0.75 * 2 + 0.25 * 9 + 0.75 * 1
    alone = net.copy().remove_arc("S", "X").frozen.gaussian("X")
    assert (alone.intercept.item(), alone.variance.item()) == pytest.approx((mean, variance), abs=1e-12)
    apart = net.copy().remove_arc("X", "Y").frozen.gaussian("Y")
    expected = (1 + 2 * mean, 0.5 + 4 * variance)
    assert (apart.intercept.item(), apart.variance.item()) == pytest.approx(expected, abs=1e-12)
    assert apart.coefficients.shape == (0,)
    whole = net.query("Y")
    assert (whole.mean, whole.variance) == pytest.approx(expected, abs=1e-9)
    added = net.copy().add_arc("S", "Y")
    assert added.query("Y", {"S": 1, "X": 2.0}).mean == pytest.approx(5.0)
    assert added.reorder_parents("Y", ["S", "X"]).query("Y", {"S": 1, "X": 2.0}).mean == pytest.approx(5.0)
    with pytest.raises(BadTable, match=r"'X' has no states.*net.remove_node"):
        net.copy().reverse_arc("S", "X")
    with pytest.raises(BadGraph, match="is discrete and has the continuous parent"):
        bayou.Network("X; S", states={"S": [0, 1]}, continuous=["X"]).add_arc("X", "S")


def test_lines_with_other_slopes_have_no_average() -> None:
    net = bayou.Network("S, X -> Y", states={"S": [0, 1]}, continuous=["X", "Y"])
    net.set_cpt("S", [0.5, 0.5]).set_gaussian("X", (0.0, 1.0))
    line = {"mean": 0.0, "variance": 1.0}
    net.set_gaussian("Y", {0: {**line, "coefficients": {"X": 1.0}}, 1: {**line, "coefficients": {"X": 2.0}}})
    with pytest.raises(BadTable, match=r"slopes differ.*net.clear_table\('Y'\)"):
        net.remove_arc("S", "Y")
    assert net.clear_table("Y").remove_arc("S", "Y").arcs == (("X", "Y"),)
    assert math.isclose(net.query("X").mean, 0.0)


def test_a_noisy_node_gets_causes_without_effect_and_loses_them_to_the_leak() -> None:
    flu, cold = {"no": 0.9, "yes": 0.1}, {"no": 0.7, "yes": 0.3}
    net = bayou.Network(
        "Flu, Cold -> Fever; Hay",
        tables={
            "Flu": flu,
            "Cold": cold,
            "Hay": {"no": 0.5, "yes": 0.5},
        },
        states={"Fever": ["no", "yes"]},
    )
    net.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05))
    added = net.copy().add_arc("Hay", "Fever")
    assert added.structure.kinds["Fever"].title == "NoisyOr"
    same_joint(net, added)
    removed = net.copy().remove_arc("Flu", "Fever")
    assert removed.structure.kinds["Fever"].title == "NoisyOr"
    # Flu and Cold are independent, so that the form is exact.
    same_joint(net, removed, ["Cold", "Fever"])
    order = net.copy().reorder_parents("Fever", ["Cold", "Flu"])
    same_joint(net, order)
    with pytest.raises(BadTable, match=r"NoisyOr.*net.set_cpt\('Fever', net.cpt\('Fever'\)\)"):
        net.copy().reverse_arc("Flu", "Fever")
    as_table = net.copy().set_cpt("Fever", net.cpt("Fever"))
    same_joint(net, as_table.reverse_arc("Flu", "Fever"))
    assert joint(as_table).sum() == pytest.approx(1.0)


def test_functions_of_parents_stay_functions() -> None:
    net = bayou.Network("A, B -> C; D", states={n: [0, 1] for n in "ABD"})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [0.2, 0.8]).set_cpt("D", [0.1, 0.9])
    net.set_cpt("C", bayou.Deterministic(lambda a, b: a))
    added = net.copy().add_arc("D", "C")
    same_joint(net, added)
    assert added.structure.kinds["C"].title == "Deterministic"
    assert net.copy().remove_arc("B", "C").cpt("C")[1, 1] == 1.0
    with pytest.raises(BadTable, match="its values differ"):
        net.remove_arc("A", "C")


def test_shared_parameters_are_refused_with_a_remedy() -> None:
    net = bayou.Network("A -> B -> C; D", states={n: [0, 1] for n in "ABCD"}, share={"step": ["B", "C"]})
    net.set_cpt("A", [0.5, 0.5]).set_cpt("B", [[0.9, 0.1], [0.2, 0.8]]).set_cpt("D", [0.3, 0.7])
    for method, arguments in (
        ("add_arc", ("D", "B")),
        ("remove_arc", ("A", "B")),
        ("reverse_arc", ("A", "B")),
        ("remove_node", ("A",)),
        ("absorb_node", ("A",)),
        ("add_state", ("A", 2)),
        ("remove_state", ("A", 1)),
    ):
        with pytest.raises(BadGraph, match=r"shares its parameters 'step' with 'C'.*net.unshare\('B'\)"):
            getattr(net.copy(), method)(*arguments)
    own = net.copy().unshare("B")
    same_joint(net, own)
    assert own.sharing == {"step": ("C",)}
    same_joint(net, own.add_arc("D", "B"))
    assert own.unshare("C").sharing == {}
    with pytest.raises(BadGraph, match="shares its parameters with no other"):
        own.unshare("C")


def moments(net: bayou.Network, names: list[str], groups: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of the real-valued variables for some states, node by node from the parents."""
    mean: dict[str, float] = {}
    covariance: dict[tuple[str, str], float] = {}
    numbers = [name for name in net.dag.topological_order if net.variables[name].is_continuous]
    for name in numbers:
        gaussian, parents = net.frozen.gaussian(name), net.parents(name)
        index = tuple(net.variables[p].code(groups[p]) for p in parents if p in groups)
        real = [p for p in parents if p in numbers]
        slope = dict(zip(real, gaussian.coefficients[index], strict=True))
        for before in mean:
            covariance[name, before] = covariance[before, name] = sum(
                slope[p] * covariance[p, before] for p in real
            )
        mean[name] = gaussian.intercept[index] + sum(slope[p] * mean[p] for p in real)
        own = sum(slope[p] * covariance[p, name] for p in real)
        covariance[name, name] = gaussian.variance[index] + own
    return np.array([mean[n] for n in names]), np.array([[covariance[a, b] for b in names] for a in names])


@pytest.mark.parametrize("seed", range(12))
def test_arcs_between_gaussians_are_turned_and_absorbed_exactly(seed: int) -> None:
    net = bayou.random_network(6, states=(2, 3), arcs=9, continuous=4, seed=seed)
    real = [name for name in net.names if net.variables[name].is_continuous]
    discrete = [name for name in net.names if name not in real]
    arcs = [(a, b) for a, b in arcs_to_reverse(net) if a in real]
    cases: list[tuple[bayou.Network, list[str]]] = [(net.copy().reverse_arc(a, b), real) for a, b in arcs]
    cases += [(net.copy().absorb_node(name), [n for n in real if n != name]) for name in real]
    assert len(cases) > len(real)
    for edited, names in cases:
        for codes in np.ndindex(*(len(net.states(name)) for name in discrete)):
            groups = {name: net.states(name)[code] for name, code in zip(discrete, codes, strict=True)}
            for found, expected in zip(
                moments(edited, names, groups), moments(net, names, groups), strict=True
            ):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_gaussians_without_spread_are_turned() -> None:
    x = LinearGaussian(np.array(1.0), np.zeros(0), np.array(2.0))
    for slope, expected in ((3.0, (1 / 3, 0.0, 0.0)), (0.0, (0.0, 1.0, 2.0))):
        y = LinearGaussian(np.array(0.0), np.array([slope]), np.array(0.0))
        _, turned = gaussians_turned(("X", [], x), (["X"], y), {}, [])
        found = (turned.coefficients.item(), turned.intercept.item(), turned.variance.item())
        assert found == pytest.approx(expected, abs=1e-12)
