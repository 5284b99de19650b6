"""Small problems, and every network on a few variables, to compare searches with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import strategies as st

from bayou.learning.scores.local_scores import FamilyNumbers, SourceScores
from bayou.learning.scores.scores import BIC, Score
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import FoundStructure
from bayou.sources import open_source
from bayou.typing import FloatArray

NAMES: list[object] = ["Größe", "sehr lange Benennung mit Leerzeichen", 3, "Δx", "e"]


def made(seed: int, size: int, rows: int) -> SourceScores:
    """Columns of two to four states; each depends on up to two before it."""
    random = np.random.default_rng(seed)
    columns: list[FloatArray] = []
    for _ in range(size):
        states = int(random.integers(2, 5))
        parents = [columns[at] for at in random.permutation(len(columns))[: random.integers(0, 3)]]
        noise = random.integers(0, states, rows)
        column = np.where(random.random(rows) < 0.3, noise, sum(parents, np.zeros(rows, dtype=int)) % states)
        columns.append(column)
    order = random.permutation(size)
    table = {NAMES[place]: columns[at] for place, at in enumerate(order)}
    source = open_source(table)
    return SourceScores(source, [source.variable(name) for name in table], BIC())


def with_score(scores: SourceScores, score: Score) -> SourceScores:
    return SourceScores(scores.source, scores.variables, score)


def subsets(members: Sequence[int]) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(members, size) for size in range(len(members) + 1)))


@cache
def all_networks(size: int) -> frozenset[tuple[tuple[int, ...], ...]]:
    """Every directed acyclic graph, as the parents of each variable."""
    found = set()
    for order in permutations(range(size)):
        choices = [subsets(sorted(order[:place])) for place in range(size)]
        partial: list[dict[int, tuple[int, ...]]] = [{}]
        for place, child in enumerate(order):
            partial = [{**one, child: parents} for one in partial for parents in choices[place]]
        found.update(tuple(one[child] for child in range(size)) for one in partial)
    return frozenset(found)


def best_by_force(scores: SourceScores, constraints: Constraints) -> float:
    size = len(scores.variables)
    families: list[FamilyNumbers] = [
        (child, parents)
        for child in range(size)
        for parents in subsets([other for other in range(size) if other != child])
    ]
    known = dict(zip(families, scores.families(families).tolist(), strict=True))
    legal = {family for family in families if is_legal(*family, constraints)}
    return max(
        sum(known[family] for family in enumerate(network))
        for network in all_networks(size)
        if all(family in legal for family in enumerate(network))
    )


def is_legal(child: int, parents: tuple[int, ...], constraints: Constraints) -> bool:
    return (
        len(parents) <= constraints.max_parents
        and all(constraints.allowed[parent, child] for parent in parents)
        and set(np.flatnonzero(constraints.required[:, child])) <= set(parents)
    )


def check(found: FoundStructure, scores: SourceScores, constraints: Constraints) -> None:
    assert found.parents in all_networks(len(scores.variables))
    assert all(is_legal(*family, constraints) for family in enumerate(found.parents))
    again = with_score(scores, scores.score)
    assert found.score == pytest.approx(sum(again.families(list(enumerate(found.parents)))), rel=1e-12)


@st.composite
def constraint_sets(draw: st.DrawFn, size: int) -> Constraints:
    """Arcs forbidden at random; required ones along a random order, within the limit."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    order = random.permutation(size)
    before = np.argsort(order)[:, None] < np.argsort(order)[None, :]
    required = before & (random.random((size, size)) < draw(st.sampled_from([0.0, 0.2])))
    allowed = ~np.eye(size, dtype=bool) & (random.random((size, size)) < draw(st.sampled_from([0.6, 1.0])))
    most = max(int(required.sum(axis=0).max(initial=0)), draw(st.integers(0, size)))
    return Constraints(allowed | required, required, most)
