"""The compiled engine: equal to enumeration, safe from underflow, the same on any number of threads."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.patience import PATIENCE
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou._native._core import FactorTables, InferencePlan
from bayou.errors import ImpossibleEvidence, TooWide


def random_network(seed: int, nodes: int, zeros: bool = False) -> bayou.Network:
    """A random DAG with up to three parents a node and up to four states, some of probability zero."""
    random = np.random.default_rng(seed)
    names = [f"node {k}" for k in range(nodes)]
    states = {name: [f"s{j}" for j in range(random.integers(1, 5))] for name in names}
    parents: dict[str, list[str]] = {}
    for k, name in enumerate(names):
        count = min(k, int(random.integers(0, 4)))
        parents[name] = [names[j] for j in random.choice(k, count, replace=False)] if count else []
    net = bayou.Network(parents, states=states)
    for name in names:
        shape = [*(len(states[parent]) for parent in parents[name]), len(states[name])]
        table = random.random(shape) + 1e-3
        if zeros:
            table *= random.random(shape) < 0.7
            table[..., 0] += table.sum(axis=-1) == 0
        net.set_cpt(name, table, normalise=True)
    return net


@given(st.integers(0, 10**6), st.integers(1, 9), st.booleans(), st.data())
def test_equal_to_enumeration(seed: int, nodes: int, zeros: bool, data: st.DataObject) -> None:
    net = random_network(seed, nodes, zeros)
    names = list(net.names)
    roles = data.draw(st.lists(st.sampled_from("tesd-"), min_size=nodes, max_size=nodes))
    targets = [name for name, role in zip(names, roles, strict=True) if role == "t"][:3] or names[:1]
    pick = {name: data.draw(st.sampled_from(net.states(name))) for name in names}
    evidence = {n: pick[n] for n, role in zip(names, roles, strict=True) if role == "e" and n not in targets}
    do = {n: pick[n] for n, role in zip(names, roles, strict=True) if role == "d" and n not in targets}
    soft = {
        n: {state: 0.1 + k for k, state in enumerate(net.states(n))}
        for n, role in zip(names, roles, strict=True)
        if role == "s"
    }
    try:
        expected = net.query(targets, evidence, likelihood=soft, do=do, engine="enumeration")
    except ImpossibleEvidence:
        with pytest.raises(ImpossibleEvidence):
            net.query(targets, evidence, likelihood=soft, do=do)
        return
    for engine in ("compiled", "elimination"):
        found = net.query(targets, evidence, likelihood=soft, do=do, engine=engine)
        np.testing.assert_allclose(found.to_array(), expected.to_array(), atol=1e-12)
        assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-10)
        assert abs(found.to_array().sum() - 1) < 1e-12


@given(st.integers(0, 10**6), st.integers(1, 9), st.booleans())
def test_all_marginals_in_one_pass(seed: int, nodes: int, zeros: bool) -> None:
    net = random_network(seed, nodes, zeros)
    row = net.sample(1, seed=seed).to_dicts()[0]
    evidence = {name: row[name] for name in net.names[: nodes // 3]}
    for name, posterior in net.marginals(evidence).items():
        expected = net.query(name, evidence, engine="enumeration")
        np.testing.assert_allclose(posterior.to_array(), expected.to_array(), atol=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 8), st.booleans())
def test_rows_with_their_own_gaps(seed: int, nodes: int, zeros: bool) -> None:
    net = random_network(seed, nodes, zeros)
    random = np.random.default_rng(seed)
    rows = [
        {name: value if random.random() < 0.6 else None for name, value in row.items()}
        for row in net.sample(70, seed=seed).to_dicts()
    ]
    logs = net.log_probability(rows)
    for row, log in list(zip(rows, logs, strict=True))[:5]:
        assert log == pytest.approx(net.log_evidence(row), abs=1e-10)


@pytest.mark.parametrize("features", [10, 324, 400, 2000])
def test_a_thousand_small_numbers_do_not_underflow(features: int) -> None:
    names = [f"x{k}" for k in range(features)]
    net = bayou.Network({"class": [], **{name: ["class"] for name in names}}, states={"class": ["a", "b"]})
    net = bayou.Network(
        net.dag,
        tables={
            "class": {"a": 0.5, "b": 0.5},
            **{name: {"a": {1: 0.1, 0: 0.9}, "b": {1: 0.1005, 0: 0.8995}} for name in names},
        },
    )
    given = dict.fromkeys(names, 1)
    expected = 1 / (1 + (0.1005 / 0.1) ** features)
    log_evidence = np.logaddexp(features * np.log(0.1), features * np.log(0.1005)) + np.log(0.5)
    for engine in ("compiled", "elimination"):
        posterior = net.query("class", given, engine=engine)
        assert posterior["a"] == pytest.approx(expected, rel=1e-9)
        assert posterior.log_evidence == pytest.approx(log_evidence, rel=1e-12)
    assert net.log_probability([given, {**given, "class": "a"}])[0] == pytest.approx(log_evidence, rel=1e-12)


def test_a_star_with_many_children_and_a_joint_of_strangers() -> None:
    net = bayou.Network(
        {"hub": [], **{f"leaf {k}": ["hub"] for k in range(200)}, "alone": []},
        tables={
            "hub": {0: 0.3, 1: 0.7},
            "alone": {0: 0.9, 1: 0.1},
            **{f"leaf {k}": {0: {0: 0.6, 1: 0.4}, 1: {0: 0.2, 1: 0.8}} for k in range(200)},
        },
    )
    assert net.query(["alone", "leaf 7"]).to_array()[1, 1] == pytest.approx(0.1 * (0.3 * 0.4 + 0.7 * 0.8))
    marginals = net.marginals({"leaf 3": 1})
    expected = 0.7 * 0.8 / (0.3 * 0.4 + 0.7 * 0.8)
    assert marginals["hub"][1] == pytest.approx(expected)
    assert marginals["leaf 150"][1] == pytest.approx((1 - expected) * 0.4 + expected * 0.8)
    assert marginals["alone"][1] == pytest.approx(0.1)


def test_too_wide_is_refused_at_once() -> None:
    side = 40
    parents = {
        f"{i},{j}": [f"{a},{b}" for a, b in ((i - 1, j), (i, j - 1)) if a >= 0 and b >= 0]
        for i in range(side)
        for j in range(side)
    }
    tables = {}
    for name, own in parents.items():
        tables[name] = np.full((2,) * (len(own) + 1), 0.5)
    net = bayou.Network(parents, states={name: [0, 1] for name in parents}, tables=tables)
    with pytest.raises(TooWide, match="Observe more variables"):
        net.query("0,0", given={f"{side - 1},{side - 1}": 1})


def test_the_number_of_threads_changes_nothing() -> None:
    random = np.random.default_rng(3)
    cards = [12] * 6
    scopes = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 5]]
    tables = [random.random([12] * len(scope)) for scope in scopes]
    plan = InferencePlan(FactorTables(cards, scopes, tables), list(range(5)), [], [], [], [])
    codes = np.zeros(0, dtype=np.uint32)
    first = plan.run(codes, [], 1)
    for threads in (2, 3, 7):
        again = plan.run(codes, [], threads)
        assert again[0] == first[0]
        assert np.array_equal(again[1], first[1])


@pytest.mark.parametrize("states", [2, 12, 40])
def test_large_sums_are_shared_among_threads(states: int) -> None:
    """The probability of findings is one number, a marginal some: each part of a sum has sums of its own."""
    random = np.random.default_rng(states)
    tables = [
        random.random((states, states, 40)),
        random.random((40, 30, 20)),
        random.random((states, 20, 30)),
    ]
    scopes = [[0, 1, 2], [2, 3, 4], [0, 4, 3]]
    factors = FactorTables([states, states, 40, 30, 20], scopes, tables)
    product = np.einsum("abc,cde,aed->abcde", *tables)
    for joint in ([], [1], [3]):
        plan = InferencePlan(factors, [0, 1, 2], [], [], joint, [], 1, False)
        codes = np.zeros(0, dtype=np.uint32)
        answers = [plan.run(codes, [], threads) for threads in (1, 2, 3)]
        assert answers[0][0] == pytest.approx(np.log(product.sum()), rel=1e-12)
        if joint:
            expected = product.sum(axis=tuple({0, 1, 2, 3, 4} - set(joint))) / product.sum()
            np.testing.assert_allclose(answers[0][1], expected, rtol=1e-12)
        for other in answers[1:]:
            assert other[0] == answers[0][0]
            np.testing.assert_array_equal(other[1], answers[0][1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_shares_large_sums_among_threads_of_its_own() -> None:
    random = np.random.default_rng(1)
    factors = FactorTables([64] * 3, [[0, 1, 2]], [random.random([64] * 3)])

    def answer() -> np.ndarray:
        plan = InferencePlan(factors, [0], [], [], [0], [], 1, False)
        return plan.run(np.zeros(0, dtype=np.uint32), [], 2)[1]

    expected = answer()
    time.sleep(0.05)  # until the threads of this process sleep
    child = os.fork()
    if child == 0:
        signal.alarm(int(PATIENCE))  # a child that waits for threads of its parent would never end
        os._exit(0 if np.array_equal(answer(), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


@needs_shared_data
@pytest.mark.parametrize("name", ["water", "barley", "diabetes"])
def test_threads_change_no_bit_of_heavy_marginals(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    row = net.sample(1, seed=1).to_dicts()[0]
    given_ = {each: row[each] for each in net.names[::9]}
    found = []
    for count in (1, 2, 5):
        with bayou.threads(count):
            found.append(net.marginals(given_))
    for other in found[1:]:
        assert other.log_evidence == found[0].log_evidence
        for each, table in found[0].to_arrays().items():
            np.testing.assert_array_equal(other[each].to_array(), table)


@given(st.integers(0, 10**6), st.integers(1, 8), st.booleans())
def test_most_probable_explanation_is_the_largest_cell_of_the_joint(
    seed: int, nodes: int, zeros: bool
) -> None:
    net = random_network(seed, nodes, zeros)
    best = net.most_probable()
    joint = net.joint().to_array()
    codes = tuple(net.variables[name].code(best.states[name]) for name in net.names)
    assert joint[codes] == pytest.approx(joint.max(), rel=1e-12)
    assert best.probability == pytest.approx(joint.max(), rel=1e-9)


@pytest.mark.parametrize("chances", [[0.8, 0.4], [0.5] * 8], ids=["a small table", "kept in pieces"])
@pytest.mark.parametrize("first", ["well", "ill"])
def test_marginals_of_noisy_nodes_do_not_depend_on_what_was_asked_before(
    chances: list[float], first: str
) -> None:
    causes = {f"cause {k}": chance for k, chance in enumerate(chances)}
    net = bayou.Network({**dict.fromkeys(causes, ()), "é": list(causes)}, states={"é": ["well", "ill"]})
    for name in causes:
        net.set_cpt(name, {0: 0.7, 1: 0.3})
    net.set_cpt("é", bayou.NoisyOr(causes, leak=0.1, present={"é": "ill"}))
    absent = dict.fromkeys(causes, 0)
    for given_too in ({}, {"cause 0": 1}, dict.fromkeys(list(causes)[1:], 0)):
        for state in (first, "well", "ill", "well"):
            found = {"é": state, **given_too}
            for name, posterior in net.marginals(found).items():
                expected = net.query(name, found, engine="elimination")
                assert posterior[1] == pytest.approx(expected[1], abs=1e-12)
                assert posterior.log_evidence == pytest.approx(expected.log_evidence)
    assert net.log_evidence({"é": "ill", **absent}) == pytest.approx(np.log(0.1 * 0.7 ** len(causes)))
