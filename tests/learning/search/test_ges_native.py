"""Greedy equivalence search in the core: same steps as in Python, time limits, progress and interrupts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learning.search.every_network import made, with_score

from bayou.distributions import BDeu
from bayou.learning.scores.local_scores import LocalScores, SourceScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import AIC, BIC, MarginalLikelihood, Score
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.ges import _ClassSearch, ges
from bayou.learning.search.search_result import FoundStructure
from bayou.learning.time_budget import TimeBudget
from bayou.progress import show_progress

SCORES: list[Score] = [BIC(), AIC(), MarginalLikelihood(BDeu(1)), MarginalLikelihood(BDeu(10))]


def in_memory(scores: SourceScores) -> LocalScores:
    return local_scores(scores.source, scores.variables, scores.score)


class Told:
    """Counts the steps that are reported."""

    steps = 0

    def advance(self, task: str, done: int) -> None:
        self.steps = done

    def finish(self, task: str) -> None: ...


@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from(SCORES), st.integers(0, 5))
@settings(max_examples=30)
def test_it_finds_what_the_search_in_python_finds(seed: int, size: int, score: Score, most: int) -> None:
    scores = with_score(made(seed, size, 150), score)
    constraints = Constraints(~np.eye(size, dtype=bool), np.zeros((size, size), dtype=bool), most)
    held = in_memory(scores)
    plain = _ClassSearch(held, constraints, TimeBudget())
    steps = len(list(plain.steps()))
    expected = FoundStructure(plain.parents, float(held.families(list(enumerate(plain.parents))).sum()))
    told = Told()
    with show_progress(told):
        assert ges(in_memory(scores), constraints, TimeBudget()) == expected
    assert told.steps == steps


def test_without_the_kernel_it_is_searched_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = made(11, 5, 1000)
    expected = ges(in_memory(scores), Constraints.none(5), TimeBudget())
    monkeypatch.setattr("bayou.learning.search.ges_native.EquivalenceSearch", None)
    assert ges(in_memory(scores), Constraints.none(5), TimeBudget()) == expected


def test_when_time_is_up_it_ends() -> None:
    found = ges(in_memory(made(11, 5, 1000)), Constraints.none(5), TimeBudget(0.0))
    assert not found.finished
    assert found.parents == ((),) * 5


class Interrupted:
    """A search in the core that is interrupted after one step."""

    def __init__(self, *given: object) -> None: ...

    def is_finished(self) -> bool:
        return False

    def steps(self, seconds: float) -> None:
        assert 0 < seconds < 0.1
        raise KeyboardInterrupt

    def parents(self) -> tuple[tuple[int, ...], ...]:
        return (), (0,), (), (), ()


def test_an_interrupted_search_returns_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.learning.search.ges_native.EquivalenceSearch", Interrupted)
    scores = in_memory(made(11, 5, 1000))
    found = ges(scores, Constraints.none(5), TimeBudget())
    families = list(enumerate(Interrupted().parents()))
    assert found == FoundStructure(
        Interrupted().parents(), float(scores.families(families).sum()), finished=False
    )
