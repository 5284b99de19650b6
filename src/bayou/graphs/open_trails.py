"""All open trails between two nodes, and the fewest further nodes to observe that close them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from bayou.graphs.dag import Dag
from bayou.graphs.separation import Stop, next_stops, shortest_active_trail
from bayou.typing import Name

_STEPS_SEARCHED = 5_000


def open_trails(
    dag: Dag, left: Iterable[Name], right: Collection[Name], given: Collection[Name] = (), most: int = 8
) -> list[tuple[Name, ...]]:
    """The open trails between two sets of nodes, the shortest first; at most ``most``.

    In a dense graph the search ends early; the shortest trail is always there.

    >>> dag = Dag.from_text("Rain -> Wet <- Sprinkler; Season -> Rain; Season -> Sprinkler")
    >>> for trail in open_trails(dag, ["Rain"], ["Sprinkler"], given=["Wet"]):
    ...     print(trail)
    ('Rain', 'Wet', 'Sprinkler')
    ('Rain', 'Season', 'Sprinkler')
    """
    starts, ends, known = tuple(left), set(right), set(given)
    first = shortest_active_trail(dag, starts, ends, known)
    if first is None:
        return []
    openers = known | dag.ancestors(tuple(known))
    found = [first]
    waiting: deque[tuple[tuple[Name, ...], Stop]] = deque(((name,), (name, False)) for name in starts)
    for _ in range(_STEPS_SEARCHED):
        if not waiting or len(found) >= most:
            break
        trail, stop = waiting.popleft()
        if stop[0] in ends:
            found += [trail] if trail != first else []
            continue
        waiting += [
            ((*trail, after[0]), after)
            for after in next_stops(dag, stop, known, openers)
            if after[0] not in trail and after[0] not in starts
        ]
    return found


def closing_nodes(
    dag: Dag, left: Iterable[Name], right: Iterable[Name], given: Collection[Name] = ()
) -> tuple[Name, ...] | None:
    """Nodes that separate two sets if they are observed too, none of them superfluous; None if none can.

    If any nodes can, the ancestors of all that is named can (van der Zander, Liśkiewicz and Textor 2014);
    those that the ball does not touch, and then one after the other, are left out again.

    >>> dag = Dag.from_text("Smoke -> Lung -> Either -> Xray; Smoke -> Bronc")
    >>> closing_nodes(dag, ["Bronc"], ["Xray"])
    ('Smoke',)
    >>> closing_nodes(dag, ["Smoke"], ["Lung"]) is None
    True
    """
    starts, ends, known = tuple(left), tuple(right), tuple(given)
    named = {*starts, *ends, *known}
    kept = [name for name in dag.nodes if name in dag.ancestors(tuple(named)) and name not in named]

    def apart(some: Iterable[Name]) -> bool:
        return shortest_active_trail(dag, starts, set(ends), {*known, *some}) is None

    if not apart(kept):
        return None
    for side in (starts, ends):
        near = _touched(dag, side, {*known, *kept})
        kept = [name for name in kept if name in near]
    for name in tuple(kept):
        fewer = [other for other in kept if other != name]
        if apart(fewer):
            kept = fewer
    return tuple(kept)


def _touched(dag: Dag, start: Iterable[Name], given: set[Name]) -> set[Name]:
    """All nodes that the ball reaches, also those that stop it."""
    openers = given | dag.ancestors(tuple(given))
    found: set[Stop] = {(name, False) for name in start}
    waiting = list(found)
    while waiting:
        for after in next_stops(dag, waiting.pop(), given, openers):
            if after not in found:
                found.add(after)
                waiting.append(after)
    return {name for name, _ in found}
