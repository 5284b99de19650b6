"""Jeffrey's rule against sums over the joint table written out here."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.laws.strategies import joint_by_hand, law, networks

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, NoConvergence, UnknownState, UnknownVariable

ENGINES = ("compiled", "elimination", "enumeration")


def joint_array(net: bayou.Network, evidence: dict[Any, Any]) -> np.ndarray:
    """The joint table with everything that disagrees with the evidence set to 0, normalised."""
    joint = np.zeros([len(net.states(name)) for name in net.names])
    for codes, probability in joint_by_hand(net).items():
        joint[codes] = probability
    for axis, name in enumerate(net.names):
        if name in evidence:
            keep = np.zeros(joint.shape[axis])
            keep[net.variables[name].code(evidence[name])] = 1
            joint = joint * keep.reshape([-1 if k == axis else 1 for k in range(joint.ndim)])
    total = joint.sum()
    return joint / total if total > 0 else joint


def only_axes(joint: np.ndarray, axes: list[int]) -> np.ndarray:
    kept = joint.sum(axis=tuple(k for k in range(joint.ndim) if k not in axes))
    return np.transpose(kept, [sorted(axes).index(axis) for axis in axes])


@given(networks(), st.data())
@law
def test_one_stated_marginal_mixes_the_conditional_posteriors(
    net: bayou.Network, data: st.DataObject
) -> None:
    names = data.draw(st.permutations(net.names))
    stated_name, target, rest = names[0], names[-1], names[1:-1]
    evidence = {name: data.draw(st.sampled_from(net.states(name))) for name in rest[:1]}
    joint = joint_array(net, evidence)
    assume(joint.sum() > 0)
    place = {name: axis for axis, name in enumerate(net.names)}
    now = only_axes(joint, [place[stated_name]])
    weights = np.where(now > 0, [data.draw(st.sampled_from([0.0, 0.5, 1.0, 3.0])) for _ in now], 0.0)
    assume(weights.sum() > 0)
    wanted = weights / weights.sum()
    table = only_axes(joint, [place[stated_name], place[target]]) if target != stated_name else np.diag(now)
    rows = np.divide(table, now[:, None], out=np.zeros_like(table), where=now[:, None] > 0)
    for engine in ENGINES:
        found = net.query(target, evidence, marginal={stated_name: wanted}, engine=engine)
        np.testing.assert_allclose(found.to_array(), wanted @ rows, rtol=1e-9, atol=1e-12)


@given(networks(most=4), st.data())
@law
def test_several_marginals_are_fitted_as_on_the_joint_table(net: bayou.Network, data: st.DataObject) -> None:
    joint = joint_array(net, {})
    assume(joint.min() > 0 and len(net.names) > 1)
    names = data.draw(st.permutations(net.names))[: data.draw(st.integers(2, 3))]
    wanted = {}
    for name in names:
        weights = np.array([data.draw(st.sampled_from([0.3, 1.0, 2.0])) for _ in net.states(name)])
        wanted[name] = weights / weights.sum()
    fitted = joint
    for _ in range(300):
        for name in reversed(names):
            axis = net.names.index(name)
            factor = wanted[name] / only_axes(fitted, [axis])
            fitted = fitted * factor.reshape([-1 if k == axis else 1 for k in range(joint.ndim)])
    for engine in ENGINES:
        for order in itertools.islice(itertools.permutations(names), 2):
            found = net.query(net.names, marginal={n: wanted[n] for n in order}, engine=engine)
            np.testing.assert_allclose(found.to_array(), fitted, rtol=1e-8, atol=1e-11)
            for name in names:
                np.testing.assert_allclose(found.marginal(name).to_array(), wanted[name], atol=1e-11)


def test_more_marginals_than_one_table_holds_are_fitted_by_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    net = bayou.examples.storm()
    wanted = {"Storm": {"yes": 0.4, "no": 0.6}, "Thunder": {"yes": 0.3, "no": 0.7}}
    by_table = net.query("Lightning", marginal=wanted).to_array()
    monkeypatch.setattr("bayou.inference.jeffrey.LARGEST_TABLE", 0)
    np.testing.assert_allclose(net.query("Lightning", marginal=wanted).to_array(), by_table, atol=1e-11)


def test_a_likelihood_moves_a_variable_and_a_marginal_places_it() -> None:
    net = bayou.examples.storm()
    weights = {"yes": 0.7, "no": 0.3}
    assert net.query("Storm", marginal={"Storm": weights})["yes"] == pytest.approx(0.7, abs=1e-14)
    before = net.query("Storm")["yes"]
    moved = 0.7 * before / (0.7 * before + 0.3 * (1 - before))
    assert net.query("Storm", likelihood={"Storm": weights})["yes"] == pytest.approx(moved)
    titled = net.query("Storm", given={"Thunder": "yes"}, marginal={"Campfire": weights})
    assert titled.title == "P(Storm | Thunder=yes, marginal of Campfire=…)"
    assert titled.log_evidence == pytest.approx(net.log_evidence({"Thunder": "yes"}))


CERTAIN = {
    "größe": {"klein": 1.0, "groß": 0.0},
    "copy": {"klein": {1: 1, 2: 0}, "groß": {1: 0, 2: 1}},
}


def test_errors_say_what_is_wrong_with_a_marginal() -> None:
    net = bayou.Network("größe -> copy", tables=CERTAIN)
    with pytest.raises(ImpossibleEvidence, match="gives weight to 'groß', whose probability is 0"):
        net.query("copy", marginal={"größe": [0.5, 0.5]})
    with pytest.raises(BadQuestion, match=r"'copy': …} sums to 1\.1, not to 1.*likelihood="):
        net.query("größe", marginal={"copy": [0.5, 0.6]})
    with pytest.raises(BadQuestion, match="needs a weight for each of"):
        net.query("größe", marginal={"copy": {1: 1.0}})
    with pytest.raises(BadQuestion, match="not negative"):
        net.query("größe", marginal={"copy": [1.5, -0.5]})
    with pytest.raises(UnknownVariable, match="copi"):
        net.query("größe", marginal={"copi": [1, 0]})
    with pytest.raises(UnknownState, match="'3'"):
        net.query("größe", marginal={"copy": {"3": 1, 2: 0}})
    with pytest.raises(BadQuestion, match="already fixed by evidence or do"):
        net.query("größe", {"copy": 1}, marginal={"copy": [1, 0]})
    with pytest.raises(BadQuestion, match="already fixed by evidence or do"):
        net.query("größe", do={"copy": 1}, marginal={"copy": [1, 0]})
    with pytest.raises(BadQuestion, match="marginal= takes a mapping"):
        net.query("größe", marginal=[("copy", [1, 0])])


def test_marginals_that_contradict_each_other_do_not_converge() -> None:
    copying = {"a": [0.5, 0.5], "b": [[1, 0], [0, 1]]}
    net = bayou.Network("a -> b", states={"a": [0, 1], "b": [0, 1]}, tables=copying)
    same = net.query("a", marginal={"a": [0.3, 0.7], "b": [0.3, 0.7]})
    assert same[0] == pytest.approx(0.3)
    for other in ([0.6, 0.4], [1, 0]):
        with pytest.raises(NoConvergence, match="no distribution has the marginals given for a, b"):
            net.query("a", marginal={"a": [0.3, 0.7], "b": other})


def test_what_does_not_settle_says_how_far_off_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.inference.jeffrey.MOST_SWEEPS", 1)
    net = bayou.examples.storm()
    with pytest.raises(NoConvergence, match=r"after 1 rounds .* still off by"):
        net.query(
            "Storm", marginal={"Lightning": {"yes": 0.4, "no": 0.6}, "Thunder": {"yes": 0.3, "no": 0.7}}
        )
