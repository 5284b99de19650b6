"""Every answer equals the sum over the joint table, computed here by hand from the network's tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import joint_by_hand, law, networks

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence

Question = tuple[list[Any], dict[Any, Any], dict[Any, list[float]], dict[Any, Any]]


@st.composite
def questions(draw: st.DrawFn, net: bayou.Network) -> Question:
    """Targets, findings, likelihoods and interventions on different variables (likelihoods on any)."""
    names = draw(st.permutations(net.names))
    targets = names[: draw(st.integers(1, min(3, len(names))))]
    rest = names[len(targets) :]
    cut = draw(st.integers(0, len(rest)))
    evidence = {name: draw(st.sampled_from(net.states(name))) for name in rest[:cut]}
    do = {name: draw(st.sampled_from(net.states(name))) for name in rest[cut:] if draw(st.booleans())}
    soft = [name for name in names if draw(st.booleans())]
    weight = st.sampled_from([0.0, 0.1, 1.0, 7.5])
    likelihood = {name: [draw(weight) for _ in net.states(name)] for name in soft[:2]}
    return targets, evidence, likelihood, do


def by_hand(net: bayou.Network, question: Question) -> tuple[np.ndarray, float]:
    """The table of the targets, not normalised, and its sum."""
    targets, evidence, likelihood, do = question
    place = {name: position for position, name in enumerate(net.names)}
    codes_seen = {place[name]: net.variables[name].code(state) for name, state in evidence.items()}
    table = np.zeros([len(net.states(name)) for name in targets])
    for codes, probability in joint_by_hand(net, do).items():
        if all(codes[position] == code for position, code in codes_seen.items()):
            for name, weights in likelihood.items():
                probability *= weights[codes[place[name]]]
            table[tuple(codes[place[name]] for name in targets)] += probability
    return table, float(table.sum())


@given(networks(), st.data())
@law
def test_both_engines_answer_what_the_joint_table_says(net: bayou.Network, data: st.DataObject) -> None:
    question = data.draw(questions(net))
    targets, evidence, likelihood, do = question
    table, total = by_hand(net, question)
    for engine in ("elimination", "enumeration"):
        if total == 0:
            with pytest.raises(ImpossibleEvidence):
                net.query(targets, evidence, likelihood=likelihood, do=do, engine=engine)
            continue
        posterior = net.query(targets, evidence, likelihood=likelihood, do=do, engine=engine)
        assert posterior.names == tuple(targets)
        np.testing.assert_allclose(posterior.to_array(), table / total, rtol=1e-12, atol=1e-15)
        assert posterior.to_array().sum() == pytest.approx(1, abs=1e-12)
        assert posterior.log_evidence == pytest.approx(np.log(total), rel=1e-12, abs=1e-12)


@given(networks(), st.data())
@law
def test_the_order_of_targets_and_findings_does_not_matter(net: bayou.Network, data: st.DataObject) -> None:
    targets, evidence, likelihood, do = data.draw(questions(net))
    if by_hand(net, (targets, evidence, likelihood, do))[1] == 0:
        return
    first = net.query(targets, evidence, likelihood=likelihood, do=do)
    other = data.draw(st.permutations(targets))
    moved = {name: evidence[name] for name in reversed(evidence)}
    second = net.query(other, moved, likelihood=likelihood, do=do)
    order = [targets.index(name) for name in other]
    np.testing.assert_allclose(second.to_array(), first.to_array().transpose(order), rtol=1e-12)


@given(networks(), st.data())
@law
def test_all_marginals_are_the_single_posteriors(net: bayou.Network, data: st.DataObject) -> None:
    row = net.sample(1, seed=data.draw(st.integers(0, 99))).to_dicts()[0]
    seen = {name: row[name] for name in data.draw(st.sets(st.sampled_from(net.names)))}
    marginals = net.marginals(seen)
    assert set(marginals) == set(net.names) - set(seen)
    for name, posterior in marginals.items():
        np.testing.assert_allclose(posterior.to_array(), net.query(name, seen).to_array(), atol=1e-12)
        assert posterior.log_evidence == pytest.approx(net.log_evidence(seen), rel=1e-12, abs=1e-12)


@given(networks(), st.data())
@law
def test_the_probability_of_a_row_with_gaps_sums_over_them(net: bayou.Network, data: st.DataObject) -> None:
    rows = []
    for _ in range(data.draw(st.integers(1, 6))):
        cells = [data.draw(st.sampled_from([None, *net.states(name)])) for name in net.names]
        rows.append(cells)
    joint = joint_by_hand(net)
    expected = []
    for cells in rows:
        codes = [
            None if cell is None else net.variables[name].code(cell)
            for name, cell in zip(net.names, cells, strict=True)
        ]
        expected.append(
            sum(
                p
                for full, p in joint.items()
                if all(c in (None, f) for c, f in zip(codes, full, strict=True))
            )
        )
    table = {name: [cells[k] for cells in rows] for k, name in enumerate(net.names)}
    np.testing.assert_allclose(np.exp(net.log_probability(table)), expected, rtol=1e-12)
    for cells, probability in zip(rows, expected, strict=True):
        assignment = dict(zip(net.names, cells, strict=True))
        assert np.exp(net.log_probability(assignment)) == pytest.approx(probability, rel=1e-12)


@given(networks())
@law
def test_the_joint_table_is_the_product_of_the_tables_and_sums_to_one(net: bayou.Network) -> None:
    joint = net.joint()
    by_codes = joint_by_hand(net)
    assert joint.to_array().sum() == pytest.approx(1, abs=1e-12)
    for codes, probability in by_codes.items():
        assert joint.to_array()[codes] == pytest.approx(probability, rel=1e-12)


@given(networks(), st.data())
@law
def test_what_the_arcs_separate_is_independent_in_the_joint(net: bayou.Network, data: st.DataObject) -> None:
    names = data.draw(st.permutations(net.names))
    if len(names) < 2:
        return
    left, right, given_names = names[0], names[1], names[2 : 2 + data.draw(st.integers(0, 2))]
    if net.d_separated(left, right, given=given_names):
        assert net.joint().independent(left, right, given=given_names, tolerance=1e-9)


@given(networks())
@law
def test_local_independencies_and_markov_blankets_hold(net: bayou.Network) -> None:
    joint = net.joint()
    for statement in net.local_independencies():
        assert joint.independent(statement.left, statement.right, given=statement.given, tolerance=1e-9), (
            statement
        )
    for name in net.names:
        blanket = net.markov_blanket(name)
        others = [other for other in net.names if other != name and other not in blanket]
        if others:
            assert net.d_separated(name, others, given=blanket)


def test_a_query_for_nothing_is_refused() -> None:
    net = bayou.Network("a", tables={"a": {"x": 0.5, "y": 0.5}})
    with pytest.raises(BadQuestion, match="at least one variable"):
        net.query([])


@pytest.mark.parametrize("weights", ["ab", {"x": "much", "y": 1}, {"x": 1}, [1, 2, 3], 4, [[1, 2]], [1, -2]])
def test_likelihoods_that_are_no_weights_are_refused_by_name(weights: Any) -> None:
    net = bayou.Network("a -> b", states={"a": ["x", "y"], "b": ["x", "y"]})
    net.set_cpt("a", [0.5, 0.5]).set_cpt("b", [[0.5, 0.5], [0.1, 0.9]])
    with pytest.raises(BadQuestion, match="'a'"):
        net.query("b", likelihood={"a": weights})
