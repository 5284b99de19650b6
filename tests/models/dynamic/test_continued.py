"""Sequences drawn given what is known, against the smoothed probabilities and joint ones by enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence

WORLD = bayou.examples.umbrella_world()
DRAWS = 20_000


def near(counted: Counter[Any], expected: dict[Any, float]) -> None:
    assert sum(counted.values()) == DRAWS
    for key, share in expected.items():
        error = np.sqrt(share * (1 - share) / DRAWS)
        assert abs(counted[key] / DRAWS - share) <= 4.5 * error + 1e-12, key


def test_paths_have_their_joint_probabilities() -> None:
    seen = {"Umbrella": ["yes", None, "no"]}
    drawn = WORLD.sample(0, given=seen, sequences=DRAWS, seed=1)
    start, move, show = (WORLD.cpt(table).to_array() for table in ("Rain", "Rain'", "Umbrella"))
    shares = {
        path: start[path[0]]
        * move[path[0], path[1]]
        * move[path[1], path[2]]
        * show[path[0], 1]
        * show[path[2], 0]
        for path in product((0, 1), repeat=3)
    }
    total = sum(shares.values())
    expected = {tuple(("no", "yes")[k] for k in path): share / total for path, share in shares.items()}
    near(Counter(tuple(one["Rain"]) for one in drawn), expected)
    assert {one["Umbrella"][0] for one in drawn} == {"yes"}
    assert {one["Umbrella"][1] for one in drawn} == {"no", "yes"}


def test_the_continuation_has_the_probabilities_of_the_forecast() -> None:
    seen = {"Umbrella": ["yes", "yes"]}
    drawn = WORLD.sample(2, given=seen, sequences=DRAWS, seed=2)
    ahead, past = WORLD.forecast(seen, 2), WORLD.smooth(seen)
    for step in range(2):
        for name in ("Rain", "Umbrella"):
            shares = ahead[name].probabilities[step]
            near(Counter(one[name][2 + step] for one in drawn), {"no": shares[0], "yes": shares[1]})
        near(Counter(one["Rain"][step] for one in drawn), {"yes": past["Rain"][step]["yes"]})


def test_lags_constants_interventions_and_likelihoods() -> None:
    net = bayou.DynamicNetwork(
        "C -> A; A -> A'; A -> A''; A -> B; L",
        states={"C": [0, 1], "A": [0, 1], "B": [0, 1], "L": [0, 1]},
        constant=["C"],
        last=["L"],
    )
    chance = np.random.default_rng(3)
    for table in net.tables:
        values = chance.uniform(0.2, 0.8, [2] * (len(net.parents(table)) + 1))
        net.set_cpt(table, values / values.sum(axis=-1, keepdims=True))
    how: dict[str, Any] = {
        "do": {"A": {1: 1}},
        "likelihood": {"A": {2: [0.2, 0.9]}},
    }
    seen = {"B": [1, None, 0, 1]}
    drawn = net.sample(0, given=seen, sequences=DRAWS, seed=4, **how)
    past = net.smooth(seen, **how)
    for name in ("C", "A", "L"):
        for step in range(4):
            share = past[name][step][1]
            if not np.isnan(share):
                near(Counter(one[name][step] for one in drawn), {1: share})
    assert {one["A"][1] for one in drawn} == {1}


def test_numbers_have_the_moments_of_the_smoother() -> None:
    gauge = bayou.DynamicNetwork(
        "level -> level'; level -> reading",
        continuous=["level", "reading"],
        tables={
            "level": {"mean": 0, "variance": 4},
            "level'": {"mean": 0.5, "coefficients": {"level": 0.9}, "variance": 1},
            "reading": {"mean": 0, "coefficients": {"level": 1}, "variance": 0.5},
        },
    )
    seen = {"reading": [1.0, None, 3.0]}
    drawn = gauge.sample(1, given=seen, sequences=DRAWS, seed=5)
    levels = np.array([one["level"] for one in drawn])
    past, ahead = gauge.smooth(seen)["level"], gauge.forecast(seen, 1)["level"]
    means, spread = [*past.means, *ahead.means], [*past.deviations, *ahead.deviations]
    np.testing.assert_allclose(levels.mean(axis=0), means, atol=5 * max(spread) / DRAWS**0.5)
    np.testing.assert_allclose(levels.std(axis=0), spread, rtol=0.03)
    assert drawn[0]["reading"][0] == 1.0
    with pytest.raises(BadQuestion, match="takes no do="):
        gauge.sample(1, given=seen, do={"level": 1.0})


def test_several_sequences_seeds_and_what_is_refused() -> None:
    table = {"id": ["b", "a", "b"], "t": [2, 1, 1], "Umbrella": ["yes", "no", None]}
    how = {"sequence": "id", "time": "t"}
    drawn = WORLD.sample(2, given=table, seed=4, **how)
    assert [one["Umbrella"][: len(one["Umbrella"]) - 2][-1] for one in drawn] == ["no", "yes"]
    assert [len(one["Rain"]) for one in drawn] == [3, 4]
    assert drawn == WORLD.sample(2, given=table, seed=4, **how)
    assert len(WORLD.sample(0, given=table, sequences=3, **how)[0]) == 3
    with pytest.raises(BadQuestion, match="given= is read"):
        WORLD.sample(2, time="t")
    never = WORLD.copy().set_cpt("Umbrella", [[1, 0], [1, 0]])
    with pytest.raises(ImpossibleEvidence):
        never.sample(0, given={"Umbrella": ["yes"]})


def test_a_refusal_to_draw_names_what_estimates() -> None:
    net = bayou.DynamicNetwork(
        "s -> s'; s -> x; x -> x'; x -> y",
        states={"s": ["a", "b"]},
        continuous=["x", "y"],
        tables={
            "s": [0.5, 0.5],
            "s'": [[0.9, 0.1], [0.1, 0.9]],
            "x": {"a": (0, 1), "b": (3, 1)},
            "x'": {k: {"mean": 0, "variance": 1, "coefficients": {"x": 1}} for k in "ab"},
            "y": {"mean": 0, "variance": 1, "coefficients": {"x": 1}},
        },
    )
    run = net.sample(40, seed=1)
    with pytest.raises(bayou.errors.TooWide, match=r"smooth\(particles=, paths=\) estimates"):
        net.sample(0, given={"y": run["y"]})
    # With the numbers, the states alone are drawn.
    drawn = net.sample(0, given={"x": run["x"], "y": run["y"]}, seed=2)
    assert drawn["y"] == pytest.approx(run["y"])
    assert set(drawn["s"]) <= {"a", "b"}
