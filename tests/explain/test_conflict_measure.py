"""The measure of conflict against sums over the joint table, and its verdicts."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import by_hand, questions

import bayou
from bayou.errors import BadQuestion
from bayou.text.tables import probability_text


def log2(value: float) -> float:
    return math.log2(value) if value > 0 else -math.inf


@given(networks(most=5), st.data())
@law
def test_conflicts_are_ratios_of_sums_over_the_joint_table(net: bayou.Network, data: st.DataObject) -> None:
    _, evidence, likelihood, do = data.draw(questions(net))
    names = list(dict.fromkeys((*evidence, *likelihood)))
    assume(names)

    def chance(kept: Any) -> float:
        some = {name: evidence[name] for name in evidence if name in kept}
        soft = {name: likelihood[name] for name in likelihood if name in kept}
        return by_hand(net, ([], some, soft, do))[1]

    def conflict(*parts: Any) -> float:
        together = chance([name for part in parts for name in part])
        if together == 0:
            return math.inf
        return sum(log2(chance(part)) for part in parts) - log2(together)

    found = net.conflict(evidence, likelihood=likelihood, do=do)
    assert found.bits == pytest.approx(conflict(*([name] for name in names)), abs=1e-9)
    assert bool(found.impossible) == (chance(names) == 0)
    assert {frozenset((one.first, one.second)) for one in found.pairs} == {
        frozenset(pair) for pair in itertools.combinations(names, 2)
    }
    for pair in found.pairs:
        assert pair.bits == pytest.approx(conflict([pair.first], [pair.second]), abs=1e-9)
    for one in found.findings:
        rest = [name for name in names if name != one.name]
        if chance(rest) == 0:
            assert math.isnan(one.bits)
        else:
            assert one.bits == pytest.approx(conflict([one.name], rest), abs=1e-9)
    fixed = {*names, *do}
    if 1e-9 < found.bits < math.inf:
        left = {(one.name, one.state): one for one in found.causes}
        for name in net.names:
            for code, state in enumerate(net.states(name)) if name not in fixed else ():
                joint = by_hand(net, ([], {**evidence, name: state}, likelihood, do))[1]
                prior = by_hand(net, ([], {name: state}, {}, do))[1]
                bits = (
                    math.inf if joint == 0 else found.bits + log2(prior) + log2(chance(names)) - log2(joint)
                )
                if abs(bits) > 1e-9:
                    assert ((name, code) in left) == (bits < 0)
                if (name, code) in left:
                    assert left[name, code].bits == pytest.approx(bits, abs=1e-9)
                    assert left[name, code].before == pytest.approx(prior, abs=1e-12)
    else:
        assert not found.causes


ALARM = bayou.Network(
    "burglar -> alarm; quake -> alarm; quake -> radio",
    tables={
        "burglar": {"no": 0.99, "yes": 0.01},
        "quake": {"no": 0.999, "yes": 0.001},
        "alarm": {
            ("no", "no"): {"no": 0.999, "yes": 0.001},
            ("no", "yes"): {"no": 0.05, "yes": 0.95},
            ("yes", "no"): {"no": 0.05, "yes": 0.95},
            ("yes", "yes"): {"no": 0.01, "yes": 0.99},
        },
        "radio": {"no": {"no": 0.9999, "yes": 0.0001}, "yes": {"no": 0.1, "yes": 0.9}},
    },
)


def test_findings_that_belong_together_support_each_other() -> None:
    found = ALARM.conflict({"alarm": "yes", "radio": "yes"})
    assert not found.contradict
    assert found.bits < -6
    assert found.verdict.startswith("The findings support each other: together they are ")


def test_a_rare_case_that_explains_the_conflict_is_named() -> None:
    # Without a burglar the alarm is strange; an earthquake makes it what is to be expected.
    found = ALARM.conflict({"alarm": "yes", "burglar": "no"})
    assert found.contradict
    assert [(one.name, ALARM.states(one.name)[one.state]) for one in found.causes[:1]] == [("quake", "yes")]
    assert "quake=yes would explain it: 0.0010 before, " in found.verdict


def test_a_conflict_that_nothing_explains_is_said_to_be_so() -> None:
    net = bayou.Network(
        "a -> b",
        tables={"a": {0: 0.5, 1: 0.5}, "b": {0: {0: 0.9, 1: 0.1}, 1: {0: 0.1, 1: 0.9}}},
    )
    found = net.conflict({"a": 0, "b": 1})
    assert found.bits == pytest.approx(math.log2(5))
    assert "5 times less probable than if they were independent. No single state" in found.verdict
    assert str(found).startswith("The conflict of the findings: +2.322 bits\n")
    assert "No single state of another variable would explain it: a finding may be wrong" in found.verdict


def test_a_conflict_of_three_that_no_pair_has() -> None:
    net = bayou.Network(
        "a -> x <- b",
        states={"a": [0, 1], "b": [0, 1], "x": [0, 1]},
        tables={"a": [0.5, 0.5], "b": [0.5, 0.5], "x": [[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]]},
    )
    found = net.conflict({"a": 0, "b": 0, "x": 1})
    assert found.bits == pytest.approx(math.log2(5))
    assert "No two of them do so by themselves" in found.verdict
    assert net.conflict({"a": 0, "b": 0}).verdict.endswith("they are independent.")
    assert net.conflict({"a": 0}).verdict == "There is one finding only, which cannot contradict others."


def test_among_findings_that_support_each_other_two_may_not() -> None:
    signs = {name: [[0.9, 0.1], [0.1, 0.9]] for name in "abcde"}
    net = bayou.Network(
        "; ".join(f"h -> {name}" for name in signs),
        states={name: [0, 1] for name in "habcde"},
        tables={"h": [0.5, 0.5], **signs},
    )
    # Four signs for h=0 and one against it: 0.03285 together, 0.03125 if they were independent.
    found = net.conflict({"a": 0, "b": 0, "c": 0, "d": 0, "e": 1})
    assert found.bits == pytest.approx(math.log2(0.03125 / 0.03285), abs=1e-9)
    assert not found.contradict
    assert found.pairs[0].bits == pytest.approx(math.log2(0.25 / 0.09))
    assert "e=1 contradict each other (+1.474 bits)" in found.verdict


def test_impossible_findings_are_named_and_the_remedy_works() -> None:
    net = bayou.examples.asia()
    findings = {"either": "yes", "lung": "no", "tub": "no", "smoke": "yes"}
    found = net.conflict(findings)
    assert found.bits == math.inf
    assert sorted(found.impossible) == ["either=yes", "lung=no", "tub=no"]
    assert "net.nearest_findings(given)" in found.verdict
    assert not net.nearest_findings(findings).possible
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["possible"] is False
    assert "∞" in str(found)


def test_numbers_are_findings_whose_unit_does_not_matter() -> None:
    def measured(factor: float) -> float:
        data = {"tall": ["no", "yes"] * 8, "cm": [factor * (160 + k % 2 * 15 + k) for k in range(16)]}
        net = bayou.Network("tall -> cm").fit(data)
        found = net.conflict({"tall": "no", "cm": factor * 190.0})
        assert "–" in str(found)
        return found.bits

    assert measured(1.0) > 0
    assert measured(0.01) == pytest.approx(measured(1.0), abs=1e-6)


def test_sets_of_states_have_a_probability() -> None:
    net = bayou.examples.asia()
    found = net.conflict({"xray": bayou.Not("yes"), "smoke": "no"}, likelihood={"dysp": {"yes": 2, "no": 1}})
    rows = {line.split()[0]: line.split() for line in str(found).splitlines()[2:5]}
    assert rows["xray≠yes"][1] == probability_text(net.query("xray")["no"])
    rest = net.query("xray", {"smoke": "no"}, likelihood={"dysp": {"yes": 2, "no": 1}})
    assert rows["xray≠yes"][2] == probability_text(rest["no"])
    assert str(found).count("–") == 2, "a likelihood has no probability"


def test_results_become_plain_data_and_bad_input_is_refused() -> None:
    found = ALARM.conflict({"alarm": "yes", "burglar": "no"}, likelihood={"radio": {"no": 1.0, "yes": 5.0}})
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {one["finding"] for one in document["findings"]} == {
        "alarm=yes",
        "burglar=no",
        "likelihood of radio",
    }
    assert document["causes"][0]["state"] == "yes"
    assert len(found.to_frame()) == 3
    assert "<table>" in found._repr_html_()
    with pytest.raises(BadQuestion, match="There is no finding that could be in conflict"):
        ALARM.conflict({})
