"""The arcs of a polytree (at most one path between any two variables) in order, or its undirected cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from bayou.errors import BadQuestion
from bayou.schema import label
from bayou.typing import Name

Parents = Mapping[Name, Sequence[Name]]


def arcs_outward(parents: Parents, start: Name) -> list[tuple[Name, Name]]:
    """Return the arcs connected with ``start`` as (nearer, farther) pairs, the nearest first.

    Raises BadQuestion if two paths lead to the same variable.

    >>> arcs_outward({"Storm": [], "Bus": [], "Fire": ["Storm", "Bus"]}, "Bus")
    [('Bus', 'Fire'), ('Fire', 'Storm')]
    """
    neighbours: dict[Name, list[Name]] = {name: list(above) for name, above in parents.items()}
    for child, above in parents.items():
        for parent in above:
            neighbours[parent].append(child)
    before: dict[Name, Name] = {start: start}
    arcs: list[tuple[Name, Name]] = []
    waiting = deque([start])
    while waiting:
        near = waiting.popleft()
        for far in neighbours[near]:
            if far not in before:
                before[far] = near
                arcs.append((near, far))
                waiting.append(far)
            elif far != before[near]:
                raise BadQuestion(_circle_text(parents, _circle(before, near, far)))
    return arcs


def _circle(before: Mapping[Name, Name], left: Name, right: Name) -> list[Name]:
    """The cycle made of the paths to ``left`` and ``right``, from their last common variable on."""
    there, back = list(_way_back(before, left)), list(_way_back(before, right))
    meeting = next(name for name in there if name in back)
    return [meeting, *reversed(there[: there.index(meeting)]), *back[: back.index(meeting)]]


def _way_back(before: Mapping[Name, Name], name: Name) -> Iterator[Name]:
    """The path from a variable back to the start."""
    yield name
    while before[name] != name:
        name = before[name]
        yield name


def _circle_text(parents: Parents, circle: Sequence[Name]) -> str:
    text = label(circle[0])
    for left, right in zip(circle, (*circle[1:], circle[0]), strict=True):
        text += f" {'->' if left in parents[right] else '<-'} {label(right)}"
    return (
        "Message passing needs at most one path between any two variables (a polytree); these arcs, "
        f'directions aside, run in a circle: {text}. Use engine="compiled" or "elimination".'
    )
