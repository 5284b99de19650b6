"""Partly directed graphs: arcs and undirected edges, such as an equivalence class of DAGs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bayou.errors import BadGraph, UnknownVariable
from bayou.graphs.acyclic import arc_pairs, distinct_nodes
from bayou.graphs.arrows import name_in_arrows
from bayou.graphs.dag import Dag
from bayou.graphs.meek import EdgeBits, set_bits
from bayou.typing import Name

Pair = tuple[Name, Name]


class PartlyDirected:
    """An immutable graph of ``arcs`` (parent, child) and undirected ``edges``.

    Arcs and edges are kept in the order of the nodes, so two graphs are equal if their nodes, arcs and edges
    are. The arcs may form a cycle: then :func:`extension` raises an error, because there is no DAG.

    Raises ``BadGraph`` for a line from or to something that is no node.

    >>> graph = PartlyDirected(["A", "B", "C"], arcs=[("A", "B")], edges=[("C", "B")])
    >>> print(graph)
    A -> B; B -- C
    >>> graph.parents("B"), graph.neighbours("B")
    (('A',), ('C',))
    """

    def __init__(self, nodes: Iterable[Name], arcs: Iterable[Pair] = (), edges: Iterable[Pair] = ()) -> None:
        self._nodes = distinct_nodes(nodes)
        self._index = {name: position for position, name in enumerate(self._nodes)}
        self._marks = EdgeBits([0] * len(self._nodes), [0] * len(self._nodes))
        for parent, child in arc_pairs(arcs):
            start, end = self._new_line(parent, child, "->")
            self._marks.parents[end] |= 1 << start
        for one, other in arc_pairs(edges):
            start, end = self._new_line(one, other, "--")
            self._marks.edges[end] |= 1 << start
            self._marks.edges[start] |= 1 << end

    @classmethod
    def from_marks(cls, nodes: Sequence[Name], marks: EdgeBits) -> PartlyDirected:
        """The graph of arcs and edges given by position (see :mod:`bayou.graphs.meek`)."""
        graph = cls(nodes)
        graph._marks = EdgeBits(list(marks.parents), list(marks.edges))
        return graph

    @classmethod
    def from_dag(cls, dag: Dag) -> PartlyDirected:
        """The graph with the arcs of a DAG and no undirected edges.

        ``dag`` is the graph.

        >>> PartlyDirected.from_dag(Dag.from_text("A -> B")).arcs
        (('A', 'B'),)
        """
        return cls(dag.nodes, dag.arcs)

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The names in their declared order."""
        return self._nodes

    @property
    def marks(self) -> EdgeBits:
        """A copy of the arcs and edges by position."""
        return EdgeBits(list(self._marks.parents), list(self._marks.edges))

    @property
    def arcs(self) -> tuple[Pair, ...]:
        """Every arc (parent, child), child by child."""
        return tuple((p, child) for child in self._nodes for p in self.parents(child))

    @property
    def edges(self) -> tuple[Pair, ...]:
        """Every undirected edge, the earlier node first."""
        return tuple(
            (self._nodes[i], self._nodes[j])
            for i, near in enumerate(self._marks.edges)
            for j in set_bits(near >> i << i)
        )

    def parents(self, name: Name) -> tuple[Name, ...]:
        """The nodes with an arc to this one, in the order of the nodes.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> import bayou
        >>> bayou.PartlyDirected(["A", "B", "C"], arcs=[("A", "B")], edges=[("B", "C")]).parents("B")
        ('A',)
        """
        return self._names(self._marks.parents[self._at(name)])

    def children(self, name: Name) -> tuple[Name, ...]:
        """The nodes to which an arc leads from this one.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> PartlyDirected.from_dag(Dag.from_text("A -> C; B -> C")).children("A")
        ('C',)
        """
        bit = 1 << self._at(name)
        return tuple(
            child for child, found in zip(self._nodes, self._marks.parents, strict=True) if found & bit
        )

    def neighbours(self, name: Name) -> tuple[Name, ...]:
        """The nodes that are joined to this one by an undirected edge.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> import bayou
        >>> bayou.PartlyDirected(["A", "B", "C"], arcs=[("A", "B")], edges=[("B", "C")]).neighbours("B")
        ('C',)
        """
        return self._names(self._marks.edges[self._at(name)])

    def to_text(self) -> str:
        """Arrow text, with undirected edges as ``A -- B``.

        >>> PartlyDirected(["x y", "a, b", "c"], edges=[("a, b", "x y")]).to_text()
        'x y -- "a, b"; c'
        """
        joined = {name for pair in (*self.arcs, *self.edges) for name in pair}
        parts = []
        for child in self._nodes:
            if parents := self.parents(child):
                parts.append(f"{', '.join(map(_written, parents))} -> {_written(child)}")
        parts += [f"{_written(one)} -- {_written(other)}" for one, other in self.edges]
        lone = [_written(name) for name in self._nodes if name not in joined]
        return "; ".join([*parts, ", ".join(lone)] if lone else parts)

    def _names(self, bits: int) -> tuple[Name, ...]:
        return tuple(self._nodes[position] for position in set_bits(bits))

    def _at(self, name: Any) -> int:
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise UnknownVariable.named(name, self._nodes) from None

    def _new_line(self, one: Name, other: Name, sign: str) -> tuple[int, int]:
        for name in (one, other):
            if name not in self._index:
                raise BadGraph.unknown(name, self._nodes, f"The line {one} {sign} {other}")
        start, end = self._index[one], self._index[other]
        if start == end:
            raise BadGraph(f"There is a line from {one!r} to itself.")
        parents, edges = self._marks
        if (parents[end] | edges[end]) >> start & 1 or parents[start] >> end & 1:
            raise BadGraph(f"{one!r} and {other!r} are joined twice; give one line between them.")
        return start, end

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._index
        except TypeError:
            return False

    def __len__(self) -> int:
        return len(self._nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PartlyDirected) and (self._nodes, self._marks) == (
            other._nodes,
            other._marks,
        )

    def __hash__(self) -> int:
        return hash((self._nodes, tuple(self._marks.parents), tuple(self._marks.edges)))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"PartlyDirected({list(self._nodes)!r}, arcs={list(self.arcs)!r}, edges={list(self.edges)!r})"


def _written(name: Name) -> str:
    return name_in_arrows(name) if isinstance(name, str) else str(name)
