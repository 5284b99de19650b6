"""The k best paths against all paths of small models."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide


def random_model(chance: np.random.Generator, states: int, symbols: int, *, ends: bool) -> bayou.HMM:
    hmm = bayou.HMM(states, {"x": list(range(symbols)), "y": "gaussian"}, ends=ends)
    hmm.set_start(chance.dirichlet(np.ones(states)))
    transition = chance.dirichlet(np.ones(states), states)
    transition[0, -1] = 0
    hmm.set_transition(transition / transition.sum(axis=1, keepdims=True))
    hmm.set_emission("x", chance.dirichlet(np.ones(symbols), states))
    hmm.set_gaussian(chance.normal(0, 2, (states, 1)), np.ones(states))
    return hmm.set_end(chance.uniform(0.1, 0.6, states)) if ends else hmm


def every_path(hmm: bayou.HMM, x: list, y: list, ends: np.ndarray | None) -> list[tuple[float, tuple]]:
    """(log probability, path) of all possible paths, best first, from the definition."""
    table, means, states = hmm.emission("x").values, hmm.means[:, 0], len(hmm.states)
    found = []
    for path in itertools.product(range(states), repeat=len(x)):
        value = hmm.start[path[0]]
        for step, state in enumerate(path):
            if step:
                value *= hmm.transition[path[step - 1], state]
                value *= 1.0 if ends is None else 1 - ends[path[step - 1]]
            value *= 1.0 if x[step] is None else table[state, x[step]]
            value *= np.exp(-0.5 * (y[step] - means[state]) ** 2) / np.sqrt(2 * np.pi)
        value *= 1.0 if ends is None else ends[path[-1]]
        if value > 0:
            found.append((float(np.log(value)), path))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_k_best_paths_are_those_of_enumeration(seed: int, ends: bool) -> None:
    chance = np.random.default_rng(seed)
    states, length = int(chance.integers(1, 4)), int(chance.integers(1, 6))
    hmm = random_model(chance, states, 3, ends=ends)
    x = [None if chance.random() < 0.2 else int(chance.integers(0, 3)) for _ in range(length)]
    y = chance.normal(0, 2, length).tolist()
    shares = hmm.model.end
    expected = every_path(hmm, x, y, shares)
    for k in (1, 2, 7, 1000):
        found = hmm.decode({"x": x, "y": y}, k=k)
        assert len(found) == min(k, len(expected))
        assert [tuple(path) for path in found] == [path for _, path in expected[:k]]
        np.testing.assert_allclose(
            [path.log_probability for path in found], [value for value, _ in expected[:k]], rtol=1e-12
        )
    best = hmm.decode({"x": x, "y": y})
    assert list(best) == list(found[0])
    assert best.log_probability == pytest.approx(found[0].log_probability, rel=1e-12)


def test_known_states_stay_and_equal_paths_all_appear() -> None:
    fair = bayou.HMM(["a", "b"], {"x": [0, 1]}).set_start([0.5, 0.5]).set_transition([[0.5, 0.5]] * 2)
    fair.set_emission("x", [[0.5, 0.5]] * 2)
    found = fair.decode([0, 1], k=9)
    assert sorted("".join(path) for path in found) == ["aa", "ab", "ba", "bb"]
    labelled = fair.decode({"x": [0, 1], "state": [None, "b"]}, k=9, states=True)
    assert sorted("".join(path) for path in labelled) == ["ab", "bb"]


def test_several_sequences_and_an_empty_one() -> None:
    casino = bayou.examples.casino()
    two = casino.decode([[6, 6], []], k=3)
    assert [len(paths) for paths in two] == [3, 1]
    assert list(two[1][0]) == []
    assert two[1][0].log_probability == 0


def test_what_is_refused_is_said() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadQuestion, match="leave method= out"):
        casino.decode([6], k=2, method="posterior")
    with pytest.raises(BadQuestion, match="k=0: give a whole number"):
        casino.decode([6], k=0)
    with pytest.raises(TooWide, match="Ask for fewer: k="):
        casino.decode([6] * 100, k=10**15)
    casino.set_emission("roll", [[1, 0, 0, 0, 0, 0]] * 2)
    with pytest.raises(ImpossibleEvidence, match="at its step 1"):
        casino.decode([1, 6], k=2)
