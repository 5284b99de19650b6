"""A graph whose arcs point at whole units, and the gain of every single change of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from bayou.learning.scores.local_scores import FamilyNumbers
from bayou.learning.search.ancestry import Ancestry
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.search_result import Parents, rounding
from bayou.learning.sharing.unit_scores import UnitScores
from bayou.typing import BoolArray, FloatArray


class TiedMove(NamedTuple):
    """One change: the arcs from ``parent`` to all variables of ``unit`` are added, dropped or turned.

    A turned arc leads from the variable ``child`` of the unit to all variables of the parent's unit.
    """

    kind: str
    parent: int
    unit: int
    gain: float
    child: int | None = None


class TiedGraph:
    """The parents of each unit, and the gains of adding and of deleting arcs, indexed [variable, unit]."""

    def __init__(self, scores: UnitScores, constraints: Constraints, parents: Parents) -> None:
        self.scores, self.units = scores, scores.units
        first = [members[0] for members in self.units.members]
        self.allowed: BoolArray = constraints.allowed[:, first]
        self.required: BoolArray = constraints.required[:, first]
        self.max_parents = constraints.max_parents
        self.own = np.zeros(len(first))
        self.additions: FloatArray = np.full(self.allowed.shape, -np.inf)
        self.deletions: FloatArray = np.full(self.allowed.shape, -np.inf)
        self.parents: Parents = ()
        self.replace(parents)

    @property
    def score(self) -> float:
        """The score of the whole graph."""
        return float(self.own.sum())

    def replace(self, parents: Parents) -> None:
        """Take other parents of the units, and compute the gains of the units that have changed."""
        known = self.parents or (None,) * len(parents)
        changed = [unit for unit, own in enumerate(parents) if own != known[unit]]
        self.parents = parents
        self._lines = Ancestry(self.units.above(parents))
        self._measure(changed)

    def _measure(self, changed: Iterable[int]) -> None:
        wanted: list[FamilyNumbers] = []
        for unit in changed:
            wanted += [(unit, self.parents[unit]), *(family for _, family in self._neighbours(unit))]
        values = iter(self.scores.families(wanted).tolist())
        for unit in changed:
            self.own[unit] = next(values)
            self.additions[:, unit] = self.deletions[:, unit] = -np.inf
            for variable, (_, parents) in self._neighbours(unit):
                more = len(parents) > len(self.parents[unit])
                gains = self.additions if more else self.deletions
                gains[variable, unit] = next(values) - self.own[unit]

    def _neighbours(self, unit: int) -> Iterator[tuple[int, FamilyNumbers]]:
        """Each variable that may become a parent or cease to be one, with the unit's parents after it."""
        own = self.parents[unit]
        for variable in np.flatnonzero(self.allowed[:, unit]).tolist():
            if variable in own:
                if not self.required[variable, unit]:
                    yield variable, (unit, tuple(other for other in own if other != variable))
            elif len(own) < self.max_parents:
                yield variable, (unit, tuple(sorted((*own, variable))))

    def can_add(self, parent: int, unit: int, replacing: bool = False) -> bool:
        """Whether arcs from a variable to the unit may be added (or take the place of another parent's)."""
        return (
            bool(self.allowed[parent, unit])
            and parent not in self.parents[unit]
            and (replacing or len(self.parents[unit]) < self.max_parents)
            and not self._lines.ancestors[self.units.owner[parent], unit]
        )

    def can_turn(self, parent: int, child: int) -> bool:
        """Whether arcs from ``parent`` to the unit of ``child`` may be replaced by arcs from ``child``."""
        above, unit = self.units.owner[parent], self.units.owner[child]
        from_above = [other for other in self.parents[unit] if self.units.owner[other] == above]
        return (
            not self.required[parent, unit]
            and bool(self.allowed[child, above])
            and len(self.parents[above]) < self.max_parents
            and from_above == [parent]
            and not self._lines.indirect[unit, above]
        )

    def best(self) -> TiedMove | None:
        """The legal move with the largest gain above rounding; of equal ones the first."""
        slack = rounding(self.score)
        best: TiedMove | None = None
        for move in self._moves():
            if move.gain > slack + (0.0 if best is None else best.gain):
                best = move
        return best

    def _moves(self) -> Iterator[TiedMove]:
        open_to = ~self._lines.ancestors[list(self.units.owner), :]
        added = np.where(open_to, self.additions, -np.inf)
        parent, unit = (int(place) for place in np.unravel_index(np.argmax(added), added.shape))
        # Within rounding of the largest gain the first one is taken.
        near = np.argwhere(added >= added[parent, unit] - rounding(self.score))
        parent, unit = (int(place) for place in near[0])
        yield TiedMove("add", parent, unit, float(added[parent, unit]))
        for unit, own in enumerate(self.parents):
            for parent in own:
                loss = float(self.deletions[parent, unit])
                yield TiedMove("drop", parent, unit, loss)
                for child in self.units.members[unit]:
                    if self.can_turn(parent, child):
                        gain = loss + float(self.additions[child, self.units.owner[parent]])
                        yield TiedMove("turn", parent, unit, gain, child)

    def apply(self, move: TiedMove) -> None:
        """Make a legal move."""
        parents = list(self.parents)
        if move.kind == "add":
            parents[move.unit] = tuple(sorted((*parents[move.unit], move.parent)))
        else:
            parents[move.unit] = tuple(other for other in parents[move.unit] if other != move.parent)
        if move.child is not None:
            above = self.units.owner[move.parent]
            parents[above] = tuple(sorted((*parents[above], move.child)))
        self.replace(tuple(parents))
