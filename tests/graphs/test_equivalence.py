from __future__ import annotations

import itertools
import random
from collections import defaultdict
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou.errors import BadGraph
from bayou.graphs import (
    Dag,
    PartlyDirected,
    cpdag,
    equivalent,
    extension,
    meek_closure,
    skeleton,
    skeleton_scores,
    structural_hamming_distance,
    v_structures,
)
from bayou.graphs.separation import shortest_active_trail


@cache
def all_dags(names: str) -> tuple[Dag, ...]:
    found = []
    pairs = list(itertools.combinations(names, 2))
    for lines in itertools.product(["", "->", "<-"], repeat=len(pairs)):
        arcs = [(a, b) if line == "->" else (b, a) for (a, b), line in zip(pairs, lines, strict=True) if line]
        try:
            found.append(Dag.from_arcs(arcs, names))
        except BadGraph:
            continue
    return tuple(found)


def separations(dag: Dag) -> frozenset[Any]:
    found = set()
    for one, other in itertools.combinations(dag.nodes, 2):
        rest = [name for name in dag.nodes if name not in (one, other)]
        for size in range(len(rest) + 1):
            for known in itertools.combinations(rest, size):
                if shortest_active_trail(dag, [one], {other}, set(known)) is None:
                    found.add((one, other, known))
    return frozenset(found)


def consistent(graph: PartlyDirected, dags: tuple[Dag, ...]) -> list[Dag]:
    """The definition: these arcs, this skeleton, and no v-structures except those of the arcs."""
    shown = set(v_structures(graph))
    return [
        dag
        for dag in dags
        if skeleton(dag) == skeleton(graph)
        and set(graph.arcs) <= set(dag.arcs)
        and set(v_structures(dag)) == shown
    ]


def test_all_dags_of_four_nodes_fall_into_the_classes_that_their_separations_make() -> None:
    dags = all_dags("ABCD")
    assert len(dags) == 543
    by_separations, by_cpdag = defaultdict(set), defaultdict(set)
    for dag in dags:
        by_separations[separations(dag)].add(dag)
        by_cpdag[cpdag(dag)].add(dag)
    assert len(by_cpdag) == 185
    assert set(map(frozenset, by_separations.values())) == set(map(frozenset, by_cpdag.values()))


def test_an_arc_of_a_class_is_one_that_all_its_members_share() -> None:
    classes = defaultdict(list)
    for dag in all_dags("ABCD"):
        classes[cpdag(dag)].append(dag)
    for graph, members in classes.items():
        assert set(graph.arcs) == set.intersection(*(set(dag.arcs) for dag in members))
        assert extension(graph) in members
        assert meek_closure(graph) == graph


def test_extension_exists_exactly_when_brute_force_finds_a_consistent_dag() -> None:
    dags = all_dags("ABCD")
    drawn = random.Random(5)
    none = 0
    for _ in range(300):
        lines = [drawn.choice(["", "->", "<-", "--", "--"]) for _ in range(6)]
        pairs = list(zip(itertools.combinations("ABCD", 2), lines, strict=True))
        arcs = [pair if line == "->" else pair[::-1] for pair, line in pairs if line in ("->", "<-")]
        graph = PartlyDirected([*"ABCD"], arcs, [pair for pair, line in pairs if line == "--"])
        fitting = consistent(graph, dags)
        if fitting:
            assert any(extension(graph).same_arcs(dag) for dag in fitting)
        else:
            none += 1
            with pytest.raises(BadGraph, match="No DAG has exactly these lines"):
                extension(graph)
    assert 0 < none < 300


def test_the_closure_directs_exactly_what_all_consistent_dags_share() -> None:
    """Background knowledge on a class: arcs of a member, some directed, closed by the four rules."""
    drawn = random.Random(7)
    dags = all_dags("ABCD")
    classes = defaultdict(list)
    for dag in dags:
        classes[cpdag(dag)].append(dag)
    for _ in range(300):
        dag = drawn.choice(dags)
        graph = cpdag(dag)
        told = [arc for arc in dag.arcs if arc not in graph.arcs and drawn.random() < 0.4]
        open_edges = [edge for edge in graph.edges if edge not in told and edge[::-1] not in told]
        closed = meek_closure(PartlyDirected(graph.nodes, [*graph.arcs, *told], open_edges))
        members = [member for member in classes[graph] if set(told) <= set(member.arcs)]
        assert set(closed.arcs) == set.intersection(*(set(member.arcs) for member in members))


