"""Exact search against all networks, one by one; its bounds against all scores."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learning.search.every_network import (
    all_networks,
    best_by_force,
    check,
    constraint_sets,
    made,
    with_score,
)
from tests.shared_data import SHARED, needs_shared_data

from bayou.distributions import BDeu, Laplace
from bayou.errors import TooWide
from bayou.learning.scores.gaussian_scores import GaussianScores
from bayou.learning.scores.local_scores import FamilyNumbers, SourceScores
from bayou.learning.scores.native_scores import NativeScores, local_scores
from bayou.learning.scores.scores import AIC, BIC, BDs, LogLikelihood, MarginalLikelihood, Score, score_from
from bayou.learning.search import exact_pruning
from bayou.learning.search import exact_search as module
from bayou.learning.search.arc_gains import arc_gains
from bayou.learning.search.constraints import Constraints, constraints_from
from bayou.learning.search.exact_pruning import Ceilings
from bayou.learning.search.exact_search import exact_search
from bayou.learning.search.ges import ges
from bayou.learning.search.hill_climbing import hill_climb
from bayou.learning.search.order_search import order_search
from bayou.learning.search.search_result import FoundStructure
from bayou.learning.time_budget import TimeBudget
from bayou.progress import show_progress
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.typing import FloatArray

SCORES: list[Score] = [
    BIC(),
    AIC(),
    LogLikelihood(),
    *(MarginalLikelihood(prior) for prior in (BDeu(1), BDeu(10), BDs(10), Laplace(1), Laplace(0.1))),
]


def test_there_are_as_many_networks_as_known() -> None:
    assert [len(all_networks(size)) for size in (1, 2, 3, 4, 5)] == [1, 3, 25, 543, 29281]


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_of_all_29281_networks_on_five_variables_none_is_better(score: Score) -> None:
    scores = with_score(made(7, 5, 80), score)
    found = exact_search(scores, Constraints.none(5), TimeBudget())
    assert found.finished
    check(found, scores, Constraints.none(5))
    assert found.score == pytest.approx(best_by_force(scores, Constraints.none(5)), rel=1e-12)


@given(st.data(), st.integers(0, 10**6), st.integers(1, 4), st.sampled_from(SCORES))
@settings(max_examples=40)
def test_no_legal_network_is_better(data: st.DataObject, seed: int, size: int, score: Score) -> None:
    scores = with_score(made(seed, size, 60), score)
    constraints = data.draw(constraint_sets(size))
    found = exact_search(scores, constraints, TimeBudget())
    assert found.finished
    check(found, scores, constraints)
    assert found.score == pytest.approx(best_by_force(scores, constraints), rel=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 200), st.sampled_from(SCORES))
@settings(max_examples=60)
def test_no_superset_is_above_its_ceiling(seed: int, size: int, rows: int, score: Score) -> None:
    scores = with_score(made(seed, size, rows), score)
    for child in range(size):
        others = [other for other in range(size) if other != child]
        ceiling = Ceilings(scores, TimeBudget()).of(child, others, others)
        assert ceiling is not None
        masks = np.arange(1 << len(others))
        bounds = ceiling.of(masks, np.full(len(masks), np.inf))
        members = [tuple(other for bit, other in enumerate(others) if mask >> bit & 1) for mask in masks]
        values = scores.families([(child, parents) for parents in members])
        for mask, bound in zip(masks, bounds, strict=True):
            assert values[masks & mask == mask].max() <= bound + 1e-9 * (1 + abs(bound))


def test_bounds_rule_most_sets_out() -> None:
    scores = made(3, 5, 300)
    exact_search(scores, Constraints.none(5), TimeBudget())
    assert len(scores._known) < 5 * 2**4


def test_columns_with_gaps_are_scored_without_bounds() -> None:
    table = {"A": [0, 1, None, 1] * 5, "B": [0, 1, 1, 0] * 5, "C": [1, None, 0, 1] * 5}
    source = open_source(table)
    scores = SourceScores(source, [source.variable(name) for name in table], BIC())
    assert Ceilings(scores, TimeBudget()).of(0, [1, 2], [1, 2]) is None
    found = exact_search(scores, Constraints.none(3), TimeBudget())
    assert found.score == pytest.approx(best_by_force(scores, Constraints.none(3)), rel=1e-12)


def test_numbers_that_depend_on_each_other() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=200)
    y = 2 * x + random.normal(size=200)
    source = open_source({"x": x, "y": y, "z": y - x + random.normal(size=200), "k": random.normal(size=200)})
    scores = SourceScores(source, [source.variable(name) for name in "xyzk"], BIC())
    found = exact_search(scores, Constraints.none(4), TimeBudget())
    check(found, scores, Constraints.none(4))
    assert found.score == pytest.approx(best_by_force(scores, Constraints.none(4)), rel=1e-12)


class Listed:
    """Scores from a function, on variables of two states; counts the calls and may interrupt."""

    def __init__(self, size: int, calls: int = 10**9) -> None:
        self.variables = tuple(Variable(place, [0, 1]) for place in range(size))
        self.calls = calls

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return np.array([-((child - sum(parents)) ** 2) - 0.1 * len(parents) for child, parents in wanted])

    def additions(self, child: int, parents: tuple[int, ...], candidates: Sequence[int]) -> FloatArray:
        return self.families([(child, (*parents, other)) for other in candidates])


def test_an_unknown_score_is_searched_in_full() -> None:
    found = exact_search(Listed(4), Constraints.none(4), TimeBudget())
    best = max(
        sum(-((child - sum(parents)) ** 2) - 0.1 * len(parents) for child, parents in enumerate(network))
        for network in all_networks(4)
    )
    assert found.score == pytest.approx(best)


def test_no_variables_and_one() -> None:
    assert exact_search(Listed(0), Constraints.none(0), TimeBudget()).parents == ()
    assert exact_search(Listed(1), Constraints.none(1), TimeBudget()).parents == ((),)


@pytest.mark.parametrize("word", ["bic", "bdeu"])
def test_ceilings_share_the_columns_in_short_codes(word: str) -> None:
    base = made(2, 5, 3000)
    batch = base.source.map_batches(lambda rows: rows, base.variables)
    scores = NativeScores(batch, base.variables, score_from(word))
    tracemalloc.start()
    ceilings = Ceilings(scores, TimeBudget())
    shared = tracemalloc.get_traced_memory()[0]
    kept = [ceilings.of(child, others(child), others(child)) for child in range(5)]
    more = tracemalloc.get_traced_memory()[0] - shared
    tracemalloc.stop()
    assert ceilings._rows is not None
    assert ceilings._rows.codes.dtype == np.uint8
    assert None not in kept
    assert more < 15_000


def others(child: int) -> list[int]:
    return [other for other in range(5) if other != child]


def test_too_many_variables_are_refused_with_their_number() -> None:
    with pytest.raises(
        TooWide, match=r"at most 20 variables; there are 21, and their tables would take 0\.2 GB"
    ):
        exact_search(Listed(21), Constraints.none(21), TimeBudget())


def test_progress_names_the_sizes() -> None:
    class Heard:
        said: ClassVar[list[str]] = []

        def advance(self, task: str, done: int) -> None:
            self.said.append(f"{task}: {done}")

        def finish(self, task: str) -> None:
            self.said.append(task)

    with show_progress(Heard()):
        exact_search(Listed(3), Constraints.none(3), TimeBudget())
    assert "parent sets of size 2: 3" in Heard.said


def test_the_same_network_however_many_families_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = exact_search(made(5, 5, 100), Constraints.none(5), TimeBudget())
    monkeypatch.setattr(module, "_BATCH", 3)
    assert exact_search(made(5, 5, 100), Constraints.none(5), TimeBudget()) == whole


def test_words_make_the_scores_that_are_bounded() -> None:
    scores = made(5, 3, 50)
    for word in ("bic", "aic", "loglik", "bdeu", "bds", "k2"):
        assert Ceilings(with_score(scores, score_from(word)), TimeBudget()).of(0, [1, 2], [1, 2]) is not None


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_rows_in_memory_give_the_same_network_and_fill_no_memory(score: Score) -> None:
    asked = with_score(made(9, 5, 150), score)
    native = local_scores(asked.source, asked.variables, score)
    assert isinstance(native, NativeScores)
    found = exact_search(native, Constraints.none(5), TimeBudget())
    assert found.score == pytest.approx(
        exact_search(asked, Constraints.none(5), TimeBudget()).score, rel=1e-12
    )
    assert native.memory.remembered() == 5


def test_rows_in_memory_with_gaps_have_no_bounds() -> None:
    table = {"A": [0, 1, None, 1] * 5, "B": [0, 1, 1, 0] * 5}
    source = open_source(table)
    variables = [source.variable(name) for name in table]
    native = local_scores(source, variables, BIC())
    assert Ceilings(native, TimeBudget()).of(0, [1], [1]) is None
    whole = local_scores(open_source({"A": [0, 1] * 9, "B": [1, 1, 0] * 6}), variables, BIC())
    assert Ceilings(whole, TimeBudget()).of(0, [1], [1]) is not None


@needs_shared_data
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_asia_and_lizards_are_never_scored_better_by_another_search(score: str) -> None:
    for file in ("asia_10k.parquet", "lizards.csv.gz"):
        source = open_source(SHARED / "samples" / file)
        variables = [source.variable(name) for name in source.names]
        scores = local_scores(source, variables, score_from(score))
        nothing = Constraints.none(len(variables))
        best = exact_search(scores, nothing, TimeBudget())
        assert best.finished
        for search in (hill_climb, order_search):
            assert search(scores, nothing, TimeBudget()).score <= best.score + 1e-6
        limited = Constraints(nothing.allowed, nothing.required, 1)
        assert exact_search(scores, limited, TimeBudget()).score <= best.score


def numbers(seed: int, size: int, rows: int = 60) -> GaussianScores:
    """Columns of numbers, some depending on others; in other units and far from 0, as real ones are."""
    random = np.random.default_rng(seed)
    columns = random.normal(size=(size, rows))
    for place in range(1, size):
        columns[place] += random.normal(size=place) * (random.random(place) < 0.5) @ columns[:place]
    columns = columns * 10.0 ** random.integers(-4, 5, size)[:, None] + random.normal(size=size)[:, None]
    source = open_source({f"x{place}": column for place, column in enumerate(columns)})
    scores = local_scores(source, [source.variable(f"x{place}") for place in range(size)], BIC())
    assert isinstance(scores, GaussianScores)
    return scores


@given(st.integers(0, 10**6), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_numbers_have_ceilings_and_are_scored_by_thousands_as_one_by_one(seed: int, size: int) -> None:
    scores = numbers(seed, size)
    for child in range(size):
        others = [other for other in range(size) if other != child]
        ceiling = Ceilings(scores, TimeBudget()).of(child, others, others)
        assert ceiling is not None
        masks = np.arange(1 << len(others))
        families = [(child, tuple(o for bit, o in enumerate(others) if mask >> bit & 1)) for mask in masks]
        values = scores.families(families)
        assert scores.unremembered(families) == pytest.approx(values, rel=1e-9)
        for mask, bound in zip(masks, ceiling.of(masks, values), strict=True):
            assert values[masks & mask == mask].max() <= bound + 1e-9 * (1 + abs(bound))


def test_of_all_networks_of_numbers_none_is_better_and_millions_are_not_remembered() -> None:
    scores = numbers(3, 4)
    found = exact_search(scores, Constraints.none(4), TimeBudget())
    best = max(scores.families(list(enumerate(network))).sum() for network in all_networks(4))
    assert found.score == pytest.approx(best, rel=1e-12)
    many = numbers(4, 10, 200)
    exact_search(many, Constraints.none(10), TimeBudget())
    assert len(many._known) <= 10


def test_a_number_that_others_determine_has_no_ceiling() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 50))
    source = open_source({"x": x, "y": y, "sum": x + y})
    scores = local_scores(source, [source.variable(name) for name in ("x", "y", "sum")], BIC())
    ceiling = Ceilings(scores, TimeBudget()).of(2, [0, 1], [0, 1])
    assert ceiling is not None
    assert ceiling.of(np.arange(4), np.zeros(4)).tolist() == [np.inf] * 4
    assert len([1 for own in exact_search(scores, Constraints.none(3), TimeBudget()).parents if own]) == 2


@pytest.mark.parametrize("score", [BIC(), AIC(), MarginalLikelihood(BDeu(10))], ids=repr)
@pytest.mark.parametrize("search", [exact_search, ges, order_search])
def test_rounding_decides_nothing(search: Callable[..., FoundStructure], score: Score) -> None:
    """The kernel and the requests round differently: of equally good networks both must take the same one."""
    for seed in range(2 if search is order_search else 8):
        counted = with_score(made(seed, 5, 150), score)
        held = local_scores(counted.source, counted.variables, score)
        assert isinstance(held, NativeScores)
        limits = Constraints.none(5)
        one, other = search(counted, limits, TimeBudget()), search(held, limits, TimeBudget())
        assert one.parents == other.parents
        reports = [
            [
                (arc.parent, arc.child, arc.instead, arc.other)
                for arc in arc_gains(scores, limits, one.parents)
            ]
            for scores in (counted, held)
        ]
        assert reports[0] == reports[1]


def test_more_distinct_rows_than_fit_are_searched_without_ceilings(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = made(3, 4, 100)
    limits = Constraints.none(4)
    with_ceilings = exact_search(scores, limits, TimeBudget())
    monkeypatch.setattr(exact_pruning, "LARGEST_ROWS", 50)
    assert Ceilings(scores, TimeBudget()).of(0, [1, 2, 3], [1, 2, 3]) is None
    assert exact_search(scores, limits, TimeBudget()) == with_ceilings


def test_weights_that_are_whole_numbers_have_ceilings_and_others_where_they_may() -> None:
    rows = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}
    for weight, score, there in [
        (2.0, MarginalLikelihood(BDeu(10)), True),
        (0.5, MarginalLikelihood(BDeu(10)), False),
        (0.5, BIC(), True),
    ]:
        source = open_source(rows, weights=[weight] * 20)
        scores = SourceScores(source, [source.variable(name) for name in rows], score)
        assert (Ceilings(scores, TimeBudget()).of(0, [1], [1]) is not None) == there


def test_of_equivalent_networks_the_same_is_found_whatever_the_order_of_the_rows() -> None:
    random = np.random.default_rng(11)
    kind = random.integers(0, 2, 300)
    # All scales depend on the kind: it is a parent of all, and the chain may be turned at any place.
    columns = {"x": random.normal(size=300) * (1 + 3 * kind)}
    for before, name in zip("xyzu", "yzuv", strict=True):
        columns[name] = columns[before] + random.normal(size=300) * (1 + 3 * kind)
    columns["kind"] = kind
    found = set()
    for _ in range(12):
        order = random.permutation(300)
        source = open_source({name: column[order] for name, column in columns.items()})
        scores = local_scores(source, [source.variable(name) for name in source.names], BIC())
        found.add(exact_search(scores, constraints_from(scores.variables), TimeBudget()).parents)
    assert len(found) == 1
