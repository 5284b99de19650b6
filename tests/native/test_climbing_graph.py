"""The graph under local search against its plain reference, after any moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou._native import _core, reference


class Both:
    """The kernel and the reference, told and asked the same."""

    def __init__(self, size: int, random: np.random.Generator, coarse: bool) -> None:
        self.size, self.random, self.coarse = size, random, coarse
        required = np.zeros((size, size), dtype=np.uint8)
        if size > 1 and random.random() < 0.5:
            required[0, size - 1] = 1
        self.graphs = [kind.ClimbingGraph(size, required.reshape(-1)) for kind in (_core, reference)]
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
            adding[self.random.random(self.size) < 0.2] = -np.inf
            dropping = np.full(self.size, -np.inf)
            dropping[list(parents)] = self._numbers()[: len(parents)]
            for graph in self.graphs:
                graph.know(child, float(self.random.normal()), adding, dropping)

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
        held = random.choice(size * size, int(random.integers(size * size)), replace=False).tolist()
        move = both.ask("best", 1e-9, held)
        if move is not None and random.random() < 0.5:
            both.ask("apply", *move[:3])
        else:
            both.ask("climb", 1e-9, int(random.integers(4)))
        both.ask("parents")
    both.tell()
    ours, theirs = (graph.score() for graph in both.graphs)
    assert np.isfinite(ours) == np.isfinite(theirs)


def test_more_than_one_word_of_ancestors() -> None:
    size = 150
    graph = _core.ClimbingGraph(size, np.zeros(size * size, dtype=np.uint8))
    graph.rebuild([[] if k == 0 else [k - 1] for k in range(size)])
    for child in range(size):
        adding = np.full(size, 1.0)
        adding[child] = -np.inf
        if child:
            adding[child - 1] = -np.inf
        dropping = np.full(size, -np.inf)
        if child:
            dropping[child - 1] = -9.0
        graph.know(child, 0.0, adding, dropping)
    kind, parent, child, _ = graph.best(1e-9)
    assert (kind, parent, child) == ("add", 0, 2)  # along the chain: against it would close a circle


@pytest.mark.parametrize("kind", [_core, reference])
def test_what_can_not_be_meant_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="square"):
        kind.ClimbingGraph(3, np.zeros(4, dtype=np.uint8))
    graph = kind.ClimbingGraph(2, np.zeros(4, dtype=np.uint8))
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
