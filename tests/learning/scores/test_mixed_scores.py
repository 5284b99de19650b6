"""Scores of numbers and states together, many families from one request, against those family by family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou.learning.scores.mixed_scores as mixed_scores
import bayou.learning.scores.moment_cache as moment_cache
from bayou.errors import BadPrior
from bayou.learning.scores.local_scores import FamilyNumbers, SourceScores
from bayou.learning.scores.mixed_scores import MixedScores
from bayou.learning.scores.native_scores import local_scores
from bayou.learning.scores.scores import score_from
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.statistics import Request, Source, Statistics

Column = Callable[[np.random.Generator, int, list[np.ndarray]], np.ndarray]


def repeated(random: np.random.Generator, rows: int, before: list[np.ndarray]) -> np.ndarray:
    return 3 * before[-1] - 1 if before else random.normal(size=rows)


def summed(random: np.random.Generator, rows: int, before: list[np.ndarray]) -> np.ndarray:
    return np.sum(before, axis=0) if before else random.normal(size=rows)


def explained(random: np.random.Generator, rows: int, before: list[np.ndarray]) -> np.ndarray:
    return summed(random, rows, before) + random.normal(size=rows)


KINDS: list[Column] = [
    lambda random, rows, _: random.normal(size=rows),
    lambda random, rows, _: 100 + 0.01 * random.normal(size=rows),
    lambda random, rows, _: np.full(rows, 2.5),
    lambda random, rows, _: random.integers(0, 3, rows).astype(float),
    repeated,
    summed,
    explained,
]


def families(variables: Sequence[Variable], most: int) -> list[FamilyNumbers]:
    """The families that a search may request: no continuous parent of a discrete child."""
    places = range(len(variables))
    continuous = [variable.is_continuous for variable in variables]
    return [
        (child, parents)
        for child in places
        for size in range(most + 1)
        for parents in combinations([other for other in places if other != child], size)
        if continuous[child] or not any(continuous[parent] for parent in parents)
    ]


def assert_same(
    source: Source,
    variables: Sequence[Variable],
    word: Any,
    most: int = 3,
    shuffled: Sequence[Source] = (),
) -> None:
    """``shuffled`` has the same rows in another order: differences there are rounding, not compared."""
    score = score_from(word)
    wanted = families(variables, most)
    expected = SourceScores(source, variables, score).families(wanted)
    sure = np.full(len(wanted), True)
    for other in shuffled:
        sure &= np.isclose(SourceScores(other, variables, score).families(wanted), expected, rtol=1e-10)
    wanted = [family for family, certain in zip(wanted, sure, strict=True) if certain]
    expected = expected[sure]
    together = local_scores(source, variables, score)
    assert isinstance(together, MixedScores)
    assert together.families(wanted) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    known = dict(zip(wanted, expected.tolist(), strict=True))
    stepwise = local_scores(source, variables, score)
    for child, parents in families(variables, most - 1):
        added = {other: (child, tuple(sorted((*parents, other)))) for other in range(len(variables))}
        some = {other: family for other, family in added.items() if family in known and other not in parents}
        found = stepwise.additions(child, parents, list(some))
        assert found == pytest.approx([known[family] for family in some.values()], rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from([0, 1, 3, 5, 8, 20, 60, 400]),
    st.integers(0, 10**6),
    st.sampled_from(["bic", "aic", "loglik"]),
    st.sampled_from(["none", "whole", "small"]),
)
def test_scores_are_those_of_single_requests(
    kinds: list[Column], cards: list[int], rows: int, seed: int, word: str, weighing: str
) -> None:
    random = np.random.default_rng(seed)
    numbers: list[np.ndarray] = []
    for kind in kinds:
        numbers.append(kind(random, rows, numbers))
    # Skewed: some groups have few rows or none.
    states = [np.minimum(random.geometric(0.6, rows) - 1, card - 1) for card in cards]
    for values in numbers[:1]:
        values += 2.0 * states[0]
    table = {f"größe {at}": values for at, values in enumerate(numbers)}
    table |= {f"Zustand {at}": codes for at, codes in enumerate(states)}
    ways = {"none": None, "whole": random.integers(0, 3, rows), "small": random.random(rows) / 50}
    orders = [np.arange(rows), np.arange(rows)[::-1], np.roll(np.arange(rows), 1), random.permutation(rows)]
    source, *shuffled = (_source(table, ways[weighing], order) for order in orders)
    variables = [Variable(f"größe {at}") for at in range(len(numbers))]
    variables += [Variable(f"Zustand {at}", range(card)) for at, card in enumerate(cards)]
    random.shuffle(variables)
    assert_same(source, variables, word, shuffled=shuffled)


def _source(table: dict[str, np.ndarray], weights: np.ndarray | None, order: np.ndarray) -> Source:
    moved = {name: values[order] for name, values in table.items()}
    return open_source(moved, weights=None if weights is None else weights[order])


def mixed(rows: int) -> dict[str, Any]:
    random = np.random.default_rng(rows)
    kind = random.integers(0, 3, rows)
    side = np.where(random.random(rows) < 0.3 + 0.2 * kind, "links", "rechts")
    x = random.normal(size=rows) + kind
    y = x * (1 + (side == "links")) + random.normal(size=rows)
    z = y - kind + random.normal(size=rows)
    return {"x": x, "kind": [f"k{k}" for k in kind], "y": y, "side": side.tolist(), "z": z}


@pytest.mark.parametrize("limit", [0, 20, 60])
def test_answers_that_are_too_large_or_forgotten(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moment_cache, "LARGEST", limit)
    monkeypatch.setattr(moment_cache, "ROOM", limit)
    monkeypatch.setattr(mixed_scores, "AT_ONCE", limit)
    source = open_source(mixed(500))
    assert_same(source, [source.variable(name) for name in source.names], "bic")


def test_files_in_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed(300)
    lines = zip(*table.values(), strict=True)
    path = tmp_path / "größen.csv"
    path.write_text("\n".join([",".join(table), *(",".join(map(str, line)) for line in lines)]))
    monkeypatch.setattr("bayou.sources.files.file_source.BATCH_ROWS", 37)
    source = open_source(path)
    assert_same(source, [source.variable(name) for name in source.names], "bic")


def test_gaps_of_states_do_not_matter_and_gaps_of_numbers_go_family_by_family() -> None:
    table = mixed(200)
    table["side"][5] = None
    source = open_source(table)
    variables = [source.variable(name) for name in source.names]
    assert_same(source, variables, "bic")
    table["y"][3] = float("nan")
    scores = local_scores(open_source(table), variables, score_from("bic"))
    assert isinstance(scores, SourceScores)
    assert not isinstance(scores, MixedScores)


def test_numbers_too_large_to_square_go_family_by_family() -> None:
    table = mixed(50)
    table["x"] = table["x"] * 1e154
    source = open_source(table)
    variables = [source.variable(name) for name in source.names]
    assert not isinstance(local_scores(source, variables, score_from("bic")), MixedScores)


def test_scores_of_counts_alone_are_refused_for_numbers() -> None:
    source = open_source(mixed(50))
    scores = local_scores(source, [source.variable(name) for name in source.names], score_from("bdeu"))
    with pytest.raises(BadPrior, match="continuous"):
        scores.families([(0, ())])


class Counting:
    """A source that counts the requests made to it."""

    def __init__(self, source: Source) -> None:
        self.source, self.asked = source, 0

    def collect(self, requests: Sequence[Request]) -> Statistics:
        self.asked += len(requests)
        return self.source.collect(requests)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)


def test_one_request_serves_all_families_with_the_same_discrete_parents() -> None:
    source: Any = Counting(open_source(mixed(200)))
    scores = local_scores(source, [source.variable(name) for name in source.names], score_from("bic"))
    before = source.asked
    scores.families([(0, ()), (0, (2,)), (2, (0, 4))])
    assert source.asked == before
    scores.families([(0, (1,)), (0, (1, 2))])
    scores.families([(4, (1,)), (2, (0, 1, 4))])
    assert source.asked == before + 1
