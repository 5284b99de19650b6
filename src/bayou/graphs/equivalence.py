"""Markov equivalence of DAGs, and distances between graphs.

Two DAGs imply the same independences if and only if they join the same pairs and have the same v-structures
(Verma & Pearl 1990). Their class is represented by one partly directed graph, the CPDAG: it has an arc where
all members agree on the direction, and an undirected edge where they do not.
"""

from __future__ import annotations

from typing import NamedTuple

from bayou.errors import BadGraph, listed
from bayou.graphs.dag import Dag
from bayou.graphs.meek import Bits, EdgeBits, close, compelled, extend, set_bits
from bayou.graphs.partly_directed import PartlyDirected
from bayou.typing import Name

Graph = Dag | PartlyDirected


def cpdag(dag: Dag) -> PartlyDirected:
    """The equivalence class of a DAG: compelled arcs, and undirected edges where members of the class differ.

    >>> print(cpdag(Dag.from_text("Season -> Rain -> Wet <- Sprinkler; Wet -> Slippery")))
    Rain, Sprinkler -> Wet; Wet -> Slippery; Season -- Rain
    """
    return PartlyDirected.from_marks(dag.nodes, compelled(_parent_bits(dag)))


def meek_closure(graph: PartlyDirected) -> PartlyDirected:
    """The graph with every edge directed whose direction follows from its arcs (Meek's four rules, 1995).

    >>> print(meek_closure(PartlyDirected(["A", "B", "C"], arcs=[("A", "B")], edges=[("B", "C")])))
    A -> B; B -> C
    """
    return PartlyDirected.from_marks(graph.nodes, close(graph.marks))


def extension(graph: PartlyDirected) -> Dag:
    """A DAG with these arcs, in which every edge is directed without creating a new v-structure.

    Raises :class:`BadGraph` if there is none, which may happen with a graph found by tests on data.

    >>> extension(PartlyDirected(["A", "B", "C"], arcs=[("A", "B")], edges=[("B", "C")]))
    Dag('A -> B -> C')
    """
    parents = extend(graph.marks)
    if parents is None:
        raise BadGraph(
            f"No DAG has exactly these lines and v-structures: {graph}. Every way to direct the edges closes "
            "a cycle or makes a new common effect of nodes that are not joined."
        )
    names = graph.nodes
    return Dag(
        names, {names[child]: [names[p] for p in set_bits(found)] for child, found in enumerate(parents)}
    )


def equivalent(one: Dag, other: Dag) -> bool:
    """Whether two DAGs over the same nodes imply the same independences.

    >>> equivalent(Dag.from_text("A -> B -> C"), Dag.from_text("A <- B -> C"))
    True
    >>> equivalent(Dag.from_text("A -> B -> C"), Dag.from_text("A -> B <- C"))
    False
    """
    _check_same_nodes(one, other)
    return skeleton(one) == skeleton(other) and set(map(_unordered, v_structures(one))) == set(
        map(_unordered, v_structures(other))
    )


def skeleton(graph: Graph) -> frozenset[frozenset[Name]]:
    """The pairs of nodes that are joined, without directions.

    >>> sorted(sorted(pair) for pair in skeleton(Dag.from_text("A -> B <- C")))
    [['A', 'B'], ['B', 'C']]
    """
    lines = graph.arcs if isinstance(graph, Dag) else (*graph.arcs, *graph.edges)
    return frozenset(frozenset(pair) for pair in lines)


def v_structures(graph: Graph) -> list[tuple[Name, Name, Name]]:
    """Every (A, B, C) with A -> B <- C where A and C are not joined, in the order of the nodes.

    >>> v_structures(Dag.from_text("A, B -> C <- D; A -> B"))
    [('A', 'C', 'D'), ('B', 'C', 'D')]
    """
    joined = skeleton(graph)
    found = []
    for child in graph.nodes:
        parents = graph.parents(child)
        ordered = [name for name in graph.nodes if name in set(parents)] if len(parents) > 1 else []
        for position, one in enumerate(ordered):
            found += [
                (one, child, other)
                for other in ordered[position + 1 :]
                if frozenset((one, other)) not in joined
            ]
    return found


def structural_hamming_distance(one: Graph, other: Graph, *, as_classes: bool = True) -> int:
    """The number of pairs that are joined differently: missing, extra, reversed or undirected in one graph.

    Each pair counts once, also a reversed arc. DAGs are compared by their classes (CPDAGs), so equivalent
    ones have distance 0 (Tsamardinos, Brown & Aliferis 2006); ``as_classes=False`` compares arc by arc.

    >>> chain, fork = Dag.from_text("A -> B -> C"), Dag.from_text("A <- B -> C")
    >>> structural_hamming_distance(chain, fork)
    0
    >>> structural_hamming_distance(chain, fork, as_classes=False)
    1
    """
    _check_same_nodes(one, other)
    first, second = (_lines(graph, as_classes, one.nodes) for graph in (one, other))
    pairs = first.keys() | second.keys()
    return sum(first.get(pair) != second.get(pair) for pair in pairs)


class SkeletonScores(NamedTuple):
    """How well the joined pairs were found, ignoring directions."""

    precision: float
    recall: float
    f1: float


def skeleton_scores(found: Graph, true: Graph) -> SkeletonScores:
    """Precision, recall and F1 of the joined pairs; a ratio with no pairs in the denominator is 1.

    >>> skeleton_scores(found=Dag.from_text("A -> B -> C"), true=Dag.from_text("A <- B; C"))
    SkeletonScores(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    _check_same_nodes(found, true)
    ours, theirs = skeleton(found), skeleton(true)
    right = len(ours & theirs)
    total = len(ours) + len(theirs)
    return SkeletonScores(
        right / len(ours) if ours else 1.0,
        right / len(theirs) if theirs else 1.0,
        2 * right / total if total else 1.0,
    )


def _parent_bits(dag: Dag) -> Bits:
    place = {name: position for position, name in enumerate(dag.nodes)}
    return [sum(1 << place[parent] for parent in dag.parents(name)) for name in dag.nodes]


def _marks(graph: Graph, as_classes: bool) -> EdgeBits:
    if isinstance(graph, PartlyDirected):
        return graph.marks
    parents = _parent_bits(graph)
    return compelled(parents) if as_classes else EdgeBits(parents, [0] * len(parents))


def _lines(graph: Graph, as_classes: bool, order: tuple[Name, ...]) -> dict[tuple[int, int], str]:
    """How each joined pair (positions in a common order) is joined: "->", "<-" or "--"."""
    place = {name: position for position, name in enumerate(order)}
    at = [place[name] for name in graph.nodes]
    parents, edges = _marks(graph, as_classes)
    lines: dict[tuple[int, int], str] = {}
    for child, found in enumerate(parents):
        for parent in set_bits(found):
            start, end = at[parent], at[child]
            lines[min(start, end), max(start, end)] = "->" if start < end else "<-"
        for near in set_bits(edges[child]):
            lines[min(at[near], at[child]), max(at[near], at[child])] = "--"
    return lines


def _unordered(structure: tuple[Name, Name, Name]) -> tuple[frozenset[Name], Name]:
    return frozenset((structure[0], structure[2])), structure[1]


def _check_same_nodes(one: Graph, other: Graph) -> None:
    odd = [name for name in one.nodes if name not in other] + [
        name for name in other.nodes if name not in one
    ]
    if odd:
        raise BadGraph(
            f"Only graphs of the same nodes can be compared; only one of the two has {listed(odd)}."
        )
