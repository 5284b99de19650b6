from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadQuestion, UnknownVariable
from bayou.graphs import Dag, separated

FIRE = Dag.from_text(
    "Storm -> Lightning -> Thunder; Storm, Bus -> Campfire; Lightning, Campfire -> Fire -> Smoke"
)


def simple_trails(dag: Dag, trail: tuple[Any, ...], goals: set[Any]) -> Iterator[tuple[Any, ...]]:
    if trail[-1] in goals:
        yield trail
    for name in (*dag.parents(trail[-1]), *dag.children(trail[-1])):
        if name not in trail:
            yield from simple_trails(dag, (*trail, name), goals)


def is_active(dag: Dag, trail: tuple[Any, ...], observed: set[Any]) -> bool:
    """The definition, word for word."""
    for before, name, after in zip(trail, trail[1:], trail[2:], strict=False):
        if before in dag.parents(name) and after in dag.parents(name):
            if not observed & {name, *dag.descendants((name,))}:
                return False
        elif name in observed:
            return False
    return True


@given(st.from_type(Dag), st.data())
def test_separation_and_the_shortest_trail_agree_with_a_search_of_all_trails(
    dag: Dag, data: st.DataObject
) -> None:
    roles = {name: data.draw(st.sampled_from("lrgn")) for name in dag.nodes}
    left, right, observed = ([name for name, role in roles.items() if role == wanted] for wanted in "lrg")
    if not left or not right:
        return
    verdict = separated(dag, left, right, observed)
    active = [
        trail
        for start in left
        for trail in simple_trails(dag, (start,), set(right))
        if is_active(dag, trail, set(observed))
    ]
    assert bool(verdict) == (not active)
    assert str(verdict)
    if active:
        assert verdict.trail in active
        assert len(verdict.trail or ()) == min(map(len, active))


def test_a_common_effect_is_opened_by_an_observed_descendant_and_says_so() -> None:
    verdict = separated(FIRE, "Thunder", "Bus", given=["Smoke", "Storm"])
    assert not verdict
    assert str(verdict).splitlines() == [
        "Thunder and Bus are not d-separated given Smoke, Storm.",
        "Open trail: Thunder <- Lightning -> Fire <- Campfire <- Bus",
        "  Lightning is a common cause, not observed: open",
        "  Fire is a common effect, opened by its observed descendant Smoke",
        "  Campfire is a link of a chain, not observed: open",
    ]


def test_the_reasons_for_a_separation_are_listed_trail_by_trail() -> None:
    verdict = separated(FIRE, "Thunder", ["Bus"], "Storm")
    assert verdict
    assert verdict.trail is None
    assert verdict.reason.splitlines() == [
        "Every trail is blocked:",
        "  Thunder <- Lightning <- Storm -> Campfire <- Bus: at Storm, an observed common cause; "
        "at Campfire, a common effect with neither itself nor a descendant observed",
        "  Thunder <- Lightning -> Fire <- Campfire <- Bus: "
        "at Fire, a common effect with neither itself nor a descendant observed",
    ]


def test_neighbours_can_not_be_separated_and_strangers_need_no_reason() -> None:
    assert "an arc joins them" in separated(FIRE, "Storm", "Lightning", "Thunder").reason
    assert separated(Dag.from_text("A; B"), "A", "B").reason == "No trail joins them."


def test_a_dense_graph_is_explained_without_listing_its_trails() -> None:
    names = [f"node {number}" for number in range(30)]
    parents = {name: names[:position] for position, name in enumerate(names)}
    parents["node 1"] = []
    verdict = separated(Dag(names, parents), "node 0", "node 1")
    assert verdict
    assert verdict.reason


def test_a_string_is_one_name() -> None:
    dag = Dag.from_text("A -> B; AB")
    assert separated(dag, "AB", "B").left == ("AB",)
    with pytest.raises(UnknownVariable, match="'BA'"):
        separated(dag, "BA", "B")


@pytest.mark.parametrize(
    ("left", "right", "observed", "where"),
    [
        ("Storm", ["Bus", "Storm"], (), "'Storm' is on both sides"),
        ("Storm", "Bus", "Storm", "'Storm' is on the left and among the given"),
        ("Storm", "Bus", ["Fire", "Bus"], "'Bus' is on the right and among the given"),
        ([], "Bus", (), "one of them is empty"),
    ],
)
def test_overlapping_or_empty_sides_are_refused(left: Any, right: Any, observed: Any, where: str) -> None:
    with pytest.raises(BadQuestion, match=where):
        separated(FIRE, left, right, observed)
