"""One long sequence is smoothed from both ends at once: the same numbers as among others, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import ImpossibleEvidence

STATES, STEPS = 30, 700
"""More than 10,000 entries of messages, from which on two threads are used."""


def chain(moves: np.ndarray, shown: np.ndarray) -> bayou.DynamicNetwork:
    """A hidden chain with an observed child."""
    return bayou.DynamicNetwork(
        "X -> X'; X -> Y",
        states={"X": list(range(len(moves))), "Y": list(range(shown.shape[1]))},
        tables={"X": np.full(len(moves), 1 / len(moves)), "X'": moves, "Y": shown},
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_same_bits_as_among_others(seed: int) -> None:
    chance = np.random.default_rng(seed)
    net = chain(chance.dirichlet(np.full(STATES, 0.3), STATES), chance.dirichlet(np.full(5, 0.3), STATES))
    rows = {"Y": net.sample(STEPS + seed, seed=seed)["Y"]}
    for gap in chance.integers(0, STEPS, 40):
        rows["Y"][gap] = None
    alone, among = net.smooth(rows), net.smooth([rows, {"Y": [0, 1]}])
    assert np.array_equal(alone["X"].probabilities, among[0]["X"].probabilities)
    with bayou.threads(1):
        assert np.array_equal(net.smooth(rows)["X"].probabilities, alone["X"].probabilities)


def test_ends_that_seem_to_contradict_each_other() -> None:
    """The rows ahead say 1 so strongly, and those behind 0, that their messages hardly meet."""
    moves = np.eye(STATES)
    shown = np.tile([0.5, 0.5], (STATES, 1))
    shown[0], shown[1] = [1 - 1e-3, 1e-3], [1e-3, 1 - 1e-3]
    rows = {"Y": [0] * (STEPS // 2 + 1) + [1] * (STEPS // 2)}
    found = chain(moves, shown).smooth(rows)["X"].probabilities
    logs = np.array([[np.log(p) for p in line] for line in shown])
    total = logs[:, 0] * (STEPS // 2 + 1) + logs[:, 1] * (STEPS // 2)
    want = np.exp(total - total.max())
    np.testing.assert_allclose(found, np.tile(want / want.sum(), (len(found), 1)), atol=1e-12)


def test_impossible_findings_are_refused() -> None:
    shown = np.eye(STATES)
    with pytest.raises(ImpossibleEvidence, match="step 600"):
        chain(np.eye(STATES), shown).smooth({"Y": [3] * 600 + [4] * 100})