@given(st.from_type(Dag))
def test_the_extension_of_a_class_is_equivalent_to_its_members(dag: Dag) -> None:
    graph = cpdag(dag)
    member = extension(graph)
    assert equivalent(member, dag)
    assert cpdag(member) == graph
    assert skeleton(graph) == skeleton(dag)
    assert set(v_structures(graph)) == set(v_structures(dag))
    assert structural_hamming_distance(member, dag) == 0
    assert structural_hamming_distance(graph, dag) == 0
    assert str(graph)


@given(st.from_type(Dag), st.randoms(use_true_random=False))
def test_distances_do_not_depend_on_the_order_of_the_nodes(dag: Dag, drawn: random.Random) -> None:
    names = list(dag.nodes)
    drawn.shuffle(names)
    shuffled = Dag(names, {name: dag.parents(name) for name in names})
    assert equivalent(shuffled, dag)
    assert structural_hamming_distance(shuffled, dag, as_classes=False) == 0
    assert structural_hamming_distance(shuffled, dag) == 0
    empty = Dag(names, {})
    assert structural_hamming_distance(empty, dag) == len(dag.arcs)


def test_equivalent_dags_of_four_nodes_are_those_with_one_cpdag() -> None:
    drawn = random.Random(3)
    for _ in range(500):
        one, other = drawn.choice(all_dags("ABCD")), drawn.choice(all_dags("ABCD"))
        assert equivalent(one, other) == (cpdag(one) == cpdag(other))


def test_a_large_dag_round_trips() -> None:
    drawn = random.Random(1)
    names = list(range(223))
    parents = {n: drawn.sample(range(n), min(n, drawn.randint(0, 3))) for n in names}
    dag = Dag(names, parents)
    assert equivalent(extension(cpdag(dag)), dag)


def test_the_distance_counts_missing_extra_and_turned_arcs_once_each() -> None:
    true = Dag.from_text("A, B -> C -> D; E")
    found = Dag.from_text("A -> C; B; C <- D; C -> E")
    assert structural_hamming_distance(found, true, as_classes=False) == 3
    # true class: A -> C <- B, C -> D; found class: A -> C <- D, C -> E
    assert structural_hamming_distance(found, true) == 3
    assert skeleton_scores(found, true) == (2 / 3, 2 / 3, 2 / 3)


def test_scores_of_empty_skeletons_are_one() -> None:
    empty, full = Dag.from_text("A, B"), Dag.from_text("A -> B")
    assert skeleton_scores(empty, empty) == (1.0, 1.0, 1.0)
    assert skeleton_scores(found=empty, true=full) == (1.0, 0.0, 0.0)
    assert skeleton_scores(found=full, true=empty) == (0.0, 1.0, 0.0)


def test_graphs_of_different_nodes_are_refused_by_name() -> None:
    with pytest.raises(BadGraph, match="only one of the two has 'Größe', 7"):
        structural_hamming_distance(Dag(["A", "Größe"], {}), Dag(["A", 7], {}))


def test_a_partly_directed_graph_refuses_lines_that_contradict_each_other() -> None:
    with pytest.raises(BadGraph, match="joined twice"):
        PartlyDirected([*"AB"], [("A", "B")], [("B", "A")])
    with pytest.raises(BadGraph, match="joined twice"):
        PartlyDirected([*"AB"], [("A", "B"), ("B", "A")])
    with pytest.raises(BadGraph, match="to itself"):
        PartlyDirected([*"AB"], edges=[("A", "A")])
    with pytest.raises(BadGraph, match="names 'C', which is not a node"):
        PartlyDirected([*"AB"], [("A", "C")])


def test_circles_of_arcs_are_kept_but_have_no_extension() -> None:
    graph = PartlyDirected([*"ABC"], [("A", "B"), ("B", "C"), ("C", "A")])
    with pytest.raises(BadGraph, match="No DAG"):
        extension(graph)


def test_names_of_any_kind_print() -> None:
    graph = PartlyDirected([1, ("a", 2), "x, y"], [(1, ("a", 2))], [("x, y", 1)])
    assert str(graph) == "1 -> ('a', 2); 1 -- \"x, y\""
    assert graph == PartlyDirected([1, ("a", 2), "x, y"], graph.arcs, graph.edges)
    assert graph.children(1) == (("a", 2),)
