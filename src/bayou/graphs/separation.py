"""d-separation: which variables are independent of which others given a third set, and why.

By the Bayes-ball algorithm (Shachter 1998): a ball rolls from the left variables along the arcs, up to
parents and down to children. An observed node stops it, except at a common effect (two arrows meet): there it
passes only if that node or one of its descendants is observed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bayou.errors import BadQuestion, listed
from bayou.graphs.dag import Dag
from bayou.graphs.trails import describe_blocked, describe_open
from bayou.text.tables import PrintedLines
from bayou.typing import Name

Stop = tuple[Name, bool]
"""A node, and whether the ball came to it along an arrow (from a parent)."""


@dataclass(frozen=True)
class Separation(PrintedLines):
    """The result: true if separated, else with a shortest active ``trail``; printing it shows the reason.

    >>> dag = Dag.from_text("Storm -> Campfire <- Bus; Storm -> Lightning")
    >>> verdict = separated(dag, "Lightning", "Bus", given="Campfire")
    >>> bool(verdict), verdict.trail
    (False, ('Lightning', 'Storm', 'Campfire', 'Bus'))
    """

    dag: Dag
    left: tuple[Name, ...]
    right: tuple[Name, ...]
    given: tuple[Name, ...]
    trail: tuple[Name, ...] | None

    def __bool__(self) -> bool:
        return self.trail is None

    @cached_property
    def reason(self) -> str:
        """The reason: the active trail node by node, or what blocks each trail."""
        if self.trail is None:
            return describe_blocked(self.dag, self.left, self.right, self.given)
        return describe_open(self.dag, self.trail, self.given)

    @cached_property
    def open_trails(self) -> tuple[tuple[Name, ...], ...]:
        """The open trails, the shortest first, at most eight; none if separated.

        >>> dag = Dag.from_text("Rain -> Wet <- Sprinkler; Season -> Rain; Season -> Sprinkler")
        >>> separated(dag, "Rain", "Sprinkler", given="Wet").open_trails
        (('Rain', 'Wet', 'Sprinkler'), ('Rain', 'Season', 'Sprinkler'))
        """
        from bayou.graphs.open_trails import open_trails

        return tuple(open_trails(self.dag, self.left, self.right, self.given))

    @cached_property
    def closed_by(self) -> tuple[Name, ...] | None:
        """What closes all trails if it is observed too, none of it superfluous; None if nothing does.

        >>> dag = Dag.from_text("Rain -> Wet; Season -> Rain; Season -> Sprinkler -> Wet")
        >>> separated(dag, "Rain", "Sprinkler").closed_by
        ('Season',)
        """
        from bayou.graphs.open_trails import closing_nodes

        return closing_nodes(self.dag, self.left, self.right, self.given)

    def __str__(self) -> str:
        verb = "are d-separated" if self else "are not d-separated"
        given = f" given {_joined(self.given)}" if self.given else ""
        return f"{_joined(self.left)} and {_joined(self.right)} {verb}{given}.\n{self.reason}"

    __repr__ = __str__


def separated(
    dag: Dag,
    left: Name | Iterable[Name],
    right: Name | Iterable[Name],
    given: Name | Iterable[Name] = (),
) -> Separation:
    """Whether ``left`` and ``right`` are d-separated by ``given`` (one or more names each), in linear time.

    >>> print(separated(Dag.from_text("Storm -> Lightning -> Thunder"), "Storm", "Thunder", "Lightning"))
    Storm and Thunder are d-separated given Lightning.
    Every trail is blocked:
      Storm -> Lightning -> Thunder: at Lightning, an observed link of a chain
    """
    lefts, rights, givens = dag.select(left), dag.select(right), dag.select(given)
    _check_disjoint(lefts, rights, givens)
    return Separation(dag, lefts, rights, givens, shortest_active_trail(dag, lefts, set(rights), set(givens)))


def shortest_active_trail(
    dag: Dag, left: Iterable[Name], right: set[Name], given: set[Name]
) -> tuple[Name, ...] | None:
    """A shortest active trail between the two sets, or None if there is none.

    A shortest walk of the ball visits no node twice: without the loop, the walk would still be active.
    """
    openers = given | dag.ancestors(tuple(given))
    came_from: dict[Stop, Stop | None] = {(name, False): None for name in left}
    waiting = deque(came_from)
    while waiting:
        stop = waiting.popleft()
        if stop[0] in right:
            return walk_to(came_from, stop)
        for following in next_stops(dag, stop, given, openers):
            if following not in came_from:
                came_from[following] = stop
                waiting.append(following)
    return None


def next_stops(dag: Dag, stop: Stop, given: set[Name], openers: set[Name]) -> list[Stop]:
    """Where the ball goes from a stop; common effects among the ``openers`` let it pass."""
    name, along_arrow = stop
    down = [(child, True) for child in dag.children(name)] if name not in given else []
    goes_up = name in openers if along_arrow else name not in given
    return down + [(parent, False) for parent in dag.parents(name)] if goes_up else down


def walk_to(came_from: dict[Stop, Stop | None], last: Stop) -> tuple[Name, ...]:
    """The nodes on the way of the ball to a stop."""
    walk: list[Name] = []
    stop: Stop | None = last
    while stop is not None:
        walk.append(stop[0])
        stop = came_from[stop]
    return tuple(reversed(walk))


def _check_disjoint(left: tuple[Name, ...], right: tuple[Name, ...], given: tuple[Name, ...]) -> None:
    if not left or not right:
        raise BadQuestion("d-separation needs two sets of names; one of them is empty.")
    for first, second, what in (
        (left, right, "on both sides"),
        (left, given, "on the left and among the given"),
        (right, given, "on the right and among the given"),
    ):
        shared = [name for name in first if name in second]
        if shared:
            raise BadQuestion(f"d-separation: {listed(shared)} is {what}; name it in one place only.")


def _joined(names: tuple[Name, ...]) -> str:
    return ", ".join(str(name) for name in names)
