"""Functions behind :class:`Dag`: checks of names and arcs, topological order, and walks along the arcs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bayou.errors import BadGraph
from bayou.typing import Name

ParentsOf = Mapping[Name, Sequence[Name]]


def one_or_many(names: Any, known: Mapping[Name, object]) -> tuple[Name, ...]:
    """Names as a tuple; a string, or a value that is itself a known name, counts as one name.

    >>> one_or_many("Storm", {}), one_or_many(["Storm", "Bus"], {}), one_or_many(("a", 1), {("a", 1): 0})
    (('Storm',), ('Storm', 'Bus'), (('a', 1),))
    """
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        return (names,)
    one: Any = names
    try:
        if one in known:
            return (one,)
    except TypeError:  # not hashable, so not a name
        pass
    several = tuple(names)
    for name in several:
        _check_hashable(name)
    return several


def distinct_nodes(nodes: Iterable[Name]) -> tuple[Name, ...]:
    """The nodes as a tuple; refuses names that are not hashable or occur twice."""
    named = one_or_many(nodes, {})
    seen: set[Name] = set()
    for name in named:
        _check_hashable(name)
        if name in seen:
            raise BadGraph(f"The node {name!r} is declared twice.")
        seen.add(name)
    return named


def arc_pairs(arcs: Iterable[Any]) -> list[tuple[Name, Name]]:
    """The arcs as pairs of hashable names."""
    pairs = []
    for arc in arcs:
        pair = tuple(arc) if isinstance(arc, Iterable) and not isinstance(arc, str) else ()
        if len(pair) != 2:
            raise BadGraph(f"An arc is a pair (parent, child); got {arc!r}.")
        for name in pair:
            _check_hashable(name)
        pairs.append((pair[0], pair[1]))
    return pairs


def check_parents(parents: ParentsOf, nodes: Mapping[Name, int]) -> None:
    """Refuse unknown children, unknown parents, arcs from a node to itself and arcs given twice."""
    known = tuple(nodes)
    for child, names in parents.items():
        if child not in nodes:
            raise BadGraph.unknown(child, known, "The mapping of parents")
        for position, name in enumerate(names):
            if name not in nodes:
                raise BadGraph.unknown(name, known, f"The list of parents of {child!r}")
            if name == child:
                raise BadGraph(f"There is an arc from {child!r} to itself.")
            if name in names[:position]:
                raise BadGraph(f"The arc {name} -> {child} is given twice; give it once.")


def reversed_arcs(parents: ParentsOf) -> dict[Name, tuple[Name, ...]]:
    """The children of each node from the parents of each node, or the other way round.

    >>> reversed_arcs({"A": [], "B": ["A"]})
    {'A': ('B',), 'B': ()}
    """
    children: dict[Name, list[Name]] = {name: [] for name in parents}
    for child, names in parents.items():
        for name in names:
            children[name].append(child)
    return {name: tuple(found) for name, found in children.items()}


def topological(parents: ParentsOf, children: ParentsOf, index: Mapping[Name, int]) -> tuple[Name, ...]:
    """The nodes in topological order; of nodes that may come next the lowest index is first.

    Raises :class:`BadGraph` if there is a cycle.
    """
    names = tuple(index)
    waiting = {name: len(parents[name]) for name in names}
    free = [index[name] for name in names if not waiting[name]]
    order: list[Name] = []
    while free:
        name = names[heapq.heappop(free)]
        order.append(name)
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(free, index[child])
    if len(order) < len(names):
        raise BadGraph.cycle(_cycle(parents, set(names) - set(order), index))
    return tuple(order)


def _cycle(parents: ParentsOf, left: set[Name], index: Mapping[Name, int]) -> list[Name]:
    """One cycle along the arcs, from its first declared node; each node in ``left`` has a parent there."""
    walk: dict[Name, None] = {}
    name = min(left, key=index.__getitem__)
    while name not in walk:
        walk[name] = None
        name = next(parent for parent in parents[name] if parent in left)
    steps = list(walk)
    cycle = steps[steps.index(name) :][::-1]
    first = min(range(len(cycle)), key=lambda position: index[cycle[position]])
    return cycle[first:] + cycle[:first]


def reached(names: Iterable[Name], neighbours: ParentsOf) -> set[Name]:
    """Every node that can be reached from the names along the neighbours, without the names themselves."""
    start = tuple(names)
    found: set[Name] = set()
    waiting = list(start)
    while waiting:
        for name in neighbours[waiting.pop()]:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found - set(start)


def _check_hashable(name: Any) -> None:
    try:
        hash(name)
    except TypeError:
        raise BadGraph(f"A node's name must be hashable; {name!r} is not.") from None
    if name is None or name != name:
        raise BadGraph(f"{name!r} means 'missing', so it cannot be the name of a node.")
