"""Loopy propagation as an engine: exact on polytrees, close on classic networks, honest elsewhere."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.exact.test_pearl import polytrees
from tests.laws.strategies import law
from tests.laws.test_inference_laws import by_hand, questions
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BadQuestion, BayouWarning, ImpossibleEvidence, TooWide


@given(polytrees(), st.data())
@law
def test_polytrees_are_answered_exactly(net: bayou.Network, data: st.DataObject) -> None:
    question = data.draw(questions(net))
    targets, evidence, likelihood, do = question
    table, total = by_hand(net, question)
    given: dict[str, Any] = {"likelihood": likelihood, "do": do, "engine": "loopy"}
    if total == 0:
        with pytest.raises(ImpossibleEvidence):
            net.query(targets, evidence, **given)
        return
    posterior = net.query(targets, evidence, **given)
    np.testing.assert_allclose(posterior.to_array(), table / total, rtol=1e-9, atol=1e-12)
    assert posterior.convergence.is_exact
    if evidence or likelihood:
        assert posterior.log_evidence == pytest.approx(np.log(total), rel=1e-9, abs=1e-9)


@given(polytrees(), st.data())
@law
def test_all_marginals_of_a_polytree_are_exact(net: bayou.Network, data: st.DataObject) -> None:
    question = data.draw(questions(net))
    _, evidence, likelihood, do = question
    if by_hand(net, question)[1] == 0:
        return
    found = net.marginals(evidence, likelihood=likelihood, do=do, engine="loopy")
    expected = net.marginals(evidence, likelihood=likelihood, do=do)
    assert list(found) == list(expected)
    for name, table in expected.to_arrays().items():
        np.testing.assert_allclose(found.to_arrays()[name], table, rtol=1e-9, atol=1e-12)
    assert found.log_evidence == pytest.approx(expected.log_evidence, rel=1e-9, abs=1e-9)
    assert found.converged


@needs_shared_data
@pytest.mark.parametrize("name", ["cancer", "earthquake"])
def test_reference_posteriors_of_polytrees(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    for case in shared_json(f"reference/{name}.json.gz")["cases"]:
        for target, expected in case["posteriors"].items():
            soft = case.get("soft_evidence")
            found = net.query(target, case["evidence"], likelihood=soft, engine="loopy")
            np.testing.assert_allclose(found.to_array(), expected, rtol=1e-9, atol=1e-12)
            assert found.log_evidence == pytest.approx(case["log_evidence"], rel=1e-9, abs=1e-9)


@needs_shared_data
@pytest.mark.parametrize(("name", "error"), [("alarm", 0.02), ("insurance", 0.03), ("child", 0.01)])
def test_classic_networks_are_answered_closely(name: str, error: float) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    for seed in range(5):
        drawn = net.sample(1, seed=seed).to_dicts()[0]
        given = {key: drawn[key] for key in list(drawn)[seed::9][:4]}
        found, expected = net.marginals(given, engine="loopy"), net.marginals(given)
        assert found.converged
        gaps = [np.abs(found.to_arrays()[key] - table).mean() for key, table in expected.to_arrays().items()]
        assert np.mean(gaps) < error
        assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1.0)


def test_one_variable_alone_and_among_all_have_the_same_answer() -> None:
    net = bayou.random_network(30, states=(2, 4), arcs=50, seed=4)
    given = {"X3": "s1", "X17": "s2", "X29": "s1"}
    everything = net.marginals(given, engine="loopy")
    for name in ("X1", "X12", "X30"):
        alone = net.query(name, given, engine="loopy")
        np.testing.assert_allclose(alone.to_array(), everything[name].to_array(), atol=1e-7)


def test_noisy_nodes_are_chains_of_small_tables() -> None:
    """A noisy-OR of 30 causes has 2³¹ cells as a table; two effects of disjoint causes are a tree."""
    causes = [f"c{k}" for k in range(40)]
    arcs = [(cause, "fever" if k < 30 else "cough") for k, cause in enumerate(causes)]
    net = bayou.Network(
        arcs,
        states={name: ["no", "yes"] for name in [*causes, "fever", "cough"]},
    )
    for k, cause in enumerate(causes):
        net.set_cpt(cause, [0.9 - 0.01 * k, 0.1 + 0.01 * k])
    net.set_cpt("fever", bayou.NoisyOr({c: 0.3 + 0.01 * k for k, c in enumerate(causes[:30])}, leak=0.02))
    net.set_cpt("cough", bayou.NoisyOr(dict.fromkeys(causes[30:], 0.6), leak=0.1))
    for seen in ({"fever": "yes"}, {"fever": "no", "cough": "yes"}, {}):
        found, expected = net.marginals(seen, engine="loopy"), net.marginals(seen)
        for name, table in expected.to_arrays().items():
            np.testing.assert_allclose(found.to_arrays()[name], table, rtol=1e-9)
        assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-9)


def numbers_network() -> bayou.Network:
    net = bayou.Network(
        "Art -> x; Art -> y; Art -> z", states={"Art": ["a", "b", "c"]}, continuous=["x", "y", "z"]
    )
    net.set_cpt("Art", [0.2, 0.3, 0.5])
    net.set_gaussian("x", {"a": (-1, 1), "b": (1, 1), "c": (3, 0.01)})
    net.set_gaussian("y", {"a": (9, 0.01), "b": (-9, 0.01), "c": (0, 0.01)})
    return net.set_gaussian("z", {"a": (0, 1), "b": (1, 2), "c": (2, 1)})


@pytest.mark.parametrize("given", [{"x": 0.3}, {"x": 40.0, "y": -30.0}, {"x": -90.0, "y": 40.0, "z": 1.0}])
def test_numbers_may_be_given_however_far_out(given: dict[str, float]) -> None:
    net = numbers_network()
    found, expected = (net.query("Art", given, engine=engine) for engine in ("loopy", "compiled"))
    np.testing.assert_allclose(found.to_array(), expected.to_array(), rtol=1e-9, atol=1e-12)
    assert found.log_evidence == pytest.approx(expected.log_evidence, rel=1e-9)


def test_numbers_are_not_asked_for() -> None:
    net = numbers_network()
    with pytest.raises(BadQuestion, match="discrete variables, and 'x'"):
        net.query("x", {"Art": "a"}, engine="loopy")
    given = {"x": 1.0, "y": 0.0}
    for findings in (given, {**given, "z": 2.0}):  # marginals leave numbers out
        found = net.marginals(findings, engine="loopy")
        assert "z" not in found
        np.testing.assert_allclose(
            found["Art"].to_array(), net.marginals(findings)["Art"].to_array(), rtol=1e-9
        )


def test_the_verdict_is_there_and_printed() -> None:
    storm = bayou.examples.storm()
    found = storm.query("Storm", {"ForestFire": "yes"}, engine="loopy")
    assert (found.converged, found.convergence.is_exact) == (True, False)
    assert 1 < found.iterations < 100
    assert 0 <= found.residual <= 1e-9
    assert f"Approximate: loopy propagation converged after {found.iterations} sweeps" in str(found)
    assert "Approximate: loopy" in found._repr_html_()
    everything = storm.marginals({"ForestFire": "yes"}, engine="loopy")
    assert str(everything).endswith(str(everything.convergence))
    assert everything["Storm"].converged
    assert "Approximate: loopy" in everything._repr_html_()
    cut = storm.query("Storm", {"Lightning": "yes", "Campfire": "no"}, engine="loopy")
    assert str(cut).splitlines()[-1].startswith("Exact: loopy propagation met no cycle")
    exact = storm.query("Storm", {"ForestFire": "yes"})
    assert (exact.converged, exact.iterations, exact.residual, exact.convergence) == (None,) * 4
    assert "loopy" not in str(exact)


def spin_glass(seed: int, spins: int, strength: float) -> tuple[bayou.Network, dict[str, str]]:
    """Coins, and witnesses that say of each pair whether it is equal: often they contradict each other."""
    random = np.random.default_rng(seed)
    coins = [f"s{k}" for k in range(spins)]
    pairs = [(a, b) for k, a in enumerate(coins) for b in coins[k + 1 :]]
    arcs = [(coin, f"{a}{b}") for a, b in pairs for coin in (a, b)]
    net = bayou.Network(arcs, states={n: ["no", "yes"] for n in [*coins, *(a + b for a, b in pairs)]})
    for coin in coins:
        net.set_cpt(coin, [0.5, 0.5])
    for a, b in pairs:
        same, other = (strength, 1 - strength) if random.random() < 0.5 else (1 - strength, strength)
        same, other = same + 0.001 * random.random(), other
        net.set_cpt(
            f"{a}{b}", [[[1 - same, same], [1 - other, other]], [[1 - other, other], [1 - same, same]]]
        )
    for coin in coins:
        net.set_cpt(coin, [0.4, 0.6] if random.random() < 0.5 else [0.55, 0.45])
    return net, {a + b: "yes" for a, b in pairs}


def test_messages_that_never_settle_are_marked_and_warned_of() -> None:
    net, given = spin_glass(3, 8, 0.99)
    with pytest.warns(BayouWarning, match=r"did not converge in \d+ sweeps .*exact engine"):
        found = net.query("s0", given, engine="loopy")
    assert found.converged is False
    assert found.residual > 1e-9
    assert found.to_array().sum() == pytest.approx(1)
    assert "Not to be trusted" in str(found)
    with pytest.warns(BayouWarning, match="did not converge"):
        assert net.marginals(given, engine="loopy").converged is False


def test_findings_that_zeros_exclude_are_named() -> None:
    net = bayou.Network(
        "A -> B; A -> C; B, C -> D",
        states={name: ["no", "yes"] for name in "ABCD"},
        tables={
            "A": [0.5, 0.5],
            "B": [[0.9, 0.1], [0.0, 1.0]],
            "C": [[0.5, 0.5], [0.2, 0.8]],
            "D": [[[0.5, 0.5], [0.1, 0.9]], [[0.3, 0.7], [0.6, 0.4]]],
        },
    )
    with pytest.raises(ImpossibleEvidence, match="A=yes, B=no"):
        net.query("D", {"A": "yes", "B": "no", "C": "yes"}, engine="loopy")
    with pytest.raises(ImpossibleEvidence, match="A=yes, B=no"):
        net.marginals({"A": "yes", "B": "no"}, engine="loopy")


def test_a_joint_posterior_follows_the_chain_rule() -> None:
    storm = bayou.examples.storm()
    given = {"ForestFire": "yes"}
    both = storm.query(["Storm", "Campfire"], given, engine="loopy")
    first = storm.query("Storm", given, engine="loopy")
    np.testing.assert_allclose(both.to_array().sum(axis=1), first.to_array(), rtol=1e-12)
    for k, state in enumerate(storm.states("Storm")):
        second = storm.query("Campfire", {**given, "Storm": state}, engine="loopy")
        np.testing.assert_allclose(both.to_array()[k], first[state] * second.to_array(), rtol=1e-12)


def test_what_is_too_large_is_refused_with_its_size() -> None:
    net = bayou.random_network(14, states=4, arcs=20, seed=1)
    with bayou.limits(memory=1000), pytest.raises(TooWide, match="Loopy propagation on tables of"):
        net.query("X1", {"X9": "s1"}, engine="loopy")
    with bayou.limits(work=1e4), pytest.raises(TooWide, match=r"up to .* entries in 1,000 sweeps"):
        net.marginals(engine="loopy")
    with pytest.raises(TooWide, match="16,384 runs of loopy propagation"):
        net.query([f"X{k}" for k in range(1, 9)], engine="loopy")


def test_options_that_need_exact_answers_are_refused() -> None:
    storm = bayou.examples.storm()
    with pytest.raises(BadQuestion, match="verify=True needs an exact answer"):
        storm.query("Storm", engine="loopy", verify=True)
    with pytest.raises(BadQuestion, match="interval= needs an exact answer"):
        storm.query("Storm", engine="loopy", interval=0.9)
    with pytest.raises(BadQuestion, match="interval= needs an exact answer"):
        storm.marginals(engine="loopy", interval=0.9)
    with pytest.raises(BadQuestion, match="marginal= needs an exact answer"):
        storm.query("Storm", marginal={"Thunder": {"yes": 0.7, "no": 0.3}}, engine="loopy")


def test_converged_answers_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayou.examples.storm().marginals({"ForestFire": "yes"}, engine="loopy")
