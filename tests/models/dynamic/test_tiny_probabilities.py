"""Probabilities too small for doubles: right numbers, compared with the unrolled network in fractions."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.random_templates import random_model, random_rows, unrolled_given

import bayou
from bayou.errors import ImpossibleEvidence


def log_of(share: Fraction) -> float:
    """log of a fraction that may be too small for a double."""
    shift = share.denominator.bit_length() - share.numerator.bit_length()
    return math.log(share * Fraction(2) ** shift) - shift * math.log(2)


def enumerated(model: bayou.DynamicNetwork, rows: dict[str, list[Any]], length: int) -> dict[str, Any]:
    """log P(rows), P(node | rows) of the unrolled network, and log P of the best values, in fractions."""
    net, known = model.network(length), unrolled_given(model, rows, length)
    tables = {name: net.cpt(name).to_array() for name in net.names}
    states = {name: list(net.variables[name].states) for name in net.names}
    places = {name: k for k, name in enumerate(net.names)}
    choices = [[states[n].index(known[n])] if n in known else range(len(states[n])) for n in net.names]
    shares = {name: [Fraction(0)] * len(states[name]) for name in net.names}
    best = Fraction(0)
    for codes in itertools.product(*choices):
        joint = Fraction(1)
        for name in net.names:
            family = tuple(codes[places[p]] for p in (*net.parents(name), name))
            joint *= Fraction(float(tables[name][family]))
        best = max(best, joint)
        for name in net.names:
            shares[name][codes[places[name]]] += joint
    total = sum(shares[net.names[0]])
    if not total:
        return {"log": -math.inf}
    return {
        "log": log_of(total),
        "best": log_of(best),
        "shares": {name: [float(one / total) for one in own] for name, own in shares.items()},
    }


def with_tiny_entries(chance: np.random.Generator, model: bayou.DynamicNetwork) -> bayou.DynamicNetwork:
    for table in model.tables:
        values = model.cpt(table).to_array()
        tiny = 10.0 ** -(chance.random(values.shape) ** 2 * 300)
        tiny[..., 0] *= chance.random(values.shape[:-1]) > 0.1
        tiny[..., -1] = np.where(tiny.sum(axis=-1) > 0, tiny[..., -1], 1.0)
        model.set_cpt(table, tiny / tiny.sum(axis=-1, keepdims=True))
    return model


def name_of(model: bayou.DynamicNetwork, name: str, step: int) -> str:
    return name if model.template.outside(name) else f"{name}{step}"


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_entries_down_to_1e_minus_300(seed: int) -> None:
    chance = np.random.default_rng(seed)
    shape = random_model(chance, largest=2)
    length = int(chance.integers(1, 4))
    rows = {
        name: [cell if chance.random() < 0.8 else None for cell in cells]
        for name, cells in random_rows(chance, shape, length).items()
    }
    model = with_tiny_entries(chance, shape)
    want = enumerated(model, rows, length)
    assert model.score(rows) == pytest.approx(want["log"], rel=1e-12, abs=1e-9)
    if want["log"] == -math.inf:
        for ask in (model.filter, model.smooth, model.most_probable):
            with pytest.raises(ImpossibleEvidence, match=r"Sequence 0 .* step"):
                ask(rows)
        return
    beliefs = model.smooth(rows, ask=model.names)
    found = model.most_probable(rows)
    assert found.log_probability == pytest.approx(want["best"], rel=1e-12, abs=1e-9)
    for name in model.names:
        steps = [length - 1] if name in model.template.last else range(length)
        for step in [0] if name in model.template.first else steps:
            exact = want["shares"][name_of(model, name, step)]
            np.testing.assert_allclose(beliefs[name].probabilities[step], exact, atol=1e-9)
    if not model.template.last:
        for step in range(length):
            part = {name: cells[: step + 1] for name, cells in rows.items()}
            shares = enumerated(model, part, step + 1)["shares"]
            now = model.filter(rows, ask=model.names)
            for name in model.template.timed:
                np.testing.assert_allclose(now[name].probabilities[step], shares[f"{name}{step}"], atol=1e-9)


def two_classes(error: float) -> bayou.DynamicNetwork:
    return bayou.DynamicNetwork(
        "Kind -> Sign",
        constant=["Kind"],
        states={"Kind": ["a", "b"], "Sign": [0, 1]},
        tables={"Kind": [0.5, 0.5], "Sign": [[1 - error, error], [error, 1 - error]]},
    )


@pytest.mark.parametrize(("zeros", "ones"), [(1000, 1001), (700, 1400), (400, 400), (3, 2000)])
def test_a_constant_that_seemed_ruled_out_comes_back(zeros: int, ones: int) -> None:
    """The share of the other kind falls below 1e-700, and evidence for it comes later."""
    error = 0.125
    rows = {"Sign": [0] * zeros + [1] * ones}
    net = two_classes(error)
    odds = (Fraction(7) ** zeros) / Fraction(7) ** ones  # of a against b: (1 - error) / error = 7
    want = float(1 / (1 + odds))
    total = Fraction(1, 2) * (Fraction(7, 8) ** zeros * Fraction(1, 8) ** ones) * (1 + 1 / odds)
    assert net.score(rows) == pytest.approx(log_of(total), rel=1e-12)
    for beliefs in (net.filter(rows), net.smooth(rows)):
        assert beliefs["Kind"].probabilities[-1, 1] == pytest.approx(want, abs=1e-9)
    assert net.smooth(rows)["Kind"].probabilities[0, 1] == pytest.approx(want, abs=1e-9)
    if zeros != ones:
        assert net.most_probable(rows)["Kind"][0] == ("b" if ones > zeros else "a")


def test_expected_counts_and_learning_use_such_sequences() -> None:
    net = two_classes(0.125)
    long = {"Sign": [0] * 700 + [1] * 1400}
    with pytest.warns(bayou.errors.BayouWarning, match="max_iterations=1"):
        learned = two_classes(0.125).fit([long, {"Sign": [0]}], start="present", max_iterations=1, prior=0)
    # The long one is of kind b: its signs are counted there, and the short one's by its posterior.
    sign = learned.cpt("Sign").to_array()
    share = 0.875
    assert sign[1, 0] == pytest.approx((700 + (1 - share)) / (2100 + (1 - share)), abs=1e-12)
    assert sign[0].tolist() == pytest.approx([1.0, 0.0])
    assert net.score(long) < -1500


def test_smoothing_meets_in_the_middle() -> None:
    """What lies behind and what lies ahead each rule out the other's states: both products are far below
    the smallest double.
    """
    walk = np.array([[1 - 1e-6, 1e-6], [1e-6, 1 - 1e-6]])
    net = bayou.DynamicNetwork(
        "X -> X'; X -> Y",
        states={"X": [0, 1], "Y": [0, 1]},
        tables={"X": [0.5, 0.5], "X'": walk, "Y": [[1 - 1e-200, 1e-200], [1e-200, 1 - 1e-200]]},
    )
    rows = {"Y": [0, 0, None, 1, 1, 0, 1]}
    want = enumerated(net, rows, 7)
    beliefs = net.smooth(rows)
    assert beliefs.log_likelihood == pytest.approx(want["log"], rel=1e-12)
    for step in range(7):
        np.testing.assert_allclose(
            beliefs["X"].probabilities[step], want["shares"][f"X{step}"], rtol=1e-9, atol=1e-300
        )


def test_a_thousand_findings_in_one_slice() -> None:
    chance = np.random.default_rng(2)
    names = [f"Y{k}" for k in range(1000)]
    tables: dict[str, Any] = {"X": [0.3, 0.7], "X'": [[0.9, 0.1], [0.2, 0.8]]}
    for name in names:
        low = float(chance.uniform(0.05, 0.5))
        tables[name] = [[1 - low, low], [1 - low / 2, low / 2]]
    arcs = "; ".join(["X -> X'", *(f"X -> {name}" for name in names)])
    net = bayou.DynamicNetwork(arcs, states={n: [0, 1] for n in ("X", *names)}, tables=tables)
    rows = {name: [int(v) for v in chance.integers(0, 2, size=3)] for name in names}
    move = [[Decimal(v) for v in row] for row in tables["X'"]]
    message = [Decimal(v) for v in tables["X"]]
    for step in range(3):  # products to 28 digits: fractions would have a million
        if step:
            message = [sum((message[i] * move[i][j] for i in range(2)), Decimal(0)) for j in range(2)]
        for name in names:
            message = [message[j] * Decimal(tables[name][j][rows[name][step]]) for j in range(2)]
    assert net.score(rows) == pytest.approx(float(sum(message).ln()), rel=1e-12)
    filtered = net.filter(rows)["X"].probabilities[-1]
    assert filtered[0] == pytest.approx(float(message[0] / sum(message)), abs=1e-9)
    assert np.allclose(net.smooth(rows)["X"].probabilities[-1], filtered)


def test_messages_that_are_computed_again() -> None:
    """Long sequences keep some messages only: the same numbers."""
    rows = {"Sign": [0] * 700 + [1] * 1400}
    whole, thrifty = two_classes(0.125), two_classes(0.125)
    object.__setattr__(thrifty.model, "kept_entries", 16)
    again = thrifty.smooth(rows)["Kind"].probabilities
    np.testing.assert_allclose(again, whole.smooth(rows)["Kind"].probabilities, atol=1e-12)
    best = whole.most_probable(rows).log_probability
    assert thrifty.most_probable(rows).log_probability == pytest.approx(best, rel=1e-12)


def test_likelihoods_of_any_size() -> None:
    """Only the ratio of likelihoods matters, and the log of their size is in log P."""
    net = two_classes(0.125)
    rows = {"Sign": [None] * 800}
    for size in (1e300, 1.0, 1e-300):
        weights = {"Sign": {step: {0: 3 * size, 1: 1 * size} for step in range(800)}}
        beliefs = net.filter(rows, likelihood=weights)
        a, b = Fraction(7, 8) * 3 + Fraction(1, 8), Fraction(1, 8) * 3 + Fraction(7, 8)
        want = log_of((a**800 + b**800) / 2) + 800 * math.log(size)
        assert beliefs.log_likelihood == pytest.approx(want, rel=1e-12)
        assert float(np.sum(beliefs.steps)) == pytest.approx(want, rel=1e-12)
        assert beliefs["Kind"].probabilities[-1, 0] == pytest.approx(1.0)
    outside = net.filter(rows, likelihood={"Kind": {step: [0.25, 1e-3] for step in range(800)}})
    assert outside["Kind"].probabilities[0, 0] == pytest.approx(1.0)
    assert outside.log_likelihood == pytest.approx(800 * math.log(0.25) + math.log(0.5), rel=1e-12)


def test_impossible_sequences_are_said_to_be_impossible() -> None:
    net = bayou.DynamicNetwork(
        "X -> X'; X -> Y",
        states={"X": [0, 1], "Y": [0, 1, 2]},
        tables={"X": [0.5, 0.5], "X'": np.eye(2), "Y": [[1, 0, 0], [0.001, 0.999, 0]]},
    )
    good, bad = {"Y": [0] * 400 + [1]}, {"Y": [0] * 400 + [1, 2, 0]}
    assert net.score(good) == pytest.approx(math.log(0.5) + 400 * math.log(0.001) + math.log(0.999))
    with pytest.raises(ImpossibleEvidence, match=r"Sequence 1 .* step 401"):
        net.smooth([good, bad])
    with pytest.raises(ImpossibleEvidence, match=r"Sequence 1 .* step 401"):
        net.filter([good, bad], engine="factored")
    assert net.log_likelihoods([good, bad])[1] == -math.inf
