"""Directed acyclic graphs over names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from bayou.errors import BadGraph, UnknownVariable
from bayou.graphs.acyclic import (
    arc_pairs,
    check_parents,
    distinct_nodes,
    one_or_many,
    reached,
    reversed_arcs,
    topological,
)
from bayou.graphs.arrows import parse_arrows, write_arrows
from bayou.graphs.independence import Independence
from bayou.typing import Name

_MOST_MASKED = 2000
"""Up to this many nodes the ancestors of each are kept as bits of a whole number."""


class Dag:
    """An immutable directed acyclic graph; the order of the nodes and of each node's parents is kept.

    Two graphs are equal if their nodes, their parents and both orders are equal (the order of the parents is
    that of a table's axes); :meth:`same_arcs` ignores the orders.

    Raises ``BadGraph`` for arcs that form a cycle, or of nodes that are not there.

    >>> dag = Dag.from_text("Storm -> Lightning -> Thunder; Storm, Bus -> Campfire")
    >>> dag.parents("Campfire"), dag.roots
    (('Storm', 'Bus'), ('Storm', 'Bus'))
    >>> Dag(["A", "B"], {"A": ["B"], "B": ["A"]})
    Traceback (most recent call last):
    bayou.errors.BadGraph: The arcs form a cycle: A -> B -> A. Remove or reverse one of them.
    """

    def __init__(self, nodes: Iterable[Name], parents: Mapping[Any, Iterable[Name]]) -> None:
        self._nodes = distinct_nodes(nodes)
        self._index = {name: position for position, name in enumerate(self._nodes)}
        given = {child: one_or_many(names, self._index) for child, names in parents.items()}
        check_parents(given, self._index)
        self._parents = {name: given.get(name, ()) for name in self._nodes}
        self._children = reversed_arcs(self._parents)
        self._order = topological(self._parents, self._children, self._index)

    @classmethod
    def from_text(cls, text: str) -> Dag:
        """Read arrow text (see :mod:`bayou.graphs.arrows`).

        Raises ``BadGraph`` for text that is no list of arcs, and for arcs that form a cycle.

        >>> Dag.from_text("Storm -> Fire <- Bus").arcs
        (('Storm', 'Fire'), ('Bus', 'Fire'))
        """
        return cls(*parse_arrows(text))

    @classmethod
    def from_arcs(cls, arcs: Iterable[tuple[Name, Name]], nodes: Iterable[Name] = ()) -> Dag:
        """The graph of (parent, child) pairs; if ``nodes`` are given, arcs may name no other nodes.

        Raises ``BadGraph`` for a cycle, or an arc of a node that is not among ``nodes``.

        >>> Dag.from_arcs([("Storm", "Fire"), ("Bus", "Fire")])
        Dag('Storm -> Fire <- Bus')
        """
        parents: dict[Name, list[Name]] = {}
        found: dict[Name, None] = {}
        for parent, child in arc_pairs(arcs):
            found.update({parent: None, child: None})
            parents.setdefault(child, []).append(parent)
        return cls(tuple(nodes) or found, parents)

    @classmethod
    def from_parents(cls, parents: Mapping[Any, Iterable[Name]], nodes: Iterable[Name] = ()) -> Dag:
        """The graph of a mapping child -> parents (one name, or several in order).

        Without ``nodes``, a parent that is not a key itself is a root, placed before its first child.

        Raises ``BadGraph`` for a cycle, or a parent that is not among ``nodes``.

        >>> Dag.from_parents({"Fire": ["Storm", "Bus"], "Smoke": "Fire"})
        Dag('Storm, Bus -> Fire -> Smoke')
        """
        declared = tuple(nodes)
        known = dict.fromkeys((*declared, *parents))
        given = {child: one_or_many(names, known) for child, names in parents.items()}
        found: dict[Name, None] = {}
        for child, names in given.items():
            found.update((name, None) for name in names if name not in given)
            found[child] = None
        return cls(declared or found, given)

    @property
    def nodes(self) -> tuple[Name, ...]:
        """The names in their declared order."""
        return self._nodes

    @cached_property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """Every arc (parent, child), child by child in the order of the nodes."""
        return tuple((parent, child) for child in self._nodes for parent in self._parents[child])

    @property
    def roots(self) -> tuple[Name, ...]:
        """The nodes without parents."""
        return tuple(name for name in self._nodes if not self._parents[name])

    @property
    def leaves(self) -> tuple[Name, ...]:
        """The nodes without children."""
        return tuple(name for name in self._nodes if not self._children[name])

    @property
    def topological_order(self) -> tuple[Name, ...]:
        """Parents before children; among the nodes that may come next, the first declared comes first.

        >>> Dag(["C", "B", "A"], {"C": ["A"]}).topological_order
        ('B', 'A', 'C')
        """
        return self._order

    def parents(self, name: Name) -> tuple[Name, ...]:
        """The parents of a node, in the order in which they were given.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> import bayou
        >>> bayou.Dag.from_text("A -> B; C -> B").parents("B")
        ('A', 'C')
        """
        return self._parents[self.only(name)]

    def children(self, name: Name) -> tuple[Name, ...]:
        """The children of a node, in the order of the nodes.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("A -> B; A -> C").children("A")
        ('B', 'C')
        """
        return self._children[self.only(name)]

    def only(self, name: Name) -> Name:
        """Return the name if it is a node, else raise an error that lists the nodes.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("Rain -> Wet").only("rain")
        Traceback (most recent call last):
        bayou.errors.UnknownVariable: There is no variable 'rain'. Did you mean 'Rain'? The variables are: ...
        """
        try:
            if name in self._index:
                return name
        except TypeError:
            pass
        raise UnknownVariable.named(name, self._nodes)

    def select(self, names: Name | Iterable[Name]) -> tuple[Name, ...]:
        """One or more names as distinct nodes in the given order; a string is always one name.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("ab -> cd").select("ab")
        ('ab',)
        """
        return tuple(dict.fromkeys(self.only(name) for name in one_or_many(names, self._index)))

    def ancestors(self, names: Name | Iterable[Name]) -> set[Name]:
        """Every node from which a directed path leads to one of the names, without the names themselves.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> sorted(Dag.from_text("A -> B -> C").ancestors(["C"]))
        ['A', 'B']
        """
        return reached(self.select(names), self._parents)

    def with_ancestors(self, names: Iterable[Name]) -> list[Name]:
        """These nodes and all their ancestors, in the order of the nodes.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("A -> B -> C <- D").with_ancestors(["B"])
        ['A', 'B']
        """
        found = set(names)
        if not found <= self._parents.keys():
            self.select(found)  # raises, with the nodes that there are
        if len(self._nodes) > _MOST_MASKED:
            found |= reached(found, self._parents)
            return [name for name in self._nodes if name in found]
        masks, bits = self._ancestor_masks, 0
        for name in found:
            bits |= masks[name]
        return [name for name, own in self._own_bits if bits & own]

    @cached_property
    def _own_bits(self) -> list[tuple[Name, int]]:
        """Each node with a bit of its own, the nodes in their order."""
        return [(name, 1 << place) for place, name in enumerate(self._nodes)]

    @cached_property
    def _ancestor_masks(self) -> dict[Name, int]:
        """The bits of each node and of all its ancestors."""
        masks = dict(self._own_bits)
        for name in self._order:
            for parent in self._parents[name]:
                masks[name] |= masks[parent]
        return masks

    def descendants(self, names: Name | Iterable[Name]) -> set[Name]:
        """Every node to which a directed path leads from one of the names, without the names themselves.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> sorted(Dag.from_text("A -> B -> C").descendants("A"))
        ['B', 'C']
        """
        return reached(self.select(names), self._children)

    def markov_blanket(self, name: Name) -> tuple[Name, ...]:
        """Parents, children and the children's other parents; given these, all others are independent of it.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("Storm -> Fire <- Bus; Fire -> Smoke").markov_blanket("Storm")
        ('Fire', 'Bus')
        """
        children = self.children(name)
        blanket = {*self._parents[name], *children, *(p for child in children for p in self._parents[child])}
        return self._in_order(blanket - {name})

    def local_independencies(self) -> list[Independence]:
        """For each node the statement that it is independent of its non-descendants given its parents.

        >>> for statement in Dag.from_text("Storm -> Lightning -> Thunder").local_independencies():
        ...     print(statement)
        Thunder ⟂ Storm | Lightning
        """
        statements = []
        for name in self._nodes:
            others = set(self._nodes) - self.descendants((name,)) - {name, *self._parents[name]}
            if others:
                statements.append(Independence((name,), self._in_order(others), self._parents[name]))
        return statements

    def moral(self) -> dict[Name, set[Name]]:
        """The moral graph: each node's neighbours after the parents of every child are joined.

        >>> sorted(Dag.from_text("Storm -> Fire <- Bus").moral()["Storm"])
        ['Bus', 'Fire']
        """
        neighbours: dict[Name, set[Name]] = {name: set() for name in self._nodes}
        for child, parents in self._parents.items():
            for name in parents:
                neighbours[name].update(parents, (child,))
                neighbours[name].discard(name)
            neighbours[child].update(parents)
        return neighbours

    def subgraph(self, names: Name | Iterable[Name]) -> Dag:
        """The graph of these nodes and the arcs between them, in this graph's order.

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("A -> B -> C").subgraph(["A", "B"]).arcs
        (('A', 'B'),)
        """
        kept = set(self.select(names))
        parents = {
            name: [p for p in self._parents[name] if p in kept] for name in self._nodes if name in kept
        }
        return Dag(parents, parents)

    def without_arcs_into(self, names: Name | Iterable[Name]) -> Dag:
        """The graph without the arcs into these nodes, as after an intervention do().

        Raises ``UnknownVariable`` for a name that no node has.

        >>> Dag.from_text("Storm -> Fire <- Bus").without_arcs_into("Fire").arcs
        ()
        """
        cut = set(self.select(names))
        return Dag(self._nodes, {name: () if name in cut else self._parents[name] for name in self._nodes})

    def same_arcs(self, other: Dag) -> bool:
        """Whether both graphs have the same nodes and arcs, in any order.

        >>> Dag.from_text("A -> B; A -> C").same_arcs(Dag.from_text("A -> C; A -> B"))
        True
        """
        return set(self._nodes) == set(other._nodes) and set(self.arcs) == set(other.arcs)

    def to_text(self) -> str:
        """Arrow text that reads back as an equal graph; the names must be text.

        >>> Dag.from_arcs([("Storm", "Light"), ("Light", "Thunder")]).to_text()
        'Storm -> Light -> Thunder'
        """
        return write_arrows(self._nodes, self._parents)

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._index
        except TypeError:
            return False

    def __len__(self) -> int:
        return len(self._nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dag) and (self._nodes, self._parents) == (other._nodes, other._parents)

    def __hash__(self) -> int:
        return hash((self._nodes, self.arcs))

    def __repr__(self) -> str:
        if all(isinstance(name, str) for name in self._nodes):
            return f"Dag({self.to_text()!r})"
        given = {child: list(parents) for child, parents in self._parents.items() if parents}
        return f"Dag({list(self._nodes)!r}, {given!r})"

    def _in_order(self, names: Iterable[Name]) -> tuple[Name, ...]:
        return tuple(sorted(names, key=self._index.__getitem__))


def dag_from(source: Any, nodes: Iterable[Name] = ()) -> Dag:
    """A graph from a Dag, arrow text, (parent, child) pairs, or a mapping child -> parents.

    >>> dag_from("A -> B") == dag_from([("A", "B")]) == dag_from({"B": ["A"]})
    True
    """
    declared = tuple(nodes)
    if isinstance(source, Dag | str):
        dag = source if isinstance(source, Dag) else Dag.from_text(source)
        return Dag(declared, {name: dag.parents(name) for name in dag.nodes}) if declared else dag
    if isinstance(source, Mapping):
        return Dag.from_parents({c: () if p is None else p for c, p in source.items()}, declared)
    if isinstance(source, Iterable) and not hasattr(source, "dtype"):
        return Dag.from_arcs(source, declared)
    raise BadGraph(
        "A graph is arrow text, (parent, child) pairs or a mapping child -> parents; "
        f"got {type(source).__name__}."
    )
