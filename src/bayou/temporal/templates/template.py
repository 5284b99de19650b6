"""The template of a dynamic network: which variables a slice has, and their parents in it and in earlier
slices.

A variable whose parents lie up to k slices back has tables of its own for the first k slices, in which some
parents do not exist yet: ``Rain``, ``Rain'``, …; the last of them serves all later slices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from bayou.errors import BadGraph, UnknownVariable
from bayou.graphs import Dag
from bayou.networks.sharing import Sharing
from bayou.temporal.templates.template_text import PRIME, LaggedArc
from bayou.typing import Name


class Node(NamedTuple):
    """A variable in one slice; a variable outside time is in slice 0 (in the last slice, if it is a last
    one).
    """

    name: Name
    step: int


@dataclass(frozen=True)
class DynamicTemplate:
    """Variables and arcs of all slices.

    ``constant`` variables have one value for a whole sequence, ``first`` ones exist in the first slice only,
    and ``last`` ones in the last slice only.

    >>> arcs = (LaggedArc("Rain", "Rain", 1), LaggedArc("Rain", "Umbrella", 0))
    >>> umbrella = DynamicTemplate(("Rain", "Umbrella"), arcs)
    >>> umbrella.parents(Node("Rain", 3)), umbrella.block(Node("Rain", 3)), umbrella.block(Node("Rain", 0))
    ((Node(name='Rain', step=2),), "Rain'", 'Rain')
    """

    names: tuple[Name, ...]
    arcs: tuple[LaggedArc, ...]
    constant: frozenset[Name] = frozenset()
    first: frozenset[Name] = frozenset()
    last: frozenset[Name] = frozenset()
    _own: dict[Name, tuple[LaggedArc, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for what, group in (("constant", self.constant), ("first", self.first), ("last", self.last)):
            for name in group:
                if name not in self.names:
                    raise UnknownVariable.named(name, self.names, f"in {what}")
        twice = (self.constant & self.first) | (self.constant & self.last) | (self.first & self.last)
        if twice:
            raise BadGraph(f"{min(map(str, twice))!r} is listed as constant, first or last more than once.")
        arcs = tuple(dict.fromkeys(self._settled(arc) for arc in self.arcs))
        object.__setattr__(self, "arcs", arcs)
        own = {name: tuple(arc for arc in arcs if arc.child == name) for name in self.names}
        object.__setattr__(self, "_own", own)
        _ = self.dag

    def _settled(self, arc: LaggedArc) -> LaggedArc:
        """The arc without a lag where one end is outside time; refuses arcs that have no meaning."""
        parent, child, lag = arc
        shown = f"{parent} -> {child}{PRIME * lag}"
        if parent in self.last and child not in self.last:
            raise BadGraph(
                f"{shown}: {parent!r} exists in the last slice only, so only last ones depend on it."
            )
        if child in self.constant and parent not in self.constant:
            raise BadGraph(f"{shown}: {child!r} is constant, so its parents must be constant, too.")
        if parent in self.constant:
            return LaggedArc(parent, child, 0)
        if child in self.last and (lag or parent in self.first):
            raise BadGraph(
                f"{shown}: parents of {child!r}, a last one, must be in the last slice or constant."
            )
        if child in self.first and lag:
            raise BadGraph(f"{shown}: {child!r} exists in the first slice only, which has none before it.")
        return arc

    @property
    def timed(self) -> tuple[Name, ...]:
        """The variables that every slice has."""
        return tuple(name for name in self.names if not self.outside(name))

    def outside(self, name: Name) -> bool:
        """Whether a variable has one value for a whole sequence."""
        return name in self.constant or name in self.first or name in self.last

    def reach(self, name: Name) -> int:
        """From which slice on a variable has all its parents; each slice before has a table of its own."""
        later = (arc.lag + (arc.parent in self.first and not self.outside(name)) for arc in self._own[name])
        return max(later, default=0)

    @cached_property
    def order(self) -> int:
        """From which slice on all slices are alike."""
        return max((self.reach(name) for name in self.names), default=0)

    def lasts(self, name: Name) -> int:
        """For how many slices after its own a variable has children."""
        return max((arc.lag for arc in self.arcs if arc.parent == name), default=0)

    def nodes(self, step: int, *, last: bool) -> Iterator[Node]:
        """The nodes that begin in a slice."""
        for name in self.names:
            if name in self.last:
                if last:
                    yield Node(name, step)
            elif step == 0 or not self.outside(name):
                yield Node(name, step)

    def parents(self, node: Node) -> tuple[Node, ...]:
        """The parents of a node, in the order of its table's axes."""
        found = []
        for arc in self._own[node.name]:
            if arc.parent in self.constant:
                found.append(Node(arc.parent, 0))
            elif node.step >= arc.lag and (arc.parent not in self.first or node.step == arc.lag):
                found.append(Node(arc.parent, node.step - arc.lag))
        return tuple(found)

    def block(self, node: Node) -> Name:
        """The name of the table that a node uses."""
        return self.labelled(Node(node.name, min(node.step, self.reach(node.name))))

    def labelled(self, node: Node) -> Name:
        """The name of a node of the first slices: one prime for each slice before it."""
        if node.step == 0 or self.outside(node.name):
            return node.name
        return f"{node.name}{PRIME * node.step}"

    @cached_property
    def tables(self) -> tuple[Name, ...]:
        """The names of all tables."""
        return tuple(
            self.labelled(Node(name, step))
            for name in self.names
            for step in range(1 if self.outside(name) else self.reach(name) + 1)
        )

    def unrolled(self, steps: int, label: Callable[[Node], Name]) -> tuple[Dag, Sharing, dict[Name, Node]]:
        """(the graph of so many slices, which nodes share a table, the node behind each name)."""
        parents: dict[Name, list[Name]] = {}
        behind: dict[Name, Node] = {}
        users: dict[Name, list[Name]] = {}
        for step in range(steps):
            for node in self.nodes(step, last=step == steps - 1):
                name = label(node)
                if name in parents:
                    raise BadGraph(
                        f"Two nodes of the unrolled network would be called {name!r}: rename a variable."
                    )
                parents[name] = [label(parent) for parent in self.parents(node)]
                behind[name] = node
                users.setdefault(self.block(node), []).append(name)
        sharing: Sharing = {f"p_{block}": tuple(names) for block, names in users.items() if len(names) > 1}
        return Dag(list(parents), parents), sharing, behind

    @cached_property
    def dag(self) -> Dag:
        """The graph of the first slices, as many as there are different ones."""
        return self.unrolled(self.order + 1, self.labelled)[0]

    @cached_property
    def sharing(self) -> Sharing:
        """Which nodes of the first slices share a table."""
        return self.unrolled(self.order + 1, self.labelled)[1]

    @cached_property
    def behind(self) -> dict[Name, Node]:
        """The node behind each name of the first slices."""
        return self.unrolled(self.order + 1, self.labelled)[2]

    def kept_after(self, step: int) -> list[Node]:
        """The nodes of this slice and those before it that later slices depend on: the interface."""
        found = []
        for name in self.names:
            if name in self.constant or (name in self.first and self.lasts(name) > step):
                found.append(Node(name, 0))
            elif not self.outside(name):
                found += [Node(name, s) for s in range(max(0, step - self.lasts(name) + 1), step + 1)]
        return found


def names_within(names: Iterable[Name], known: Iterable[Name], where: str) -> frozenset[Name]:
    """A set of names, each of which must be known."""
    given = frozenset([names] if isinstance(names, str) else names)
    for name in given:
        if name not in known:
            raise UnknownVariable.named(name, tuple(known), where)
    return given
