"""K2 (Cooper & Herskovits 1992): in a given order of the variables, choose each one's parents greedily."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure, rounding
from bayou.learning.time_budget import OutOfTime, TimeBudget


def k2_search(
    scores: LocalScores, order: Sequence[int], constraints: Constraints, budget: TimeBudget | None = None
) -> FoundStructure:
    """Add to each variable the best parent among those before it in ``order``, as long as the score gains.

    Required arcs are always kept, also those against the order: the caller must check them.

    >>> from bayou.learning.scores.local_scores import SourceScores
    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "B": [0, 1, 0, 1] * 9, "C": [0, 1, 1, 1] * 9})
    >>> scores = SourceScores(source, [source.variable(name) for name in "ABC"], BIC())
    >>> k2_search(scores, [1, 2, 0], Constraints.none(3)).parents
    ((1, 2), (), (1,))
    """
    clock = budget or TimeBudget()
    parents = [tuple(np.flatnonzero(constraints.required[:, child]).tolist()) for child in range(len(order))]
    finished = True
    try:
        for place, child in enumerate(order):
            _require_time(clock)
            allowed = [other for other in order[:place] if constraints.allowed[other, child]]
            for more in _chosen(scores, child, parents[child], allowed, constraints.max_parents):
                # Stored at once, so that they are kept when the time is up or the user interrupts.
                parents[child] = more
                _require_time(clock)
    except (OutOfTime, KeyboardInterrupt):
        finished = False
    return FoundStructure(tuple(parents), float(scores.families(list(enumerate(parents))).sum()), finished)


def _require_time(clock: TimeBudget) -> None:
    if clock.over:
        raise OutOfTime


def _chosen(
    scores: LocalScores, child: int, parents: tuple[int, ...], allowed: Sequence[int], most: int
) -> Iterator[tuple[int, ...]]:
    """Yield the parents after each addition that gains."""
    score = float(scores.families([(child, parents)])[0])
    while len(parents) < most:
        candidates = [other for other in allowed if other not in parents]
        if not candidates:
            return
        gains = scores.additions(child, parents, candidates) - score
        best = float(gains.max())
        # Of candidates that are equal up to rounding, the first in the order is taken.
        chosen = candidates[int((gains >= best - rounding(score)).argmax())]
        if best <= rounding(score):
            return
        parents, score = tuple(sorted((*parents, chosen))), score + best
        yield parents
