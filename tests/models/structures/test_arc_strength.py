from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, UnknownVariable
from bayou.models.structures import arc_strength as module


def storm(rows: int = 400) -> Any:
    return bayou.examples.storm().sample(rows, seed=3).to_pandas()


def test_strengths_are_the_mean_over_structures_learned_by_hand() -> None:
    """The same samples, taken with pandas, learned one by one, counted with sets."""
    data = storm(150)
    names = list(data.columns)
    strengths = bayou.arc_strength(data, samples=6, seed=4, score="bdeu")
    joined, along = dict.fromkeys(strengths_keys(names), 0.0), dict.fromkeys(strengths_keys(names), 0.0)
    for sample in range(6):
        rows = np.random.default_rng([4, sample]).integers(0, 150, 150)
        states = {name: sorted(data[name].unique()) for name in names}
        found = bayou.learn_structure(data.iloc[rows], states=states, score="bdeu", seed=4)
        for a, b in found.equivalence_class().arcs:
            along[a, b] += 1
        for a, b in found.equivalence_class().edges:
            along[a, b] += 0.5
            along[b, a] += 0.5
    for a, b in joined:
        total = along[a, b] + along[b, a]
        assert strengths[a, b].strength == pytest.approx(total / 6)
        assert strengths[a, b].direction == pytest.approx(along[a, b] / total if total else 0)


def strengths_keys(names: list[str]) -> list[tuple[str, str]]:
    return [(a, b) for a in names for b in names if a != b]


def test_constraints_settle_directions() -> None:
    free = bayou.arc_strength(storm(), samples=5)
    assert free["Lightning", "Thunder"].strength == 1
    assert free["Lightning", "Thunder"].direction < 1
    printed = bayou.arc_strength(storm(), samples=5, forbid="Thunder -> Lightning")
    assert printed["Lightning", "Thunder"].direction == 1
    ordered = bayou.arc_strength(
        storm(), samples=3, method="k2", order=bayou.examples.storm().dag.topological_order
    )
    assert all(pair.direction == 1 for pair in ordered)


def test_a_file_gives_the_strengths_of_its_table(tmp_path: Path) -> None:
    data = storm(100)
    data.to_csv(tmp_path / "Wetter 1.csv", index=False)
    from_file = bayou.arc_strength(tmp_path / "Wetter 1.csv", samples=3)
    assert from_file.to_dict() == bayou.arc_strength(data, samples=3).to_dict()


def test_weights_and_columns_to_ignore_are_honoured() -> None:
    data = storm(100)
    data["weight"] = 2.0
    data["number"] = [str(k) for k in range(100)]
    strengths = bayou.arc_strength(data, samples=3, weights="weight", ignore=["number"])
    assert set(strengths.names) == set(bayou.examples.storm().names)
    twice = bayou.arc_strength(storm(100), samples=3, weights=np.full(100, 2.0))
    assert strengths.to_dict() == twice.to_dict()


def test_an_interrupt_inside_a_search_keeps_the_samples_that_are_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The search catches the interrupt and reports that it did not finish: sampling must end there too."""
    learned = module.learn_structure
    calls = []

    def interrupted(*data: Any, **options: Any) -> bayou.Network:
        net = learned(*data, **options)
        calls.append(net)
        if len(calls) == 3:
            object.__setattr__(net.learned_structure, "finished", False)
        return net

    monkeypatch.setattr(module, "learn_structure", interrupted)
    strengths = bayou.arc_strength(storm(50), samples=10)
    assert (strengths.samples, strengths.finished, len(calls)) == (2, False, 3)
    assert "interrupted" in str(strengths)


def test_no_time_at_all_is_an_error_that_says_so() -> None:
    with pytest.raises(BadQuestion, match="time was up"):
        bayou.arc_strength(storm(50), samples=3, time=1e-9)


def test_options_and_a_learner_exclude_each_other() -> None:
    with pytest.raises(BadQuestion, match="score= is for learn_structure"):
        bayou.arc_strength(storm(50), learn=lambda table: bayou.Network("A"), score="bic")


def test_pairs_are_asked_for_by_known_names() -> None:
    strengths = bayou.arc_strength(storm(50), samples=2)
    with pytest.raises(UnknownVariable, match="Did you mean 'Storm'"):
        strengths["storm", "Thunder"]
    with pytest.raises(BadQuestion, match="two names"):
        strengths["Storm"]
    with pytest.raises(BadQuestion, match="between 0 and 1"):
        strengths.network(threshold=3)


def test_a_sample_in_which_a_number_does_not_vary_is_drawn_again() -> None:
    random = np.random.default_rng(0)
    spike = np.zeros(40)
    spike[3] = 1.5
    strengths = bayou.arc_strength({"spike": spike, "x": random.normal(size=40)}, samples=15)
    assert strengths.samples == 15
    assert bayou.arc_strength({"x": [0.5, 1.5], "y": [0.1, 0.3]}, samples=5).samples == 5


def test_rows_of_weight_0_are_as_if_they_were_not_there() -> None:
    data = storm(120)
    weights = np.arange(120) % 3
    kept = weights > 0
    states = {name: sorted(data[name].unique()) for name in data}
    whole = bayou.arc_strength(data, weights=weights, states=states, samples=4)
    part = bayou.arc_strength(data[kept], weights=weights[kept], states=states, samples=4)
    assert whole.to_dict() == part.to_dict()
    two = {"x": [0, 1] * 20, "y": [0, 1] * 20}
    assert bayou.arc_strength(two, weights=[1, 1, *[0] * 38], samples=10).samples == 10


def test_an_order_settles_directions_beside_other_limits() -> None:
    data = storm(200)
    order = list(bayou.examples.storm().dag.topological_order)
    for tiers in (None, [order]):
        printed = bayou.arc_strength(data, samples=2, method="k2", order=order, tiers=tiers)
        assert all(pair.direction == 1 for pair in printed)


def test_limits_that_can_be_read_once_hold_in_every_sample() -> None:
    arcs = [("Lightning", "Thunder"), ("Thunder", "Lightning")]
    assert bayou.arc_strength(storm(), samples=3, forbid=iter(arcs))["Lightning", "Thunder"].strength == 0


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"time": "5"}, "time='5'"),
        ({"time": -1}, "time=-1"),
    ],
)
def test_nonsense_is_refused_by_name(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        bayou.arc_strength(storm(20), samples=2, **stated)
    strengths = bayou.arc_strength(storm(20), samples=2, seed=None)
    with pytest.raises(BadQuestion, match="threshold='half'"):
        strengths.network(threshold="half")  # type: ignore[arg-type]
