"""Structural EM: which structures it takes, and what it returns when it is stopped."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BayouWarning, NoConvergence
from bayou.fitting import structural_em_search as structure_gaps
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.sampling.gibbs_imputation import gibbs_completed
from bayou.learning.em import e_step as expectation
from bayou.learning.em import structural_em as module
from bayou.learning.em.structural_em import (
    FittedStructure,
    MeanScores,
    RoundFunctions,
    StructuralEM,
    completed_rows,
)
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.time_budget import TimeBudget
from bayou.statistics import Batch

EMPTY: Parents = ((), ())
ARC: Parents = ((), (0,))
TURNED: Parents = ((1,), ())
ROWS = Batch(1, {"A": np.zeros(1, dtype=np.uint8), "B": np.zeros(1, dtype=np.uint8)}, {})


@pytest.fixture(autouse=True)
def no_drawing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "learned" not in request.node.name:
        monkeypatch.setattr(module, "completed_rows", lambda network, rows, seed: rows)


def scripted(
    climbs: list[FoundStructure], values: dict[Parents, Any], budget: TimeBudget | None = None
) -> tuple[StructuralEM, list[tuple[Parents, float | None]]]:
    """Structural EM whose climbs and fits are given; an exception among them is raised."""
    asked: list[tuple[Parents, float | None]] = []
    left = iter(climbs)

    def fit(parents: Parents, within: TimeBudget) -> FittedStructure:
        asked.append((parents, within.seconds))
        value = values[parents]
        if isinstance(value, BaseException):
            raise value
        number, finished = value if isinstance(value, tuple) else (value, True)
        network: Any = SimpleNamespace()
        return FittedStructure(parents, network, number, finished)

    means = RoundFunctions(lambda rows, unfit, start: next(left), fit)
    return StructuralEM(ROWS, means, budget or TimeBudget()), asked


def test_wide_networks_complete_rows_by_gibbs_sampling(monkeypatch):
    net = bayou.random_network(6, arcs=8, seed=1)
    codes = {name: np.array([0, 255, 1, 255] * 5, dtype=np.uint8) for name in net.names}
    rows = Batch(20, codes, {})
    exact = completed_rows(net.frozen, rows, seed=1)
    monkeypatch.setattr("bayou.learning.em.structural_em.MOST_WORK", 1.0)
    drawn = completed_rows(net.frozen, rows, seed=1)
    expected = gibbs_completed(net.frozen, rows, seed=1)
    for name, column in codes.items():
        np.testing.assert_array_equal(drawn.codes[name], expected.codes[name])
        np.testing.assert_array_equal(exact.codes[name][column < 255], column[column < 255])
        assert drawn.codes[name].max() < 2


def test_a_structure_is_taken_only_where_the_likelihood_gains() -> None:
    em, asked = scripted(
        [FoundStructure(ARC, 0.0), FoundStructure(TURNED, 0.0), FoundStructure(TURNED, 0.0)],
        {EMPTY: -9, ARC: -5, TURNED: -6},
    )
    assert em.run(None, EMPTY, EMPTY) == FoundStructure(ARC, -5, True)
    assert em.trace == [-5]
    assert [parents for parents, _ in asked] == [EMPTY, ARC, TURNED]


@pytest.mark.parametrize(("half", "kept"), [(-7.0, EMPTY), (-1.0, ARC)])
def test_a_fit_that_was_stopped_ends_it_with_the_better_one_and_is_not_remembered(
    half: float, kept: Parents
) -> None:
    em, asked = scripted([FoundStructure(ARC, 0.0)], {EMPTY: -5, ARC: (half, False)})
    found = em.run(EMPTY, None, EMPTY)
    assert found.parents == kept
    assert found.score == max(half, -5)
    assert not found.finished
    assert len(asked) == 2
    assert ARC not in em._known


def test_a_climb_that_was_stopped_ends_it_with_the_best_so_far() -> None:
    em, asked = scripted([FoundStructure(ARC, 0.0, finished=False)], {EMPTY: -5, ARC: -1})
    assert em.run(EMPTY, None, EMPTY) == FoundStructure(EMPTY, -5, False)
    assert [parents for parents, _ in asked] == [EMPTY]


def test_a_first_climb_that_was_stopped_is_fitted_by_one_iteration() -> None:
    em, asked = scripted([FoundStructure(TURNED, 0.0, finished=False)], {ARC: -5, TURNED: (-6, False)})
    assert em.run(None, ARC, EMPTY) == FoundStructure(TURNED, -6, False)
    assert asked == [(ARC, None), (TURNED, 0.0)]


def test_a_guess_that_was_stopped_gives_the_least_structure() -> None:
    em, asked = scripted([], {ARC: (-5, False), EMPTY: (-8, False)})
    assert em.run(None, ARC, EMPTY) == FoundStructure(EMPTY, -8, False)
    assert asked == [(ARC, None), (EMPTY, 0.0)]


def test_a_guess_that_may_be_returned_is_where_it_is_the_best() -> None:
    em, asked = scripted([], {ARC: (-5, False)})
    assert em.run(None, ARC, ARC) == FoundStructure(ARC, -5, False)
    assert len(asked) == 1
    em, _ = scripted([FoundStructure(EMPTY, 0.0, finished=False)], {ARC: -5, EMPTY: (-8, False)})
    assert em.run(None, ARC, ARC) == FoundStructure(ARC, -5, False)
    assert em.trace == [-8, -5]


def test_an_interrupt_after_the_first_fit_is_no_error_and_before_it_is() -> None:
    em, _ = scripted([FoundStructure(TURNED, 0.0)], {ARC: -5, TURNED: KeyboardInterrupt(), EMPTY: -8})
    assert em.run(None, ARC, EMPTY) == FoundStructure(EMPTY, -8, False)
    em, _ = scripted([], {ARC: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        em.run(None, ARC, EMPTY)


def test_a_structure_that_can_not_be_fitted_is_left_alone() -> None:
    climbs = [
        FoundStructure(ARC, 0.0),
        FoundStructure(TURNED, 0.0),
        FoundStructure(TURNED, 0.0),
        FoundStructure(TURNED, 0.0),
    ]
    em, asked = scripted(climbs, {EMPTY: -5, ARC: NoConvergence("no spread"), TURNED: -4})
    em.means = replace(em.means, without_density=lambda parents, fitted: [(1, (0,))])
    assert em.run(None, EMPTY, EMPTY) == FoundStructure(TURNED, -4, True)
    assert [parents for parents, _ in asked] == [EMPTY, ARC, TURNED]
    # Where no other structure is left to be tried, the error says why.
    em, _ = scripted([FoundStructure(ARC, 0.0)] * 2, {EMPTY: -5, ARC: NoConvergence("no spread")})
    em.means = replace(em.means, without_density=lambda parents, fitted: [(1, (0,))])
    with pytest.raises(NoConvergence):
        em.run(None, EMPTY, EMPTY)


def test_unfit_families_and_larger_ones_score_nothing() -> None:
    part: Any = SimpleNamespace(
        variables=(),
        families=lambda wanted: np.ones(len(wanted)),
        additions=lambda child, parents, candidates: np.ones(len(candidates)),
    )
    scores = MeanScores([part, part], [(1, (0,))])
    wanted = [(1, ()), (1, (0,)), (1, (0, 2)), (1, (2,)), (0, (1,))]
    assert scores.families(wanted).tolist() == [1, -np.inf, -np.inf, 1, 1]
    assert scores.additions(1, (2,), [0, 3]).tolist() == [-np.inf, 1]


def test_what_is_exact_gets_no_arc_and_the_rest_is_learned() -> None:
    chance = np.random.default_rng(0)
    x, z = chance.normal(size=60), chance.normal(size=60)
    columns = {"x": x, "y": 2 * x, "z": x + z}
    data = {n: np.where(chance.random(60) < 0.2, np.nan, column) for n, column in columns.items()}
    with pytest.warns(BayouWarning, match="no arc can be learned between them"):
        net = bayou.learn_structure(data)
    assert net.learned_structure.finished
    assert {frozenset(arc) for arc in net.arcs} == {frozenset("xz"), frozenset("yz")}


class Looks(TimeBudget):
    """A budget that is over at the k-th check."""

    def __init__(self, looks: int) -> None:
        super().__init__(1.0)
        object.__setattr__(self, "_left", itertools.count(looks, -1))

    @property
    def left(self) -> float:
        return float(next(self.__dict__["_left"]))


def test_the_clock_is_looked_at_between_completions() -> None:
    em, _ = scripted([FoundStructure(ARC, 0.0)], {EMPTY: -5, ARC: -1}, Looks(3))
    assert em.run(EMPTY, None, EMPTY) == FoundStructure(EMPTY, -5, False)


def gappy(variables: int = 3, rows: int = 200) -> dict[str, list[int | None]]:
    random = np.random.default_rng(3)
    base = random.integers(0, 2, rows)
    table = {}
    for k in range(variables):
        column = np.where(random.random(rows) < 0.15, 1 - base, base).tolist()
        table[f"Spalte {k}"] = [None if random.random() < 0.2 else value for value in column]
    return table


def test_an_interrupt_inside_a_fit_ends_what_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[Parents] = []
    expectations = [0]
    fit = structure_gaps._Rounds.fit

    def noted(self: Any, parents: Parents, budget: TimeBudget) -> FittedStructure:
        fits.append(parents)
        expectations[0] = 0
        return fit(self, parents, budget)

    def interrupted(*given: Any, **options: Any) -> Any:
        expectations[0] += 1
        if len(fits) == 2 and expectations[0] == 3:
            raise KeyboardInterrupt
        return expected_counts(*given, **options)

    monkeypatch.setattr(structure_gaps._Rounds, "fit", noted)
    monkeypatch.setattr(expectation, "expected_counts", interrupted)
    with pytest.warns(BayouWarning, match="interrupted"):
        net = bayou.learn_structure(gappy())
    assert len(fits) == 2
    assert not net.learned_structure.finished
    # The guess, fitted to its end, is better here than what was interrupted.
    assert net.learning is not None
    assert net.learning.verdict == "converged"
    assert list(net.learned_structure.trace) == sorted(net.learned_structure.trace)


def test_time_ends_a_fit_within_an_iteration_where_it_is_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    calls = []

    def slow(*given: Any, **options: Any) -> Any:
        now[0] += 10.0
        calls.append(given)
        return expected_counts(*given, **options)

    monkeypatch.setattr("bayou.learning.time_budget.time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(expectation, "expected_counts", slow)
    net = bayou.learn_structure(gappy(), time=15.0, require=[("Spalte 2", "Spalte 0")])
    assert len(calls) == 3
    assert not net.learned_structure.finished
    assert net.arcs == (("Spalte 2", "Spalte 0"),)
    assert net.frozen.blocks
    calls.clear()
    free = bayou.learn_structure(gappy(), time=15.0)
    assert len(calls) == 2
    assert len(free.arcs) == 2
    assert free.learned_structure.method == "structural EM"


def test_later_rounds_of_auto_start_from_the_best_so_far_when_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bayou.fitting import structure_methods

    seen: list[tuple[Parents | None, int]] = []
    climb = structure_methods.hill_climb

    def noted(*given: Any, **named: Any) -> FoundStructure:
        seen.append((named["start"], named["restarts"]))
        return climb(*given, **named)

    monkeypatch.setattr(structure_methods, "hill_climb", noted)
    bayou.learn_structure(gappy(11))
    assert seen[0][0] is None
    assert all(start is not None and any(start) for start, _ in seen[1:])
    assert len(seen) > 1
    assert {restarts for _, restarts in seen} == {structure_gaps._FEWER_RESTARTS}
