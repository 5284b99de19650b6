"""The strength of findings against the definition of a likelihood ratio."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence

BAYES = bayou.Network(
    {"fieber": ["grippe"], "müde": ["grippe"], 7: ["grippe"]},
    states={"grippe": ["nein", "ja"], "fieber": ["nein", "ja"], "müde": ["nein", "ja"], 7: ["nein", "ja"]},
    tables={
        "grippe": [0.9, 0.1],
        "fieber": [[0.95, 0.05], [0.2, 0.8]],
        "müde": [[0.7, 0.3], [0.1, 0.9]],
        7: [[0.5, 0.5], [0.5, 0.5]],
    },
)


def test_weights_of_independent_findings_add_up_and_are_the_tables_ratios() -> None:
    found = BAYES.finding_strength("grippe", {"müde": "ja", "fieber": "ja", 7: "ja"})
    assert [one.name for one in found.findings] == ["fieber", "müde", 7]
    assert [one.weight for one in found.findings] == pytest.approx([math.log(16), math.log(3), 0], abs=1e-12)
    assert [one.weight_alone for one in found.findings] == pytest.approx(
        [math.log(16), math.log(3), 0], abs=1e-12
    )
    odds = found.after / (1 - found.after)
    assert math.log(odds) == pytest.approx(math.log(1 / 9) + math.log(48))
    assert found.before == pytest.approx(0.1)
    lines = str(found).splitlines()
    assert lines[0] == "Strength of the findings, P(grippe=ja): 0.1000 before, 0.8421 after"
    assert lines[2].split() == ["fieber=ja", "0.6400", "+2.773", "0.2500", "+2.773"]


@given(networks(most=4), st.data())
@law
def test_a_weight_is_the_log_likelihood_ratio_given_the_others(
    net: bayou.Network, data: st.DataObject
) -> None:
    names = data.draw(st.permutations(net.names))
    target, rest = names[0], names[1:3]
    assume(rest and len(net.states(target)) == 2)
    evidence = {name: data.draw(st.sampled_from(net.states(name))) for name in rest}
    state, other = data.draw(st.permutations(net.states(target)))

    def log(hypothesis: object, findings: dict[object, object]) -> float:
        return net.log_evidence({**findings, target: hypothesis})

    try:
        found = net.finding_strength(target, evidence, state=state)
        for one in found.findings:
            less = {name: value for name, value in evidence.items() if name != one.name}
            ratio = log(state, evidence) - log(state, less) - log(other, evidence) + log(other, less)
            assert one.weight == pytest.approx(ratio, abs=1e-8)
            single = {one.name: evidence[one.name]}
            alone = log(state, single) - log(state, {}) - log(other, single) + log(other, {})
            assert one.weight_alone == pytest.approx(alone, abs=1e-8)
            assert one.without == pytest.approx(net.query(target, less)[state])
    except ImpossibleEvidence:
        # A hypothesis that some findings rule out has no finite ratio; the test below is about those.
        assume(False)


def test_a_finding_that_decides_weighs_infinitely_and_the_next_one_nothing() -> None:
    net = bayou.Network(
        "a -> b; a -> c",
        states={"a": [0, 1], "b": [0, 1], "c": [0, 1]},
        tables={"a": [0.5, 0.5], "b": [[1, 0], [0.5, 0.5]], "c": [[1, 0], [0.2, 0.8]]},
    )
    one = net.finding_strength("a", {"b": 1}, state=1).findings[0]
    assert one.weight == math.inf
    assert one.weight_alone == math.inf
    both = net.finding_strength("a", {"b": 1, "c": 1}, state=1)
    assert all(math.isnan(finding.weight) for finding in both.findings)
    assert "+∞" in str(both)
    assert "–" in str(both)
    against = net.finding_strength("a", {"b": 1}, state=0).findings[0]
    assert against.weight == -math.inf


def test_likelihoods_are_findings_and_interventions_are_not() -> None:
    net = bayou.examples.storm()
    thunder = {"Thunder": {"yes": 0.8, "no": 0.3}}
    found = net.finding_strength("Storm", likelihood=thunder, do={"Campfire": "no"})
    assert [one.name for one in found.findings] == ["Thunder"]
    assert "likelihood of Thunder" in str(found)
    with pytest.raises(BadQuestion, match="There is no finding"):
        net.finding_strength("Storm", do={"Campfire": "no"})
    with pytest.raises(BadQuestion, match="both asked for and given"):
        net.finding_strength("Storm", {"Storm": "yes"})
