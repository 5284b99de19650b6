"""Parameter sharing as data: which variables use the same block of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bayou.errors import BadGraph, UnknownVariable, listed
from bayou.graphs import Dag
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import Name

Sharing = Mapping[Name, tuple[Name, ...]]
"""Block name → the variables that use it; their parents correspond by position."""


def check_sharing(dag: Dag, share: Mapping[Name, Iterable[Name]]) -> dict[Name, tuple[Name, ...]]:
    """Check ``share={"p_R": ["R1", "R2"]}`` and return the users of each block as tuples."""
    sharing: dict[Name, tuple[Name, ...]] = {}
    owner: dict[Name, Name] = {}
    for block, given in share.items():
        users = (given,) if isinstance(given, str) else tuple(given)
        if block in dag.nodes:
            raise BadGraph(f"share={{{block!r}: …}}: a variable has that name; give the block another name.")
        if not users:
            raise BadGraph(f"share={{{block!r}: …}} lists no variables.")
        for name in users:
            if name not in dag.nodes:
                raise UnknownVariable.named(name, dag.nodes, f"in share[{block!r}]")
            if owner.setdefault(name, block) != block or users.count(name) > 1:
                raise BadGraph(f"{name!r} is listed twice in share; a variable uses one block.")
        counts = {name: len(dag.parents(name)) for name in users}
        if len(set(counts.values())) > 1:
            listing = ", ".join(f"{name!r} has {count}" for name, count in counts.items())
            raise BadGraph(f"The users of {block!r} need the same number of parents, but {listing}.")
        sharing[block] = users
    return sharing


def slots(dag: Dag, sharing: Sharing) -> dict[Name, Name]:
    """For each variable the block it uses: a shared one, or a block with the variable's own name."""
    used = {name: block for block, users in sharing.items() for name in users}
    return {name: used.get(name, name) for name in dag.nodes}


def same_domains(dag: Dag, sharing: Sharing) -> list[tuple[Name, ...]]:
    """Groups of variables that must have the same states because they use the same axis of a shared block.

    >>> chain = Dag.from_text("X1 -> X2 -> X3")
    >>> same_domains(chain, {"step": ("X2", "X3")})
    [('X1', 'X2', 'X3')]
    """
    leader: dict[Name, Name] = {name: name for name in dag.nodes}

    def find(name: Name) -> Name:
        while leader[name] != name:
            name = leader[name]
        return name

    for users in sharing.values():
        axes = [(*dag.parents(name), name) for name in users]
        for position in zip(*axes, strict=True):
            for other in position[1:]:
                leader[find(other)] = find(position[0])
    groups: dict[Name, list[Name]] = {}
    for name in dag.nodes:
        groups.setdefault(find(name), []).append(name)
    return [tuple(group) for group in groups.values()]


def describe(sharing: Sharing) -> list[str]:
    """One line per shared block, for printing."""
    return [f"{block!r} is shared by {listed(users)}" for block, users in sharing.items()]


def sharing_state(sharing: Sharing, place: Mapping[Name, int]) -> list[dict[str, Any]]:
    """Each shared block with the positions of its users, as plain values for a file."""
    return [
        {"block": encode_value(block), "users": [place[name] for name in users]}
        for block, users in sharing.items()
    ]


def sharing_from_state(entries: Sequence[Mapping[str, Any]], names: Sequence[Name]) -> Sharing:
    """The sharing that :func:`sharing_state` described."""
    return {decode_value(entry["block"]): tuple(names[k] for k in entry["users"]) for entry in entries}
