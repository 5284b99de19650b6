"""Exact search within a time limit, and interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from tests.learning.search.every_network import (
    all_networks,
    made,
    with_score,
)
from tests.learning.search.test_exact_search import Listed

from bayou.distributions import BDeu
from bayou.learning.scores.local_scores import FamilyNumbers
from bayou.learning.scores.native_scores import NativeScores
from bayou.learning.scores.scores import BIC, MarginalLikelihood, Score
from bayou.learning.search import exact_search as module
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.exact_pruning import Ceilings
from bayou.learning.search.exact_search import exact_search
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.search_result import FoundStructure
from bayou.learning.time_budget import TimeBudget
from bayou.typing import FloatArray


def test_an_interrupted_search_returns_what_it_has() -> None:
    required = np.zeros((5, 5), dtype=bool)
    required[4, 0] = True
    constraints = Constraints(~np.eye(5, dtype=bool), required, 5)

    class Interrupted(Listed):
        def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
            if self.calls == 1:
                self.calls = 10**9
                raise KeyboardInterrupt
            return super().families(wanted)

    found = exact_search(Interrupted(5, 9), constraints, TimeBudget())
    assert not found.finished
    assert found.parents in all_networks(5)
    assert 4 in found.parents[0]


def test_when_time_is_up_the_smaller_sets_count(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ticking(TimeBudget):
        @property
        def left(self) -> float:
            object.__setattr__(self, "started", self.started - 1)
            return self.started

    found = exact_search(Listed(5), Constraints.none(5), Ticking(started=8.0))
    assert not found.finished
    assert found.parents in all_networks(5)
    assert max(map(len, found.parents)) <= 2
    full = exact_search(Listed(5), Constraints.none(5), TimeBudget())
    assert found.score <= full.score


class Slow(NativeScores):
    """Every call takes a second of a simulated clock."""

    seconds = 0.0

    def unremembered(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        self.seconds += 1
        return super().unremembered(wanted)


def slow(size: int, score: Score, monkeypatch: pytest.MonkeyPatch) -> Slow:
    base = made(3, size, 300)
    batch = base.source.map_batches(lambda rows: rows, base.variables)
    scores = Slow(batch, base.variables, score)
    monkeypatch.setattr("bayou.learning.time_budget.time", SimpleNamespace(monotonic=lambda: scores.seconds))
    return scores


def test_time_is_kept_back_for_the_search_among_the_scored_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = slow(5, BIC(), monkeypatch)
    monkeypatch.setattr(module, "_seconds_a_cell", lambda: 20 / (5 * 2**4) / 1.5)
    climbed = hill_climb(scores, Constraints.none(5), TimeBudget())
    scores.seconds = 0.0
    found = exact_search(scores, Constraints.none(5), TimeBudget(40.0, 0.0))
    # Scoring ends when half of the time is left; the last call is that for the score of the result.
    assert 20 <= scores.seconds <= 22
    assert not found.finished
    assert found.score >= climbed.score
    scores.seconds = 0.0
    assert exact_search(scores, Constraints.none(5), TimeBudget(400.0, 0.0)).finished


def test_climbing_answers_where_time_is_too_short_for_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = slow(5, BIC(), monkeypatch)
    climbed = hill_climb(scores, Constraints.none(5), TimeBudget(), restarts=module._RESTARTS)
    monkeypatch.setattr(module, "_seconds_a_cell", lambda: 1e3)
    monkeypatch.setattr(module, "_searched", None)
    scores.seconds = 0.0
    found = exact_search(scores, Constraints.none(5), TimeBudget(100.0, 0.0))
    assert found == replace(climbed, finished=False)


def test_an_interrupt_while_climbing_ends_exact_search_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "hill_climb", lambda *_, **__: FoundStructure(((), ()), -5.0, finished=False))
    monkeypatch.setattr(module, "_searched", None)
    assert exact_search(Listed(2), Constraints.none(2), TimeBudget(1e6)) == FoundStructure(
        ((), ()), -5.0, False
    )


def test_ceilings_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = with_score(made(5, 4, 3000), MarginalLikelihood(BDeu(1)))
    now = [0.0]
    monkeypatch.setattr("bayou.learning.time_budget.time", SimpleNamespace(monotonic=lambda: now[0]))
    ceilings = Ceilings(scores, TimeBudget(10.0, 0.0))
    ceiling = ceilings.of(0, [1, 2, 3], [1, 2, 3])
    assert ceiling is not None
    masks, known = np.arange(1, 8), np.zeros(7)
    assert np.isfinite(ceiling.of(masks, known)).all()
    now[0] = 5.0
    assert ceilings.of(1, [0, 2, 3], [0, 2, 3]) is None
    now[0] = 11.0
    assert np.isinf(ceiling.of(masks, known)).all()


@pytest.mark.parametrize(("seconds", "sizes"), [(1.0, [16, 8, 8, 8]), (0.0, [16, 24]), (0.05, [16, 16, 8])])
def test_limited_time_is_looked_at_more_often_where_families_take_longer(
    seconds: float, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr(module.clock, "perf_counter", lambda: seconds * next(ticks))
    scores = made(2, 2, 40)
    sets = module._ParentSets(scores, Constraints.none(2), 0, Ceilings(scores, TimeBudget()))
    assert list(map(len, sets._blocks(np.arange(40), TimeBudget(5.0)))) == sizes
    assert list(map(len, sets._blocks(np.arange(40), TimeBudget()))) == [40]
