from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadQuestion, UnknownVariable
from bayou.graphs import elimination_cost, elimination_order

NAMES = ["Größe", "a b", 3, "x"]
Scope = frozenset[object]
SCOPES = st.lists(st.frozensets(st.sampled_from(NAMES), max_size=3), max_size=6)
CARDS = st.fixed_dictionaries({name: st.integers(1, 5) for name in NAMES})


def cost_by_multiplying(
    scopes: Sequence[Scope], cards: dict[object, int], order: Sequence[object]
) -> tuple[int, int]:
    """Sum out by definition: multiply all scopes with the variable, then drop it."""
    tables = list(scopes)
    sizes = []
    for name in order:
        product = frozenset().union(*(scope for scope in tables if name in scope))
        sizes.append(math.prod(cards[member] for member in product))
        tables = [scope for scope in tables if name not in scope] + [product - {name}]
    rest = frozenset().union(*tables)
    sizes += [math.prod(cards[member] for member in rest)] if rest else []
    return max(sizes, default=0), sum(sizes)


@given(SCOPES, CARDS, st.frozensets(st.sampled_from(NAMES), max_size=2), st.randoms())
def test_costs_agree_with_multiplying_scopes(scopes: Any, cards: Any, keep: Any, random: Any) -> None:
    order = sorted(frozenset().union(*scopes) - keep, key=str)
    random.shuffle(order)
    assert elimination_cost(scopes, cards, order, keep) == cost_by_multiplying(scopes, cards, order)


@given(SCOPES, CARDS, st.frozensets(st.sampled_from(NAMES), max_size=2))
def test_the_order_names_each_variable_once_but_the_kept(scopes: Any, cards: Any, keep: Any) -> None:
    order = elimination_order(scopes, cards, keep)
    assert len(set(order)) == len(order)
    assert set(order) == frozenset().union(*scopes) - keep


@given(CARDS)
def test_of_one_table_the_variable_with_most_states_goes_first(cards: Any) -> None:
    order = elimination_order([NAMES], cards)
    best = min(elimination_cost([NAMES], cards, other)[1] for other in itertools.permutations(NAMES))
    assert elimination_cost([NAMES], cards, order)[1] == best


def scored_afresh(scopes: Sequence[Scope], cards: dict[object, int]) -> tuple[object, ...]:
    """Greedy min-fill with every score computed anew at each step."""
    names = list(dict.fromkeys(name for scope in scopes for name in scope))
    near = {name: set().union(*(scope for scope in scopes if name in scope)) - {name} for name in names}
    order: list[object] = []
    while near:

        def score(name: object) -> tuple[int, int, int]:
            fill = sum(other not in near[one] for one, other in itertools.combinations(near[name], 2))
            return fill, math.prod(cards[member] for member in (name, *near[name])), names.index(name)

        best = min(near, key=score)
        joined = near.pop(best)
        for name in joined:
            near[name] = (near[name] | joined) - {name, best}
        order.append(best)
    return tuple(order)


@given(st.lists(st.frozensets(st.integers(0, 13), min_size=1, max_size=3), min_size=8, max_size=24))
def test_scores_kept_up_to_date_are_as_good_as_scores_computed_afresh(scopes: Any) -> None:
    cards: dict[object, int] = dict.fromkeys(range(14), 2)
    order, afresh = elimination_order(scopes, cards), scored_afresh(scopes, cards)
    assert elimination_cost(scopes, cards, order)[1] <= elimination_cost(scopes, cards, afresh)[1]


@pytest.mark.parametrize("length", [3, 40])
def test_trees_are_summed_out_without_any_wider_table(length: int) -> None:
    names = [f"X {number}" for number in range(length)]
    scopes = [[names[0]], *([names[(number - 1) // 2], names[number]] for number in range(1, length))]
    cards = dict.fromkeys(names, 7)
    order = elimination_order(scopes, cards, keep=[names[-1]])
    assert elimination_cost(scopes, cards, order, keep=[names[-1]])[0] == 49


def test_a_grid_is_ordered_as_narrowly_as_its_side() -> None:
    side = 8
    cells = list(itertools.product(range(side), range(side)))
    scopes = [[(x, y), (x + 1, y)] for x, y in cells if x + 1 < side]
    scopes += [[(x, y), (x, y + 1)] for x, y in cells if y + 1 < side]
    cards = dict.fromkeys(cells, 2)
    order = elimination_order(scopes, cards, ())
    assert elimination_cost(scopes, cards, order, ())[0] <= 2 ** (side + 3)


def test_fill_counts_stay_right_while_variables_go() -> None:
    # A wheel of eight with its hub kept: greedy min-fill never has to make a table of five variables.
    rim = list("ABCDEFGH")
    scopes = [[rim[number], rim[number - 1], "hub"] for number in range(8)]
    cards = dict.fromkeys([*rim, "hub"], 3)
    order = elimination_order(scopes, cards, ["hub"])
    assert elimination_cost(scopes, cards, order, ["hub"])[0] == 3**4


def test_sizes_never_overflow() -> None:
    names = list(range(100))
    largest, total = elimination_cost([names], dict.fromkeys(names, 1000), names[:1], keep=names[1:])
    assert largest == 1000**100
    assert total == 1000**100 + 1000**99


def test_names_that_are_missing_or_kept_are_refused() -> None:
    with pytest.raises(UnknownVariable, match="'B' among the given cardinalities"):
        elimination_order([["A", "B"]], {"A": 2}, ())
    with pytest.raises(UnknownVariable, match="'C' in the elimination order"):
        elimination_cost([["A"]], {"A": 2}, ["C"])
    with pytest.raises(BadQuestion, match="'A' is to be kept"):
        elimination_cost([["A"]], {"A": 2}, ["A"], keep=["A"])


def test_when_the_time_is_over_the_rest_follows_children_first() -> None:
    chain = [[name, name + 1] for name in range(9)]
    cards = dict.fromkeys(range(10), 2)
    assert elimination_order(chain, cards, keep=[3], until=0.0) == (9, 8, 7, 6, 5, 4, 2, 1, 0)
    assert elimination_order(chain, cards, until=1e300) == elimination_order(chain, cards)
