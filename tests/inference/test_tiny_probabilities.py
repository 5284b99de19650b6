"""Probabilities that are above 0 but too small for a number: an answer, or an error that says so."""

from __future__ import annotations

import math

import pytest

import bayou
from bayou.text.tables import log_probability_text, power_text

FINDING = {"b": "y"}


@pytest.fixture
def net():
    rows = {"y": {"y": 1e-200, "n": 1}, "n": {"y": 0.0, "n": 1}}
    return bayou.Network("a->b", tables={"a": {"y": 1e-200, "n": 1.0}, "b": rows})


@pytest.mark.parametrize("how", [{}, {"engine": "enumeration"}, {"engine": "elimination"}, {"verify": True}])
def test_every_way_gives_the_same_answer(net, how):
    found = net.query("a", FINDING, **how)
    assert found["y"] == 1
    assert found.log_evidence == pytest.approx(-400 * math.log(10))


def test_the_working_shows_powers_of_ten(net):
    shown = net.working("a", FINDING)
    assert "a=y: 1e-400 / 1e-400 = 1" in shown
    assert r"1 \cdot 10^{-400}" in shown.to_latex()


def test_a_working_with_a_sum_that_underflows():
    tiny = {"y": 1e-200, "n": 1.0}
    rows = {"y": {"y": 1e-200, "n": 1}, "n": {"y": 0.0, "n": 1}}
    chain = bayou.Network("a->b->c", tables={"a": tiny, "b": rows, "c": rows})
    shown = chain.working("a", {"c": "y"})
    assert "1e-600 / 1e-600 = 1" in shown
    assert chain.query("a", {"c": "y"}, verify=True)["y"] == 1


def test_the_working_of_a_class_with_many_findings():
    names = [f"f{k}" for k in range(1200)]
    table = {"u": {"y": 0.3, "n": 0.7}, "v": {"y": 0.301, "n": 0.699}}
    net = bayou.Network(
        [("class", name) for name in names],
        tables={"class": {"u": 0.5, "v": 0.5}, **dict.fromkeys(names, table)},
    )
    given = dict.fromkeys(names, "y")
    shown = net.working("class", given)
    assert shown.splitlines()[-1].endswith(f"= {net.query('class', given)['v']:.6g}")


def test_a_state_that_cannot_occur_is_still_impossible(net):
    again = net.copy()
    again.add_node("c", ["y", "n"], ["b"], {"y": {"y": 0.5, "n": 0.5}, "n": {"y": 0.5, "n": 0.5}})
    for ask in (lambda how: again.query("c", how, engine="enumeration"), lambda how: again.working("c", how)):
        with pytest.raises(bayou.errors.ImpossibleEvidence):
            ask({"a": "n", "b": "y"})


def test_what_cannot_be_a_number_is_said_to_be_too_small(net):
    with pytest.raises(bayou.errors.BadQuestion, match="too small for derivatives"):
        net.sensitivity("a", "y", FINDING, table="b")
    with pytest.raises(bayou.errors.BadQuestion, match="too small for marginal="):
        net.query("a", marginal={"b": {"y": 0.5, "n": 0.5}})


def test_bayes_rule_on_tiny_numbers():
    found = bayou.bayes_rule({"a": 1e-200, "b": 1}, {"a": 1e-200, "b": 0})
    assert found["a"] == 1
    assert found.log_evidence == pytest.approx(-400 * math.log(10))
    many = bayou.bayes_rule(
        {"a": 0.5, "b": 0.5}, {"a": {"+": 0.1, "-": 0.9}, "b": {"+": 0.2, "-": 0.8}}, ["+"] * 500
    )
    assert many.log_evidence == pytest.approx(500 * math.log(0.2) + math.log(0.5))


def test_texts_of_probabilities_never_say_zero_for_what_can_occur(net):
    assert log_probability_text(-400 * math.log(10)) == "1e-400"
    assert power_text(math.log(9.9999999) - 400 * math.log(10), 4) == "1e-399"
    assert "probability 1e-400" in net.nearest_findings(FINDING).advice
    told = str(net.explain("a", FINDING))
    assert "b=y is a rare finding: its P is below 1e-308." in told
