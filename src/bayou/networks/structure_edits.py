"""Small changes of a graph: a node or an arc more or less, other names, other orders; cycles are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bayou.errors import BadGraph, listed
from bayou.graphs import Dag
from bayou.typing import Name


def with_parents(dag: Dag, parents: Mapping[Name, Iterable[Name]]) -> Dag:
    """Return the graph with other parents of some nodes; the order of the nodes stays.

    >>> with_parents(Dag.from_text("A -> C <- B"), {"C": ["B"]}).arcs
    (('B', 'C'),)
    """
    return Dag(dag.nodes, {name: list(parents.get(name, dag.parents(name))) for name in dag.nodes})


def with_node(dag: Dag, name: Name, parents: Iterable[Name], place: int) -> Dag:
    """Return the graph with one more node, at this place in the order of the nodes.

    >>> with_node(Dag.from_text("A -> B"), "C", ["A"], 1).nodes
    ('A', 'C', 'B')
    """
    nodes = [*dag.nodes[:place], name, *dag.nodes[place:]]
    return Dag(nodes, {**{node: list(dag.parents(node)) for node in dag.nodes}, name: list(parents)})


def with_names(dag: Dag, names: Mapping[Name, Name]) -> Dag:
    """Return the graph with other names for some nodes; both orders stay.

    >>> with_names(Dag.from_text("A -> B"), {"A": "Rain"}).arcs
    (('Rain', 'B'),)
    """

    def new(name: Name) -> Name:
        return names.get(name, name)

    return Dag(
        [new(name) for name in dag.nodes],
        {new(name): [new(parent) for parent in dag.parents(name)] for name in dag.nodes},
    )


def directed_path(dag: Dag, start: Name, end: Name, *, longer: bool = False) -> list[Name]:
    """Return a shortest path along the arcs, with both ends; empty if there is none.

    With ``longer`` the path has at least one node between its ends.

    >>> directed_path(Dag.from_text("A -> B -> C; A -> C"), "A", "C", longer=True)
    ['A', 'B', 'C']
    """
    before: dict[Name, Name] = {}
    waiting = [start]
    for name in waiting:
        for child in dag.children(name):
            if longer and name == start and child == end:
                continue
            if child not in before:
                before[child] = name
                waiting.append(child)
    if end not in before:
        return []
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def require_no_cycle(dag: Dag, parent: Name, child: Name) -> None:
    """Raise BadGraph, with the cycle shown, if an arc from ``parent`` to ``child`` would close one.

    >>> require_no_cycle(Dag.from_text("Rain -> Wet -> Slippery"), "Slippery", "Rain")
    Traceback (most recent call last):
    ...
    bayou.errors.BadGraph: The arc Slippery -> Rain would close a cycle: Rain -> Wet -> Slippery -> Rain. ...
    """
    if parent == child:
        raise BadGraph(f"An arc joins two variables; {parent!r} cannot be its own parent.")
    path = directed_path(dag, child, parent)
    if path:
        raise BadGraph(
            f"The arc {parent} -> {child} would close a cycle: {arrows([*path, child])}. Remove or reverse "
            "one of these arcs first."
        )


def require_arc(dag: Dag, parent: Name, child: Name) -> None:
    """Raise BadGraph, which lists the parents, unless there is this arc."""
    parents = dag.parents(child)
    dag.only(parent)
    if parent not in parents:
        has = f"The parents of {child!r} are: {listed(parents)}." if parents else f"{child!r} has no parents."
        turned = f" The arc is {child} -> {parent}." if parent in dag.children(child) else ""
        raise BadGraph(f"There is no arc {parent} -> {child}.{turned} {has}")


def arrows(path: Iterable[Name]) -> str:
    """Return the names of a path with arrows between them.

    >>> arrows(["A", 1])
    'A -> 1'
    """
    return " -> ".join(str(name) for name in path)
