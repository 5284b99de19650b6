"""The widest open trail and the separators, against all trails of small graphs, checked one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import dags, law

import bayou
from bayou.explain.influence.open_trails import KnownNodes, separators, widest_trail
from bayou.graphs import separated


def all_trails(dag: bayou.Dag, trail: tuple[Any, ...], end: Any) -> Iterator[tuple[Any, ...]]:
    """Every trail that goes on from this one to the end and visits no node twice."""
    if trail[-1] == end:
        yield trail
        return
    for name in (*dag.parents(trail[-1]), *dag.children(trail[-1])):
        if name not in trail:
            yield from all_trails(dag, (*trail, name), end)


def is_open(dag: bayou.Dag, trail: tuple[Any, ...], fixed: set[Any], seen: set[Any]) -> bool:
    """The definition of an active trail; ``seen`` are the nodes with a finding of any kind."""
    for before, name, after in zip(trail, trail[1:], trail[2:], strict=False):
        if before in dag.parents(name) and after in dag.parents(name):
            if name not in seen and not dag.descendants((name,)) & seen:
                return False
        elif name in fixed:
            return False
    return True


@st.composite
def known_graphs(draw: st.DrawFn) -> tuple[bayou.Dag, Any, Any, list[Any], list[Any], list[Any]]:
    """A graph, two nodes, and what is known of the others: observed, set by hand, uncertain."""
    dag = draw(dags(6, least=2))
    start, target, *others = draw(st.permutations(dag.nodes))
    kinds = [draw(st.sampled_from("osu----")) for _ in others]
    chosen = [[n for n, kind in zip(others, kinds, strict=True) if kind == one] for one in "osu"]
    return dag, start, target, chosen[0], chosen[1], chosen[2]


@given(known_graphs(), st.data())
@law
def test_the_trail_is_a_widest_one_and_of_these_a_shortest(graph: Any, data: st.DataObject) -> None:
    dag, start, target, observed, set_by_hand, uncertain = graph
    cut = dag.without_arcs_into(tuple(set_by_hand))
    moves = {name: data.draw(st.sampled_from([0.0, 0.1, 0.3, 0.9])) for name in dag.nodes}
    fixed, seen = {*observed, *set_by_hand}, {*observed, *uncertain}
    trails = [t for t in all_trails(cut, (start,), target) if is_open(cut, t, fixed, seen)]
    found = widest_trail(KnownNodes.of(dag, observed, set_by_hand, uncertain), start, target, moves)
    if not trails:
        assert found is None
        return

    def rank(trail: tuple[Any, ...]) -> tuple[float, int]:
        return -min((moves[name] for name in trail[1:-1]), default=1.0), len(trail)

    assert found in trails
    assert rank(found) == min(map(rank, trails))


@given(known_graphs())
@law
def test_separators_separate_and_none_is_superfluous(graph: Any) -> None:
    dag, start, target, observed, set_by_hand, uncertain = graph

    def apart(kept: tuple[Any, ...]) -> bool:
        """By d-separation in the graph where each uncertain node has a child that is observed."""
        cut = dag.without_arcs_into(tuple(name for name in set_by_hand if name in kept))
        reports = {name: ("report", name) for name in uncertain}
        parents = {name: cut.parents(name) for name in cut.nodes}
        parents |= {report: (name,) for name, report in reports.items()}
        wide = bayou.Dag([*cut.nodes, *reports.values()], parents)
        known = [name for name in (*observed, *set_by_hand) if name in kept]
        return bool(separated(wide, (start,), (target,), (*known, *reports.values())))

    found = separators(dag, start, target, observed, set_by_hand, uncertain)
    assert (found is not None) == apart((*observed, *set_by_hand))
    if found is not None:
        assert apart(found)
        assert not any(apart(tuple(other for other in found if other != name)) for name in found)


def test_a_finding_about_the_target_itself() -> None:
    dag = bayou.Dag.from_text("A -> B")
    assert widest_trail(KnownNodes.of(dag, (), (), ()), "A", "A", {}) == ("A",)


def test_an_intervention_closes_what_an_observation_of_the_same_node_opens() -> None:
    dag = bayou.Dag.from_text("Rain -> Wet <- Sprinkler")
    seen, made = KnownNodes.of(dag, ["Wet"], [], []), KnownNodes.of(dag, [], ["Wet"], [])
    assert widest_trail(seen, "Rain", "Sprinkler", {}) == ("Rain", "Wet", "Sprinkler")
    assert widest_trail(made, "Rain", "Sprinkler", {}) is None
    assert separators(dag, "Rain", "Sprinkler", [], ["Wet"], []) == ()
