"""A network's tree without what cannot occur: its answers are those of enumeration and of plans."""

from __future__ import annotations

import gc
import re
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.exact.test_compiled_query import random_network
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou._native._core import SparseTree
from bayou.errors import ImpossibleEvidence, TooWide
from bayou.inference.exact import sparse_tree
from bayou.inference.exact.plan_cache import plans_of
from bayou.inference.exact.sparse_tree import CompiledSparseTree


@contextmanager
def trees_for_everything() -> Iterator[None]:
    """Every network gets its tree with the first plan, and the tree is used whatever it costs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_tree, "LEAST_ENTRIES", 0)
        patch.setattr(sparse_tree, "WORTH_A_TREE", 0)
        patch.setattr(sparse_tree, "WORDS_AN_ENTRY", 1e9)
        yield


def made(net: bayou.Network) -> CompiledSparseTree | None:
    return plans_of(net.frozen).sparse.tree


def tree_of(net: bayou.Network, most_words: float = 1e9) -> SparseTree:
    plans = plans_of(net.frozen)
    numbers = range(len(net.names))
    scopes, tables = [plans.scopes[k] for k in numbers], [plans.tables[k] for k in numbers]
    return SparseTree(plans.cards, scopes, tables, most_words)


@given(st.integers(0, 10**6), st.integers(1, 9), st.booleans(), st.data())
def test_equal_to_enumeration(seed: int, nodes: int, zeros: bool, data: st.DataObject) -> None:
    net = random_network(seed, nodes, zeros)
    roles = {name: data.draw(st.sampled_from("esm---")) for name in net.names}
    states = {name: data.draw(st.sampled_from(net.states(name))) for name in net.names}
    found: dict[str, Any] = {name: states[name] for name in net.names if roles[name] == "e"}
    several = {name: {states[name], net.states(name)[0]} for name in net.names if roles[name] == "m"}
    soft = {
        name: {state: 30.0 * k for k, state in enumerate(net.states(name))}
        for name in net.names
        if roles[name] == "s" and len(net.states(name)) > 1
    }
    asked: dict[str, Any] = {"given": found | several, "likelihood": soft}
    with trees_for_everything():
        net.marginals()
        assert made(net) is not None
        try:
            expected = net.marginals(**asked, engine="enumeration")
        except ImpossibleEvidence as error:
            with pytest.raises(ImpossibleEvidence, match=re.escape(str(error))):
                net.marginals(**asked)
            return
        answers = [net.marginals(**asked) for _ in range(3)]
    for answer in answers:
        assert list(answer) == list(expected)
        assert answer.log_evidence == pytest.approx(expected.log_evidence, abs=1e-10)
        for name, posterior in expected.items():
            np.testing.assert_allclose(answer[name].to_array(), posterior.to_array(), rtol=1e-12, atol=1e-15)


@given(st.integers(0, 10**6), st.integers(2, 9), st.booleans())
def test_one_target_at_a_time(seed: int, nodes: int, zeros: bool) -> None:
    net = random_network(seed, nodes, zeros)
    row = net.sample(1, seed=seed).to_dicts()[0]
    target, *others = net.names
    findings = {name: row[name] for name in others[::2]}
    expected = net.query(target, findings, engine="enumeration")
    with trees_for_everything():
        net.marginals()
        found = net.query(target, findings)
        again = net.query(target, findings)
    assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-10)
    assert found.title == expected.title
    for answer in (found, again):
        np.testing.assert_allclose(answer.to_array(), expected.to_array(), rtol=1e-12, atol=1e-15)


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_only_what_can_occur_is_stored(seed: int, nodes: int) -> None:
    """Each entry of a clique is a combination of states that some row with positive probability has."""
    net = random_network(seed, nodes, zeros=True)
    tree, dense = tree_of(net), tree_of(random_network(seed, nodes, zeros=False))
    joint = net.query(list(net.names), engine="enumeration").to_array()
    assert tree.entries <= tree.cliques * np.count_nonzero(joint)
    assert dense.entries == dense.dense_entries


HARD = {"water": 12, "munin1": 2}
"""Networks whose cliques are much smaller without what cannot occur, and how many questions are asked."""


@needs_shared_data
@pytest.mark.parametrize("name", list(HARD))
def test_equal_to_plans(name: str) -> None:
    net, planned = (bayou.load(SHARED / "networks" / f"{name}.bif.gz") for _ in range(2))
    plans_of(planned.frozen).sparse._is_open = False
    random = np.random.default_rng(8)
    for row in net.sample(HARD[name], seed=2).to_dicts():
        chosen = random.permutation(net.names)[: random.integers(1, 8)].tolist()
        findings: dict[str, Any] = {each: row[each] for each in chosen[1:]}
        soft = {chosen[0]: dict(zip(net.states(chosen[0]), random.random(99), strict=False))}
        with trees_for_everything():
            found = net.marginals(findings, likelihood=soft)
        expected = planned.marginals(findings, likelihood=soft)
        assert made(net) is not None
        assert made(planned) is None
        assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-11)
        for each, table in expected.to_arrays().items():
            np.testing.assert_allclose(found[each].to_array(), table, rtol=1e-11, atol=1e-14)


@needs_shared_data
def test_munin1_is_answered_on_its_tree_which_is_a_tenth_of_its_plan() -> None:
    net = bayou.load(SHARED / "networks" / "munin1.bif.gz")
    net.marginals()
    tree = made(net)
    assert tree is not None
    assert tree.core.entries < net.junction_tree().entries / 10
    weights = np.zeros(net.variables[net.names[0]].cardinality)
    weights[:2] = 0.3, 1.0
    one, *others = [tree.core.marginals([0], [weights], threads) for threads in (1, 2, 3, 5)]
    for log_evidence, flat in others:
        assert log_evidence == one[0]
        np.testing.assert_array_equal(flat, one[1])


def test_small_networks_have_no_tree() -> None:
    net = random_network(3, 9, zeros=True)
    for _ in range(5):
        net.marginals({"node 2": net.states("node 2")[0]})
    assert made(net) is None


def test_interventions_are_answered_by_plans() -> None:
    net = random_network(11, 7, zeros=True)
    states = {"node 3": net.states("node 3")[-1]}
    with trees_for_everything():
        net.marginals()
        found = net.marginals(do=states)
    for name, posterior in net.marginals(do=states, engine="enumeration").items():
        np.testing.assert_allclose(found[name].to_array(), posterior.to_array(), atol=1e-12)


def test_findings_that_underflow_are_left_to_plans() -> None:
    tiny = 1e-200
    table = {"common": 1 - tiny, "rare": tiny}
    net = bayou.Network(
        "A -> C; B -> C; C -> D", tables={"A": table, "B": table}, states={"C": [0, 1], "D": [0, 1]}
    )
    net = net.set_cpt("C", [[[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.0, 1.0]]])
    net = net.set_cpt("D", [[0.6, 0.4], [0.1, 0.9]])
    findings = {"A": "rare", "B": "rare", "D": 1}
    with trees_for_everything():
        net.marginals()
        found = net.marginals(findings)
    assert found.log_evidence == pytest.approx(2 * np.log(tiny) + np.log(0.9), abs=1e-9)
    assert found["C"][1] == pytest.approx(1.0)


def test_a_tree_is_released_with_its_network_and_dropped_with_its_plans() -> None:
    net = random_network(4, 6)
    with trees_for_everything():
        net.marginals()
        net.drop_plans()
        assert made(net) is None
        net.marginals()
        plans = weakref.ref(plans_of(net.frozen))
    gc.disable()
    try:
        del net
        assert plans() is None
    finally:
        gc.enable()


def test_a_tree_beyond_the_limits_is_not_used() -> None:
    net = random_network(7, 8)
    with trees_for_everything():
        net.marginals()
        assert made(net) is not None
        with bayou.limits(memory=10):
            assert made(net) is None


@needs_shared_data
def test_a_plan_beyond_the_limits_is_not_needed_where_there_is_a_tree() -> None:
    net = bayou.load(SHARED / "networks" / "munin1.bif.gz")
    name = net.names[0]
    with bayou.limits(memory=400e6):
        assert net.plan(name).refused is None
        found = net.marginals()[name].to_array()
        np.testing.assert_allclose(found, net.query(name).to_array(), rtol=1e-11)
        with pytest.raises(TooWide):
            net.marginals(do={net.names[100]: net.states(net.names[100])[0]})


def test_wrong_arguments_are_refused() -> None:
    scopes, tables = [[0], [0, 1]], [np.full(2, 0.5), np.full((2, 3), 1 / 3)]
    tree = SparseTree([2, 3], scopes, tables, 1e6)
    with pytest.raises(ValueError, match="a weight for each state"):
        tree.marginals([1], [np.ones(2)])
    with pytest.raises(ValueError, match="about no variable"):
        tree.marginals([2], [np.ones(2)])
    with pytest.raises(ValueError, match="one array a finding"):
        tree.marginals([1], [])
    with pytest.raises(ValueError, match="too large"):
        SparseTree([2, 3], scopes, tables, 1)
    with pytest.raises(ValueError, match="is in no table"):
        SparseTree([2, 2], [[0]], [np.array([0.5, 0.5])], 1e6)
    with pytest.raises(ValueError, match="more than 64 states"):
        SparseTree([65], [[0]], [np.full(65, 1 / 65)], 1e6)
    with pytest.raises(ValueError, match="does not sum to 1"):
        SparseTree([2], [[0]], [np.array([0.5, 0.6])], 1e6)
    log_evidence, flat = SparseTree([64], [[0]], [np.full(64, 1 / 64)], 1e6).marginals([], [])
    assert abs(log_evidence) < 1e-12
    np.testing.assert_allclose(flat, 1 / 64)


def test_findings_that_cannot_occur() -> None:
    copy = SparseTree([2, 2], [[0], [0, 1]], [np.array([0.5, 0.5]), np.eye(2)], 1e6)
    first, second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert copy.marginals([0, 1], [first, second])[0] == -np.inf
    assert copy.entries == 2
    log_evidence, flat = copy.marginals([0, 0], [first, np.array([0.5, 1.0])])  # multiplied
    assert log_evidence == pytest.approx(np.log(0.25))
    np.testing.assert_array_equal(flat, [1, 0, 1, 0])
