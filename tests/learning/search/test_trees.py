"""Chow–Liu and TAN trees: the best of all trees, forests of independent variables, recorded steps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.errors import BadQuestion
from bayou.learning.independence.information import information_matrix
from bayou.learning.search.spanning_tree import heaviest_tree
from bayou.learning.search.trees import chow_liu_tree, tan_tree
from bayou.sources import open_source
from bayou.statistics import CountTable
from bayou.typing import FloatArray


def heaviest_by_brute_force(weights: FloatArray) -> float:
    """The weight of the heaviest spanning tree."""
    size = len(weights)
    best = -np.inf
    for edges in combinations(list(combinations(range(size), 2)), size - 1):
        part = list(range(size))
        for a, b in edges:
            part = [part[a] if p == part[b] else p for p in part]
        if len(set(part)) == 1:
            best = max(best, sum(weights[a, b] for a, b in edges))
    return best


def dependent_rows(seed: int, size: int) -> dict[str, list[int]]:
    random = np.random.default_rng(seed)
    columns = [random.integers(0, 3, 200)]
    for _ in range(size - 1):
        copied = random.random(200) < random.random()
        columns.append(np.where(copied, columns[random.integers(len(columns))], random.integers(0, 3, 200)))
    return {f"v {k}": column.tolist() for k, column in enumerate(columns)}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5), st.booleans())
def test_the_tree_is_the_heaviest_of_all(seed: int, size: int, by_class: bool) -> None:
    data = dependent_rows(seed, size)
    data["class"] = np.random.default_rng(seed).integers(0, 2, 200).tolist()
    source, names = open_source(data), [f"v {k}" for k in range(size)]
    behind = ("class",) if by_class else ()
    statistics = source.collect([CountTable((*behind, a, b)) for a, b in combinations(names, 2)])
    weights = information_matrix(names, statistics, behind)
    limits = {"least": -np.inf, "level": 1.0}
    tree = tan_tree(source, names, "class", **limits) if by_class else chow_liu_tree(source, names, **limits)
    assert len(tree.steps) == size - 1
    assert tree.information == pytest.approx(heaviest_by_brute_force(weights), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 6), st.sampled_from([0.0, 0.3]))
def test_prim_finds_the_heaviest_tree_with_ties_in_the_order_of_the_names(
    seed: int, size: int, least: float
) -> None:
    weights = np.random.default_rng(seed).integers(0, 5, (size, size)) / 4
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    steps = heaviest_tree(range(size), weights, least=least)
    if len(steps) == size - 1:
        assert sum(step.weight for step in steps) == pytest.approx(heaviest_by_brute_force(weights))
    assert all(step.weight >= step.runner_up for step in steps)
    assert all(step.weight > least for step in steps)
    place = {step.child: k for k, step in enumerate(steps)}
    assert all(place.get(step.parent, -1) < place[step.child] for step in steps)


def test_independent_variables_stay_unconnected_and_level_one_connects_them() -> None:
    random = np.random.default_rng(1)
    names = [f"v{k}" for k in range(12)]
    data = pd.DataFrame({name: random.integers(0, 3, 2000) for name in names})
    assert chow_liu_tree(open_source(data), names).arcs == []
    assert chow_liu_tree(open_source(data), names).roots == tuple(names)
    assert len(chow_liu_tree(open_source(data), names, least=-1.0, level=1.0).arcs) == 11


def test_arcs_point_away_from_the_root_and_every_kind_of_table_gives_the_same_tree() -> None:
    data = dependent_rows(5, 8)
    names = list(data)
    codes = np.array(list(data.values()), dtype=np.uint8)
    expected = chow_liu_tree(open_source(data), names, root="v 3")
    assert "v 3" in expected.roots
    tables = [
        pd.DataFrame(data),
        pd.DataFrame(data).astype("category"),
        pd.DataFrame(data).astype("category").iloc[::1, ::1],
    ]
    for source in [
        *(open_source(table) for table in tables),
        open_source(codes.T, columns=names),
        open_source(np.asfortranarray(codes.T).astype(np.int64), columns=names),
    ]:
        assert chow_liu_tree(source, names, root="v 3") == expected
    assert "runner-up" in str(expected)


def test_a_root_that_is_not_there_and_a_level_that_is_none_are_refused() -> None:
    source = open_source({"a": [0, 1], "b": [1, 0]})
    with pytest.raises(BadQuestion, match="root='nobody'"):
        chow_liu_tree(source, ["a", "b"], root="nobody")
    with pytest.raises(BadQuestion, match="level=0"):
        chow_liu_tree(source, ["a", "b"], level=0)


def test_columns_of_gaps_and_of_one_state_are_left_alone() -> None:
    data = pd.DataFrame(
        {
            "a": [0, 1] * 20,
            "b": [0, 1] * 20,
            "one": [7] * 40,
            "gaps": pd.Categorical([None] * 40, categories=["x", "y"]),
        }
    )
    tree = chow_liu_tree(open_source(data), list(data))
    assert tree.arcs == [("a", "b")]
    assert tree.roots == ("a", "one", "gaps")
