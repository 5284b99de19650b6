"""The most probable explanations against sorting the joint table, and against reference programs."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import joint_by_hand, law, networks
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence

REFERENCES = [
    "asia",
    "cancer",
    "earthquake",
    "survey",
    "sachs",
    "child",
    "alarm",
    "insurance",
    "win95pts",
    "hailfinder",
    "water",
    "pigs",
]


@given(networks(), st.data())
@law
def test_the_k_best_are_those_of_the_sorted_joint_table(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.permutations(net.names))
    targets = names[: data.draw(st.integers(1, len(names)))]
    rest = names[len(targets) :]
    evidence = {name: data.draw(st.sampled_from(net.states(name))) for name in rest[:1]}
    weights = [data.draw(st.sampled_from([0.2, 1.0, 5.0])) for _ in net.states(names[0])]
    k = data.draw(st.integers(2, 6))
    ranked = sorted_by_hand(net, targets, evidence, {names[0]: weights})
    if not ranked:
        with pytest.raises(ImpossibleEvidence):
            net.most_probable(evidence, targets, k)
        return
    found = net.most_probable(evidence, targets, k, likelihood={names[0]: weights})
    assert len(found) == min(k, len(ranked))
    by_codes = {codes: log for log, codes in ranked}
    seen = set()
    for one, (log, _) in zip(found, ranked, strict=False):
        codes = tuple(net.variables[name].code(one.states[name]) for name in targets)
        seen.add(codes)
        assert one.log_probability == pytest.approx(log, abs=1e-9)
        assert by_codes[codes] == pytest.approx(log, abs=1e-9)
        assert one.probability == pytest.approx(math.exp(log))
    assert len(seen) == len(found)
    single = net.most_probable(evidence, targets, likelihood={names[0]: weights})
    assert single.log_probability == pytest.approx(ranked[0][0], abs=1e-9)


def sorted_by_hand(
    net: bayou.Network, targets: list[Any], evidence: dict[Any, Any], likelihood: dict[Any, list[float]]
) -> list[tuple[float, tuple[int, ...]]]:
    """(log P(targets | evidence), codes), the most probable first; impossible ones left out."""
    place = {name: position for position, name in enumerate(net.names)}
    sums: dict[tuple[int, ...], float] = {}
    for codes, probability in joint_by_hand(net).items():
        if all(codes[place[name]] == net.variables[name].code(state) for name, state in evidence.items()):
            for name, weights in likelihood.items():
                probability *= weights[codes[place[name]]]
            key = tuple(codes[place[name]] for name in targets)
            sums[key] = sums.get(key, 0.0) + probability
    total = sum(sums.values())
    return sorted(((math.log(p / total), key) for key, p in sums.items() if p > 0), key=lambda r: -r[0])


def test_ties_come_in_the_order_of_the_states() -> None:
    states = {"wetter morgen": ["b", "a", "c"], 1: [True, False], "z": ["x", "y"]}
    flat = {"wetter morgen": [1 / 3] * 3, 1: [[0.5, 0.5]] * 3, "z": [0.25, 0.75]}
    net = bayou.Network({1: ["wetter morgen"], "z": []}, states=states, tables=flat)
    found = net.most_probable(targets=["z", "wetter morgen", 1], k=8)
    told = [tuple(one.states.values()) for one in found]
    order = list(itertools.product(["y"], ["b", "a", "c"], [True, False]))
    assert told == [*order, ("x", "b", True), ("x", "b", False)]
    assert [one.log_probability for one in found[:6]] == pytest.approx([math.log(0.125)] * 6)


def test_fewer_are_given_where_no_more_are_possible() -> None:
    net = bayou.Network("a -> b", states={"a": [0, 1], "b": [0, 1]}, tables={"a": [0.4, 0.6], "b": np.eye(2)})
    found = net.most_probable(k=10)
    assert [one.states for one in found] == [{"a": 1, "b": 1}, {"a": 0, "b": 0}]
    assert net.most_probable({"a": 1}).states == {"b": 1}
    everything = net.most_probable({"a": 1, "b": 1})
    assert everything.states == {}
    assert everything.probability == 1.0


def test_interventions_and_continuous_findings_are_kept() -> None:
    net = bayou.examples.storm()
    joint = net.query(["Storm", "Thunder"], do={"Lightning": "yes"})
    best = net.most_probable(targets=["Storm", "Thunder"], do={"Lightning": "yes"})
    assert tuple(best.states.values()) == joint.argmax()
    assert best.probability == pytest.approx(joint[joint.argmax()])
    mixed = bayou.Network(
        "k -> x",
        states={"k": [0, 1]},
        continuous=["x"],
        tables={"k": [0.9, 0.1], "x": {0: (0, 1), 1: (9, 1)}},
    )
    assert mixed.most_probable({"x": 8.5}).states == {"k": 1}
    assert mixed.most_probable().states == {"k": 0}


def test_errors_and_printing() -> None:
    net = bayou.examples.storm()
    for k in (0, -1, 1.5, True, "2"):
        with pytest.raises(BadQuestion, match="whole number of explanations"):
            net.most_probable(k=k)
    with pytest.raises(BadQuestion, match="both asked for and given"):
        net.most_probable({"Storm": "yes"}, ["Storm"])
    with pytest.raises(BadQuestion, match="names no variable"):
        net.most_probable(targets=[])
    certain = bayou.Network("a", tables={"a": {"no": 1, "yes": 0}})
    with pytest.raises(ImpossibleEvidence, match="a=yes"):
        certain.most_probable({"a": "yes"})
    shown = str(net.most_probable({"Thunder": "yes"}, k=2))
    assert shown.splitlines()[0] == "The 2 most probable explanations given Thunder=yes"
    assert shown.splitlines()[1].split() == ["variable", "1", "2"]
    assert "<table>" in net.most_probable()._repr_html_()


@needs_shared_data
@pytest.mark.parametrize("name", REFERENCES)
def test_the_reference_programs_find_the_same(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    cases = [case for case in shared_json(f"reference/{name}.json.gz")["cases"] if case.get("mpe")]
    assert cases
    for case in cases[:3]:
        found = net.most_probable(case["evidence"], likelihood=case.get("soft_evidence"))
        log_joint = found.log_probability + case["log_evidence"]
        assert log_joint == pytest.approx(case["mpe_log_joint"], rel=1e-9)
        if not case.get("soft_evidence"):
            full = {**found.states, **case["evidence"]}
            assert net.log_probability(full) == pytest.approx(log_joint, rel=1e-9)


@needs_shared_data
def test_the_k_best_of_a_larger_network_descend_and_differ() -> None:
    net = bayou.load(SHARED / "networks" / "alarm.bif.gz")
    found = net.most_probable({"CO": "LOW"}, k=8)
    logs = [one.log_probability for one in found]
    # Equally probable ones may differ in their last digits.
    assert np.all(np.diff(logs) <= 1e-11)
    assert len({tuple(one.states.values()) for one in found}) == 8
    evidence = net.log_evidence({"CO": "LOW"})
    for one in found:
        log = net.log_probability({**one.states, "CO": "LOW"})
        assert one.log_probability == pytest.approx(log - evidence, rel=1e-9)
