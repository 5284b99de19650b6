from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadData, BadQuestion
from bayou.graphs import Dag, PartlyDirected, cpdag
from bayou.learning.search.arc_bootstrap import (
    ArcTally,
    averaged_arcs,
    drawn_rows,
    significance_threshold,
    tally_arcs,
)
from bayou.typing import IntArray

NAMES = ("Größe", "a b", 3, "X")


def area(strengths: list[float], share: float) -> float:
    """The distance of the definition: between the empirical distribution function and a flat one."""
    x = (np.arange(20_000) + 0.5) / 20_000
    seen = np.searchsorted(np.sort(strengths), x, side="right") / len(strengths)
    return float(np.abs(seen - share).mean())


@given(st.lists(st.sampled_from([k / 20 for k in range(21)]), min_size=1, max_size=20))
def test_the_threshold_is_the_quantile_of_the_share_with_the_least_distance(strengths: list[float]) -> None:
    threshold = significance_threshold(np.array(strengths))
    ordered = np.sort(strengths)
    shares = [k / len(strengths) for k in range(len(strengths) + 1)]
    least = min(area(strengths, share) for share in shares)
    share = np.mean(ordered <= threshold) if threshold in strengths else 0.0
    assert area(strengths, float(share)) == pytest.approx(least, abs=1e-9)
    assert threshold == 0.0 or threshold in strengths


def test_thresholds_of_clear_cases() -> None:
    assert significance_threshold(np.zeros(10)) == 0.0
    assert significance_threshold(np.ones(10)) == 0.0  # above it: all of them
    assert significance_threshold(np.array([0.0, 0.1, 0.9, 1.0])) == 0.1
    assert significance_threshold(np.empty(0)) == 0.0


def test_pairs_are_counted_and_edges_count_half_each_way() -> None:
    graphs = [
        PartlyDirected(NAMES, [("Größe", "a b")], [("a b", 3)]),
        PartlyDirected(NAMES, [("a b", "Größe")]),
        PartlyDirected(NAMES, [], [("Größe", "a b")]),
        PartlyDirected(NAMES),
    ]
    waiting = iter(graphs)
    tally = tally_arcs(lambda rows: next(waiting), NAMES, rows=5, samples=4, seed=0)
    assert tally.joined[0, 1] == tally.joined[1, 0] == 3
    assert (tally.along[0, 1], tally.along[1, 0]) == (1.5, 1.5)
    assert (tally.along[1, 2], tally.along[2, 1], tally.joined[1, 2]) == (0.5, 0.5, 1)
    assert tally.finished


def test_an_interrupt_keeps_the_samples_that_are_done() -> None:
    done: list[IntArray] = []

    def learn(rows: IntArray) -> PartlyDirected:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(rows)
        return PartlyDirected(NAMES, [("Größe", 3)])

    tally = tally_arcs(learn, NAMES, rows=5, samples=10, seed=0)
    assert (tally.samples, tally.finished, tally.along[0, 2]) == (3, False, 3)

    def at_once(rows: IntArray) -> PartlyDirected:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tally_arcs(at_once, NAMES, rows=5, samples=10, seed=0)


def test_each_sample_has_its_own_rows_that_depend_on_seed_and_number_only() -> None:
    seen = {tuple(drawn_rows(50, seed, sample).tolist()) for seed in range(3) for sample in range(5)}
    assert len(seen) == 15
    assert all(0 <= row < 50 for rows in seen for row in rows)


@given(st.integers(0, 2**32), st.integers(2, 7), st.floats(0, 0.9))
def test_the_averaged_graph_is_acyclic_and_holds_all_strong_pairs_that_it_can(
    seed: int, size: int, threshold: float
) -> None:
    random = np.random.default_rng(seed)
    along = np.triu(random.integers(0, 6, (size, size)), 1) + np.tril(random.integers(0, 5, (size, size)), -1)
    tally = ArcTally(tuple(range(size)), (along + along.T).astype(float), along.astype(float), 10)
    arcs = averaged_arcs(tally, threshold)
    Dag.from_arcs(arcs, range(size))
    strong = {(i, j) for i in range(size) for j in range(i) if tally.joined[i, j] / 10 > threshold}
    joined = {(max(arc), min(arc)) for arc in arcs}
    assert joined <= strong
    for i, j in strong - joined:  # left out: found in one direction only, which closes a cycle
        assert min(along[i, j], along[j, i]) == 0
    strengths = [tally.joined[arc] for arc in arcs]
    assert strengths == sorted(strengths, reverse=True)
    if arcs:
        assert along[arcs[0]] == max(along[arcs[0]], along[arcs[0][::-1]])


