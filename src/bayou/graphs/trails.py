"""Trails of a graph in words: the role of each inner node on the trail, and whether it is open or blocked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice, pairwise

from bayou.graphs.dag import Dag
from bayou.typing import Name

_TRAILS_LISTED = 8
_STEPS_SEARCHED = 5_000


def written(dag: Dag, trail: Sequence[Name]) -> str:
    """A trail with its arrows.

    >>> written(Dag.from_text("Storm -> Fire <- Bus"), ["Storm", "Fire", "Bus"])
    'Storm -> Fire <- Bus'
    """
    pieces = [str(trail[0])]
    for before, after in pairwise(trail):
        pieces += ["->" if before in dag.parents(after) else "<-", str(after)]
    return " ".join(pieces)


def describe_open(dag: Dag, trail: Sequence[Name], given: Collection[Name]) -> str:
    """The reason why an active trail is open, one line per inner node."""
    lines = [f"Open trail: {written(dag, trail)}"]
    for before, name, after in zip(trail, trail[1:], trail[2:], strict=False):
        role = _role(dag, before, name, after)
        lines.append(f"  {name} is {role}, {_why_open(dag, name, role, given)}")
    if len(trail) == 2:
        lines.append("  an arc joins them, so nothing given can separate them")
    return "\n".join(lines)


def _why_open(dag: Dag, name: Name, role: str, given: Collection[Name]) -> str:
    if role != "a common effect":
        return "not observed: open"
    if name in given:
        return "observed: open"
    below = dag.descendants((name,))
    return f"opened by its observed descendant {next(node for node in given if node in below)}"


def describe_blocked(dag: Dag, left: Sequence[Name], right: Collection[Name], given: Collection[Name]) -> str:
    """The nodes that block each trail; at most ``_TRAILS_LISTED`` trails are listed."""
    searched = _TrailSearch(dag, set(left), set(right))
    trails = list(islice(searched.trails(), _TRAILS_LISTED + 1))
    if searched.exhausted:
        return "Every trail between them is blocked (there are too many to list)."
    if not trails:
        return "No trail joins them."
    lines = [f"  {written(dag, trail)}: {_blockers(dag, trail, given)}" for trail in trails[:_TRAILS_LISTED]]
    if len(trails) > _TRAILS_LISTED:
        lines.append("  … and further trails, each blocked too")
    return "\n".join(["Every trail is blocked:", *lines])


def _blockers(dag: Dag, trail: Sequence[Name], given: Collection[Name]) -> str:
    found = []
    for before, name, after in zip(trail, trail[1:], trail[2:], strict=False):
        role = _role(dag, before, name, after)
        if role != "a common effect":
            if name in given:
                found.append(f"at {name}, an observed {role.removeprefix('a ')}")
        elif name not in given and not dag.descendants((name,)).intersection(given):
            found.append(f"at {name}, a common effect with neither itself nor a descendant observed")
    return "; ".join(found)


def _role(dag: Dag, before: Name, name: Name, after: Name) -> str:
    from_before, from_after = before in dag.parents(name), after in dag.parents(name)
    if from_before and from_after:
        return "a common effect"
    return "a link of a chain" if from_before or from_after else "a common cause"


class _TrailSearch:
    """All trails between two sets, by depth-first search; it gives up after ``_STEPS_SEARCHED`` steps."""

    def __init__(self, dag: Dag, left: set[Name], right: set[Name]) -> None:
        self.dag, self.left, self.right = dag, left, right
        self.steps = 0

    @property
    def exhausted(self) -> bool:
        """Whether the search gave up before it had found every trail."""
        return self.steps > _STEPS_SEARCHED

    def trails(self) -> Iterator[tuple[Name, ...]]:
        """Each trail from left to right whose inner nodes are in neither set."""
        for start in self.dag.nodes:
            if start in self.left:
                yield from self._from((start,))

    def _from(self, start: tuple[Name, ...]) -> Iterator[tuple[Name, ...]]:
        waiting = [start]
        while waiting and not self.exhausted:
            trail = waiting.pop()
            self.steps += 1
            if trail[-1] in self.right:
                yield trail
                continue
            near = (*self.dag.parents(trail[-1]), *self.dag.children(trail[-1]))
            waiting += [
                (*trail, name) for name in reversed(near) if name not in self.left and name not in trail
            ]
