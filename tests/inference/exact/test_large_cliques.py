"""Cliques of many blocks, plans that run again on other findings, rows one by one and side by side."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import ImpossibleEvidence
from bayou.inference.exact import compiled_query, plan_cache
from bayou.inference.rows import row_likelihood

SIZES = [3, 2, 4, 1, 3, 2, 5, 3]


def dense_network(seed: int, zeros: bool = False) -> bayou.Network:
    """A clique of 2,160 entries, and children that see two or three of its variables each."""
    random = np.random.default_rng(seed)
    names = [f"größe {k}" for k in range(len(SIZES))]
    parents: dict[str, list[str]] = {name: names[:k] for k, name in enumerate(names)}
    sizes = dict(zip(names, SIZES, strict=True))
    for k in range(7):
        parents[f"child {k}"] = [
            str(n) for n in random.choice(names, int(random.integers(2, 4)), replace=False)
        ]
        sizes[f"child {k}"] = int(random.integers(1, 4))
    states = {name: list(range(size)) for name, size in sizes.items()}
    net = bayou.Network(parents, states=states)
    for name in parents:
        shape = [*(sizes[parent] for parent in parents[name]), sizes[name]]
        table = random.random(shape) + 1e-3
        if zeros:
            table *= random.random(shape) < 0.6
            table[..., 0] += table.sum(axis=-1) == 0
        net.set_cpt(name, table, normalise=True)
    return net


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("found", [[], ["größe 1", "child 3"], ["child 0", "child 2", "child 5", "größe 6"]])
def test_marginals_of_a_large_clique_are_those_of_elimination_run_after_run(
    found: list[str], zeros: bool
) -> None:
    net = dense_network(11, zeros)
    for row in net.sample(3, seed=4).to_dicts():
        evidence = {name: row[name] for name in found}
        for name, posterior in net.marginals(evidence).items():
            expected = net.query(name, evidence, engine="elimination")
            np.testing.assert_allclose(posterior.to_array(), expected.to_array(), atol=1e-12)
            assert posterior.log_evidence == pytest.approx(expected.log_evidence, abs=1e-10)


def test_impossible_findings_do_not_spoil_the_next_run() -> None:
    net = bayou.Network(
        {"a": [], "b": ["a"], "c": ["b"], "d": ["b"]},
        tables={
            "a": {0: 0.5, 1: 0.5},
            "b": {0: {0: 1.0, 1: 0.0}, 1: {0: 0.25, 1: 0.75}},
            "c": {0: {0: 1.0, 1: 0.0}, 1: {0: 0.0, 1: 1.0}},
            "d": {0: {0: 0.5, 1: 0.5}, 1: {0: 0.5, 1: 0.5}},
        },
    )
    for _ in range(2):
        with pytest.raises(ImpossibleEvidence):
            net.marginals({"a": 0, "c": 1})
        assert net.marginals({"a": 1, "c": 1})["b"][1] == 1.0
        assert net.marginals({"a": 1, "c": 0})["d"][0] == 0.5


@given(st.integers(0, 10**6), st.booleans(), st.floats(0, 1))
def test_rows_one_by_one_equal_rows_side_by_side(seed: int, zeros: bool, missing: float) -> None:
    net = dense_network(seed % 50, zeros)
    random = np.random.default_rng(seed)
    rows = [
        {name: None if random.random() < missing else value for name, value in row.items()}
        for row in net.sample(40, seed=seed).to_dicts()
    ]
    # A row that may not be possible.
    rows.append({name: int(random.integers(len(net.states(name)))) for name in net.names})
    both = []
    for one_by_one in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiled_query, "_few_entries", lambda *_, chosen=one_by_one: chosen)
            both.append(net.posterior(rows, ["größe 4", "child 1"]))
    for target in ("größe 4", "child 1"):
        np.testing.assert_allclose(both[0][target], both[1][target], atol=1e-12)


def test_rows_one_by_one_do_not_underflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_query, "_few_entries", lambda *_: True)
    names = [f"x{k}" for k in range(1500)]
    net = bayou.Network(
        {"class": [], **{name: ["class"] for name in names}},
        tables={
            "class": {"a": 0.5, "b": 0.5},
            **{name: {"a": {1: 0.001, 0: 0.999}, "b": {1: 0.001001, 0: 0.998999}} for name in names},
        },
    )
    rows = [dict.fromkeys(names, 1), {**dict.fromkeys(names, 1), "x3": None}]
    found = net.posterior(rows, "class")["class"]
    for row, count in ((0, 1500), (1, 1499)):
        assert found[row][0] == pytest.approx(1 / (1 + 1.001**count), rel=1e-9)


def test_more_tables_over_one_clique_than_a_product_takes() -> None:
    random = np.random.default_rng(5)
    causes = [f"cause {k}" for k in range(12)]
    pairs = {f"{a}+{b}": [a, b] for a, b in combinations(causes, 2)}
    net = bayou.Network(
        {**{cause: [] for cause in causes}, **pairs}, states={name: [0, 1] for name in [*causes, *pairs]}
    )
    for name in net.names:
        net.set_cpt(name, random.random([2] * (len(pairs.get(name, [])) + 1)) + 0.1, normalise=True)
    evidence = {name: int(random.integers(2)) for name in pairs}
    for name, posterior in net.marginals(evidence).items():
        expected = net.query(name, evidence, engine="elimination").to_array()
        np.testing.assert_allclose(posterior.to_array(), expected, atol=1e-12)
        np.testing.assert_allclose(net.query(name, evidence).to_array(), expected, atol=1e-12)
    # Rows side by side: a table of ones and zeros for each finding besides.
    rows = [evidence, {**evidence, "cause 3": 1}, {"cause 0": 1}]
    table = net.posterior(rows, "cause 1")["cause 1"]
    for row, findings in enumerate(rows):
        np.testing.assert_allclose(table[row], net.query("cause 1", findings).to_array(), atol=1e-12)


def test_kept_plans_share_the_tables_of_their_network() -> None:
    names = [f"größe {k}" for k in range(8)]
    net = bayou.Network(list(pairwise(names)), states=dict.fromkeys(names, range(60)))
    for k, name in enumerate(names):
        net.set_cpt(name, np.random.default_rng(k).random([60] * (2 if k else 1)), normalise=True)
    for name in names:
        net.marginals({name: 7})
    plans = plan_cache.plans_of(net.frozen)
    kept = sum(plan.core.kept_bytes for plan in plans.kept.values())
    assert kept < 4 * sum(table.nbytes for table in plans.tables.values())


def test_plans_are_let_go_when_they_keep_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    net = dense_network(3)
    found = ["größe 0", "größe 1", "child 1", "child 2", "child 3"]
    expected = [net.marginals({name: 0})["größe 4"].to_array() for name in found]
    plans = plan_cache.plans_of(net.frozen)
    plans.forget()
    monkeypatch.setattr(plans.kept, "most_bytes", 1.0)
    monkeypatch.setattr(plans.kept_for_rows, "most_bytes", 1.0)
    for _ in range(2):
        for name, table in zip(found, expected, strict=True):
            np.testing.assert_allclose(net.marginals({name: 0})["größe 4"].to_array(), table, rtol=1e-13)
            net.posterior([{name: 0}], "größe 4")
            assert len(plans.kept) == 1
            assert len(plans.kept_for_rows) == 1
            assert len(plans.prepared) <= 1


@pytest.mark.parametrize("seed", range(4))
def test_rows_with_gaps_are_as_probable_one_by_one_as_side_by_side(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = dense_network(seed, zeros=True)
    random = np.random.default_rng(seed)
    data = {
        name: [None if random.random() < 0.3 else random.choice(net.states(name)).item() for _ in range(60)]
        for name in net.names
    }
    side_by_side = net.log_probability(data)
    used: list[int] = []
    right = row_likelihood.row_logs

    def counted(*given: Any) -> Any:
        found = right(*given)
        used.append(0 if found is None else len(found))
        return found

    monkeypatch.setattr(row_likelihood, "row_logs", counted)
    monkeypatch.setattr(row_likelihood, "_LARGE_CLIQUES", 0)
    monkeypatch.setattr(row_likelihood, "_ONE_BY_ONE", 1)
    one_by_one = net.log_probability(data)
    assert used
    assert used[0] > 0
    assert np.isneginf(side_by_side).any()
    assert np.isfinite(side_by_side).any()
    np.testing.assert_allclose(one_by_one, side_by_side, rtol=1e-12, atol=1e-12)
