"""The nearest possible findings against a search through all sets of findings."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.test_conflict import parity
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import by_hand, questions

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.explain import nearest_findings


@given(networks(most=5, states=[["no", "yes"], ["u", "v", "w"], [0, 1]]), st.data())
@law
def test_all_sets_of_the_least_size_are_found(net: bayou.Network, data: st.DataObject) -> None:
    _, evidence, likelihood, do = data.draw(questions(net))
    if not evidence and not likelihood:
        with pytest.raises(BadQuestion, match="no finding that could be released"):
            net.nearest_findings(evidence, likelihood=likelihood, do=do)
        return
    keys = [("evidence", name) for name in evidence] + [("likelihood", name) for name in likelihood]

    def question(kept: Any) -> Any:
        some = {name: evidence[name] for name in evidence if ("evidence", name) in kept}
        return some, {name: likelihood[name] for name in likelihood if ("likelihood", name) in kept}

    def chance(kept: Any) -> float:
        return by_hand(net, ([], *question(kept), do))[1]

    found = net.nearest_findings(evidence, likelihood=likelihood, do=do)
    assert found.is_complete
    if chance(keys) > 0:
        assert found.possible
        assert found.log_probability == pytest.approx(math.log(chance(keys)), abs=1e-9)
        return
    least, expected = next(
        (size, sets)
        for size in range(1, len(keys) + 1)
        if (
            sets := [
                part
                for part in itertools.combinations(keys, size)
                if chance([key for key in keys if key not in part]) > 0
            ]
        )
    )
    assert len(found) == len(expected)
    assert all(len(one.findings) == least for one in found)
    chances = sorted((chance([key for key in keys if key not in part]) for part in expected), reverse=True)
    assert [one.probability for one in found] == pytest.approx(chances, rel=1e-9)
    if not likelihood:
        assert {one.names for one in found} == {tuple(name for _, name in part) for part in expected}
        for one in found:
            kept = question([key for key in keys if key[1] not in one.names])
            for finding in one.findings:
                table, total = by_hand(net, ([finding.name], *kept, do))
                instead = {net.variables[finding.name].code(state): p for state, p in finding.instead}
                assert instead == pytest.approx({k: v for k, v in enumerate(table / total) if v > 0})
            joint, total = by_hand(net, (list(one.names), *kept, do))
            codes = tuple(net.variables[name].code(one.states[name]) for name in one.names)
            assert joint[codes] == pytest.approx(joint.max(), rel=1e-9)


def test_two_conflicts_need_two_releases() -> None:
    given = {"c0": 0, "Kopie": 1, "c1": 0, "p1": 1, "c2": 0, "p2": 0}
    found = parity(4).nearest_findings(given)
    by_trial = [
        set(part)
        for part in itertools.combinations(given, 2)
        if possible(parity(4), {name: state for name, state in given.items() if name not in part})
    ]
    assert len(found) == len(by_trial) > 1
    assert all(set(one.names) in by_trial for one in found)
    assert str(found).splitlines()[1].split()[:2] == ["set", "release"]


def possible(net: bayou.Network, given: dict[str, int]) -> bool:
    try:
        return net.log_evidence(given) > -math.inf
    except ImpossibleEvidence:
        return False


def test_the_error_names_the_method_and_the_method_helps() -> None:
    net = bayou.examples.asia()
    given = {"either": "yes", "lung": "no", "tub": "no", "smoke": "yes"}
    with pytest.raises(ImpossibleEvidence, match=r"net\.nearest_findings\(given\) says which"):
        net.query("xray", given)
    found = net.nearest_findings(given)
    assert [one.names for one in found] == [("either",), ("lung",), ("tub",)]
    for one in found:
        corrected = {**given, **one.states}
        assert net.log_evidence(corrected) > -math.inf
    assert found.advice == "Release either=yes, or correct it. either=no would fit the others best."
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["releases"][0]["findings"][0]["instead"] == [{"state": "no", "probability": 1.0}]
    assert found.to_frame()["release"].tolist() == ["either=yes", "lung=no", "tub=no"]


def test_hostile_names_stay_on_their_line_and_out_of_the_markup() -> None:
    rain, wet = "rain\n<b>", "wet & 'cold'"
    net = bayou.Network(
        {rain: [], wet: [rain]},
        states={rain: ["no", "<i>"], wet: ["no", "yes"]},
        tables={rain: [0.8, 0.2], wet: [[0.9, 0.1], [0.0, 1.0]]},
    )
    findings = {rain: "<i>", wet: "no"}
    for found, lines in (
        (net.nearest_findings(findings), 5),
        (net.conflict(findings), 5),
        (net.conflict({rain: "<i>", wet: "yes"}), 5),
        (net.what_to_ask(rain), 4),
        (net.what_to_ask(wet).outcomes(rain), 4),
        (net.finding_strength(rain, {wet: "yes"}, shares=True), 4),
    ):
        assert len(str(found).splitlines()) == lines
        assert "<b>" not in found._repr_html_()
        assert "<i>" not in found._repr_html_()


def test_possible_findings_need_no_release() -> None:
    found = bayou.examples.asia().nearest_findings({"smoke": "yes"})
    assert found.possible
    assert len(found) == 0
    assert found.advice == "These findings can occur together (probability 0.5): none needs to be released."
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["possible"] is True


def test_beyond_the_trials_one_set_is_found_that_cannot_shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_findings, "MOST_TRIALS", 2)
    given = {"c0": 0, "Kopie": 1, "c1": 0, "p1": 1, "c2": 0, "p2": 0}
    found = parity(4).nearest_findings(given)
    assert not found.is_complete
    assert "Not all sets could be tried" in str(found)
    (one,) = found
    rest = {name: state for name, state in given.items() if name not in one.names}
    assert possible(parity(4), rest)
    assert not any(possible(parity(4), {**rest, name: given[name]}) for name in one.names)


def test_many_findings_with_few_conflicts_take_few_trials() -> None:
    # All pairs of these 40 findings would be 780 sets.
    net = parity(20)
    row = net.sample(1, seed=4).to_dicts()[0]
    row["Kopie"], row["p19"] = 1 - row["Kopie"], 1 - row["p19"]
    search = nearest_findings._Search(net.frozen, question(net, row))
    found = search.smallest()
    assert search.is_complete
    assert len(search.tried) < 250
    assert frozenset([("evidence", "Kopie"), ("evidence", "p19")]) in found


def question(net: bayou.Network, given: dict[str, int]) -> Any:
    from bayou.models.evidence import question_from

    return question_from(net.frozen, (), given)


def test_a_number_that_cannot_be_is_released_for_a_distribution() -> None:
    net = bayou.Network(
        "kind -> links", continuous=["links"], nodes={"links": bayou.features.PoissonFeature}
    ).fit({"kind": ["spam", "spam", "mail", "mail"], "links": [7, 4, 0, 1]})
    found = net.nearest_findings({"kind": "spam", "links": -1.0})
    assert [one.names for one in found] == [("links",)]
    assert found[0].findings[0].text == "–"
    likely = bayou.examples.rain_and_wet_grass().nearest_findings(likelihood={"Rain": {"no": 0, "yes": 0}})
    assert likely[0].findings[0].finding == "likelihood of Rain"
    assert dict(likely[0].findings[0].instead) == pytest.approx({"no": 0.8, "yes": 0.2})
