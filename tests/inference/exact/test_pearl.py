"""Pearl's message passing against sums over the joint table, reference posteriors and what it must refuse."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import NAMES, STATES, law, random_rows, seeds
from tests.laws.test_inference_laws import by_hand, questions
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide


@st.composite
def polytrees(draw: st.DrawFn, most: int = 6) -> bayou.Network:
    """Trees (sometimes forests) whose arcs point either way, with hostile names and some zeros."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    parents: dict[Any, list[Any]] = {name: [] for name in names}
    for position in range(1, len(names)):
        joined = draw(st.integers(-1, position - 1))
        if joined >= 0:
            child, parent = draw(st.permutations([names[position], names[joined]]))
            parents[child].append(parent)
    domains = {name: draw(st.sampled_from(STATES)) for name in names}
    random, zeros = draw(seeds()), draw(st.sampled_from([0.0, 0.0, 0.3]))
    tables = {}
    for name in names:
        shape = (*(len(domains[parent]) for parent in parents[name]), len(domains[name]))
        tables[name] = random_rows(random, shape, zeros)
    return bayou.Network(bayou.Dag(draw(st.permutations(names)), parents), states=domains, tables=tables)


@given(polytrees(), st.data())
@law
def test_messages_answer_what_the_joint_table_says(net: bayou.Network, data: st.DataObject) -> None:
    question = data.draw(questions(net))
    targets, evidence, likelihood, do = question
    table, total = by_hand(net, question)
    if total == 0:
        with pytest.raises(ImpossibleEvidence):
            net.query(targets, evidence, likelihood=likelihood, do=do, engine="messages")
        return
    posterior = net.query(targets, evidence, likelihood=likelihood, do=do, engine="messages")
    np.testing.assert_allclose(posterior.to_array(), table / total, rtol=1e-10, atol=1e-13)
    if evidence or likelihood:
        assert posterior.log_evidence == pytest.approx(np.log(total), rel=1e-10, abs=1e-12)


@given(polytrees(), st.data())
@law
def test_pi_and_lambda_are_the_probabilities_that_they_stand_for(
    net: bayou.Network, data: st.DataObject
) -> None:
    """π(x) · λ(x) = P(x, findings) at every variable of a connected polytree."""
    question = data.draw(questions(net))
    _, evidence, likelihood, do = question
    if by_hand(net, question)[1] == 0:
        return
    tree = net.messages(question[0][0], evidence, likelihood=likelihood, do=do).propagation
    if len(tree.roots) > 1:
        return
    for name in tree.nodes:
        expected, _ = by_hand(net, ([name], evidence, likelihood, do))
        both = tree.pi(name).values * tree.lambda_(name).values * np.exp(tree.log_constant)
        np.testing.assert_allclose(both, expected, rtol=1e-10, atol=1e-13)


@functools.cache
def network(name: str) -> bayou.Network:
    return bayou.load(SHARED / "networks" / f"{name}.bif.gz")


@needs_shared_data
@pytest.mark.parametrize("name", ["cancer", "earthquake"])
def test_reference_posteriors_of_polytrees(name: str) -> None:
    for case in shared_json(f"reference/{name}.json.gz")["cases"]:
        for target, expected in case["posteriors"].items():
            soft = case.get("soft_evidence")
            found = network(name).query(target, case["evidence"], likelihood=soft, engine="messages")
            np.testing.assert_allclose(found.to_array(), expected, rtol=1e-9, atol=1e-12)
            assert found.log_evidence == pytest.approx(case["log_evidence"], rel=1e-9, abs=1e-10)


def test_a_circle_is_named_with_its_arrows() -> None:
    net = bayou.Network("Wolke -> Regen, Sprenger; Regen, Sprenger -> nasses Gras; nasses Gras -> Fuß")
    for name in net.names:
        sizes = [2] * (len(net.parents(name)) + 1)
        net = (
            bayou.Network(net.dag, states={n: ["ja", "nein"] for n in net.names}) if name == "Wolke" else net
        )
        net.set_cpt(name, np.full(sizes, 0.5))
    with pytest.raises(BadQuestion) as caught:
        net.query("Fuß", engine="messages")
    message = str(caught.value)
    assert all(name in message for name in ("Wolke", "Regen", "Sprenger", "nasses Gras"))
    assert "Fuß" not in message
    assert "->" in message
    assert "<-" in message
    # Without the common effect the circle is not there, nor when do() cuts it.
    assert net.query("Regen", {"Sprenger": "ja"}, engine="messages")["ja"] == pytest.approx(0.5)
    assert net.query("Fuß", do={"Regen": "ja"}, engine="messages")["ja"] == pytest.approx(0.5)


def test_a_chain_of_a_thousand_findings_does_not_underflow() -> None:
    n = 1000
    states = {f"{kind}{k}": ["a", "b"] for k in range(n) for kind in ("x", "y")}
    arcs = [(f"x{k}", f"x{k + 1}") for k in range(n - 1)] + [(f"x{k}", f"y{k}") for k in range(n)]
    share = {"move": [f"x{k}" for k in range(1, n)], "see": [f"y{k}" for k in range(n)]}
    net = bayou.Network(arcs, states=states, share=share)
    net.set_cpt("x0", [0.5, 0.5]).set_cpt("x1", [[0.9, 0.1], [0.2, 0.8]])
    net.set_cpt("y0", [[0.3, 0.7], [0.4, 0.6]])
    given = {f"y{k}": "a" if k % 3 else "b" for k in range(n)}
    found, expected = (net.query("x500", given, engine=engine) for engine in ("messages", "compiled"))
    np.testing.assert_allclose(found.to_array(), expected.to_array(), rtol=1e-11)
    assert found.log_evidence == pytest.approx(expected.log_evidence, rel=1e-12)
    assert found.log_evidence < -600


def test_observed_real_numbers_send_their_densities_up() -> None:
    net = bayou.Network("Sorte -> Länge", states={"Sorte": ["x", "y"]}, continuous=["Länge"])
    net.set_cpt("Sorte", [0.25, 0.75]).set_gaussian("Länge", {"x": (0.0, 1.0), "y": (3.0, 4.0)})
    found, expected = (net.query("Sorte", {"Länge": 1.5}, engine=e) for e in ("messages", "compiled"))
    np.testing.assert_allclose(found.to_array(), expected.to_array(), rtol=1e-12)
    assert found.log_evidence == pytest.approx(expected.log_evidence)
    with pytest.raises(BadQuestion, match="real-valued variable 'Länge'"):
        net.query("Länge", engine="messages")


def test_joint_posteriors_of_too_many_targets_are_refused() -> None:
    names = [f"v{k}" for k in range(20)]
    net = bayou.Network("; ".join(names), states={name: ["a", "b"] for name in names})
    for name in names:
        net.set_cpt(name, [0.5, 0.5])
    with pytest.raises(TooWide, match=r"524,288 runs.*compiled"):
        net.query(names, engine="messages")
