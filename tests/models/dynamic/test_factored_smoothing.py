"""Smoothing with factored messages: exact where the interface is independent, close where it nearly is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou._native import SliceProgram, smooth_slices
from bayou._native.reference.temporal import slices as reference
from bayou.models.dynamic.dynamic_input import DynamicInput


def coupled(strength: float, chains: int = 4) -> bayou.DynamicNetwork:
    """Binary chains in a ring: each keeps its state, and its neighbour pulls it with this strength."""
    names = [f"X{k}" for k in range(chains)]
    arcs = [(names[(k + d) % chains], f"{names[k]}'") for k in range(chains) for d in (0, 1)]
    arcs += [(name, name.replace("X", "Y")) for name in names]
    states = {name: [0, 1] for name in (*names, *(name.replace("X", "Y") for name in names))}
    net = bayou.DynamicNetwork(arcs, states=states)
    for name in names:
        own = np.array([0.15, 0.85])
        one = np.array([[own[i] + strength * (j - 0.5) for j in range(2)] for i in range(2)])
        net.set_cpt(name, [0.5, 0.5]).set_cpt(name.replace("X", "Y"), [[0.8, 0.2], [0.3, 0.7]])
        net.set_cpt(f"{name}'", np.stack([1 - one, one], axis=-1))
    return net


def observed(net: bayou.DynamicNetwork, length: int, seed: int) -> dict[str, Any]:
    drawn = net.sample(length, seed=seed)
    chance = np.random.default_rng(seed)
    return {
        name: [cell if chance.random() < 0.8 else None for cell in cells]
        for name, cells in drawn.items()
        if name.startswith("Y")
    }


def differences(net: bayou.DynamicNetwork, rows: dict[str, Any]) -> float:
    exact, close = net.smooth(rows), net.smooth(rows, engine="factored")
    assert close.approximate
    assert not exact.approximate
    assert "approximately" in str(close)
    return max(float(np.abs(exact[name].probabilities - close[name].probabilities).max()) for name in exact)


def test_smoothing_is_exact_for_independent_chains() -> None:
    for seed in range(5):
        net = coupled(0.0)
        rows = observed(net, 12, seed)
        assert differences(net, rows) < 1e-12
        assert net.smooth(rows, engine="factored").log_likelihood == pytest.approx(net.score(rows), abs=1e-9)


@pytest.mark.parametrize(("strength", "most"), [(0.02, 0.01), (0.1, 0.06), (0.2, 0.15)])
def test_smoothing_is_close_for_weakly_coupled_chains(strength: float, most: float) -> None:
    net = coupled(strength)
    found = [differences(net, observed(net, 30, seed)) for seed in range(4)]
    assert max(found) < most
    # Better than not to look back at all.
    rows = observed(net, 30, 9)
    exact, close, ahead = net.smooth(rows), net.smooth(rows, engine="factored"), net.filter(rows)
    wrong = sum(float(np.abs(exact[n].probabilities - close[n].probabilities).sum()) for n in exact)
    lazy = sum(float(np.abs(exact[n].probabilities - ahead[n].probabilities).sum()) for n in exact)
    assert wrong < lazy / 5


def test_smoothing_one_hidden_variable_is_exact() -> None:
    """With a single variable in the interface nothing is factored: constants, first and last slices too."""
    chance = np.random.default_rng(3)
    for _ in range(30):
        net = bayou.DynamicNetwork(
            "X -> X'; X -> Y; X -> L; F -> Y", last=["L"], first=["F"], states={n: [0, 1, 2] for n in "XYLF"}
        )
        for table in net.tables:
            net.set_cpt(table, chance.dirichlet(np.ones(3), size=(3,) * len(net.parents(table))))
        rows = {"Y": [0, None, 2, 1], "L": [None, None, None, 1]}
        exact, close = net.smooth(rows), net.smooth(rows, engine="factored")
        for name in exact:
            np.testing.assert_allclose(close[name].probabilities, exact[name].probabilities, atol=1e-12)


def test_the_last_step_of_smoothing_is_that_of_filtering() -> None:
    net = coupled(0.3)
    rows = observed(net, 15, 1)
    smoothed, filtered = net.smooth(rows, engine="factored"), net.filter(rows, engine="factored")
    assert smoothed.log_likelihood == pytest.approx(filtered.log_likelihood, abs=1e-9)
    for name in smoothed:
        np.testing.assert_allclose(
            smoothed[name].probabilities[-1], filtered[name].probabilities[-1], atol=1e-12
        )


def test_smoothing_runs_as_its_specification_says() -> None:
    net = coupled(0.2, 3)
    rows = observed(net, 6, 2)
    reader = DynamicInput(net.template, net.variables)
    evidence = reader.evidence(reader.rows(rows, {})[0], {})
    wanted = tuple(name for name in net.names if name.startswith("X"))
    kinds, (programs, *others) = net.model._call(evidence, wanted, factored=True, smoothed=True)
    plans = [net.model.plan(kind) for kind in kinds]
    plain = [
        reference.SliceProgram(tables=[use.values(net.model.network) for use in plan.uses], **plan.arguments)
        for plan in plans
    ]
    assert all(isinstance(program, SliceProgram) for program in programs)
    found = smooth_slices(programs, *others, [2] * 3, None, False, 10**6)
    want = reference.smooth_slices(plain, *others, [2] * 3, None, False, 10**6)
    np.testing.assert_allclose(found[0], want[0])
    for one, other in zip(found[1], want[1], strict=True):
        np.testing.assert_allclose(one, other.astype(float), atol=1e-12)
