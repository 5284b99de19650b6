"""Columns and moments that break a search: constants, exact lines, interrupts while something is scored."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadPrior
from bayou.learning.scores.local_scores import SourceScores
from bayou.learning.scores.scores import BIC
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.time_budget import TimeBudget
from bayou.sources import open_source


@pytest.mark.parametrize("method", ["auto", "hill-climbing", "tabu", "ges", "order", "exact"])
def test_a_number_that_never_changes_is_refused_by_name(method: str) -> None:
    random = np.random.default_rng(0)
    rows = {f"x {k}": random.normal(size=50) for k in range(3)}
    rows["constant å"] = np.full(50, 1 / 3)
    with pytest.raises(BadData, match=r"'constant å' is 0\.333333 in every row.*ignore="):
        bayou.learn_structure(rows, method=method)


@pytest.mark.parametrize("method", ["hill-climbing", "tabu", "order", "exact"])
def test_an_exact_line_that_is_required_ends(method: str) -> None:
    x = np.random.default_rng(0).normal(size=50)
    rows = {"x": x, "y": 2 * x, "z": x + np.random.default_rng(1).normal(size=50)}
    printed = pytest.warns(bayou.BayouWarning, match="'y' is a linear function of 'x'.*no arc can be learned")
    with pytest.raises(BadData, match="'y' is determined by its parents 'x' "), printed:
        bayou.learn_structure(rows, method=method, require="x -> y", restarts=None)


@pytest.mark.parametrize("after", range(1, 12))
def test_an_interrupt_while_scoring_keeps_the_moves_that_were_made(after: int) -> None:
    random = np.random.default_rng(3)
    a = random.integers(0, 2, 300)
    rows = {"a": a}
    for k in range(4):
        rows[f"b{k}"] = np.where(random.random(300) < 0.2 * (k + 1) / 2, random.integers(0, 2, 300), a)
    source = open_source(rows)
    variables = [source.variable(name) for name in rows]
    reached: list[float] = []

    class Impatient(SourceScores):
        calls = 0

        def families(self, wanted):
            self.calls += 1
            if self.calls == 10 + after:
                raise KeyboardInterrupt
            return super().families(wanted)

    found = hill_climb(
        Impatient(source, variables, BIC()),
        Constraints.none(5),
        TimeBudget(),
        watch=lambda move, score: reached.append(score),
    )
    exact = SourceScores(source, variables, BIC()).families(list(enumerate(found.parents))).sum()
    assert found.score == pytest.approx(exact)
    assert not reached or found.score >= max(reached) - 1e-9


@pytest.mark.filterwarnings("ignore:.*have gaps")
@pytest.mark.parametrize("missing", ["em", "available"])
def test_equivalence_search_refuses_scores_that_differ_between_equivalents(
    missing: str,
) -> None:
    random = np.random.default_rng(0)
    a = random.integers(0, 2, 100).astype(object)
    b = a.copy()
    a[::9] = None
    with pytest.raises(BadPrior, match="equivalent networks"):
        bayou.learn_structure({"a": a, "b": b}, method="ges", score="k2", missing=missing)


def test_seed_none_and_numpy_seconds_are_taken() -> None:
    rows = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9, "c": [0, 1, 0, 1] * 9}
    net = bayou.learn_structure(rows, method="hill-climbing", seed=None, time=np.int64(5))
    assert len(net.arcs) == 1


def test_whole_numbers_that_are_too_many_states_are_reported() -> None:
    rows = {"age": [k % 30 for k in range(300)], "old": [k % 30 > 14 for k in range(300)]}
    with pytest.warns(bayou.errors.BayouWarning, match=r"'age' \(30 states\).*continuous=\['age'\]"):
        bayou.learn_structure(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayou.learn_structure(rows, states={"age": list(range(30))})  # whoever declares them means them
        bayou.learn_structure({name: column * 10 for name, column in rows.items()})  # rows enough


@pytest.mark.parametrize("method", ["auto", "tabu", "order", "ges", "k2", "pc"])
def test_numbers_too_large_to_square_are_refused_by_name(method: str) -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 50))
    order = ["x", "y", "z"] if method == "k2" else None
    with pytest.raises(BadData, match=r"'x' .*too large to square"):
        bayou.learn_structure({"x": 1e160 * x, "y": 1e160 * (x + y), "z": y}, method=method, order=order)
