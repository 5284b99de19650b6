"""Order-based search: against exact search where that is possible, never below hill climbing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learning.search.every_network import (
    all_networks,
    check,
    constraint_sets,
    made,
    subsets,
    with_score,
)

from bayou.distributions import BDeu, Laplace
from bayou.graphs.meek import as_bits, set_bits
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.scores.scores import BIC, MarginalLikelihood, Score
from bayou.learning.search import order_search as module
from bayou.learning.search.ancestry import topological_order
from bayou.learning.search.candidate_sets import CandidateSets, sorted_sets, uncertainty
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.exact_search import exact_search
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.order_search import order_search
from bayou.learning.time_budget import TimeBudget
from bayou.progress import show_progress
from bayou.sources import open_source

SCORES: list[Score] = [BIC(), MarginalLikelihood(BDeu(10)), MarginalLikelihood(Laplace(1))]


@given(st.data(), st.integers(0, 10**6), st.integers(1, 5), st.sampled_from(SCORES))
@settings(max_examples=25)
def test_results_are_legal_and_between_hill_climbing_and_the_best(
    data: st.DataObject, seed: int, size: int, score: Score
) -> None:
    scores = with_score(made(seed, size, 100), score)
    constraints = data.draw(constraint_sets(size))
    found = order_search(scores, constraints, TimeBudget(), patience=3)
    assert found.finished
    check(found, scores, constraints)
    climbed = hill_climb(scores, constraints, TimeBudget())
    best = exact_search(scores, constraints, TimeBudget())
    assert climbed.score - 1e-9 <= found.score <= best.score + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_on_five_variables_it_finds_the_best_network(seed: int) -> None:
    scores = with_score(made(seed, 5, 200), MarginalLikelihood(BDeu(10)))
    found = order_search(scores, Constraints.none(5), TimeBudget(), patience=10)
    assert found.score == pytest.approx(
        exact_search(scores, Constraints.none(5), TimeBudget()).score, rel=1e-12
    )


def many(size: int = 12) -> SourceScores:
    """Many variables, each with causes among the three before it, shuffled."""
    random = np.random.default_rng(3)
    columns = [random.integers(0, 2, 400)]
    for _ in range(size - 1):
        chosen = [columns[-1 - back] for back in range(min(3, len(columns))) if random.random() < 0.8]
        clean = np.bitwise_xor.reduce(chosen) if len(chosen) == 2 else sum(chosen, np.zeros(400, int)) > 1
        columns.append(np.where(random.random(400) < 0.1, 1 - clean, clean).astype(int))
    table = {f"node {place}": columns[at] for place, at in enumerate(random.permutation(size))}
    source = open_source(table)
    return SourceScores(source, [source.variable(name) for name in table], BIC())


def test_it_gets_out_of_where_hill_climbing_ends() -> None:
    scores = many()
    climbed = hill_climb(scores, Constraints.none(12), TimeBudget())
    found = order_search(scores, Constraints.none(12), TimeBudget(), patience=5)
    assert found.score > climbed.score + 1


def test_the_same_seed_gives_the_same_network() -> None:
    first, again = (
        order_search(many(), Constraints.none(12), TimeBudget(), patience=3, seed=9, expansions=5)
        for _ in range(2)
    )
    assert first == again


def test_a_start_is_never_lost() -> None:
    scores = made(4, 5, 100)
    best = exact_search(scores, Constraints.none(5), TimeBudget())
    found = order_search(
        scores, Constraints.none(5), TimeBudget(), start=best.parents, expansions=0, patience=1
    )
    assert found.score == pytest.approx(best.score, rel=1e-12)


class Counting(TimeBudget):
    """A budget that is over after a given number of checks."""

    looks: ClassVar[list[int]] = []
    most: ClassVar[int] = 0

    @property
    def left(self) -> float:
        self.looks.append(1)
        return float(self.most - len(self.looks))


@pytest.mark.parametrize("most", [0, 1, 10, 60, 200])
def test_when_time_is_up_the_best_so_far_comes_back(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "looks", [])
    monkeypatch.setattr(Counting, "most", most)
    required = np.zeros((5, 5), dtype=bool)
    required[4, 0] = True
    constraints = Constraints(~np.eye(5, dtype=bool), required, 2)
    scores = made(11, 5, 300)
    found = order_search(scores, constraints, Counting(), patience=10**6)
    assert not found.finished
    check(found, scores, constraints)


def test_an_interrupted_search_returns_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "climb_orders", interrupt)
    scores = made(11, 5, 300)
    found = order_search(scores, Constraints.none(5), TimeBudget())
    assert not found.finished
    assert found.score >= hill_climb(scores, Constraints.none(5), TimeBudget()).score - 1e-9


def test_progress_is_told() -> None:
    class Heard:
        said: ClassVar[list[str]] = []

        def advance(self, task: str, done: int) -> None:
            self.said.append(task)

        def finish(self, task: str) -> None:
            self.said.append(task)

    with show_progress(Heard()):
        order_search(made(1, 4, 50), Constraints.none(4), TimeBudget(), patience=2)
    assert {"parent sets that are tried", "rounds of orders"} <= set(Heard.said)


def test_no_variables_and_one() -> None:
    source = open_source({"A": [0, 1]})
    nothing = SourceScores(source, [], BIC())
    assert order_search(nothing, Constraints.none(0), TimeBudget()).parents == ()
    assert order_search(made(1, 1, 9), Constraints.none(1), TimeBudget(), patience=2).parents == ((),)


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_a_variable_s_sets_grow_to_all_that_are_worth_having(seed: int) -> None:
    scores = made(seed, 4, 60)
    child = CandidateSets(scores, Constraints.none(4), 0)
    while child.grow():
        pass
    listed = [value for value, _ in child.sorted()]
    assert listed == sorted(listed, reverse=True)
    for value, bits in child.sorted():
        own = scores.families([(0, tuple(set_bits(bits)))])[0]
        assert value == pytest.approx(own, abs=uncertainty(1))
        assert all(
            value > child.known[smaller]
            for smaller in as_bits(subsets(tuple(set_bits(bits))))
            if smaller != bits and smaller in child.known
        ) or any(other & ~bits == 0 and better >= value for better, other in child.sorted() if other != bits)


def test_lists_are_packed_in_words() -> None:
    scores = made(2, 3, 40)
    candidates = [CandidateSets(scores, Constraints.none(3), child) for child in range(3)]
    candidates[2].add([0b011])
    packed = sorted_sets(candidates)
    assert packed.sets.shape == (int(packed.starts[-1]), 1)
    assert packed.sets.dtype == np.uint64
    assert set(packed.sets[packed.starts[2] :, 0].tolist()) <= {0, 0b011}


def test_parents_come_first() -> None:
    for network in list(all_networks(4))[::7]:
        order = topological_order(network)
        assert sorted(order) == [0, 1, 2, 3]
        assert all(
            order.index(parent) < order.index(child) for child in range(4) for parent in network[child]
        )
