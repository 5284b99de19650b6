"""Units: a block of variables that share one table, or a single variable; arcs point at whole units.

All variables of a block have the same parents, none of them in the block. So a graph is given by the parents
of each unit, and it has no cycle exactly if the graph of units has none: an arc into one variable of a block
is one of the arcs into all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from bayou.errors import BadGraph, listed
from bayou.learning.search.constraints import Constraints, check_required
from bayou.learning.search.search_result import Parents
from bayou.networks import Sharing, require_same_kind
from bayou.schema import Variable
from bayou.statistics.labels import union
from bayou.typing import Name


@dataclass(frozen=True)
class Units:
    """The units by position: ``names`` of blocks and single variables, and the variables in each.

    >>> units = Units.of(["G", "R1", "R2"], {"p_R": ("R1", "R2")})
    >>> units.names, units.members, units.owner
    (('G', 'p_R'), ((0,), (1, 2)), (0, 1, 1))
    >>> units.spread(((), (0,)))
    ((), (0,), (0,))
    """

    names: tuple[Name, ...]
    members: tuple[tuple[int, ...], ...]
    owner: tuple[int, ...]
    """The unit of each variable."""

    @classmethod
    def of(cls, variables: Sequence[Name], sharing: Sharing) -> Units:
        """The units of these variables, in the order of their first variable."""
        block_of = {user: block for block, users in sharing.items() for user in users}
        slots = [block_of.get(name, name) for name in variables]
        names = tuple(dict.fromkeys(slots))
        place = {name: unit for unit, name in enumerate(names)}
        owner = tuple(place[slot] for slot in slots)
        members = tuple(tuple(np.flatnonzero(np.equal(owner, unit)).tolist()) for unit in range(len(names)))
        return cls(names, members, owner)

    def spread(self, parents: Parents) -> Parents:
        """The parents of each variable, from those of each unit."""
        return tuple(parents[unit] for unit in self.owner)

    def gathered(self, parents: Parents) -> Parents:
        """The parents of each unit, from those of each variable, which agree within every block."""
        return tuple(parents[members[0]] for members in self.members)

    def above(self, parents: Parents) -> Parents:
        """The units that each unit has parents in, from the parents of each unit."""
        return tuple(tuple(sorted({self.owner[parent] for parent in own})) for own in parents)


def with_shared_states(variables: Sequence[Variable], sharing: Sharing) -> tuple[Variable, ...]:
    """The variables, with the states of all users of a shared table for each of them.

    >>> ratings = [Variable("R1", [1, 2]), Variable("R2", [2, 3]), Variable("G", ["c", "d"])]
    >>> [len(variable.states) for variable in with_shared_states(ratings, {"p_R": ("R1", "R2")})]
    [3, 3, 2]
    """
    found = {variable.name: variable for variable in variables}
    for users in sharing.values():
        members = [found[name] for name in users]
        require_same_kind(members)
        domain = reduce(union, (Variable("", own.states, ordered=own.ordered) for own in members))
        found.update({name: Variable(name, domain.states, ordered=domain.ordered) for name in users})
    return tuple(found.values())


def tied_constraints(constraints: Constraints, units: Units, names: Sequence[Name]) -> Constraints:
    """The constraints under which all variables of a block have the same parents.

    An arc into one variable of a block is required if it is for any of them, and allowed if it is for all.
    """
    allowed, required = constraints.allowed.copy(), constraints.required.copy()
    for block, members in zip(units.names, units.members, strict=True):
        columns = list(members)
        allowed[:, columns] = allowed[:, columns].all(axis=1, keepdims=True)
        if len(members) > 1:
            allowed[np.ix_(columns, columns)] = False
        required[:, columns] = required[:, columns].any(axis=1, keepdims=True)
        for parent in np.flatnonzero(required[:, columns[0]] & ~allowed[:, columns[0]]).tolist():
            raise _contradiction(block, names[parent], [names[member] for member in members])
    check_required(required, constraints.max_parents, names)
    return Constraints(allowed, required, constraints.max_parents)


def check_start(start: Parents, units: Units, names: Sequence[Name]) -> None:
    """Raise unless the variables of every block have the same parents in the graph to start from."""
    for block, members in zip(units.names, units.members, strict=True):
        for other in members[1:]:
            if start[other] != start[members[0]]:
                raise BadGraph(
                    f"start= gives {names[members[0]]!r} and {names[other]!r} different parents, but they "
                    f"share the table {block!r}: give all of them the same parents."
                )


def _contradiction(block: Name, parent: Name, users: Sequence[Name]) -> BadGraph:
    if parent in users:
        return BadGraph(
            f"An arc from {parent!r} to another user of the shared table {block!r} is required, but users "
            "have the same parents, none of them a user. Remove the arc, or take one of the two out of share."
        )
    return BadGraph(
        f"An arc from {parent!r} into the shared table {block!r} is required, but all its users "
        f"({listed(users)}) have the same parents, and the arc is ruled out for some of them. Allow it for "
        "all, or do not require it."
    )
