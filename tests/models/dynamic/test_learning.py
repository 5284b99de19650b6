"""Learning tables: counted as in the unrolled network, expected as its posteriors say, EM as the HMM's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.random_templates import random_model, random_rows, unrolled_given

import bayou
from bayou.errors import BadData, BadQuestion, BadStatistics
from bayou.statistics import CountTable

SEEDS = st.integers(0, 2**31)


def wide(
    model: bayou.DynamicNetwork, sequences: list[dict[str, list[str]]], length: int
) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for rows in sequences:
        for name, cell in unrolled_given(model, rows, length).items():
            found.setdefault(name, []).append(cell)
    return found


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_counting_equals_the_unrolled_network(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    length = model.template.order + int(chance.integers(1, 4))
    drawn = model.sample(length, sequences=6, seed=seed)
    net = bayou.Network.from_structure(model.network(length).structure)
    net.fit(wide(model, drawn, length), prior=0.5)
    found = model.fit(drawn, prior=0.5)
    again = found.network(length)
    for name in net.names:
        np.testing.assert_allclose(again.cpt(name).to_array(), net.cpt(name).to_array(), atol=1e-12)
    assert found.learning.method == "count"


@settings(max_examples=10, deadline=None)
@given(SEEDS)
def test_expected_counts_are_the_posteriors_of_families(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance, largest=2)
    length = int(chance.integers(1, 4))
    rows = random_rows(chance, model, length)
    net, known = model.network(length), unrolled_given(model, rows, length)
    _, evidence, _ = model._asked(rows, {})
    _, statistics = model.model.expected(evidence)
    want = {table: np.zeros(model.cpt(table).to_array().shape) for table in model.tables}
    label = {}
    for step in range(length):
        for node in model.template.nodes(step, last=step == length - 1):
            label[node] = node.name if model.template.outside(node.name) else f"{node.name}{step}"
    for node, name in label.items():
        family = [*(label[parent] for parent in model.template.parents(node)), name]
        free = [n for n in family if n not in known]
        own = np.ones(())
        if free:
            joint = net.query(free, known)
            own = np.asarray(joint.to_array()).reshape([len(net.variables[n].states) for n in free])
        at = tuple(slice(None) if n in free else net.variables[n].states.index(known[n]) for n in family)
        want[model.template.block(node)][at] += own
    for table, counts in want.items():
        got = statistics[CountTable((*model.parents(table), table))].values
        np.testing.assert_allclose(got, counts, atol=1e-9)


def hmm_and_network() -> tuple[bayou.HMM, bayou.DynamicNetwork]:
    casino = bayou.examples.casino()
    net = bayou.DynamicNetwork(
        "die -> die'; die -> roll", states={"die": ["fair", "loaded"], "roll": [1, 2, 3, 4, 5, 6]}
    )
    net.set_cpt("die", casino.start).set_cpt("die'", casino.transition)
    return casino, net.set_cpt("roll", casino.model.network.table("roll"))


def test_a_hidden_markov_model_is_a_dynamic_network() -> None:
    casino, net = hmm_and_network()
    sequences = [casino.sample(n, seed=n)["roll"] for n in (200, 1, 57)]
    rows = [{"roll": rolls} for rolls in sequences]
    for ours, theirs in (
        (net.filter(rows), casino.filter(sequences)),
        (net.smooth(rows), casino.smooth(sequences)),
    ):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one["die"].probabilities, other.probabilities, atol=1e-9)
            assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-9)
    for path, other in zip(net.most_probable(rows), casino.decode(sequences), strict=True):
        assert path["die"] == other
        assert path.log_probability == pytest.approx(other.log_probability, abs=1e-9)
    ahead, other = net.forecast(rows[0], 3), casino.forecast(sequences[0], 3)
    np.testing.assert_allclose(ahead["die"].probabilities, other.states, atol=1e-9)
    np.testing.assert_allclose(ahead["roll"].probabilities, other.symbols["roll"], atol=1e-9)


def test_em_equals_that_of_the_hidden_markov_model() -> None:
    casino, net = hmm_and_network()
    sequences = [casino.sample(150, seed=n)["roll"] for n in range(4)]
    weights = [1.0, 2.0, 0.5, 1.0]
    how = {"prior": 0, "start": "present", "tolerance": 1e-7, "weights": weights}
    casino.fit(sequences, **how)
    net.fit([{"roll": rolls} for rolls in sequences], **how)
    np.testing.assert_allclose(net.cpt("die'").to_array(), casino.transition, atol=1e-6)
    np.testing.assert_allclose(net.cpt("roll").to_array(), casino.model.network.table("roll"), atol=1e-6)
    assert net.learning.objectives[-1] == pytest.approx(casino.learning.objectives[-1], abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_objective_never_falls(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    rows = [random_rows(chance, model, 12) for _ in range(5)]
    trace = model.fit(rows, tolerance=1e-3, restarts=2, seed=seed).learning
    assert trace.method == "em"
    assert np.all(np.diff(trace.objectives) > -1e-7)
    assert trace.log_likelihoods[-1] == pytest.approx(model.score(rows), abs=1e-6)


def test_adding_and_forgetting_equal_one_fit() -> None:
    chance = np.random.default_rng(3)
    model = random_model(chance)
    drawn = model.sample(9, sequences=7, seed=1)
    states = {name: variable.states for name, variable in model.variables.items()}
    assert states
    whole = model.fit(drawn).model.network
    first = model.fit(drawn[:3]).model.network
    parts = model.partial_fit(drawn[3:]).model.network
    for table in model.tables:
        np.testing.assert_array_equal(parts.table(table), whole.table(table))
    back = model.forget(drawn[3:]).model.network
    for table in model.tables:
        np.testing.assert_array_equal(back.table(table), first.table(table))
    with pytest.raises(BadStatistics, match="every value"):
        model.partial_fit([{"V0": ["s0", None]}])


def test_values_that_were_set_teach_only_what_they_cause() -> None:
    rows = {"Valve": ["open", "shut", "open", "open"], "Flow": [1, 0, 1, 0]}
    net = bayou.DynamicNetwork("Valve -> Valve'; Valve -> Flow")
    seen = net.fit(rows, prior=0).cpt("Flow").to_array()
    done = bayou.DynamicNetwork("Valve -> Valve'; Valve -> Flow").fit(rows, prior=1, do=["Valve"])
    np.testing.assert_allclose(done.cpt("Valve'").to_array(), 0.5)
    assert not np.allclose(net.cpt("Valve'").to_array(), 0.5)
    np.testing.assert_allclose(seen, [[1 / 3, 2 / 3], [1, 0]])


def test_what_cannot_be_learned_is_refused() -> None:
    net = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella")
    with pytest.raises(BadData, match="'Rain' is not a column"):
        net.fit({"Umbrella": ["yes", "no"]})
    with pytest.raises(BadQuestion, match="columns="):
        net.fit([["yes", "no"]])
    net = bayou.DynamicNetwork("Rain -> Rain'; Rain -> Umbrella", states={"Rain": ["no", "yes"]})
    with pytest.raises(BadQuestion, match="Leave method= out"):
        net.fit({"Umbrella": ["yes", "no"]}, method="count")
    with pytest.raises(BadData, match="one value for a whole sequence"):
        bayou.DynamicNetwork("C -> A; A -> A'", constant=["C"]).fit({"A": [0, 1], "C": [0, 1]})


def test_saved_and_loaded(tmp_path: Path) -> None:
    chance = np.random.default_rng(2)
    model = random_model(chance)
    model.fit(model.sample(9, sequences=3, seed=1), prior={model.tables[0]: 2})
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.same_as(model)
    more = model.sample(5, sequences=2, seed=5)
    assert again.partial_fit(more).same_as(model.partial_fit(more))
