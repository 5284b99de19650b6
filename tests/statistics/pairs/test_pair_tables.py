"""Counts of all pairs at once are the counts of each pair, and add and subtract like them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayou.errors import BadStatistics, TooWide, UnknownVariable
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.statistics import CountTable, PairCounts, PairTables, Statistics
from bayou.statistics.pairs import pair_counting

NAMES = ("a", "größe", 3, "the long one")
CELLS = st.one_of(st.none(), st.integers(0, 2))
ROWS = st.lists(st.tuples(*[CELLS] * 4, st.sampled_from(["x", "y", None])), min_size=1, max_size=30)


def table_of(rows: list[tuple[object, ...]]) -> dict[object, list[object]]:
    columns: dict[object, list[object]] = {name: [row[k] for row in rows] for k, name in enumerate(NAMES)}
    return {**columns, "class": [row[4] for row in rows]}


def pairs_and_tables(
    data: dict[object, list[object]], given_names: tuple[str, ...], weights: object = None
) -> tuple[PairTables, Statistics]:
    request = PairCounts(NAMES, given_names)
    tables = [CountTable((*given_names, a, b)) for a, b in combinations(NAMES, 2)]
    statistics = open_source(data, weights=weights).collect([request, *tables])
    return statistics[request], statistics


@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from([(), ("class",)]), st.sampled_from([None, 1, 0.5]))
def test_every_pair_is_its_own_count(
    rows: list[tuple[object, ...]], given_names: tuple[str, ...], weight: float | None
) -> None:
    weights = None if weight is None else np.full(len(rows), weight)
    pairs, statistics = pairs_and_tables(table_of(rows), given_names, weights)
    for a, b in combinations(NAMES, 2):
        assert pairs.table(a, b) == statistics[CountTable((*given_names, a, b))]
        assert pairs.table(b, a) == statistics[CountTable((*given_names, a, b))]


@settings(max_examples=40, deadline=None)
@given(ROWS, ROWS, st.sampled_from([(), ("class",)]))
def test_parts_add_to_the_whole_and_the_whole_less_a_part_is_the_rest(
    left: list[tuple[object, ...]], right: list[tuple[object, ...]], given_names: tuple[str, ...]
) -> None:
    one, _ = pairs_and_tables(table_of(left), given_names)
    two, _ = pairs_and_tables(table_of(right), given_names)
    both, statistics = pairs_and_tables(table_of([*left, *right]), given_names)
    assert one + two == both
    assert both - two == one
    assert both * 2 == both + both
    for a, b in combinations(NAMES, 2):
        assert (one + two).table(a, b) == statistics[CountTable((*given_names, a, b))]


def test_forgetting_takes_states_off_again() -> None:
    request = PairCounts(("a", "b"), ("class",))
    old = open_source({"a": [0, 1], "b": ["s", "t"], "class": ["x", "x"]}).collect([request])
    new = open_source({"a": [7, 1], "b": ["s", "u"], "class": ["x", "z"]}).collect([request])
    again = ((old + new) - new)[request]
    assert [axis.states for axis in again.axes] == [(0, 1), ("s", "t")]
    assert again.given[0].states == ("x",)
    assert again == old[request]


def test_more_than_was_counted_can_not_be_subtracted() -> None:
    a, b = Variable("a", [0, 1]), Variable("b", [0, 1])
    few, many = (
        PairTables((a, b), (), np.array([[1, 0, 0, 1]])),
        PairTables((a, b), (), np.array([[1, 2, 0, 1]])),
    )
    with pytest.raises(BadStatistics, match="a=0, b=1 would become -2"):
        few - many
    with pytest.raises(BadStatistics, match="different variables"):
        few + PairTables((a, Variable("c", [0])), (), np.array([[1, 1]]))
    with pytest.raises(UnknownVariable, match="nobody"):
        few.table("a", "nobody")
    with pytest.raises(BadStatistics, match="not among its declared states"):
        few.aligned([Variable("a", [0]), b])


def test_tables_that_would_not_fit_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_counting, "LARGEST_PAIRS", 100)
    source = open_source({"a": list(range(20)), "b": list(range(20)), "c": [0] * 20})
    with pytest.raises(TooWide, match="needs 440 cells"):
        source.collect([PairCounts(("a", "b", "c"))])


@pytest.mark.parametrize("given_names", [(), ("class",)])
def test_one_variable_alone_has_no_pairs(given_names: tuple[str, ...]) -> None:
    request = PairCounts(("a",), given_names)
    pairs = open_source({"a": [0, 1], "class": [0, 1]}).collect([request])[request]
    assert pairs.values.size == 0
    assert (pairs + pairs).names == ("a",)
