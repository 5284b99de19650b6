"""engine="bounds": the truth is always inside, and the bounds meet when all is explored."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide
from bayou.inference.bounds.bounds_engine import BoundsEngine
from bayou.inference.bounds.mini_buckets import BucketLimits
from bayou.inference.engine_options import EngineOptions
from bayou.inference.question import Question, relevant
from bayou.memory import limits


def random_network(seed: int, variables: int = 7, zeros: float = 0.3) -> bayou.Network:
    """A network whose tables have zeros."""
    random = np.random.default_rng(seed)
    net = bayou.random_network(variables, states=(2, 3), arcs=2 * variables - 3, seed=seed)
    for name in net.names:
        table = net.frozen.table(name).copy()
        table[random.random(table.shape) < zeros] = 0.0
        table[..., 0] += np.where(table.sum(axis=-1) == 0, 1.0, 0.0)
        net.set_cpt(name, table, normalise=True)
    return net


def true_posterior(net: bayou.Network, question: Question) -> list[Fraction] | None:
    """P(target | findings) by enumeration in fractions; None where the findings are impossible."""
    network = net.frozen
    names = relevant(network, question)
    tables = {name: network.table(name) for name in names}
    fixed = {**question.evidence, **question.do}
    free = [name for name in names if name not in fixed]
    sums = [Fraction(0)] * network.schema[question.targets[0]].cardinality
    for states in product(*(range(network.schema[name].cardinality) for name in free)):
        codes: dict[Any, Any] = {**fixed, **dict(zip(free, states, strict=True))}
        value = Fraction(1)
        for name, table in tables.items():
            value *= Fraction(float(table[tuple(codes[member] for member in network.family(name).names)]))
            if not value:
                break
        for name, weights in question.likelihood.items():
            value *= Fraction(float(weights[codes[name]]))
        sums[codes[question.targets[0]]] += value
    total = sum(sums)
    return [one / total for one in sums] if total else None


def answered(net: bayou.Network, question: Question, tuples: int | None, most: BucketLimits) -> Any:
    engine = BoundsEngine(EngineOptions(0, samples=tuples), most)
    return engine.answer(net.frozen, relevant(net.frozen, question), question)


def random_question(net: bayou.Network, random: np.random.Generator) -> Question:
    """A target, two findings, an uncertain one and a variable set by do, in some order of the network."""
    target, a, b, c, d = random.permutation(len(net.names))[:5].tolist()
    names, schema = net.names, net.frozen.schema
    codes = [int(random.integers(schema[names[v]].cardinality)) for v in (a, b, d)]
    weights = random.random(schema[names[c]].cardinality).round(2)
    weights[0] = 0.5
    evidence = {names[a]: codes[0], names[b]: codes[1]}
    return Question((names[target],), evidence, {names[c]: weights}, {names[d]: codes[2]})


@given(st.integers(0, 10**6), st.sampled_from([1, 5, 30]), st.sampled_from([2, 6, 12]))
@settings(max_examples=60, deadline=None)
def test_the_truth_is_inside_whatever_was_explored(seed: int, tuples: int, cells: int) -> None:
    net = random_network(seed)
    question = random_question(net, np.random.default_rng(seed))
    truth = true_posterior(net, question)
    if truth is None:
        with pytest.raises(ImpossibleEvidence):
            answered(net, question, None, BucketLimits(cells))
        return
    found = answered(net, question, tuples, BucketLimits(cells)).estimate
    for low, value, high in zip(found.lower.tolist(), truth, found.upper.tolist(), strict=True):
        assert Fraction(low) <= value <= Fraction(high)
    complete = answered(net, question, None, BucketLimits(cells))
    assert complete.estimate.is_exact
    assert np.allclose(complete.table, [float(value) for value in truth], atol=1e-12)
    for low, value, high in zip(complete.estimate.lower, truth, complete.estimate.upper, strict=True):
        assert Fraction(float(low)) <= value <= Fraction(float(high))


@pytest.mark.parametrize("name", ["alarm", "andes", "insurance", "water", "win95pts"])
@needs_shared_data
@pytest.mark.shared_data
def test_the_exact_answer_is_inside_on_shared_networks(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    network, random = net.frozen, np.random.default_rng(5)
    rows = net.sample(20, seed=5)
    leaves = [one for one in net.names if not list(network.dag.children(one))]
    for row in range(20):
        observed = random.permutation(len(leaves))[:8].tolist()
        given = {leaves[at]: network.schema[leaves[at]].code(rows[leaves[at]][row]) for at in observed}
        free = [one for one in net.names if one not in given]
        question = Question((free[random.integers(len(free))],), given)
        exact = bayou.inference.ask(network, question)
        for tuples in (1, 40):
            found = answered(net, question, tuples, BucketLimits(2**8, width=4)).estimate
            assert (found.lower <= exact.table + 1e-12).all()
            assert (found.upper >= exact.table - 1e-12).all()
            assert found.log_evidence_lower <= exact.log_evidence + 1e-9
            assert found.log_evidence_upper >= exact.log_evidence - 1e-9


def xor_of_coins(coins: int) -> bayou.Network:
    """Coins of which only the parity is observed, through one partial parity after the other."""
    names = [f"c{k}" for k in range(coins)]
    arcs = ["c0 -> p1", *(f"c{k} -> p{k}" for k in range(1, coins))]
    arcs += [f"p{k} -> p{k + 1}" for k in range(1, coins - 1)]
    tables: dict[Any, Any] = {name: {0: 0.5, 1: 0.5} for name in names}
    states = {**{name: [0, 1] for name in names}, **{f"p{k}": [0, 1] for k in range(1, coins)}}
    net = bayou.Network("; ".join(arcs), states=states)
    for name in names:
        net.set_cpt(name, list(tables[name].values()))
    for k in range(1, coins):
        net.set_cpt(f"p{k}", np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    return net


def test_the_xor_of_thirty_coins_is_bounded_and_then_exact() -> None:
    net = xor_of_coins(30)
    assert net.query("c0", {"p29": 1}, engine="bounds").estimate.is_exact
    question = Question(("c0",), {"p29": 1})
    narrow = answered(net, question, 3, BucketLimits(2)).estimate
    assert (narrow.lower <= 0.5).all()
    assert (narrow.upper >= 0.5).all()


def test_copies_of_a_copy_are_known_exactly() -> None:
    net = bayou.Network("a -> b -> c -> d; a -> e -> d", states={name: [0, 1] for name in "abcde"})
    net.set_cpt("a", [0.3, 0.7])
    for name in "bce":
        net.set_cpt(name, np.eye(2))
    net.set_cpt("d", np.array([[[0.9, 0.1], [0.5, 0.5]], [[0.5, 0.5], [0.2, 0.8]]]))
    found = net.query("a", {"d": 1}, engine="bounds")
    assert found[1] == pytest.approx(0.56 / 0.59)
    assert "Exact" in str(found)


def test_very_unlikely_findings_are_no_harder_than_others() -> None:
    net = bayou.Network("a -> x; a -> y; x -> z; y -> z", states={name: [0, 1] for name in "axyz"})
    net.set_cpt("a", [1 - 1e-6, 1e-6]).set_cpt("x", [[1 - 1e-6, 1e-6], [0.5, 0.5]])
    net.set_cpt("y", [[1 - 1e-6, 1e-6], [0.5, 0.5]]).set_cpt(
        "z", [[[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]
    )
    exact = net.query("a", {"z": 1})
    found = net.query("a", {"z": 1}, engine="bounds")
    assert found.estimate.is_exact
    assert found[1] == pytest.approx(exact[1], abs=1e-12)
    assert found.log_evidence == pytest.approx(exact.log_evidence, abs=1e-9)
    few = answered(net, Question(("a",), {"z": 1}), 1, BucketLimits(2)).estimate
    assert (few.lower <= exact.to_array()).all()
    assert (few.upper >= exact.to_array()).all()


def test_as_many_tuples_give_the_same_bits_on_any_number_of_threads() -> None:
    net = bayou.random_network(30, states=(2, 3), arcs=70, seed=4)
    question = Question((net.names[0],), {net.names[-1]: 0, net.names[-2]: 1})
    found = []
    for threads in (1, 2):
        with bayou.threads(threads):
            found.append(answered(net, question, 500, BucketLimits(2**6)).estimate)
    assert found[0].lower.tobytes() == found[1].lower.tobytes()
    assert found[0].upper.tobytes() == found[1].upper.tobytes()
    assert found[0].explored == found[1].explored <= 500


def test_bounds_tighten_as_more_is_explored() -> None:
    net = bayou.random_network(30, states=(2, 3), arcs=70, seed=4)
    question = Question((net.names[0],), {net.names[-1]: 0, net.names[-2]: 1})
    widths = [
        float(answered(net, question, tuples, BucketLimits(2**6)).estimate.margin.max())
        for tuples in (1, 100, 10_000)
    ]
    assert widths[0] >= widths[1] >= widths[2]
    assert widths[2] < widths[0] / 2


def test_what_is_printed_and_asked_for() -> None:
    asia = bayou.examples.asia()
    posterior = asia.query("lung | dysp=yes, asia=yes", engine="bounds", time=60)
    assert str(posterior).splitlines()[1].split() == ["lung", "P", "at", "least", "at", "most"]
    assert "Exact: the bounds differ by at most" in str(posterior)
    assert (posterior.lower <= posterior.to_array()).all()
    assert (posterior.to_array() <= posterior.upper).all()
    assert posterior.trusted
    every = asia.marginals(
        {"dysp": "yes"}, engine="bounds", do={"smoke": "no"}, likelihood={"xray": [1, 0.2]}
    )
    exact = asia.marginals({"dysp": "yes"}, do={"smoke": "no"}, likelihood={"xray": [1, 0.2]})
    for name, one in every.items():
        assert one.to_array() == pytest.approx(exact[name].to_array(), abs=1e-10)
    assert every.log_evidence == pytest.approx(exact.log_evidence, abs=1e-9)
    assert "at most" in str(every)
    assert list(every.to_frame().columns)[-2:] == ["lower", "upper"]
    joint = asia.query(["lung", "bronc"], {"dysp": "yes"}, engine="bounds")
    assert joint.to_array() == pytest.approx(asia.query(["lung", "bronc"], {"dysp": "yes"}).to_array())


def test_numbers_may_be_findings_but_not_targets() -> None:
    net = bayou.Network("Kind -> x", states={"Kind": ["a", "b"]}, continuous=["x"])
    net.set_cpt("Kind", [0.3, 0.7]).set_gaussian("x", {"a": (-1, 1), "b": (1, 4)})
    found = net.query("Kind", {"x": 0.3}, engine="bounds")
    assert found.to_array() == pytest.approx(net.query("Kind", {"x": 0.3}).to_array())
    with pytest.raises(BadQuestion, match="'x' is continuous"):
        net.query("x", engine="bounds")


def test_findings_that_are_impossible_are_named() -> None:
    net = bayou.Network("a -> b; a -> c", states={name: [0, 1] for name in "abc"})
    net.set_cpt("a", [0.5, 0.5]).set_cpt("b", np.eye(2)).set_cpt("c", np.eye(2))
    with pytest.raises(ImpossibleEvidence, match="b=0"):
        net.query("a", {"b": 0, "c": 1}, engine="bounds")


def test_a_network_that_is_too_wide_is_bounded_as_its_error_says() -> None:
    net = bayou.random_network(40, states=2, arcs=110, seed=2)
    with limits(work=1), pytest.raises(TooWide, match=r'engine="bounds", time=10'):
        net.query(net.names[0], {net.names[-1]: net.states(net.names[-1])[0]})
    with limits(work=1):
        found = net.query(
            net.names[0], {net.names[-1]: net.states(net.names[-1])[0]}, engine="bounds", samples=50
        )
    assert found.estimate.explored <= 50


def test_likelihoods_at_the_end_of_floats_are_bounded_like_others() -> None:
    asia = bayou.examples.asia()
    for weights in ([1e-300, 1e-310], [1e-320, 1e-322], [1e300, 1e-300]):
        exact = asia.query("lung", likelihood={"xray": weights})
        found = asia.query("lung", likelihood={"xray": weights}, engine="bounds")
        assert found.estimate.is_exact
        assert found.to_array() == pytest.approx(exact.to_array(), abs=1e-9)
        assert found.log_evidence == pytest.approx(exact.log_evidence, rel=1e-12)


def test_variables_that_time_does_not_reach_have_the_bounds_0_and_1(monkeypatch: pytest.MonkeyPatch) -> None:
    asia = bayou.examples.asia()
    monkeypatch.setattr("bayou.inference.bounds.bounds_engine._latest", lambda seconds: -1.0)
    every = asia.marginals({"dysp": "yes"}, engine="bounds", time=60)
    exact = asia.marginals({"dysp": "yes"})
    first, last = every["asia"], every["xray"]
    assert first.estimate.is_exact
    assert last.lower.tolist() == [0, 0]
    assert last.upper.tolist() == [1, 1]
    assert last.to_array().tolist() == [0.5, 0.5]
    assert "the time was over before" in str(last)
    assert "the time was over before" in str(every)
    assert every.log_evidence == pytest.approx(exact.log_evidence)
