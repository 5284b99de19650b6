"""Sets of states and "not this state" as findings: against the joint table and the query as text."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import law, networks

import bayou
from bayou import Not
from bayou.errors import BadQuestion, UnknownState


def survey() -> bayou.Network:
    """Age, in tens of years, with an effect on two tests."""
    random = np.random.default_rng(5)
    return bayou.Network(
        "age -> xray; age -> blood",
        states={"age": [30, 40, 50, 60], "xray": ["normal", "spot", "blurred"], "blood": ["low", "high"]},
        tables={
            "age": random.dirichlet([1] * 4),
            "xray": random.dirichlet([1] * 3, 4),
            "blood": random.dirichlet([1, 1], 4),
        },
    )


def by_hand(net: bayou.Network, allowed: dict[Any, list[Any]]) -> tuple[np.ndarray, float]:
    """The joint table with all cells 0 whose states are not allowed, normalised; and its sum before."""
    joint = net.joint().to_array().copy()
    states = [net.states(name) for name in net.names]
    for place, row in zip(np.ndindex(joint.shape), product(*states), strict=True):
        if not all(any(row[net.names.index(n)] is s for s in kept) for n, kept in allowed.items()):
            joint[place] = 0
    return joint, float(joint.sum())


@given(networks(most=4), st.data())
@law
def test_sets_are_the_joint_table_without_the_other_states(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.permutations(net.names))
    target, found = names[0], names[1:]
    findings: dict[Any, Any] = {}
    allowed: dict[Any, list[Any]] = {}
    for name in found:
        states = list(net.states(name))
        kept = [s for s in states if data.draw(st.booleans())] or states[:1]
        allowed[name] = kept
        others = [s for s in states if not any(s is one for one in kept)]
        forms = [kept, set(kept), frozenset(kept)] + ([Not(*others)] if others else [])
        if any(s == t for i, s in enumerate(kept) for t in kept[:i]):
            forms = forms[:1]  # a set holds only one of 1 and True
        findings[name] = data.draw(st.sampled_from(forms))
    joint, total = by_hand(net, allowed)
    if total == 0:
        with pytest.raises(bayou.errors.ImpossibleEvidence):
            net.query(target, findings)
        return
    axis = net.names.index(target)
    expected = joint.sum(axis=tuple(k for k in range(joint.ndim) if k != axis)) / total
    answer = net.query(target, findings)
    assert answer.to_array() == pytest.approx(expected, abs=1e-12)
    assert answer.to_array().sum() == pytest.approx(1, abs=1e-12)
    assert net.marginals(findings)[target].to_array() == pytest.approx(expected, abs=1e-12)
    assert net.log_evidence(findings) == pytest.approx(math.log(total), abs=1e-10)


PAIRS = [
    ({"xray": Not("normal")}, "xray!=normal", "xray≠normal"),
    ({"age": {50, 40}}, "age in {40, 50}", "age in {40, 50}"),
    ({"age": [50, 40]}, "age in {50, 40}", "age in {50, 40}"),
    ({"age": frozenset([40])}, "age in {40}", "age in {40}"),
    ({"age": Not(30, 40)}, "age not in {30, 40}", "age not in {30, 40}"),
    ({"age": Not([30, 40]), "xray": "spot"}, "age not in {30, 40}, xray=spot", None),
]
VERBS: list[Callable[..., Any]] = [
    lambda net, target, *findings: net.query(target, *findings).title,
    lambda net, target, *findings: net.query(target, *findings).to_dict(),
    lambda net, target, *findings: net.working(target, *findings),
    lambda net, target, *findings: str(net.plan(target, *findings)),
    lambda net, target, *findings: str(net.messages(target, *findings)),
    lambda net, target, *findings: str(net.explain(target, *findings)),
    lambda net, target, *findings: net.query(target, *findings, engine="weighting", seed=1).to_dict(),
]


@pytest.mark.parametrize(("findings", "text", "shown"), PAIRS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_set_is_the_same_as_an_argument_and_in_the_text(
    verb: Callable[..., Any], findings: dict[str, Any], text: str, shown: str | None
) -> None:
    net = survey()
    assert verb(net, "blood", findings) == verb(net, f"blood | {text}")
    assert shown is None or net.query("blood", findings).title == f"P(blood | {shown})"


@pytest.mark.parametrize(("findings", "text", "shown"), PAIRS)
def test_verbs_without_text_take_a_set_as_the_likelihood_that_it_is(
    findings: dict[str, Any], text: str, shown: str | None
) -> None:
    net = survey()
    weights: dict[str, Any] = {}
    for name, value in findings.items():
        kept = [s for s in net.states(name) if s not in value.states] if isinstance(value, Not) else value
        kept = [kept] if isinstance(kept, str) else kept
        weights[name] = [float(state in kept) for state in net.states(name)]
    assert net.log_evidence(findings) == pytest.approx(net.log_evidence({}, likelihood=weights))
    one, other = net.most_probable(findings), net.most_probable(likelihood=weights)
    assert {"blood": "x", **one.states}.keys() <= set(net.names)
    assert one.log_probability == pytest.approx(other.log_probability)
    strengths = net.finding_strength("blood", findings), net.finding_strength("blood", likelihood=weights)
    assert [f.weight for f in strengths[0].findings] == pytest.approx(
        [f.weight for f in strengths[1].findings]
    )
    assert shown is None or f"\n{shown} " in str(strengths[0])
    derivatives = [
        net.sensitivity("blood", "low", f, table="age", likelihood=w).derivatives
        for f, w in ((findings, None), (None, weights))
    ]
    assert derivatives[0] == pytest.approx(derivatives[1])
    rows = net.sample(200, given=findings, seed=3)
    for name, weight in weights.items():
        possible = {state for state, w in zip(net.states(name), weight, strict=True) if w}
        assert set(rows[name].tolist()) <= possible
    assert net.junction_tree(findings).width == net.junction_tree(likelihood=weights).width


def test_a_set_of_all_states_is_no_finding() -> None:
    net = survey()
    for findings in ({"age": [30, 40, 50, 60]}, {"age": {30, 40, 50, 60}}):
        assert net.query("blood", findings).title == "P(blood)"
        assert net.query("blood", findings).to_dict() == net.query("blood").to_dict()
    assert net.query("blood | age in {30, 40, 50, 60}").title == "P(blood)"


def test_the_variable_itself_may_be_asked_for() -> None:
    net = survey()
    prior = net.query("age").to_array()
    expected = np.array([0, prior[1], prior[2], 0]) / prior[1:3].sum()
    assert net.query("age", {"age": {40, 50}}).to_array() == pytest.approx(expected)


def test_a_set_and_a_likelihood_of_one_variable_both_hold() -> None:
    net = survey()
    both = net.query("blood", {"age": {40, 50}}, likelihood={"age": [1, 2, 3, 4]})
    assert both.to_array() == pytest.approx(net.query("blood", likelihood={"age": [0, 2, 3, 0]}).to_array())
    assert both.title == "P(blood | age in {40, 50}, likelihood of age)"


def test_a_state_that_is_a_set_is_one_state() -> None:
    pair, other = frozenset({1, 2}), frozenset({3})
    net = bayou.Network("a -> b", states={"a": [pair, other], "b": [0, 1]})
    net.set_cpt("a", [0.3, 0.7]).set_cpt("b", [[0.9, 0.1], [0.2, 0.8]])
    assert net.query("b", {"a": pair})[0] == pytest.approx(0.9)
    assert net.query("b", {"a": {pair, other}})[0] == pytest.approx(0.3 * 0.9 + 0.7 * 0.2)
    assert net.query("b", {"a": Not(pair)})[0] == pytest.approx(0.2)


def test_numbers_stand_for_their_intervals() -> None:
    net = bayou.Network("age -> ill", states={"age": bayou.Cuts([30, 50]), "ill": ["no", "yes"]})
    net.set_cpt("age", [0.2, 0.5, 0.3]).set_cpt("ill", [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    answer = net.query("ill", {"age": [20, 40]})
    assert answer.title == "P(ill | age in {up to 30, 30 to 50})"
    assert answer["yes"] == pytest.approx((0.2 * 0.1 + 0.5 * 0.5) / 0.7)
    assert net.query("ill", {"age": Not(70)}).to_dict() == pytest.approx(answer.to_dict())


@pytest.mark.parametrize(
    ("findings", "kind", "message"),
    [
        ({"age": set()}, BadQuestion, "names no state: leave at least one possible"),
        ({"age": []}, BadQuestion, "names no state"),
        ({"xray": Not("normal", "spot", "blurred")}, BadQuestion, "excludes every state of 'xray'"),
        ({"xray": {"normla", "spot"}}, UnknownState, "Did you mean 'normal'"),
        ({"xray": Not("spott")}, UnknownState, "Did you mean 'spot'"),
        ({"age": [40, None]}, UnknownState, "None is not a state of 'age'"),
        ({"age": [[40, 50]]}, UnknownState, "is not a state of 'age'"),
    ],
)
def test_sets_that_cannot_be(findings: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        survey().query("blood", findings)
    with pytest.raises(kind, match=message):
        survey().sample(3, given=findings)


def test_text_that_excludes_every_state_is_refused() -> None:
    with pytest.raises(BadQuestion, match="excludes every state of 'xray'"):
        survey().query("blood | xray not in {normal, spot, blurred}")


def test_numbers_and_interventions_take_no_sets() -> None:
    net = bayou.Network("kind -> x", states={"kind": ["a", "b"]}, continuous=["x"])
    net.set_cpt("kind", [0.5, 0.5]).set_gaussian("x", {"a": (0, 1), "b": (1, 1)})
    for value in ({1.0, 2.0}, [1.0], frozenset([1.0]), Not(1.0)):
        with pytest.raises(BadQuestion, match="'x' has no states, of which several could be possible"):
            net.query("kind", {"x": value})
        with pytest.raises(UnknownState, match="sets 'x' to one value"):
            net.query("kind", do={"x": value})
    for value in ({"a", "b"}, ["a"], Not("a")):
        with pytest.raises(UnknownState, match="Ask once for each state"):
            net.query("x", do={"kind": value})
    with pytest.raises(BadQuestion, match="both observed and set by do"):
        survey().query("blood", {"age": {30, 40}}, do={"age": 30})
    with pytest.raises(BadQuestion, match="Not\\(\\) excludes no state"):
        Not()


def test_not_is_a_value() -> None:
    assert Not("a", "b") == Not(["a", "b"]) == Not({"b", "a"})
    assert len({Not("a"), Not("a")}) == 1
    assert repr(Not("a", 3)) == "Not('a', 3)"