@pytest.mark.parametrize("samples", [0, -1, 2.5, True])
def test_a_number_of_samples_that_is_none_is_refused(samples: object) -> None:
    with pytest.raises(BadQuestion, match="samples="):
        bayou.arc_strength({"A": [1, 2]}, learn=lambda table: Dag.from_text("A"), samples=samples)
    with pytest.raises(BadData, match=r"no row|no value"):
        bayou.arc_strength({"A": []}, learn=lambda table: Dag.from_text("A"))


def data_of(seed: int) -> dict[str, list[str]]:
    random = np.random.default_rng(seed)
    rain = random.random(200) < 0.4
    wet = np.where(random.random(200) < 0.9, rain, ~rain)
    return {
        "Rain": ["yes" if value else "no" for value in rain],
        "Wet": ["yes" if value else "no" for value in wet],
        "Noise": random.choice(["a", "b", "c"], 200).tolist(),
    }


def by_test(table: object) -> Dag:
    """A learner of three lines: joins every pair that a test of independence does not separate."""
    names = ["Rain", "Wet", "Noise"]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    return Dag.from_arcs([pair for pair in pairs if not bayou.independence_test(table, *pair)], names)


def test_strengths_find_the_real_arc_and_not_the_noise() -> None:
    strengths = bayou.arc_strength(data_of(1), learn=by_test, samples=30, seed=5)
    assert strengths["Rain", "Wet"].strength == 1.0
    assert strengths["Wet", "Rain"].strength == 1.0
    assert strengths["Rain", "Noise"].strength < 0.5
    assert strengths["Rain", "Wet"].direction + strengths["Wet", "Rain"].direction == pytest.approx(1)
    net = strengths.network()
    assert {frozenset(arc) for arc in net.arcs} == {frozenset(("Rain", "Wet"))}
    assert net.fit(data_of(1)).cpt("Noise").to_array().sum() == pytest.approx(1)
    again = bayou.arc_strength(data_of(1), learn=by_test, samples=30, seed=5)
    assert again.to_dict() == strengths.to_dict()
    assert "* " in str(strengths)
    assert list(strengths.to_frame().columns) == ["from", "to", "strength", "direction"]
    assert ">1.00<" in strengths.to_svg()
    assert len(strengths.network(threshold=0.0).arcs) == len(strengths)


def test_samples_keep_states_that_they_do_not_draw() -> None:
    seen = []

    def learn(table: object) -> bayou.Network:
        net = bayou.Network("A").fit(table)
        seen.append(net.states("A"))
        return net

    bayou.arc_strength({"A": ["x"] * 50 + ["rare"]}, learn=learn, samples=10)
    assert set(seen) == {("rare", "x")}


def test_arcs_between_discrete_and_continuous_variables_keep_their_direction() -> None:
    data = {"Klasse": ["a", "b", "a"], "x": [1.5, 2.5, 3.5]}
    strengths = bayou.arc_strength(data, learn=lambda t: Dag.from_text("x; Klasse -> x"), samples=3)
    assert strengths["Klasse", "x"].direction == 1.0
    assert strengths.network().arcs == (("Klasse", "x"),)


def test_a_class_is_counted_as_the_learner_gives_it() -> None:
    graph = cpdag(Dag.from_text("A -> B; C"))
    strengths = bayou.arc_strength({"A": [0, 1], "B": [0, 1], "C": [0, 1]}, learn=lambda t: graph, samples=2)
    assert strengths["B", "A"].direction == 0.5
    with pytest.raises(BadQuestion, match="must return a network or a graph, not str"):
        bayou.arc_strength({"A": [0, 1]}, learn=lambda t: "A", samples=2)
