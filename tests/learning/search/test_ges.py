"""Greedy equivalence search: its steps against all networks of a class, its results against exact search."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learning.search.every_network import all_networks, made, with_score

from bayou.distributions import BDeu, Laplace
from bayou.errors import BadGraph, BadPrior
from bayou.graphs.meek import as_bits, compelled, extend, set_bits
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.scores.scores import AIC, BIC, BDs, MarginalLikelihood, Score
from bayou.learning.search import ges as module
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.exact_search import exact_search
from bayou.learning.search.ges import ges
from bayou.learning.search.ges_operators import ClassStep, EquivalenceClass
from bayou.learning.time_budget import TimeBudget
from bayou.sources import open_source
from bayou.typing import FloatArray, IntArray

SCORES: list[Score] = [BIC(), AIC(), MarginalLikelihood(BDeu(1)), MarginalLikelihood(BDeu(10))]


def classes(size: int) -> dict[tuple[tuple[int, ...], tuple[int, ...]], list[list[int]]]:
    """The networks (bits of parents) of each class."""
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], list[list[int]]] = {}
    for network in all_networks(size):
        bits = as_bits(network)
        marks = compelled(bits)
        found.setdefault((tuple(marks.parents), tuple(marks.edges)), []).append(bits)
    return found


def test_insertions_lead_to_exactly_the_classes_with_one_arc_more() -> None:
    for (parents, edges), networks in classes(4).items():
        now = EquivalenceClass(compelled(networks[0]))
        assert (tuple(now.parents), tuple(now.edges)) == (parents, edges)
        reached = set()
        for head in range(4):
            for clique in now.cliques(now.edges[head]):
                for tail in range(4):
                    step = ClassStep(0.0, tail, head, clique)
                    if tail != head and not clique >> tail & 1 and now.admits_insertion(step):
                        network = extend(now.after_insertion(step))
                        assert network is not None
                        reached.add(tuple(map(tuple, compelled(network))))
        assert reached == {
            tuple(map(tuple, compelled(more))) for network in networks for more in _with_one_more(network)
        }


def test_deletions_lead_to_exactly_the_classes_with_one_arc_less() -> None:
    for networks in classes(4).values():
        now = EquivalenceClass(compelled(networks[0]))
        reached = set()
        for head in range(4):
            for tail in set_bits(now.parents[head] | now.edges[head]):
                for clique in now.cliques(now.shared(tail, head)):
                    network = extend(now.after_deletion(ClassStep(0.0, tail, head, clique)))
                    assert network is not None
                    reached.add(tuple(map(tuple, compelled(network))))
        expected = set()
        for network in networks:
            for head, up in enumerate(network):
                for tail in set_bits(up):
                    less = [*network[:head], up & ~(1 << tail), *network[head + 1 :]]
                    expected.add(tuple(map(tuple, compelled(less))))
        assert reached == expected


def _with_one_more(network: list[int]) -> list[list[int]]:
    legal = {tuple(as_bits(one)) for one in all_networks(len(network))}
    more = []
    for head, up in enumerate(network):
        for tail in range(len(network)):
            larger = [*network[:head], up | 1 << tail, *network[head + 1 :]]
            if not up >> tail & 1 and tuple(larger) in legal:
                more.append(larger)
    return more


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from(SCORES), st.integers(0, 5))
@settings(max_examples=40)
def test_every_step_gains_what_it_says(seed: int, size: int, score: Score, most: int) -> None:
    scores = with_score(made(seed, size, 150), score)
    constraints = Constraints(~np.eye(size, dtype=bool), np.zeros((size, size), dtype=bool), most)
    search = module._ClassSearch(scores, constraints, TimeBudget())
    total = _total(scores, search.network)
    for step in search.steps():
        assert step.gain > 0
        assert _total(scores, search.network) == pytest.approx(total + step.gain, rel=1e-9)
        total = _total(scores, search.network)
        assert max(bits.bit_count() for bits in search.network) <= most
    found = ges(scores, constraints, TimeBudget())
    assert found.finished
    assert found.score == pytest.approx(total, rel=1e-12)
    assert found.parents in all_networks(size)


def _total(scores: SourceScores, network: list[int]) -> float:
    return float(scores.families([(child, tuple(set_bits(up))) for child, up in enumerate(network)]).sum())


@given(st.integers(0, 10**6), st.sampled_from(SCORES))
@settings(max_examples=20)
def test_it_ends_between_the_empty_network_and_the_best(seed: int, score: Score) -> None:
    scores = with_score(made(seed, 5, 200), score)
    found = ges(scores, Constraints.none(5), TimeBudget())
    best = exact_search(scores, Constraints.none(5), TimeBudget())
    empty = scores.families([(child, ()) for child in range(5)]).sum()
    assert empty - 1e-9 <= found.score <= best.score + 1e-9


def test_turning_an_arc_may_gain_where_adding_and_deleting_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = with_score(made(157, 5, 100), AIC())
    turned = ges(scores, Constraints.none(5), TimeBudget())
    monkeypatch.setattr(module._ClassSearch, "_best_turn", lambda self: None)
    assert ges(scores, Constraints.none(5), TimeBudget()).score < turned.score - 1e-6
    assert turned.parents in all_networks(5)


def test_with_many_rows_it_finds_the_class_of_the_best_network() -> None:
    scores = made(11, 5, 4000)
    best = exact_search(scores, Constraints.none(5), TimeBudget())
    found = ges(scores, Constraints.none(5), TimeBudget())
    assert compelled(as_bits(found.parents)) == compelled(as_bits(best.parents))


def test_pairs_that_may_not_be_joined_are_not() -> None:
    scores = made(11, 5, 1000)
    free = ges(scores, Constraints.none(5), TimeBudget())
    child = next(child for child, parents in enumerate(free.parents) if parents)
    other = free.parents[child][0]
    allowed = ~np.eye(5, dtype=bool)
    allowed[child, other] = allowed[other, child] = False
    found = ges(scores, Constraints(allowed, np.zeros((5, 5), dtype=bool), 5), TimeBudget())
    assert other not in found.parents[child]
    assert child not in found.parents[other]
    assert found.score < free.score


def test_one_direction_alone_is_refused_with_its_names() -> None:
    scores = made(1, 3, 20)
    nothing, everything = np.zeros((3, 3), dtype=bool), ~np.eye(3, dtype=bool)
    arc = nothing.copy()
    arc[0, 2] = True
    for constraints in (Constraints(everything, arc, 3), Constraints(everything & ~arc, nothing, 3)):
        with pytest.raises(BadGraph, match=r"'Größe' -> 3 alone\. Use hill climbing"):
            ges(scores, constraints, TimeBudget())


@pytest.mark.parametrize("prior", [Laplace(1), BDs(10)])
def test_scores_that_differ_within_a_class_are_refused(prior: Laplace | BDs) -> None:
    with pytest.raises(BadPrior, match="equal for equivalent networks"):
        ges(with_score(made(1, 3, 20), MarginalLikelihood(prior)), Constraints.none(3), TimeBudget())


def test_mixed_variables_are_refused() -> None:
    source = open_source({"x": [0.5, 1.5, 2.5, 0.25], "s": ["a", "b", "a", "b"]})
    scores = SourceScores(source, [source.variable("x"), source.variable("s")], BIC())
    with pytest.raises(BadPrior, match="all discrete or all continuous"):
        ges(scores, Constraints.none(2), TimeBudget())


def test_numbers_are_searched_too() -> None:
    random = np.random.default_rng(2)
    a, b = random.normal(size=(2, 500))
    table = {"a": a, "b": b, "c": a + b + 0.5 * random.normal(size=500)}
    source = open_source(table)
    scores = SourceScores(source, [source.variable(name) for name in table], BIC())
    assert ges(scores, Constraints.none(3), TimeBudget()).parents == ((), (), (0, 1))


class Slow(SourceScores):
    """Every call for additions takes a second of a simulated clock."""

    seconds = 0.0

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        self.seconds += 1
        return super().additions(child, parents, candidates)


@pytest.mark.parametrize(("time", "arcs"), [(2.5, 0), (5.5, 1), (7.5, 2)])
def test_when_time_is_up_nothing_more_is_scored_and_the_steps_made_stay(
    time: float, arcs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = made(11, 5, 1000)
    scores = Slow(base.source, base.variables, base.score)
    monkeypatch.setattr("bayou.learning.time_budget.time", SimpleNamespace(monotonic=lambda: scores.seconds))
    found = ges(scores, Constraints.none(5), TimeBudget(time, 0.0))
    assert scores.seconds == int(time) + 1
    assert not found.finished
    assert sum(map(len, found.parents)) == arcs


def test_an_interrupted_search_returns_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module._ClassSearch, "_best_deletion", interrupt)
    found = ges(made(11, 5, 1000), Constraints.none(5), TimeBudget())
    assert not found.finished
    assert any(found.parents)
