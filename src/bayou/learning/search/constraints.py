"""Constraints on structures: allowed and required arcs and a limit on parents, from the users' arguments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadGraph, UnknownVariable, listed
from bayou.graphs import Dag, parse_arrows
from bayou.learning.search.search_result import Parents
from bayou.schema import Variable
from bayou.typing import BoolArray, Name

Arc = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Allowed and required arcs as matrices (parent, child), and the largest number of parents.

    Required arcs must be allowed, acyclic and within the limit; :func:`constraints_from` checks it.
    """

    allowed: BoolArray
    required: BoolArray
    max_parents: int

    @classmethod
    def none(cls, size: int) -> Constraints:
        """No constraints: every arc is allowed and none is required."""
        return cls(~np.eye(size, dtype=bool), np.zeros((size, size), dtype=bool), size)

    def without(self, places: Sequence[int]) -> Constraints:
        """The same constraints, but with no arcs from or to these variables except required ones."""
        allowed = self.allowed.copy()
        allowed[list(places), :] = allowed[:, list(places)] = False
        return Constraints(allowed | self.required, self.required, self.max_parents)


def constraints_from(
    variables: Sequence[Variable],
    *,
    require: Any = None,
    forbid: Any = None,
    tiers: Any = None,
    max_parents: int | None = None,
    fixed: Any = None,
) -> Constraints:
    """Constraints from the users' arguments; contradictions are refused with the variables' names.

    ``require`` and ``forbid`` are (parent, child) pairs or arrow text. ``tiers`` lists groups of variables,
    the earliest first: no arc points to an earlier group. ``fixed`` is a known part of the network: its
    variables have exactly its arcs among each other; arcs from and to other variables are free.

    >>> names = [Variable(name, [0, 1]) for name in ("Age", "Smoke", "Ill")]
    >>> found = constraints_from(names, require="Smoke -> Ill", tiers=[["Age"], ["Smoke", "Ill"]])
    >>> found.allowed[1].tolist(), found.required[1].tolist()
    ([False, False, True], [False, False, True])
    """
    names = [variable.name for variable in variables]
    banned = _Banned(names)
    _ban_numbers_over_states(banned, variables)
    if tiers is not None:
        _ban_earlier_tiers(banned, tiers)
    for arc in arcs_from(forbid, names, "forbid"):
        banned.add(arc, "forbid= rules it out")
    must = arcs_from(require, names, "require")
    if fixed is not None:
        must += _ban_around_fixed(banned, fixed)
    required = np.zeros((len(names), len(names)), dtype=bool)
    for arc in must:
        banned.refuse(arc)
        required[arc] = True
    limit = _limit(max_parents, len(names))
    check_required(required, limit, names)
    return Constraints(banned.allowed, required, limit)


def starting_parents(given: Any, variables: Sequence[Variable], constraints: Constraints) -> Parents:
    """The parents in the graph that a search starts from: the arcs of ``start=`` and the required ones."""
    names = [variable.name for variable in variables]
    arcs = constraints.required.copy()
    for parent, child in arcs_from(given, names, "start"):
        if not constraints.allowed[parent, child]:
            raise BadGraph(
                f"start= has the arc {names[parent]} -> {names[child]}, which forbid=, tiers=, fixed= or the "
                "kinds of the variables rule out. Take it out of start=."
            )
        arcs[parent, child] = True
    parents = tuple(tuple(np.flatnonzero(arcs[:, child]).tolist()) for child in range(len(names)))
    _refuse_circle(arcs, names, "The arcs of start= and the required ones")
    for child, found in enumerate(parents):
        if len(found) > constraints.max_parents:
            raise BadGraph(
                f"start= gives {names[child]!r} {len(found)} parents; max_parents={constraints.max_parents} "
                "allows fewer. Raise the limit, or drop some of these arcs."
            )
    return parents


class _Banned:
    """Arcs that are ruled out, each with the reason, which goes into the error if the arc is required."""

    def __init__(self, names: Sequence[Name]) -> None:
        self.names = names
        self.allowed: BoolArray = ~np.eye(len(names), dtype=bool)
        self.reasons: dict[Arc, str] = {}

    def add(self, arc: Arc, reason: str) -> None:
        self.allowed[arc] = False
        self.reasons.setdefault(arc, reason)

    def refuse(self, arc: Arc) -> None:
        if not self.allowed[arc]:
            parent, child = (self.names[place] for place in arc)
            raise BadGraph(
                f"The arc {parent} -> {child} is required, but {self.reasons[arc]}. Remove one of the two."
            )


def _ban_numbers_over_states(banned: _Banned, variables: Sequence[Variable]) -> None:
    numbers = [k for k, variable in enumerate(variables) if variable.is_continuous]
    for parent in numbers:
        for child, variable in enumerate(variables):
            if not variable.is_continuous:
                banned.add(
                    (parent, child),
                    f"{variables[parent].name!r} is continuous and {variable.name!r} has states: a "
                    "continuous variable cannot be the parent of a discrete one (turn the arc, or cut the "
                    f"numbers into ranges with states={{{variables[parent].name!r}: …}})",
                )


