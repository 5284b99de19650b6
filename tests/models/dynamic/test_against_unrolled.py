"""Filtering, smoothing, scores and best trajectories equal the unrolled network's, on random templates."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.dynamic.random_templates import random_model, random_rows, unrolled_given

import bayou

SEEDS = st.integers(0, 2**31)


def labels(model: bayou.DynamicNetwork, name: str, step: int) -> str:
    return name if model.template.outside(name) else f"{name}{step}"


def steps_of(model: bayou.DynamicNetwork, name: str, length: int) -> list[int]:
    template = model.template
    if name in template.first:
        return [0]
    return [length - 1] if name in template.last else list(range(length))


def log_probability(net: bayou.Network, known: dict[str, Any]) -> float:
    return float(net.log_probability(known)) if known else 0.0


def posterior(net: bayou.Network, name: str, given_: dict[str, Any], **how: Any) -> list[float]:
    found = net.query(name, {k: v for k, v in given_.items() if k != name}, **how)
    return [float(found[state]) for state in net.variables[name].states]


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_smoothed_beliefs_and_likelihood(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    length = int(chance.integers(1, 6))
    rows = random_rows(chance, model, length)
    net = model.network(length)
    known = unrolled_given(model, rows, length)
    beliefs = model.smooth(rows, ask=model.names)
    assert beliefs.log_likelihood == pytest.approx(log_probability(net, known), abs=1e-9)
    assert model.score(rows) == pytest.approx(beliefs.log_likelihood, abs=1e-10)
    for name in model.names:
        for step in steps_of(model, name, length):
            node = labels(model, name, step)
            if node not in known:
                np.testing.assert_allclose(
                    beliefs[name].probabilities[step], posterior(net, node, known), atol=1e-9
                )
            else:
                assert beliefs[name][step][known[node]] == 1


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_filtered_beliefs(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance)
    if model.template.last:
        return  # what a last slice adds is known at the last step only, as in the next test
    length = int(chance.integers(1, 5))
    rows = random_rows(chance, model, length)
    beliefs = model.filter(rows, ask=model.names)
    for step in range(length):
        net = model.network(step + 1)
        known = unrolled_given(model, rows, step + 1)
        assert sum(beliefs.steps[: step + 1]) == pytest.approx(log_probability(net, known), abs=1e-9)
        for name in model.names:
            node = labels(model, name, step)
            if node not in known and step in steps_of(model, name, length):
                np.testing.assert_allclose(
                    beliefs[name].probabilities[step], posterior(net, node, known), atol=1e-9
                )


@settings(max_examples=15, deadline=None)
@given(SEEDS)
def test_best_trajectory(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance, largest=2)
    length = int(chance.integers(1, 4))
    rows = random_rows(chance, model, length)
    net = model.network(length)
    known = unrolled_given(model, rows, length)
    found = model.most_probable(rows)
    best = net.most_probable(known)
    assert found.log_probability == pytest.approx(
        math.log(best.probability) + log_probability(net, known), abs=1e-9
    )
    values = {
        labels(model, name, step): found[name][0 if model.template.outside(name) else step]
        for name in found
        for step in steps_of(model, name, length)
    }
    assert log_probability(net, {**known, **values}) == pytest.approx(found.log_probability, abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_interventions_and_likelihoods(seed: int) -> None:
    chance = np.random.default_rng(seed)
    model = random_model(chance, outside=False)
    length = int(chance.integers(2, 5))
    rows = random_rows(chance, model, length)
    net = model.network(length)
    known = unrolled_given(model, rows, length)
    pushed, weighed = model.names[0], model.names[-1]
    step, other = int(chance.integers(length)), int(chance.integers(length))
    state = str(chance.choice(list(model.variables[pushed].states)))
    weights = {
        s: float(w) for s, w in zip(model.variables[weighed].states, chance.random(3) + 0.05, strict=False)
    }
    do = {f"{pushed}{step}": state}
    known.pop(f"{pushed}{step}", None)
    if pushed in rows:  # what is set was not observed
        rows[pushed] = [None if k == step else cell for k, cell in enumerate(rows[pushed])]
    likelihood = {f"{weighed}{other}": weights} if f"{weighed}{other}" not in {**known, **do} else None
    beliefs = model.smooth(
        rows,
        ask=model.names,
        do={pushed: {step: state}},
        likelihood={weighed: {other: weights}} if likelihood else None,
    )
    for name, k in itertools.product(model.names, range(length)):
        node = f"{name}{k}"
        if node not in known and node not in do:
            want = posterior(net, node, known, do=do, likelihood=likelihood)
            np.testing.assert_allclose(beliefs[name].probabilities[k], want, atol=1e-9)


def test_sequences_of_different_length_in_one_call() -> None:
    chance = np.random.default_rng(5)
    model = random_model(chance)
    parts = [random_rows(chance, model, n) for n in (3, 1, 6)]
    joined = {name: [cell for part in parts for cell in part[name]] for name in model.names}
    alone = [model.smooth(part, ask=model.names) for part in parts]
    for together in (
        model.smooth(parts, ask=model.names),
        model.smooth(joined, ask=model.names, lengths=[3, 1, 6]),
    ):
        for one, other in zip(alone, together, strict=True):
            assert one.log_likelihood == other.log_likelihood
            for name in model.names:
                np.testing.assert_array_equal(one[name].probabilities, other[name].probabilities)
    table = {**joined, "id": [2] * 3 + [0] + [1] * 6, "t": [*range(3), 0, *range(6)]}
    order = np.random.default_rng(1).permutation(10)
    shuffled = {name: [cells[k] for k in order] for name, cells in table.items()}
    by_id = model.log_likelihoods(shuffled, sequence="id", time="t")
    np.testing.assert_allclose(by_id[[2, 0, 1]], [one.log_likelihood for one in alone], atol=1e-12)


def test_rows_with_many_different_gaps_share_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    from bayou.temporal.templates import slice_kinds

    chance = np.random.default_rng(8)
    model = random_model(chance)
    rows = random_rows(chance, model, 6)
    plain = model.smooth(rows, ask=model.names)
    monkeypatch.setattr(slice_kinds, "MOST_KINDS", 0)
    softened = model.smooth(rows, ask=model.names)
    assert softened.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-10)
    for name in model.names:
        np.testing.assert_allclose(softened[name].probabilities, plain[name].probabilities, atol=1e-10)
