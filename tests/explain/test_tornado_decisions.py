"""Tornadoes of decisions: the threshold of each entry, by hand and on random networks."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.explain.changed_entries import asked_again, cancer, questions
from tests.laws.strategies import law, networks, seeds

import bayou
from bayou.errors import ImpossibleEvidence


def decided(posterior: Any, utilities: Any) -> Any:
    choice = bayou.decide(posterior, utilities)
    return choice.best, choice.margin


@given(networks(most=4), st.data())
@law
def test_the_decision_turns_at_the_threshold_and_nowhere_nearer(
    net: bayou.Network, data: st.DataObject
) -> None:
    target, state, how = data.draw(questions(net))
    random, actions = data.draw(seeds()), data.draw(st.sampled_from([0, 2, 3]))
    utilities: Any = None
    if actions:
        rows = random.normal(size=(actions, len(net.states(target)))).round(3)
        utilities = {f"act {k}": row.tolist() for k, row in enumerate(rows)}
    try:
        posterior = net.query(target, **how)
    except ImpossibleEvidence:
        return
    now, margin = decided(posterior, utilities)
    assume(margin > 1e-6)
    found = net.tornado(target, state, utilities=utilities, **how)
    assert found.decision == now
    for rank in data.draw(st.permutations(range(len(found))))[:8]:
        entry = found[rank]
        if entry.threshold is None:
            tries = [0.0, 0.05, 0.3, 0.5, 0.7, 0.95, 1.0]
        else:
            step = 1e-5 if entry.threshold > entry.value else -1e-5
            beyond = asked_again(net, entry, min(max(entry.threshold + step, 0), 1), target, how)
            if beyond is not None and 1e-4 < entry.threshold < 1 - 1e-4:
                best, lead = decided(beyond, utilities)
                assert lead < 1e-7 or best == entry.turns_to
            tries = [entry.value + share * (entry.threshold - entry.value) for share in (0.1, 0.5, 0.99)]
        for value in tries:
            again = asked_again(net, entry, value, target, how)
            if again is not None:
                best, lead = decided(again, utilities)
                assert lead < 1e-7 or best == now


def test_bayes_rule_turns_where_both_products_are_equal() -> None:
    found = cancer().tornado("disease", "yes", {"test": "+"})
    by_text = {entry.text: entry for entry in found}
    false_alarm = by_text["P(test=+ | disease=no)"]
    assert found.decision == "no"
    assert false_alarm.threshold == pytest.approx(0.008 * 0.98 / 0.992)
    assert false_alarm.turns_to == "yes"
    prior = by_text["P(disease=yes)"]
    assert prior.threshold == pytest.approx(0.03 / (0.03 + 0.98))
    assert prior.relative_change == pytest.approx((0.03 / 1.01 - 0.008) / 0.008)
    assert by_text["P(test=+ | disease=yes)"].threshold is None
    a, b, c, d = prior.coefficients or (0, 0, 0, 0)
    assert c * 0.008 + d == pytest.approx(1)
    evidence = 0.008 * 0.98 + 0.992 * 0.03
    assert (a, b) == pytest.approx((0.98 / evidence, 0.0))
    assert (c, d) == pytest.approx(((0.98 - 0.03) / evidence, 0.03 / evidence))
    turning = found.turning_point
    assert turning is not None
    assert turning.text == "P(test=+ | disease=no)"
    assert found.sentence == (
        "The decision turns from no to yes when P(test=+ | disease=no) falls from 0.03 to 0.0079."
    )


def test_costs_move_the_threshold() -> None:
    costs = {"treat": {"yes": 1, "no": 3}, "wait": {"yes": 20, "no": 0}}
    found = cancer().tornado("disease", "yes", {"test": "+"}, costs=costs, tables="disease")
    assert found.decision == "treat"
    # Treat while 19·P(yes, +) > 3·P(no, +).
    odds = 3 * 0.03 / (19 * 0.98)
    (entry,) = [one for one in found if one.state == "yes"]
    assert entry.threshold == pytest.approx(odds / (1 + odds))
    assert "turns from treat to wait when P(disease=yes) falls" in found.sentence
    sure = cancer().tornado("disease", "yes", {"test": "+"}, costs={"a": 1, "b": 2})
    assert sure.turning_point is None
    assert sure.sentence == "No change of a single entry turns the decision, a."


def test_a_tie_is_called_a_tie() -> None:
    found = bayou.Network("coin", tables={"coin": {"h": 0.5, "t": 0.5}}).tornado("coin", "h")
    assert found.sentence == "The decision is a tie of h and t: the smallest change of P(coin=h) turns it."
    assert found.turning_point is not None
    assert found.turning_point.relative_change == pytest.approx(0)
