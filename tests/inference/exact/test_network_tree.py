"""A network's clique tree answers names that were not asked about before: as enumeration and as plans do."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.exact.test_compiled_query import random_network
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou._native._core import NetworkTree
from bayou.errors import ImpossibleEvidence
from bayou.inference.exact.network_tree import CompiledTree, compiled_tree
from bayou.inference.exact.plan_cache import ASKED_OFTEN, plans_of
from bayou.schema import Schema, Variable


def with_tree(net: bayou.Network) -> CompiledTree:
    """The tree that a network has from its second question on."""
    plans = plans_of(net.frozen)
    plans.tree_for(("a first question",))
    tree = plans.tree_for(("a second question",))
    assert tree is not None
    return tree


@given(st.integers(0, 10**6), st.integers(1, 9), st.booleans(), st.data())
def test_equal_to_enumeration(seed: int, nodes: int, zeros: bool, data: st.DataObject) -> None:
    net = random_network(seed, nodes, zeros)
    with_tree(net)
    target, *others = data.draw(st.permutations(net.names))
    chosen = others[: data.draw(st.integers(0, len(others)))]
    given_ = {name: data.draw(st.sampled_from(net.states(name))) for name in chosen}
    try:
        expected = net.query(target, given_, engine="enumeration")
    except ImpossibleEvidence as error:
        message = re.escape(str(error))
        with pytest.raises(ImpossibleEvidence, match=message):
            net.query(target, given_)
        with pytest.raises(ImpossibleEvidence, match=message):
            net.marginals(given_)
        return
    found, together = net.query(target, given_), net.marginals(given_)
    assert len(plans_of(net.frozen).kept) == 0  # no plan was compiled
    for answer in (found, together[target]):
        np.testing.assert_allclose(answer.to_array(), expected.to_array(), atol=1e-12)
        assert answer.log_evidence == pytest.approx(expected.log_evidence, abs=1e-10)
        assert answer.title == expected.title
    assert list(together) == [name for name in net.names if name not in given_]
    for name, posterior in together.items():
        alone = net.query(name, given_, engine="enumeration").to_array()
        np.testing.assert_allclose(posterior.to_array(), alone, atol=1e-12)


@needs_shared_data
@pytest.mark.parametrize("name", ["alarm", "hailfinder", "insurance", "win95pts", "child"])
def test_equal_to_plans(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    with_tree(net)
    random = np.random.default_rng(4)
    for row in net.sample(12, seed=2).to_dicts():
        target, *given_ = random.permutation(net.names)[: random.integers(1, 12)].tolist()
        states = {each: row[each] for each in given_}
        first, first_marginals = net.query(target, states), net.marginals(states)
        assert len(plans_of(net.frozen).kept) == 0
        again, marginals_again = net.query(target, states), net.marginals(states)
        assert len(plans_of(net.frozen).kept) == 2
        plans_of(net.frozen).kept.clear()
        plans_of(net.frozen).prepared.clear()
        np.testing.assert_allclose(first.to_array(), again.to_array(), rtol=1e-12, atol=1e-15)
        assert first.log_evidence == pytest.approx(again.log_evidence, abs=1e-11)
        for each, table in marginals_again.to_arrays().items():
            np.testing.assert_allclose(first_marginals[each].to_array(), table, rtol=1e-11, atol=1e-15)


def test_names_asked_about_again_get_a_plan_of_their_own() -> None:
    net = random_network(5, 6)
    with_tree(net)
    kept = plans_of(net.frozen).kept
    given_ = {"node 4": net.states("node 4")[0]}
    counts = []
    for _ in range(3):
        net.query("node 0", given_)
        counts.append(len(kept))
    assert counts == [0, 1, 1]
    net.drop_plans()
    assert len(kept) == 0


def test_the_first_question_to_a_network_compiles_its_plan_only() -> None:
    net = random_network(6, 6)
    net.query("node 0")
    plans = plans_of(net.frozen)
    assert len(plans.kept) == 1
    net.query("node 1")
    assert len(plans.kept) == 1  # answered by the tree


def test_tables_that_do_not_sum_to_one_have_no_tree() -> None:
    schema = Schema([Variable("A", [0, 1]), Variable("B", [0, 1])])
    scopes, of_a = [[0], [0, 1]], np.array([0.5, 0.5])
    for excess, has_tree in ((0.0, True), (1e-9, False)):
        of_b = np.array([[0.5, 0.5 + excess], [0.1, 0.9]])
        assert (compiled_tree(schema, scopes, [of_a, of_b]) is not None) == has_tree


def test_a_tree_beyond_the_limits_is_not_used() -> None:
    net = random_network(7, 8)
    with_tree(net)
    with bayou.limits(work=1):
        assert plans_of(net.frozen).tree_for(("another",)) is None


def test_a_large_tree_is_refused() -> None:
    states, count = 8, 7
    scope = list(range(count))
    table = np.full([states] * count, 1 / states)
    with pytest.raises(ValueError, match="too large"):
        NetworkTree([states] * count, [scope], [table], 1e5)
    with pytest.raises(ValueError, match="is in no table"):
        NetworkTree([2, 2], [[0]], [np.array([0.5, 0.5])], 1e5)


def test_wrong_numbers_are_refused() -> None:
    tree = NetworkTree([2, 3], [[0], [0, 1]], [np.full(2, 0.5), np.full((2, 3), 1 / 3)], 1e5)
    with pytest.raises(ValueError, match="number of states"):
        tree.marginals([1], [3])
    with pytest.raises(ValueError, match="number of states"):
        tree.query(0, [2], [0])
    with pytest.raises(ValueError, match="one code a finding"):
        tree.query(0, [1], [])
    with pytest.raises(ValueError, match="the target is observed"):
        tree.query(1, [1], [0])
    with pytest.raises(ValueError, match="target is 2"):
        tree.query(2, [], [])


def test_threads_ask_new_questions_at_the_same_time() -> None:
    net = random_network(11, 9)
    questions = [
        (target, {name: net.states(name)[-1]}) for target in net.names for name in net.names if name != target
    ]
    fresh = random_network(11, 9)
    expected = [fresh.query(*question, engine="elimination").to_array() for question in questions]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            found = list(pool.map(lambda question: net.query(*question).to_array(), questions))
            for table, right in zip(found, expected, strict=True):
                np.testing.assert_allclose(table, right, atol=1e-12)


def test_more_names_than_plans_do_not_drive_out_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room for another plan, the tree answers; names that are asked often get one."""
    net = bayou.examples.asia()
    with_tree(net)
    plans = plans_of(net.frozen)
    monkeypatch.setattr(plans.kept, "most", 3)
    made = []
    compiled = plans.compiled
    monkeypatch.setattr(plans, "compiled", lambda signature: made.append(signature) or compiled(signature))
    findings = ["asia", "smoke", "xray", "dysp", "bronc"]
    exact = {name: net.query("lung", {name: "yes"}, engine="enumeration").to_array() for name in findings}
    del made[:]
    for _ in range(10):
        for name in findings:
            assert np.allclose(net.query("lung", {name: "yes"}).to_array(), exact[name], rtol=1e-12)
    assert len(made) == 3
    for _ in range(ASKED_OFTEN):
        net.query("lung", {"bronc": "yes"})
    assert len(made) == 4
    assert ("lung", "bronc") in plans.prepared
    assert len(plans.kept) == len(plans.prepared) == 3
