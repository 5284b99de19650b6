"""A search for states of all hidden variables that have a positive probability together.

One variable after the other is given a state, the one with the fewest possible states first; arc consistency
then removes what the tables rule out, and a dead end goes back (Haralick and Elliott 1980, Increasing tree
search efficiency for constraint satisfaction problems, Artificial Intelligence 14).
"""

from __future__ import annotations

from math import inf
from time import monotonic

import numpy as np

from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.inference.sampling.zero_propagation import Masks, ZeroPropagation
from bayou.typing import IntArray

MOST_TRIALS = 500
"""The most states that are tried before the search gives up."""


def has_support(graph: FactorGraph, trials: int = MOST_TRIALS, until: float = inf) -> bool | None:
    """Whether some states of all variables are possible together; None if the search gave up.

    It does after so many trials, and at the time ``until`` (on the clock of ``time.monotonic``).
    """
    try:
        return _Search(graph, trials, None, until).states() is not None
    except _GivenUp:
        return None


def supported_states(
    graph: FactorGraph, random: np.random.Generator, trials: int = MOST_TRIALS, until: float = inf
) -> IntArray | None:
    """Positions of possible states of all variables, tried in random order; None if none were found."""
    try:
        return _Search(graph, trials, random, until).states()
    except _GivenUp:
        return None


class _GivenUp(Exception):
    pass


class _Search:
    def __init__(
        self, graph: FactorGraph, trials: int, random: np.random.Generator | None, until: float
    ) -> None:
        self.graph, self.left, self.random, self.until = graph, trials, random, until
        self.cards = dict(enumerate(graph.cards))
        self.zeros = ZeroPropagation(graph.factors)

    def states(self) -> IntArray | None:
        every = {v: np.ones(self.cards[v], dtype=np.bool_) for v in self.zeros.users}
        masks = self.zeros.narrowed(every)
        found = None if masks is None else self._search(masks)
        if found is None:
            return None
        chosen = np.zeros(len(self.cards), dtype=np.int64)
        for variable, card in self.cards.items():
            free = np.flatnonzero(found[variable]) if variable in found else np.arange(card)
            chosen[variable] = free[0] if self.random is None else self.random.choice(free)
        return chosen

    def _search(self, masks: Masks) -> Masks | None:
        """Single states for all variables of tables with zeros; None if there are none."""
        stack: list[Masks] = [masks]
        while stack:
            now = stack.pop()
            sizes = {v: np.count_nonzero(mask) for v, mask in now.items()}
            open_ones = [v for v, size in sizes.items() if size > 1]
            if not open_ones:
                return now
            variable = min(open_ones, key=sizes.__getitem__)
            states = np.flatnonzero(now[variable])
            if self.random is not None:
                self.random.shuffle(states)
            for state in states[::-1]:
                if self.left <= 0 or monotonic() > self.until:
                    raise _GivenUp
                self.left -= 1
                single = np.zeros(len(now[variable]), dtype=np.bool_)
                single[state] = True
                narrowed = self.zeros.narrowed({**now, variable: single}, [variable])
                if narrowed is not None:
                    stack.append(narrowed)
        return None