def _ban_earlier_tiers(banned: _Banned, tiers: Any) -> None:
    tier_of: dict[int, int] = {}
    if isinstance(tiers, str | Mapping | Set) or not isinstance(tiers, Iterable):
        # A set or a mapping does not say which group is the earliest.
        raise BadGraph(f"tiers= takes groups of names, such as [['Age', 'Sex'], ['Ill']], not {tiers!r}.")
    for tier, group in enumerate(tiers):
        for name in _several(group, banned.names):
            place = place_of(name, banned.names, "in tiers")
            if tier_of.setdefault(place, tier) != tier:
                raise BadGraph(f"tiers= has {name!r} in group {tier_of[place] + 1} and in group {tier + 1}.")
    for parent, late in tier_of.items():
        for child, early in tier_of.items():
            if early < late:
                banned.add(
                    (parent, child),
                    f"tiers= puts {banned.names[parent]!r} after {banned.names[child]!r}",
                )


def _ban_around_fixed(banned: _Banned, fixed: Any) -> list[Arc]:
    """Rule out all other arcs between the variables of the fixed part, and return its arcs."""
    arcs = arcs_from(fixed, banned.names, "fixed", lone_names=True)
    members = {place for arc in arcs for place in arc}
    lone = _nodes_of(fixed)
    members |= {place_of(name, banned.names, "in fixed") for name in lone}
    for parent in members:
        for child in members - {parent}:
            if (parent, child) not in arcs:
                banned.add((parent, child), "fixed= has both variables without that arc")
    return arcs


def _nodes_of(fixed: Any) -> Sequence[Name]:
    if isinstance(fixed, str):
        return parse_arrows(fixed).nodes
    if isinstance(fixed, Mapping):
        return list(fixed)
    return getattr(fixed, "nodes", getattr(fixed, "names", ()))


def arcs_from(given: Any, names: Sequence[Name], where: str, lone_names: bool = False) -> list[Arc]:
    """Arcs by position: from arrow text, pairs, a list of these, child → parents, a Dag or a Network.

    >>> arcs_from(["A -> B", ("B", "C")], ["A", "B", "C"], "require")
    [(0, 1), (1, 2)]
    """
    pairs = _pairs(given, names, where, lone_names)
    arcs = [(place_of(p, names, f"in {where}"), place_of(c, names, f"in {where}")) for p, c in pairs]
    for parent, child in arcs:
        if parent == child:
            raise BadGraph(f"{where}= has an arc from {names[parent]!r} to itself.")
    return list(dict.fromkeys(arcs))


def _pairs(given: Any, names: Sequence[Name], where: str, lone_names: bool) -> list[tuple[Any, Any]]:
    if given is None:
        return []
    if isinstance(given, str):
        parsed = parse_arrows(given)
        if not parsed.parents and parsed.nodes and not lone_names:
            raise BadGraph(f"{where}={given!r} has no arrow; write 'A -> B', or [('A', 'B')].")
        return [(parent, child) for child, parents in parsed.parents.items() for parent in parents]
    if hasattr(given, "arcs"):
        return list(given.arcs)
    if isinstance(given, Mapping):
        return [(parent, child) for child, parents in given.items() for parent in _several(parents, names)]
    if not isinstance(given, Iterable):
        raise BadGraph(f"{where}= takes (parent, child) pairs or arrow text such as 'A -> B', not {given!r}.")
    items = list(given)
    if isinstance(given, Sequence) and len(items) == 2 and all(_is_name(each, names) for each in items):
        return [(items[0], items[1])]
    return [pair for each in items for pair in _of_one(each, names, where)]


def _of_one(each: Any, names: Sequence[Name], where: str) -> list[tuple[Any, Any]]:
    if isinstance(each, str):
        return _pairs(each, names, where, lone_names=False)
    if isinstance(each, Sequence) and len(each) == 2:
        return [(each[0], each[1])]
    raise BadGraph(f"{where}= has {each!r}, which is not an arc; write ('A', 'B') or 'A -> B'.")


def _several(given: Any, names: Sequence[Name]) -> list[Any]:
    """A list of names from one name (which may be a tuple, as with multi-level columns) or several."""
    if given is None:
        return []
    one = isinstance(given, str) or not isinstance(given, Iterable) or _is_name(given, names)
    return [given] if one else list(given)


def _is_name(each: Any, names: Sequence[Name]) -> bool:
    try:
        return each in names
    except (TypeError, ValueError):
        return False


def place_of(name: Any, names: Sequence[Name], where: str) -> int:
    """The position of a variable; text also matches a name that is not text, if only one prints like it."""
    if _is_name(name, names):
        return list(names).index(name)
    alike = [place for place, other in enumerate(names) if not isinstance(other, str) and str(other) == name]
    if len(alike) == 1:
        return alike[0]
    raise UnknownVariable.named(name, names, where)


def _limit(max_parents: Any, size: int) -> int:
    if max_parents is None:
        return size
    return min(whole_number("max_parents", max_parents, error=BadGraph), size)


def check_required(required: BoolArray, limit: int, names: Sequence[Name]) -> None:
    """Raise if the required arcs have a cycle, or give a variable more parents than the limit."""
    if not required.any():
        return
    _refuse_circle(required, names, "The required arcs")
    for child in np.flatnonzero(required.sum(axis=0) > limit).tolist():
        parents = [names[parent] for parent in np.flatnonzero(required[:, child]).tolist()]
        raise BadGraph(
            f"{names[child]!r} is required to have the parents {listed(parents)}, but max_parents={limit}. "
            "Raise the limit, or require fewer."
        )


def _refuse_circle(arcs: BoolArray, names: Sequence[Name], what: str) -> None:
    try:
        parents = [np.flatnonzero(arcs[:, child]).tolist() for child in range(len(names))]
        Dag(names, {names[child]: [names[p] for p in given] for child, given in enumerate(parents)})
    except BadGraph as error:
        raise BadGraph(str(error).replace("The arcs", what, 1)) from None
