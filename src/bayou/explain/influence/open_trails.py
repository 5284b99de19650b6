"""The open trail along which a finding acts most, and what separates findings that do not act.

Influence travels along trails that are open given all that is known (d-separation). What passes through a
variable moves its belief, so a trail is as *wide* as the variable inside it whose belief the finding moves
least. The trail that is shown is a widest one, and of these a shortest. Its width is found by Dijkstra's
algorithm on the stops of the Bayes ball (Shachter 1998), with the smallest move on the way in place of a
length; a search in breadth among the variables that move at least so far finds the trail.

Chains of reasoning chosen by what they carry: Suermondt (1992), Explanation in Bayesian Belief Networks;
Madigan, Mosurski and Almond (1997), Graphical explanation in belief networks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from bayou.graphs import Dag
from bayou.graphs.separation import Stop, next_stops, walk_to
from bayou.typing import Name


@dataclass(frozen=True)
class KnownNodes:
    """The graph with what is known: observed nodes, nodes set by hand, and nodes with uncertain findings.

    Arcs into nodes that are set by hand are cut. Observed nodes and nodes set by hand stop influence; an
    uncertain finding does not, but like an observed node it opens the common effects above it.
    """

    dag: Dag
    fixed: set[Name]
    openers: set[Name]

    @classmethod
    def of(
        cls, dag: Dag, observed: Collection[Name], set_by_hand: Collection[Name], uncertain: Collection[Name]
    ) -> KnownNodes:
        """The graph of a network in which these nodes are known."""
        cut = dag.without_arcs_into(tuple(set_by_hand)) if set_by_hand else dag
        found = {*observed, *uncertain}
        return cls(cut, {*observed, *set_by_hand}, found | cut.ancestors(tuple(found)))

    def next_stops(self, stop: Stop) -> list[Stop]:
        """Where influence goes from a stop."""
        return next_stops(self.dag, stop, self.fixed, self.openers)


def widest_trail(
    known: KnownNodes, start: Name, target: Name, moves: Mapping[Name, float]
) -> tuple[Name, ...] | None:
    """The widest open trail, and of these a shortest; None if there is none.

    ``moves`` says how far the belief of each variable moves; one that is not there hinders nothing.

    >>> from bayou.graphs import Dag
    >>> dag = Dag.from_text("Flu -> Fever -> Tired; Flu -> Cough -> Tired")
    >>> nothing = KnownNodes.of(dag, (), (), ())
    >>> widest_trail(nothing, "Flu", "Tired", {"Fever": 0.1, "Cough": 0.4})
    ('Flu', 'Cough', 'Tired')
    """
    if start == target:
        return (start,)
    width = _width(known, start, target, moves)
    if width is None:
        return None
    return _shortest(known, start, target, lambda name: moves.get(name, 1.0) >= width)


def _width(known: KnownNodes, start: Name, target: Name, moves: Mapping[Name, float]) -> float | None:
    """The largest width of an open trail; None if there is none."""
    waiting: list[tuple[float, int, Stop]] = [(-1.0, 0, (start, False))]
    order, done = 0, set()
    while waiting:
        width, _, stop = heappop(waiting)
        if stop[0] == target:
            return -width
        if stop in done:
            continue
        done.add(stop)
        for following in known.next_stops(stop):
            if following not in done:
                order += 1  # stops of equal width come in the order in which they were found
                move = 1.0 if following[0] == target else moves.get(following[0], 1.0)
                heappush(waiting, (max(width, -move), order, following))
    return None


def _shortest(
    known: KnownNodes, start: Name, target: Name, may_pass: Callable[[Name], bool]
) -> tuple[Name, ...] | None:
    """A shortest open trail through variables that may be passed."""
    came_from: dict[Stop, Stop | None] = {(start, False): None}
    waiting = deque(came_from)
    while waiting:
        stop = waiting.popleft()
        if stop[0] == target:
            return walk_to(came_from, stop)
        for following in known.next_stops(stop):
            if following not in came_from and (following[0] == target or may_pass(following[0])):
                came_from[following] = stop
                waiting.append(following)
    return None


def separators(
    dag: Dag,
    start: Name,
    target: Name,
    observed: Collection[Name],
    set_by_hand: Collection[Name],
    uncertain: Collection[Name],
) -> tuple[Name, ...] | None:
    """The known nodes that keep influence of ``start`` from ``target``, none of them superfluous.

    None if it reaches the target. The result is empty if nothing needs to be known for it not to.

    >>> from bayou.graphs import Dag
    >>> dag = Dag.from_text("Flu -> Fever -> Tired; Flu -> Cough")
    >>> separators(dag, "Flu", "Tired", ["Cough", "Fever"], [], [])
    ('Fever',)
    """

    def reached(kept: Iterable[Name]) -> set[Name]:
        left = set(kept)
        known = KnownNodes.of(dag, left.intersection(observed), left.intersection(set_by_hand), uncertain)
        return _reached(known, start)

    near = reached((*observed, *set_by_hand))
    if target in near:
        return None
    # What the ball does not touch cannot have stopped it; a node set by hand stops it above its cut arcs.
    kept = [name for name in observed if name in near]
    kept += [name for name in set_by_hand if name in near or near.intersection(dag.parents(name))]
    while True:
        fewer = ([other for other in kept if other != name] for name in kept)
        smaller = next((some for some in fewer if target not in reached(some)), None)
        if smaller is None:
            return tuple(kept)
        kept = smaller


def _reached(known: KnownNodes, start: Name) -> set[Name]:
    """All nodes that the ball touches, also those that stop it."""
    found: set[Stop] = {(start, False)}
    waiting = list(found)
    while waiting:
        for following in known.next_stops(waiting.pop()):
            if following not in found:
                found.add(following)
                waiting.append(following)
    return {name for name, _ in found}
