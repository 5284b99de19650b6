"""Hill climbing against brute force: gains and ancestors, local optima, time limits and interrupts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.distributions import BDeu
from bayou.errors import BadGraph
from bayou.graphs import Dag
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.scores.scores import BIC, MarginalLikelihood
from bayou.learning.search.climbing_state import ClimbingState, Move
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.search_result import Parents
from bayou.learning.time_budget import TimeBudget
from bayou.schema import Variable
from bayou.sources import open_source


class MadeUp:
    """Random family scores, fixed by a seed: no data, every graph possible."""

    def __init__(self, size: int, seed: int, coarse: bool = False) -> None:
        self.variables = tuple(Variable(f"größe {k}", ["a", "b"]) for k in range(size))
        self.seed, self.coarse, self.asked = seed, coarse, 0

    def _score(self, child: int, parents: tuple[int, ...]) -> float:
        assert list(parents) == sorted(set(parents) - {child})
        key = [self.seed, child, *(parent + 100 for parent in parents)]
        value = np.random.default_rng(key).normal() - 0.3 * len(parents) ** 2
        return float(round(value)) if self.coarse else float(value)

    def families(self, wanted):
        self.asked += len(wanted)
        return np.array([self._score(child, parents) for child, parents in wanted])

    def additions(self, child, parents, candidates):
        return self.families([(child, tuple(sorted((*parents, other)))) for other in candidates])

    def total(self, parents: Parents) -> float:
        return sum(self._score(child, given) for child, given in enumerate(parents))


def is_acyclic(parents: Parents) -> bool:
    try:
        Dag(range(len(parents)), dict(enumerate(parents)))
    except BadGraph:
        return False
    return True


def neighbours(parents: Parents, constraints: Constraints):
    """Every graph one legal change away, the slow way."""
    for parent, child in itertools.permutations(range(len(parents)), 2):
        arcs = {(p, c) for c, given in enumerate(parents) for p in given}
        if (parent, child) in arcs and not constraints.required[parent, child]:
            options = [arcs - {(parent, child)}, arcs - {(parent, child)} | {(child, parent)}]
        elif (parent, child) not in arcs and (child, parent) not in arcs:
            options = [arcs | {(parent, child)}]
        else:
            continue
        for option in options:
            graph = tuple(tuple(sorted(p for p, c in option if c == k)) for k in range(len(parents)))
            legal = all(constraints.allowed[arc] for arc in option) and is_acyclic(graph)
            if legal and max(map(len, graph)) <= constraints.max_parents:
                yield graph


def random_constraints(size: int, seed: int) -> Constraints:
    random = np.random.default_rng(seed)
    allowed = random.random((size, size)) < 0.85
    required = np.triu(random.random((size, size)) < 0.1, 1)
    allowed |= required
    np.fill_diagonal(allowed, False)
    return Constraints(allowed, required, max(int(required.sum(axis=0).max()), int(random.integers(1, 4))))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 10**6), st.booleans(), st.sampled_from([0, 2]), st.booleans())
def test_no_legal_change_of_the_result_is_better(size, seed, constrained, tabu, coarse):
    scores = MadeUp(size, seed, coarse)
    constraints = random_constraints(size, seed) if constrained else Constraints.none(size)
    found = hill_climb(scores, constraints, TimeBudget(), tabu=tabu, patience=6, restarts=tabu, seed=seed)
    assert found.finished
    assert is_acyclic(found.parents)
    assert found.score == pytest.approx(scores.total(found.parents), abs=1e-9)
    for parent, child in zip(*np.nonzero(constraints.required), strict=True):
        assert parent in found.parents[child]
    for graph in neighbours(found.parents, constraints):
        assert scores.total(graph) <= found.score + 1e-6


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 10**6))
def test_the_state_knows_the_best_change_after_any_moves(size, seed):
    scores, constraints = MadeUp(size, seed), random_constraints(size, seed)
    state = ClimbingState(scores, constraints, TimeBudget())
    required = tuple(tuple(np.flatnonzero(constraints.required[:, c]).tolist()) for c in range(size))
    state.restart(required)
    random = np.random.default_rng(seed)
    for _ in range(12):
        held = random.choice(size * size, int(random.integers(size * size)), replace=False).tolist()
        move = state.best(held)
        if move is None:
            continue
        assert move.parent * size + move.child not in held
        before = state.score
        state.apply(move)
        assert state.score == pytest.approx(before + move.gain, abs=1e-9)
        assert state.score == pytest.approx(scores.total(state.parents), abs=1e-9)
        options = [scores.total(other) for other in neighbours(state.parents, constraints)]
        found = state.best()
        assert (found is None) == (not options)
        if found is not None:
            assert state.score + found.gain == pytest.approx(max(options), abs=1e-6)


def test_tabu_steps_reach_a_better_graph_than_greedy_ones_somewhere_and_never_a_worse():
    gains = []
    for seed in range(12):
        scores, free = MadeUp(6, seed), Constraints.none(6)
        greedy = hill_climb(scores, free, TimeBudget())
        further = hill_climb(scores, free, TimeBudget(), tabu=3, patience=15)
        gains.append(further.score - greedy.score)
    assert min(gains) >= 0
    assert max(gains) > 0.1


def test_equal_gains_are_broken_by_position_even_with_rounding():
    class Tied(MadeUp):
        def _score(self, child, parents):
            noise = 1e-12 * np.random.default_rng([child, *parents]).normal()
            return float(bool(parents)) + noise

    found = hill_climb(Tied(3, 0), Constraints.none(3), TimeBudget())
    assert found.parents == ((), (0,), (0,))


def test_no_time_gives_the_start_and_says_that_it_is_not_finished():
    start = ((), (0,), ())
    found = hill_climb(MadeUp(3, 1), Constraints.none(3), TimeBudget(0.0), start=start)
    assert not found.finished
    assert found.parents == start


def test_time_is_honoured_inside_a_step_of_a_slow_source():
    class Slow(MadeUp):
        def additions(self, child, parents, candidates):
            moment["now"] += 1
            return super().additions(child, parents, candidates)

    class Counting(TimeBudget):
        @property
        def left(self):
            return 7.5 - moment["now"]

    moment = {"now": 0}
    found = hill_climb(Slow(6, 3), Constraints.none(6), Counting())
    assert not found.finished
    assert moment["now"] == 8


@pytest.mark.parametrize("after", [0, 2, 7])
def test_an_interrupt_returns_the_best_so_far(after):
    steps = []

    def watch(move: Move, score: float) -> None:
        steps.append(score)
        if len(steps) > after:
            raise KeyboardInterrupt

    scores = MadeUp(8, 5)
    found = hill_climb(scores, Constraints.none(8), TimeBudget(), tabu=4, watch=watch)
    assert not found.finished
    assert found.score >= max(steps) - 1e-9
    assert found.score == pytest.approx(scores.total(found.parents))


def test_the_same_seed_gives_the_same_graph_and_the_steps_add_up():
    scores = MadeUp(7, 2)
    steps = []
    first = hill_climb(
        scores,
        Constraints.none(7),
        TimeBudget(),
        restarts=5,
        seed=4,
        watch=lambda move, score: steps.append((move, score)),
    )
    again = hill_climb(scores, Constraints.none(7), TimeBudget(), restarts=5, seed=4)
    assert first == again
    assert steps[1][1] == pytest.approx(steps[0][1] + steps[1][0].gain)


def test_a_start_is_kept_where_nothing_is_better():
    scores = MadeUp(5, 9)
    best = hill_climb(scores, Constraints.none(5), TimeBudget())
    assert hill_climb(scores, Constraints.none(5), TimeBudget(), start=best.parents) == best


@pytest.mark.parametrize("score", [BIC(), MarginalLikelihood(BDeu(1))])
def test_a_chain_in_real_data_is_found(score):
    random = np.random.default_rng(0)
    a = random.random(2000) < 0.4
    b = a ^ (random.random(2000) < 0.1)
    c = b ^ (random.random(2000) < 0.1)
    source = open_source({"a": a, 2: b, "ç d": c})
    scores = SourceScores(source, [source.variable(name) for name in source.names], score)
    found = hill_climb(scores, Constraints.none(3), TimeBudget())
    assert {frozenset(arc) for arc in found.arcs(source.names)} == {
        frozenset({"a", 2}),
        frozenset({2, "ç d"}),
    }


def test_one_variable_and_none_at_all():
    assert hill_climb(MadeUp(1, 0), Constraints.none(1), TimeBudget(), tabu=3).parents == ((),)
