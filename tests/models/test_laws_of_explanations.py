"""Explanations of answers on random networks: every number and every sentence is that of a query."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.models.answers.answer_explanation import AnswerExplanation
from bayou.text.tables import probability_text

WORDS = ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]


LEVELS = [["no", "yes"], ["low", "mid", "high"]]


NUMBER = re.compile(r"(?<![\w.])>?\d+(?:\.\d+)?(?:e-\d+)?(?![\w^])")


class Case:
    """A random question: states, sets, likelihoods and interventions of some variables."""

    def __init__(self, net: bayou.Network, data: st.DataObject) -> None:
        self.net = net
        self.target, *others = data.draw(st.permutations(net.names))
        self.parts: dict[Any, tuple[str, Any]] = {}
        for name in others:
            states = list(net.states(name))
            kind = data.draw(st.sampled_from(["given", "given", "set", "likelihood", "do", "nothing"]))
            value: Any = data.draw(st.sampled_from(states))
            if kind == "set":
                value = [s for s in states if s is not value]
            if kind == "likelihood":
                value = [0.25 + data.draw(st.sampled_from([0.0, 0.5, 1.0])) for _ in states]
            if kind != "nothing" and value != []:
                self.parts[name] = (kind, value)

    def without(self, *left_out: Any) -> dict[str, Any]:
        """The arguments of a query with some parts left out."""
        chosen: dict[str, dict[Any, Any]] = {"given": {}, "likelihood": {}, "do": {}}
        for name, (kind, value) in self.parts.items():
            if name not in left_out:
                chosen["given" if kind == "set" else kind][name] = value
        return {where: found or None for where, found in chosen.items()}

    def alone(self, name: Any) -> dict[str, Any]:
        return self.without(*(other for other in self.parts if other != name))

    def p(self, state: Any, arguments: dict[str, Any]) -> float:
        """P(target=state); NaN if the findings cannot be."""
        try:
            return float(self.net.query(self.target, **arguments)[state])
        except ImpossibleEvidence:
            return math.nan

    def explained(self) -> AnswerExplanation | None:
        """None if there is nothing to explain, or if the findings cannot be; both must be told."""
        if not self.parts:
            with pytest.raises(BadQuestion, match="no finding"):
                self.net.explain(self.target, **self.without())
            return None
        if math.isnan(self.p(self.net.states(self.target)[0], self.without())):
            with pytest.raises(ImpossibleEvidence):
                self.net.explain(self.target, **self.without())
            return None
        return self.net.explain(self.target, **self.without())


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, abs_tol=1e-11) or (math.isnan(one) and math.isnan(other))


@given(networks(most=5), st.data())
@law
def test_every_number_is_that_of_a_query(net: bayou.Network, data: st.DataObject) -> None:
    case = Case(net, data)
    found = case.explained()
    if found is None:
        return
    state = found.state
    assert close(found.before, case.p(state, {}))
    assert close(found.after, case.p(state, case.without()))
    rose = [case.p(s, case.without()) - case.p(s, {}) for s in net.states(case.target)]
    assert found.after - found.before == pytest.approx(max(rose), abs=1e-8)
    assert {one.name for one in found.findings} <= set(case.parts)
    for one in found.findings:
        assert one.is_intervention == (case.parts[one.name][0] == "do")
        assert close(one.alone, case.p(state, case.alone(one.name)))
        assert close(one.without, case.p(state, case.without(one.name)))
        if one.separated_by is not None and not one.is_intervention:
            assert not one.has_weight
    for change in found.changes:
        assert change.before == pytest.approx(net.query(change.name)[change.state], abs=1e-11)
        later = net.query(change.name, **case.without())[change.state]
        assert change.after == pytest.approx(later, abs=1e-11)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["after"] == found.after
    assert str(found)
    assert found._repr_html_()


@given(networks(most=5, names=WORDS, states=LEVELS), st.data())
@law
def test_the_sentences_say_what_the_numbers_say(net: bayou.Network, data: st.DataObject) -> None:
    case = Case(net, data)
    found = case.explained()
    if found is None:
        return
    state, all_known = found.state, case.without()
    texts = {one.text: one.name for one in found.findings}
    told = {probability_text(p) for p in (found.before, found.after)}
    for sentence in found.sentences:
        for text, number in re.findall(
            r"(\w+(?:=|≠)\w+|\w+ in \{.*?\}|likelihood of \w+|do\(.*?\)) \(without it (\S+?)\)", sentence
        ):
            assert number == probability_text(case.p(state, case.without(texts[text])))
            told.add(number)
        for text, number in re.findall(r"^(.*) changes nothing beside .* → (\S+)\.$", sentence):
            assert number == probability_text(case.p(state, case.alone(texts[text])))
            told.add(number)
        for name, where, first, last in re.findall(
            r"where (\w+)=(\w+) went from (\S+) to (\S+)\.$", sentence
        ):
            assert [first, last] == [
                probability_text(net.query(name, **known)[where]) for known in ({}, all_known)
            ]
            told |= {first, last}
        for text, number in re.findall(r"^(.*) is a rare finding: P = (\S+)\.$", sentence):
            under = {**case.alone(texts[text]), "do": all_known["do"]}
            chance = net.query(case.target, **under).log_evidence
            assert number == probability_text(math.exp(chance))
            told.add(number)
        if found.reasons.rest is not None:
            told |= {probability_text(found.reasons.rest.without), str(len(found.reasons.rest.texts))}
        for one in found.explained_away:
            assert one.before > one.after
            assert one.after == pytest.approx(case.p(one.state, all_known), abs=1e-11)
            assert one.before == pytest.approx(case.p(one.state, case.without(texts[one.finding])), abs=1e-11)
            if one.through is not None:
                cause, known = one.through, case.without(texts[one.finding])
                ends = [net.query(cause.name, **a)[cause.state] for a in (known, all_known)]
                assert [cause.before, cause.after] == pytest.approx(ends, abs=1e-11)
                told |= {probability_text(p) for p in ends}
            told |= {probability_text(one.before), probability_text(one.after)}
        if "times less likely" not in sentence and "more finding" not in sentence:
            assert set(NUMBER.findall(sentence)) <= told, sentence
    assert 1 <= len(found.first) <= 3
    mentioned = set(re.findall(r"do\(\w+=\w+\)|\w+[=≠]\w+|\w+ in \{.*?\}", " ".join(found.sentences)))
    allowed = set(texts) | {f"{case.target}={s}" for s in net.states(case.target)}
    causes = [one.through for one in found.explained_away if one.through is not None]
    allowed |= {f"{c.name}={c.state}" for c in (*found.changes, *causes)}
    assert mentioned <= allowed | {text[3:-1] for text in texts if text.startswith("do(")}


@given(networks(most=5, names=WORDS, states=LEVELS), st.data())
@law
def test_weights_are_those_of_finding_strength(net: bayou.Network, data: st.DataObject) -> None:
    case = Case(net, data)
    case.parts = {name: part for name, part in case.parts.items() if part[0] != "do"}
    found = case.explained()
    if found is None:
        return
    table = net.finding_strength(case.target, state=found.state, **case.without())
    expected = {one.name: one for one in table.findings}
    for one in found.findings:
        assert close(one.weight, expected[one.name].weight)
        assert close(one.weight_alone, expected[one.name].weight_alone)
    chances = [net.query(case.target, **case.alone(name)).log_evidence for name in case.parts]
    together = net.query(case.target, **case.without()).log_evidence
    assert found.reasons.log_chance == pytest.approx(together, abs=1e-10)
    assert found.reasons.conflict == pytest.approx((sum(chances) - together) / math.log(2), abs=1e-9)
