"""States and continuations drawn given sequences, against the exact joint probabilities of short ones."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion

CASINO = bayou.examples.casino()
DRAWS = 40_000


def exact(model: bayou.HMM, rolls: list[int | None], end: Any = None) -> dict[tuple[str, ...], float]:
    """P(path | rolls) by enumeration."""
    table = model.emission("roll").values
    found = {}
    for path in product(range(2), repeat=len(rolls)):
        share = model.start[path[0]] * np.prod([model.transition[pair] for pair in pairwise(path)])
        emitted = zip(path, rolls, strict=True)
        share *= np.prod([table[s, roll - 1] for s, roll in emitted if roll is not None])
        if end is not None:
            share *= np.prod([1 - end[s] for s in path[:-1]]) * end[path[-1]]
        found[tuple(model.states[s] for s in path)] = float(share)
    total = sum(found.values())
    return {path: share / total for path, share in found.items()}


def near(counted: Counter[Any], expected: dict[Any, float]) -> None:
    for key, share in expected.items():
        error = np.sqrt(share * (1 - share) / DRAWS)
        assert abs(counted[key] / DRAWS - share) <= 4.5 * error + 1e-12, key
    assert sum(counted.values()) == DRAWS


def test_paths_have_their_probabilities() -> None:
    rolls = [6, None, 1, 6]
    drawn = CASINO.sample(0, given=rolls, sequences=DRAWS, seed=3)
    near(Counter(tuple(one["state"]) for one in drawn), exact(CASINO, rolls))
    assert [drawn[0]["roll"][step] for step in (0, 2, 3)] == [6, 1, 6]


def test_the_continuation_has_the_probabilities_of_the_forecast() -> None:
    drawn = CASINO.sample(2, given=[6, 6, 1], sequences=DRAWS, seed=5)
    ahead = CASINO.forecast([6, 6, 1], steps=2)
    for step in range(2):
        states = Counter(one["state"][3 + step] for one in drawn)
        near(states, dict(zip(CASINO.states, ahead.states[step].tolist(), strict=True)))
        rolls = Counter(one["roll"][3 + step] for one in drawn)
        near(rolls, dict(zip(range(1, 7), ahead.symbols["roll"][step].tolist(), strict=True)))
    joint = Counter((one["state"][2], one["state"][3]) for one in drawn)
    last = CASINO.filter([6, 6, 1])[2]
    pairs = product(enumerate(CASINO.states), repeat=2)
    near(joint, {(a, b): last[a] * CASINO.transition[i, j] for (i, a), (j, b) in pairs})


def test_a_sequence_that_ends_is_drawn_as_ended_or_as_going_on() -> None:
    model = bayou.HMM(["fair", "loaded"], {"roll": [1, 2, 3, 4, 5, 6]}, ends=True)
    model = model.set_start([0.5, 0.5]).set_transition([[0.8, 0.2], [0.3, 0.7]]).set_end([0.05, 0.6])
    model = model.set_emission("roll", CASINO.emission("roll"))
    drawn = model.sample(0, given=[6, 6], sequences=DRAWS, seed=1)
    near(Counter(tuple(one["state"]) for one in drawn), exact(model, [6, 6], [0.05, 0.6]))
    on = model.sample(3, given=[6], sequences=DRAWS, seed=2)
    assert all(len(one["state"]) >= 2 for one in on)
    first = np.array([1 / 6 * 0.95, 0.5 * 0.4])
    share = first[0] / first.sum()
    near(Counter(one["state"][0] for one in on), {"fair": share, "loaded": 1 - share})


def test_several_sequences_tables_and_seeds() -> None:
    table = {"id": ["b", "a", "b"], "t": [2, 1, 1], "roll": [6, 1, None]}
    drawn = CASINO.sample(2, given=table, sequence="id", time="t", seed=4)
    assert drawn[0]["roll"][:-2] == [1]
    assert drawn[1]["roll"][0] in range(1, 7)  # a gap, which is drawn
    assert drawn[1]["roll"][1] == 6
    assert drawn == CASINO.sample(2, given=table, sequence="id", time="t", seed=4)
    assert drawn != CASINO.sample(2, given=table, sequence="id", time="t", seed=5)
    assert len(CASINO.sample(1, given=[[6], [1, 2]], sequences=3)[1]) == 3
    assert CASINO.sample(0, given=[6, 6]).keys() == {"roll", "state"}
    with pytest.raises(BadQuestion, match="given= is read"):
        CASINO.sample(3, sequence="id")


def test_numbers_continue_too() -> None:
    x = np.random.default_rng(0).normal(np.repeat([0, 9], 50))
    model = bayou.HMM(2).fit(x)
    drawn = model.sample(5, given=x, seed=1)
    assert drawn["x"][:100] == x.tolist()
    assert drawn["state"][:100] == [0] * 50 + [1] * 50
    assert np.mean(drawn["x"][100:]) > 4


def test_gaps_are_drawn_given_the_sequence() -> None:
    drawn = CASINO.sample(0, given=[6, None, 6], sequences=DRAWS, seed=3)
    states = CASINO.smooth([6, None, 6]).probabilities[1]
    near(
        Counter(one["roll"][1] for one in drawn),
        dict(zip(range(1, 7), (states @ [[1 / 6] * 6, [0.1] * 5 + [0.5]]).tolist(), strict=True)),
    )
    loaded = [one["roll"][1] for one in drawn if one["state"][1] == "loaded"]
    assert loaded.count(6) / len(loaded) == pytest.approx(0.5, abs=0.02)
    assert all(one["roll"][0] == one["roll"][2] == 6 for one in drawn)


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.usefixtures("few_starts")
def test_gaps_of_columns_that_depend_on_each_other(components: int) -> None:
    """Against the unrolled network, which knows nothing of chains."""
    chance = np.random.default_rng(4)
    x = chance.normal(np.repeat([0, 4, 0, 4], 60))
    y = x + chance.normal(size=240) + np.where(chance.random(240) < 0.5, 3, -3) * (components > 1)
    table = {"x": x, "y": y, "z": np.where(x + y > 2, "up", "down").tolist()}
    model = bayou.HMM(2, components=components).fit(table, max_iterations=20, seed=1)
    seen = {"x": [0.5, 3.0, None], "y": [1.0, None, None], "z": ["down", None, "up"]}
    drawn = model.sample(0, given=seen, sequences=DRAWS, seed=5)
    given = {"x0": 0.5, "y0": 1.0, "z0": "down", "x1": 3.0, "z2": "up"}
    net = model.network(3)
    for name in ("y1", "x2", "y2"):
        own = np.array([one[name[0]][int(name[1])] for one in drawn])
        exact = net.query(name, given=given)
        assert own.mean() == pytest.approx(exact.mean, abs=5 * own.std() / DRAWS**0.5)
        assert own.var() == pytest.approx(exact.variance, rel=0.05)
    share = np.mean([one["z"][1] == "up" for one in drawn])
    assert share == pytest.approx(net.query("z1", given=given)["up"], abs=0.02)
