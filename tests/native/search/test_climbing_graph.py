"""The graph under local search against its plain reference, after any moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core
from bayou._native.reference import all_kernels as reference


class Both:
    """The kernel and the reference, told and asked the same."""

    def __init__(self, size: int, random: np.random.Generator, coarse: bool) -> None:
        self.size, self.random, self.coarse = size, random, coarse
        required = np.zeros((size, size), dtype=np.uint8)
        if size > 1 and random.random() < 0.5:
            required[0, size - 1] = 1
        allowed = (random.random((size, size)) < 0.8) | (required > 0)
        np.fill_diagonal(allowed, False)
        self.allowed = allowed
        given = required.reshape(-1), allowed.astype(np.uint8).reshape(-1)
        self.graphs = [kind.ClimbingGraph(size, *given) for kind in (_core, reference)]
        self.start = [[0] if required[0, child] else [] for child in range(size)]

    def ask(self, what: str, *given: Any) -> Any:
        ours, theirs = (getattr(graph, what)(*given) for graph in self.graphs)
        assert ours == theirs
        return ours

    def tell(self) -> None:
        for child in self.ask("unknown"):
            parents = self.ask("parents_of", child)
            adding = self._numbers()
            adding[[*parents, child]] = -np.inf
            adding[~self.allowed[:, child]] = -np.inf
            dropping = np.full(self.size, -np.inf)
            dropping[list(parents)] = self._numbers()[: len(parents)]
            for graph in self.graphs:
                graph.set_column(child, float(self.random.normal()), adding, dropping)

    def _numbers(self) -> Any:
        drawn = self.random.normal(size=self.size)
        return drawn.round() if self.coarse else drawn


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 7), st.integers(0, 10**6), st.booleans())
def test_every_move_is_that_of_the_reference(size: int, seed: int, coarse: bool) -> None:
    random = np.random.default_rng(seed)
    both = Both(size, random, coarse)
    both.ask("rebuild", both.start)
    for _ in range(10):
        both.tell()
        excluded = random.choice(size * size, int(random.integers(size * size)), replace=False).tolist()
        move = both.ask("best", 1e-9, excluded)
        if random.random() < 0.2:
            arcs = sum(map(len, both.ask("parents")))
            both.ask("perturb", random.random(), random.random(arcs * int(random.integers(1, 5))))
        elif move is not None and random.random() < 0.5:
            both.ask("apply", *move[:3])
        else:
            both.ask("climb", 1e-9, int(random.integers(4)))
        both.ask("parents")
    both.tell()
    ours, theirs = (graph.score() for graph in both.graphs)
    assert np.isfinite(ours) == np.isfinite(theirs)


def test_more_than_one_word_of_ancestors() -> None:
    size = 150
    graph = _core.ClimbingGraph(
        size, np.zeros(size * size, dtype=np.uint8), np.ones(size * size, dtype=np.uint8)
    )
    graph.rebuild([[] if k == 0 else [k - 1] for k in range(size)])
    for child in range(size):
        adding = np.full(size, 1.0)
        adding[child] = -np.inf
        if child:
            adding[child - 1] = -np.inf
        dropping = np.full(size, -np.inf)
        if child:
            dropping[child - 1] = -9.0
        graph.set_column(child, 0.0, adding, dropping)
    kind, parent, child, _ = graph.best(1e-9)
    assert (kind, parent, child) == ("add", 0, 2)  # along the chain: against it would close a circle


@pytest.mark.parametrize("kind", [_core, reference])
def test_what_can_not_be_meant_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="square"):
        kind.ClimbingGraph(3, np.zeros(4, dtype=np.uint8), np.zeros(9, dtype=np.uint8))
    graph = kind.ClimbingGraph(2, np.zeros(4, dtype=np.uint8), np.ones(4, dtype=np.uint8))
    with pytest.raises(ValueError, match="circle"):
        graph.rebuild([[1], [0]])
    with pytest.raises(ValueError, match="positions"):
        graph.rebuild([[5], []])
    with pytest.raises(ValueError, match="a list a variable"):
        graph.rebuild([[]])
    with pytest.raises(ValueError, match="unknown"):
        graph.best(1e-9)
    with pytest.raises(ValueError, match="already, or not at all"):
        graph.apply("drop", 0, 1)
    graph.rebuild([[], [0]])
    with pytest.raises(ValueError, match="one an arc"):
        graph.perturb(0.5, np.zeros(0))
    with pytest.raises(ValueError, match="below 1"):
        graph.perturb(0.5, np.array([1.0]))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 5), st.integers(1, 40), st.integers(0, 10**6), st.integers(0, 5))
def test_scores_from_memory_lead_where_told_ones_lead(size: int, rows: int, seed: int, most: int) -> None:
    random = np.random.default_rng(seed)
    cards = random.integers(1, 4, size).tolist()
    columns = [random.integers(0, card, rows).astype(np.uint8) for card in cards]
    required = np.zeros(size * size, dtype=np.uint8)
    allowed = (random.random(size * size) < 0.8).astype(np.uint8)
    allowed[:: size + 1] = 0
    found = []
    for kind in (_core, reference):
        memory = kind.FamilyMemory(kind.FamilyScorer(columns, cards), "bdeu", 1.0)
        graph = kind.ClimbingGraph(size, required, allowed)
        graph.use_memory(memory, most, -1e11)
        assert graph.fill(9.0)
        moves = graph.climb(1e-7, 50, 9.0)
        assert all(len(given) <= most for given in graph.parents())
        found.append((moves, graph.parents(), graph.fill(9.0), graph.score()))
    (ours, parents, _, score), (theirs, _, _, expected) = found
    assert [move[:3] for move in ours] == [move[:3] for move in theirs]
    assert parents == found[1][1]
    assert score == pytest.approx(expected, rel=1e-9)


def test_out_of_time_a_graph_asks_for_one_column_at_a_time() -> None:
    columns = [np.array([0, 1, 1, 0] * 9, np.uint8)] * 3
    graph = _core.ClimbingGraph(3, np.zeros(9, np.uint8), 1 - np.eye(3, dtype=np.uint8).reshape(-1))
    assert not graph.fill(0.0)  # nobody to ask
    graph.use_memory(_core.FamilyMemory(_core.FamilyScorer(columns, [2] * 3), "bic"), 3, -1e11)
    left = []
    while not graph.fill(0.0):
        left.append(len(graph.unknown()))
    assert left == [2, 1]
    assert len(graph.climb(1e-9, 50, 0.0)) == 1
    with pytest.raises(ValueError, match="as many variables"):
        graph.use_memory(_core.FamilyMemory(_core.FamilyScorer(columns[:2], [2] * 2), "bic"), 3, -1e11)
