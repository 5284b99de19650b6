"""What to ask next, against sums over the joint table and against closed forms."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks
from tests.laws.test_inference_laws import by_hand, questions

import bayou
from bayou.errors import BadQuestion, BadTable, ImpossibleEvidence, TooWide, UnknownVariable
from bayou.inference.exact.compiled_query import CompiledEngine


def entropy(p: Any) -> float:
    alive = np.asarray(p)[np.asarray(p) > 0]
    return float(-(alive * np.log2(alive)).sum())


def channel(error: float) -> bayou.Network:
    """A fair coin, a report of it that is wrong with some probability, and a coin that has nothing to say."""
    return bayou.Network(
        "coin -> report; other",
        states={"coin": [0, 1], "report": [0, 1], "other": [0, 1]},
        tables={
            "coin": [0.5, 0.5],
            "report": [[1 - error, error], [error, 1 - error]],
            "other": [0.3, 0.7],
        },
    )


def test_a_noisy_channel_tells_one_bit_minus_the_entropy_of_its_errors() -> None:
    found = channel(0.11).what_to_ask("coin")
    assert [one.name for one in found] == ["report", "other"]
    assert found[0].bits == pytest.approx(1 - entropy([0.11, 0.89]), abs=1e-12)
    assert found[0].share == found[0].bits
    assert found[1].bits == 0
    assert found.outcomes("report")[1] == pytest.approx({0: 0.11, 1: 0.89})


@given(networks(most=4), st.data())
@law
def test_information_gains_and_outcomes_are_those_of_the_joint_table(
    net: bayou.Network, data: st.DataObject
) -> None:
    targets, evidence, likelihood, do = data.draw(questions(net))
    target = targets[0]
    free = [name for name in net.names if name not in {target, *evidence, *do}]
    actions = data.draw(st.integers(1, 3))
    worth = np.array(
        [
            [data.draw(st.sampled_from([-50.0, 0.0, 1.0, 8.0])) for _ in net.states(target)]
            for _ in range(actions)
        ]
    )
    if not free:
        with pytest.raises(BadQuestion, match="nothing to ask for"):
            net.what_to_ask(target, evidence, likelihood=likelihood, do=do)
        return
    alone, total = by_hand(net, ([target], evidence, likelihood, do))
    if total == 0:
        with pytest.raises(ImpossibleEvidence):
            net.what_to_ask(target, evidence, likelihood=likelihood, do=do)
        return
    found = net.what_to_ask(target, evidence, utilities=worth, likelihood=likelihood, do=do)
    prior = alone / total
    np.testing.assert_allclose(found.posterior, prior, atol=1e-12)
    assert found.entropy == pytest.approx(entropy(prior), abs=1e-12)
    now = float((worth @ prior).max())
    assert found.expected_utility == pytest.approx(now, abs=1e-10)
    assert {one.name for one in found} == set(free)
    for one in found:
        joint = by_hand(net, ([one.name, target], evidence, likelihood, do))[0] / total
        expected = entropy(joint.sum(axis=1)) + entropy(prior) - entropy(joint)
        assert one.bits == pytest.approx(expected, abs=1e-11)
        assert one.gain == pytest.approx(float((joint @ worth.T).max(axis=1).sum()) - now, abs=1e-10)
        assert one.gain is not None
        assert one.gain >= 0
        outcomes = found.outcomes(one.name)
        assert outcomes.probabilities.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(outcomes.probabilities, joint.sum(axis=1), atol=1e-12)
        for row, after in zip(joint, outcomes.posteriors, strict=True):
            if row.sum() > 0:
                np.testing.assert_allclose(after, row / row.sum(), atol=1e-11)
                assert after.sum() == pytest.approx(1, abs=1e-12)
            else:
                assert np.isnan(after).all()
    nets = [one.net or 0.0 for one in found]
    assert all(first >= second - 1e-9 for first, second in itertools.pairwise(nets))


def test_one_pass_for_each_state_of_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = []
    plain = CompiledEngine.marginals

    def counted(self: Any, *arguments: Any) -> Any:
        passes.append(arguments)
        return plain(self, *arguments)

    monkeypatch.setattr(CompiledEngine, "marginals", counted)
    net = bayou.examples.alarm()
    found = net.what_to_ask("VENTTUBE", {"HRBP": "HIGH"})
    assert len(found) == len(net.names) - 2
    assert len(passes) == len(net.states("VENTTUBE")) == 4


def test_knowing_a_copy_of_the_target_is_perfect_information() -> None:
    net = channel(0.0)
    worth = {"say 0": {0: 1, 1: 0}, "say 1": {0: 0, 1: 1}}
    found = net.what_to_ask("coin", utilities=worth)
    perfect = bayou.decide(net.query("coin"), worth).value_of_perfect_information
    assert found.best is not None
    assert (found.best.name, found.best.gain, found.best.bits) == ("report", perfect, 1.0)
    assert found.outcomes("report").actions == ("say 0", "say 1")
    assert "acting on what it shows is expected to be worth 0.5 more than the best action now" in found.advice


def test_costs_decide_what_is_asked_first() -> None:
    net = bayou.Network(
        "ill -> cheap; ill -> dear",
        tables={
            "ill": {"no": 0.5, "yes": 0.5},
            "cheap": {"no": {"no": 0.7, "yes": 0.3}, "yes": {"no": 0.3, "yes": 0.7}},
            "dear": {"no": {"no": 0.99, "yes": 0.01}, "yes": {"no": 0.01, "yes": 0.99}},
        },
    )
    assert [one.name for one in net.what_to_ask("ill")] == ["dear", "cheap"]
    priced = net.what_to_ask("ill", costs={"dear": 20})
    assert [(one.name, one.cost) for one in priced] == [("cheap", 1.0), ("dear", 20.0)]
    assert priced[1].bits_per_cost == pytest.approx(priced[1].bits / 20)
    assert "for a cost of 1. No other finding tells more for its cost" in priced.advice
    worth = {"treat": {"no": -10, "yes": 10}, "wait": {"no": 0, "yes": 0}}
    acted = net.what_to_ask("ill", utilities=worth, costs={"dear": 1})
    assert [(one.name, one.cost) for one in acted] == [("dear", 1.0), ("cheap", 0.0)]
    assert acted[0].gain == pytest.approx(0.5 * (10 * 0.99 - 10 * 0.01))
    assert acted[0].net == pytest.approx(3.9)
    assert "3.9 is left after its cost of 1" in acted.advice
    dear = net.what_to_ask("ill", utilities=worth, costs={"dear": 5, "cheap": 3})
    assert dear.best is None
    assert dear.advice.startswith("Ask for nothing more: no finding is worth its cost. Best now: treat")
    with pytest.raises(BadQuestion, match=r"costs\['dear'\]=0: give what asking for it costs, above 0"):
        net.what_to_ask("ill", costs={"dear": 0})
    assert net.what_to_ask("ill", costs={"dear": 0}, utilities=worth).best is not None
    with pytest.raises(BadQuestion, match="0 or more, in the unit of the utilities"):
        net.what_to_ask("ill", costs={"dear": -1}, utilities=worth)
    with pytest.raises(BadQuestion, match="costs= takes what asking costs, by variable"):
        net.what_to_ask("ill", costs=[1, 2])
    with pytest.raises(UnknownVariable, match="Did you mean 'dear'"):
        net.what_to_ask("ill", costs={"deer": 1})


def test_forbidden_actions_are_worth_ruling_out() -> None:
    worth = {"say 0": {0: 1, 1: -math.inf}, "say 1": {0: -math.inf, 1: 1}}
    assert channel(0.0).what_to_ask("coin", utilities=worth)[0].gain == math.inf
    assert channel(0.1).what_to_ask("coin", utilities=worth)[0].gain == 0
    safe = {**worth, "say nothing": 0}
    assert channel(0.0).what_to_ask("coin", utilities=safe)[0].gain == pytest.approx(1)
    assert channel(0.1).what_to_ask("coin", utilities=safe)[0].gain == 0
    with pytest.raises(BadTable, match="has no number for the state 1"):
        channel(0.1).what_to_ask("coin", utilities={"say 0": {0: 1}})


def test_what_is_known_or_useless_is_said() -> None:
    net = channel(0.0)
    assert (
        net.what_to_ask("coin", {"report": 1}).advice == "Nothing needs to be asked: coin is 1 for certain."
    )
    assert net.what_to_ask("coin", {"report": 1})[0].share == 0
    nothing = net.what_to_ask("coin", among="other")
    assert nothing.best is None
    assert nothing.advice == "No variable that could be asked for says anything about coin."
    worth = {"say 0": {0: 1, 1: 0}, "say 1": {0: 0, 1: 1}}
    stay = net.what_to_ask("coin", among="other", utilities=worth).advice
    assert stay.startswith("Ask for nothing more: no finding would change the decision. Best now: say 0")


def test_numbers_are_findings_but_neither_targets_nor_ranked() -> None:
    net = bayou.Network("ill -> cough; ill -> weight").fit(
        {
            "ill": ["no", "yes"] * 10,
            "cough": ["no", "yes", "no", "no"] * 5,
            "weight": [70.0 + k % 2 * 10 + k / 7 for k in range(20)],
        }
    )
    found = net.what_to_ask("ill", {"weight": 75.0})
    assert [one.name for one in found] == ["cough"]
    prior = net.query("ill", {"weight": 75.0})
    np.testing.assert_allclose(found.posterior, prior.to_array(), atol=1e-12)
    for state in net.states("cough"):
        after = net.query("ill", {"weight": 75.0, "cough": state}).to_array()
        np.testing.assert_allclose([*found.outcomes("cough")[state].values()], after, atol=1e-12)
    open_ended = net.what_to_ask("ill")
    assert open_ended.left_out == ("weight",)
    assert "Not ranked, because they have no states: 'weight'." in str(open_ended)
    with pytest.raises(BadQuestion, match="'weight' has no states: what_to_ask measures"):
        net.what_to_ask("weight")
    with pytest.raises(BadQuestion, match=r"All variables that could be asked for have no states \(weight\)"):
        net.what_to_ask("ill", among="weight")


def test_wrong_arguments_are_named() -> None:
    net = channel(0.1)
    with pytest.raises(BadQuestion, match="both asked for and given"):
        net.what_to_ask("coin", {"coin": 1})
    with pytest.raises(BadQuestion, match="among= names 'coin', which is the target"):
        net.what_to_ask("coin", among=["coin", "report"])
    with pytest.raises(BadQuestion, match="There is nothing to ask for"):
        net.what_to_ask("coin", {"report": 1}, among=["report"])
    with pytest.raises(BadQuestion, match="one target, not 2"):
        net.what_to_ask("coin, report | other=1")
    with pytest.raises(UnknownVariable, match="among those that could be asked for"):
        net.what_to_ask("coin").outcomes("coin")
    assert net.what_to_ask("coin | other=1").findings == "other=1"


def test_results_print_and_become_plain_data() -> None:
    net = bayou.examples.asia()
    worth = {"treat": {"no": 40, "yes": 90}, "wait": {"no": 100, "yes": 0}}
    found = net.what_to_ask("lung", {"smoke": "yes"}, utilities=worth, costs={"xray": 2.0})
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["target"] == "lung"
    assert document["ranked"][0]["name"] == found[0].name
    assert list(found.to_frame().columns) == ["variable", "bits", "share", "cost", "gain", "net"]
    assert len(found.to_frame()) == len(found) == 6
    outcomes = found.outcomes("xray")
    assert json.loads(json.dumps(outcomes.to_dict(), allow_nan=False))["outcomes"][1]["best_action"] == "wait"
    assert outcomes.to_frame().shape == (4, 4)
    assert "<table>" in found._repr_html_()
    assert "best action" in str(outcomes)
    plain = net.what_to_ask("lung", {"smoke": "yes"}, costs={"xray": 2.0})
    assert list(plain.to_frame().columns) == ["variable", "bits", "share", "cost", "bits_per_cost"]
    assert json.loads(json.dumps(plain.to_dict(), allow_nan=False))["ranked"][0]["bits_per_cost"] > 0


def test_where_it_is_too_wide_only_remedies_that_it_takes_are_named() -> None:
    net = bayou.examples.alarm()
    with bayou.limits(memory=1000):
        with pytest.raises(TooWide, match="name fewer in among=, or raise the limits") as caught:
            net.what_to_ask("LVFAILURE")
        assert "engine=" not in str(caught.value)
        # HISTORY depends on nothing else: all other variables are left out of the sums.
        assert len(net.what_to_ask("LVFAILURE", among="HISTORY")) == 1
        with pytest.raises(TooWide, match="Give fewer findings, or raise the limits"):
            net.conflict({"CATECHOL": "HIGH", "BP": "LOW", "SAO2": "LOW"})


def test_marginals_and_noisy_nodes_are_asked_about_like_all_others() -> None:
    fixed = {"xray": {"yes": 0.7, "no": 0.3}}
    asia = bayou.examples.asia()
    found = asia.what_to_ask("lung", {"smoke": "yes"}, marginal=fixed)
    after = asia.query("lung", {"smoke": "yes"}, marginal=fixed)
    np.testing.assert_allclose(found.posterior, after.to_array(), atol=1e-12)
    names = [f"cause{k}" for k in range(6)]
    net = bayou.Network(
        {**{name: [] for name in names}, "effect": names, "sign": ["effect"]},
        states={name: ["no", "yes"] for name in (*names, "effect", "sign")},
        nodes={"effect": bayou.NoisyOr},
    )
    net.set_cpt("effect", bayou.NoisyOr({name: 0.3 + k / 10 for k, name in enumerate(names)}, leak=0.05))
    for k, name in enumerate(names):
        net.set_cpt(name, [0.9 - k / 20, 0.1 + k / 20])
    net.set_cpt("sign", [[0.8, 0.2], [0.1, 0.9]])
    for findings in ({}, {"effect": "no"}, {"effect": "yes", "cause1": "yes"}, {"sign": "yes"}):
        found = net.what_to_ask("cause3", findings)
        for one in found:
            outcomes = found.outcomes(one.name)
            for state, chance in zip(net.states(one.name), outcomes.probabilities, strict=True):
                assert chance == pytest.approx(net.query(one.name, findings)[state], abs=1e-12)
                after = net.query("cause3", {**findings, one.name: state})
                np.testing.assert_allclose([*outcomes[state].values()], after.to_array(), atol=1e-12)
