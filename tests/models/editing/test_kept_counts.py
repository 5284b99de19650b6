"""Learned counts after an edit: kept where they still describe the tables; else partial_fit asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import Sample, law, samples
from tests.models.editing.joints import joint, same_network

import bayou
from bayou.errors import NotFitted
from bayou.learning import estimate

PRIORS = [None, 0, bayou.BDeu(4), bayou.MEstimate(2)]


def estimated_again(net: bayou.Network) -> None:
    """The counts that are kept give the tables that the network has (sums may round in another order)."""
    learned = net._learned
    assert learned is not None
    again = estimate(net.structure, learned.statistics, learned.priors)
    for slot, block in net.frozen.blocks.items():
        assert block.distance(again.blocks[slot], net.frozen.family(slot), {}) < 1e-15


@law
@given(samples(least=2), st.data(), st.sampled_from([prior for prior in PRIORS if prior != 0]), st.booleans())
def test_new_names_and_orders_keep_the_counts(
    sample: Sample, data: st.DataObject, prior: Any, declared: bool
) -> None:
    columns = sample.columns
    full = [k for k in range(sample.rows) if all(column[k] is not None for column in columns.values())]
    if len(full) < 2:
        return
    rows = {name: [column[k] for k in full] for name, column in columns.items()}
    net = sample.network(declared=declared).fit(rows, prior=prior)
    name = data.draw(st.sampled_from(net.names))
    state = data.draw(st.sampled_from(net.states(name)))
    order = data.draw(st.permutations(net.states(name)))
    parents = data.draw(st.permutations(net.parents(name)))
    edited = net.copy().reorder_states(name, order).reorder_parents(name, parents)
    edited.rename_state(name, state, "other").rename_node(name, "New name")
    assert edited.statistics.rows == len(full)
    estimated_again(edited)
    renamed = {
        "New name" if key == name else key: [
            "other" if key == name and net.variables[name].place(s) == net.variables[name].place(state) else s
            for s in column
        ]
        for key, column in rows.items()
    }
    more = edited.copy().partial_fit(renamed)
    same = net.copy().partial_fit(rows)
    places = [net.variables[name].code(s) for s in order]
    axis = net.names.index(name)
    expected = np.take(joint(same), places, axis=axis)
    np.testing.assert_allclose(joint(more), expected, rtol=0, atol=1e-15)
    same_network(edited, more.forget(renamed), 1e-15)


@pytest.mark.parametrize(
    "prior",
    [
        {"A": bayou.Dirichlet({"x": 1, "y": 3}), "B": bayou.Dirichlet([[1, 2], [3, 4]])},
        {"B": bayou.MEstimate(3, {"no": 0.25, "yes": 0.75})},
        {"A": bayou.Dirichlet([5, 1])},
    ],
)
def test_priors_by_state_move_along(prior: Any) -> None:
    rows = {"A": ["x", "y", "y", "x", "y"], "B": ["no", "yes", "yes", "yes", "no"]}
    net = bayou.Network("A -> B").fit(rows, prior=prior)
    edited = net.copy().rename_state("A", "x", "z").reorder_states("A", ["y", "z"]).rename_node("A", "C")
    edited.reorder_states("B", ["yes", "no"]).rename_state("B", "no", "never")
    np.testing.assert_array_equal(joint(edited), joint(net)[::-1, ::-1])
    estimated_again(edited)
    more = {"C": ["z", "y"], "B": ["never", "yes"]}
    before = {"A": ["x", "y"], "B": ["no", "yes"]}
    np.testing.assert_array_equal(joint(edited.partial_fit(more)), joint(net.partial_fit(before))[::-1, ::-1])


def test_a_default_prior_by_state_is_kept_for_the_renamed_variable() -> None:
    rows = {"A": ["no", "yes", "yes"], "B": ["no", "yes", "no"]}
    net = bayou.Network("A -> B").fit(rows, prior=bayou.Dirichlet({"no": 1, "yes": 5}))
    edited = net.copy().rename_state("B", "yes", "wet")
    estimated_again(edited)
    more = edited.partial_fit({"A": ["no"], "B": ["wet"]})
    np.testing.assert_array_equal(joint(more), joint(net.partial_fit({"A": ["no"], "B": ["yes"]})))


def test_moments_and_rows_of_noisy_nodes_are_kept_too() -> None:
    rows: dict[str, list[Any]] = {
        "S": ["a", "b", "a", "b", "a", "b", "a", "b"],
        "T": [0, 0, 1, 1, 0, 1, 1, 0],
        "X": [1.0, 2.0, 4.0, 3.5, 0.5, 7.0, 2.5, 6.0],
        "Y": [2.0, 1.0, 5.0, 3.0, 1.5, 6.5, 3.5, 6.0],
        "Z": [0.5, 1.5, 5.5, 2.0, 1.0, 6.0, 3.0, 7.0],
    }
    net = bayou.Network("S, T -> X; X, S, Y -> Z").fit(rows)
    edited = net.copy().reorder_states("S", ["b", "a"]).rename_node("X", "W")
    edited.reorder_parents("Z", ["Y", "S", "W"]).reorder_parents("W", ["T", "S"])
    assert edited.statistics.rows == 8
    old, new = net.frozen.gaussian("Z"), edited.frozen.gaussian("Z")
    np.testing.assert_array_equal(new.intercept, old.intercept[::-1])
    np.testing.assert_array_equal(new.coefficients, old.coefficients[::-1, ::-1])
    renamed = {"W" if key == "X" else key: column for key, column in rows.items()}
    more, same = edited.copy().partial_fit(renamed), net.copy().partial_fit(rows)
    np.testing.assert_allclose(
        more.frozen.gaussian("Z").coefficients, same.frozen.gaussian("Z").coefficients[::-1, ::-1], rtol=1e-8
    )
    np.testing.assert_allclose(
        more.frozen.gaussian("W").variance, same.frozen.gaussian("X").variance.T[:, ::-1]
    )
    causes = {
        "Flu": ["no", "yes", "yes", "no"],
        "Cold": ["no", "no", "yes", "yes"],
        "Ill": ["no", "yes", "yes", "no"],
    }
    noisy = bayou.Network("Flu, Cold -> Ill", nodes={"Ill": bayou.NoisyOr}).fit(causes)
    turned = noisy.copy().rename_node("Flu", "Influenza").reorder_parents("Ill", ["Cold", "Influenza"])
    assert turned.statistics.rows == 4
    estimated_again(turned)


def test_expected_counts_are_kept_as_such() -> None:
    rows = {"A": ["x", "y", None, "x", "y"], "B": ["no", "yes", "yes", None, "no"]}
    net = bayou.Network("A -> B").fit(rows)
    edited = net.copy().rename_node("A", "C").reorder_states("B", ["yes", "no"])
    assert edited._learned is not None
    assert edited._learned.expected
    np.testing.assert_array_equal(joint(edited), joint(net)[:, ::-1])
    assert edited.learning is net.learning


def test_a_leaf_that_goes_leaves_the_counts_of_the_others(tmp_path: Path) -> None:
    rows = {"A": ["x", "y", "y"], "B": ["no", "yes", "no"], "C": [1, 2, 1]}
    net = bayou.Network("A -> B; A -> C").fit(rows, prior={"C": 2})
    edited = net.copy().remove_node("C")
    expected = bayou.Network("A -> B").fit({key: rows[key] for key in "AB"}, prior={})
    assert edited.same_as(expected)
    assert edited.partial_fit({"A": ["x"], "B": ["no"]}).same_as(
        expected.partial_fit({"A": ["x"], "B": ["no"]})
    )
    part = net.subnetwork(["A", "C"])
    assert part.statistics.rows == 3
    part.save(tmp_path / "part.bayou")
    assert bayou.load(tmp_path / "part.bayou").statistics.rows == 3
    shared = bayou.Network("A; B", share={"coin": ["A", "B"]}).fit({"A": [0, 1], "B": [1, 1]})
    with pytest.raises(NotFitted, match="needs the counts"):
        _ = shared.remove_node("B").statistics  # the shared table was learned from B, too


EDITS = {
    "add_arc": lambda net: net.add_arc("C", "B"),
    "remove_arc": lambda net: net.remove_arc("A", "B"),
    "reverse_arc": lambda net: net.reverse_arc("A", "B"),
    "add_state": lambda net: net.add_state("A", "z").set_probability("A", "z", 0.2),
    "remove_state": lambda net: net.remove_state("A", "x"),
    "merge_states": lambda net: net.merge_states("A", ["x", "y"], into="xy"),
    "set_row": lambda net: net.set_row("A", [0.5, 0.5]),
    "set_probability": lambda net: net.set_probability("A", "x", 0.5),
    "remove_node": lambda net: net.remove_node("A"),
    "absorb_node": lambda net: net.absorb_node("A"),
    "add_node": lambda net: net.add_node("D", ["u", "v"], table=[0.5, 0.5]),
    "add_network": lambda net: net.add_network(net.copy(), prefix="other "),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_counts_that_no_longer_fit_are_dropped_and_partial_fit_says_so(edit: Any) -> None:
    rows = {"A": ["x", "y", "y"], "B": ["no", "yes", "no"], "C": [1, 2, 1]}
    net = edit(bayou.Network("A -> B; C").fit(rows))
    with pytest.raises(NotFitted, match="given by hand"):
        _ = net.statistics
    data = {name: [net.states(name)[0]] for name in net.names}
    with pytest.raises(NotFitted, match=r"net.partial_fit\(data, weight=10\)"):
        net.partial_fit(data)
    before = net.copy()
    net.partial_fit(data, weight=10)
    # 10 rows of the tables as they were, and one row: P(first) = (10 p + 1)/11 for a root.
    root = net.dag.roots[0]
    p = before.cpt(root).to_array()[0]
    assert net.cpt(root).to_array()[0] == pytest.approx((10 * p + 1) / 11)
    assert net.learned_structure is None
