"""A graph under local search: its arcs, who is whose ancestor, and what every single change would gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bayou.learning.ancestry import Ancestry
from bayou.learning.constraints import Constraints
from bayou.learning.found import Budget, Parents
from bayou.learning.local_scores import LocalScores
from bayou.typing import BoolArray, FloatArray


class Move(NamedTuple):
    """One change of a graph: what is done to the arc parent → child, and what the score gains by it."""

    kind: str
    parent: int
    child: int
    gain: float


class OutOfTime(Exception):
    """The budget ran out in the middle of a step; whoever searches catches it."""


class _Column(NamedTuple):
    """What is known of a child with certain parents: its score, and what more or fewer parents gain."""

    score: float
    adding: FloatArray
    dropping: FloatArray


class ClimbingState:
    """A graph whose single changes are all scored; after a change only the children concerned are again.

    ``adding[p, c]`` is the gain of p → c, −∞ where it is there or not allowed, ``dropping[p, c]`` that of
    taking it away. ``_legal`` is ``adding`` without the arcs that would close a circle, ``_loose`` are the
    arcs that may change.
    """

    def __init__(self, scores: LocalScores, constraints: Constraints, budget: Budget) -> None:
        self.scores, self.constraints, self.budget = scores, constraints, budget
        size = self.size = len(scores.variables)
        self.lines = Ancestry(size)
        self.adding: FloatArray = np.full((size, size), -np.inf)
        self.dropping: FloatArray = np.full((size, size), -np.inf)
        self.tolerance = 0.0
        self._legal = self.adding.copy()
        self._loose: BoolArray = np.zeros((size, size), dtype=bool)
        self._began = False
        self._family_scores = np.zeros(size)
        self._columns: dict[tuple[int, tuple[int, ...]], _Column] = {}
        self._choices = [np.flatnonzero(constraints.allowed[:, child]).tolist() for child in range(size)]

    @property
    def score(self) -> float:
        """The score of the whole graph."""
        return float(self._family_scores.sum())

    @property
    def parents(self) -> Parents:
        """The graph as it is now."""
        return tuple(self.lines.parents)

    def restart(self, parents: Parents) -> None:
        """Go to another graph at once."""
        before = self.lines.parents
        self.lines.rebuild(parents)
        for child, given in enumerate(parents):
            if given != before[child] or not self._began:
                self._refresh(child)
                self._loose[:, child] = False
                self._loose[list(given), child] = ~self.constraints.required[list(given), child]
        self._began = True
        np.copyto(self._legal, self.adding)
        np.copyto(self._legal, -np.inf, where=self.lines.ancestors)
        # Gains that differ by less are equal: sums of this size carry that much rounding.
        self.tolerance = 1e-9 + 1e-13 * abs(self.score)

    def best(self, held: Sequence[int] = ()) -> Move | None:
        """The legal move with the largest gain, perhaps a loss; of equal ones additions first, by position.

        ``held`` are pairs that are not touched, as parent · size + child.
        """
        places = np.array(held, dtype=np.intp)
        adding, loose = self._legal.reshape(-1), self._loose.reshape(-1)
        kept = adding[places], loose[places]
        adding[places], loose[places] = -np.inf, False
        place = _first_of_best(adding, self.tolerance)
        found = None if place is None else Move("add", *divmod(place, self.size), float(adding[place]))
        found = self._best_change(found)
        adding[places], loose[places] = kept
        return found

    def apply(self, move: Move) -> None:
        """Make a legal move."""
        parent, child = move.parent, move.child
        if move.kind == "add":
            self._link(parent, child)
        else:
            self._unlink(parent, child)
        if move.kind == "turn":
            self._link(child, parent)
            self._refresh(parent)
        self._refresh(child)

    def _best_change(self, found: Move | None) -> Move | None:
        """The best deletion or reversal, where it is better than what was found."""
        parents, children = np.divmod(np.flatnonzero(self._loose), self.size)
        if not len(parents):
            return found
        dropped = self.dropping[parents, children]
        turned = dropped + self.adding[children, parents]
        turned[self.lines.indirect[children, parents]] = -np.inf
        for kind, gains in (("drop", dropped), ("turn", turned)):
            place = _first_of_best(gains, self.tolerance)
            if place is not None and (found is None or gains[place] > found.gain + self.tolerance):
                found = Move(kind, int(parents[place]), int(children[place]), float(gains[place]))
        return found

    def changes(self) -> list[Move]:
        """Every deletion and legal reversal of an arc that is there."""
        moves = []
        for parent, child in zip(*map(np.ndarray.tolist, np.nonzero(self._loose)), strict=True):
            lost = float(self.dropping[parent, child])
            moves.append(Move("drop", parent, child, lost))
            turned = lost + float(self.adding[child, parent])
            if turned > -np.inf and not self.lines.indirect[child, parent]:
                moves.append(Move("turn", parent, child, turned))
        return moves

    def _link(self, parent: int, child: int) -> None:
        self._loose[parent, child] = not self.constraints.required[parent, child]
        changed = self.lines.link(parent, child)
        self._legal[changed] = np.where(self.lines.ancestors[changed], -np.inf, self.adding[changed])

    def _unlink(self, parent: int, child: int) -> None:
        self._loose[parent, child] = False
        changed = self.lines.unlink(parent, child)
        self._legal[changed] = np.where(self.lines.ancestors[changed], -np.inf, self.adding[changed])

    def _refresh(self, child: int) -> None:
        """Look up, or score, everything about a child whose parents are new."""
        parents = self.lines.parents[child]
        column = self._columns.get((child, parents))
        if column is None:
            column = self._columns[child, parents] = self._scored(child, parents)
        self._family_scores[child] = column.score
        self.adding[:, child] = column.adding
        self.dropping[:, child] = column.dropping
        self._legal[:, child] = np.where(self.lines.ancestors[:, child], -np.inf, column.adding)

    def _scored(self, child: int, parents: tuple[int, ...]) -> _Column:
        if self.budget.over:
            raise OutOfTime
        fewer = [tuple(other for other in parents if other != parent) for parent in parents]
        known = self.scores.families([(child, parents), *((child, rest) for rest in fewer)])
        adding, dropping = np.full((2, self.size), -np.inf)
        dropping[list(parents)] = known[1:] - known[0]
        candidates = [other for other in self._choices[child] if other not in parents]
        if candidates and len(parents) < self.constraints.max_parents:
            adding[candidates] = self.scores.additions(child, parents, candidates) - known[0]
        return _Column(float(known[0]), adding, dropping)


def _first_of_best(gains: FloatArray, tolerance: float) -> int | None:
    """The first place whose gain is the largest, or equal to it but for rounding."""
    highest = gains.max()
    if highest == -np.inf:
        return None
    return int((gains >= highest - tolerance).argmax())
