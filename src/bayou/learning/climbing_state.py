"""A graph under local search: its arcs, who is whose ancestor, and what every single change would gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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

    ``adding[p, c]`` is the gain of p → c, −∞ where it is there or not allowed; ``ancestors[a, b]`` says
    that there is a way from b to a (everybody is an ancestor of itself here). ``_legal`` is ``adding``
    without the arcs that would close a circle, ``_indirect[a, b]`` a way from b to a over others, ``_loose``
    the arcs that may change.
    """

    def __init__(self, scores: LocalScores, constraints: Constraints, budget: Budget) -> None:
        self.scores, self.constraints, self.budget = scores, constraints, budget
        size = self.size = len(scores.variables)
        self.parents: list[tuple[int, ...]] = [()] * size
        self.ancestors: BoolArray = np.eye(size, dtype=bool)
        self.adding: FloatArray = np.full((size, size), -np.inf)
        self.dropping: FloatArray = np.full((size, size), -np.inf)
        self.tolerance = 0.0
        self._family_scores = np.zeros(size)
        self._columns: dict[tuple[int, tuple[int, ...]], _Column] = {}
        self._choices = [np.flatnonzero(constraints.allowed[:, child]).tolist() for child in range(size)]
        self._legal = self.adding.copy()
        self._loose: BoolArray = np.zeros((size, size), dtype=bool)
        self._indirect: BoolArray = np.zeros((size, size), dtype=bool)

    @property
    def score(self) -> float:
        """The score of the whole graph."""
        return float(self._family_scores.sum())

    def frozen_parents(self) -> Parents:
        """The graph as it is now."""
        return tuple(self.parents)

    def restart(self, parents: Parents) -> None:
        """Go to another graph at once."""
        self.parents = [()] * self.size
        self.ancestors[:] = np.eye(self.size, dtype=bool)
        self._indirect[:] = False
        self._loose[:] = False
        for child, given in enumerate(parents):
            for parent in given:
                self._link(parent, child)
        for child in range(self.size):
            self._refresh(child)
        np.copyto(self._legal, np.where(self.ancestors, -np.inf, self.adding))
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
        turned[self._indirect[children, parents]] = -np.inf
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
            if turned > -np.inf and not self._indirect[child, parent]:
                moves.append(Move("turn", parent, child, turned))
        return moves

    def _link(self, parent: int, child: int) -> None:
        self.parents[child] = tuple(sorted((*self.parents[child], parent)))
        self._loose[parent, child] = not self.constraints.required[parent, child]
        below, above = np.flatnonzero(self.ancestors[:, child]), np.flatnonzero(self.ancestors[parent])
        self.ancestors[below[:, None], above] = True
        self._legal[below[:, None], above] = -np.inf
        self._indirect[below[below != child][:, None], above] = True
        self._indirect[child, above[above != parent]] = True

    def _unlink(self, parent: int, child: int) -> None:
        self.parents[child] = tuple(other for other in self.parents[child] if other != parent)
        self._loose[parent, child] = False
        below = np.flatnonzero(self.ancestors[:, child])
        # Whoever has fewer ancestors can not come after: so this is a topological order.
        order = below[np.argsort(self.ancestors[below].sum(axis=1), kind="stable")].tolist()
        moved = set()
        for node in order:
            if (node == child or not moved.isdisjoint(self.parents[node])) and self._trace(node):
                moved.add(node)

    def _trace(self, node: int) -> bool:
        """Find the ancestors of a node again, from those of its parents; whether they are others now."""
        parents = list(self.parents[node])
        ways = self.ancestors[parents].sum(axis=0)
        before, row = self.ancestors[node].copy(), ways > 0
        row[node] = True
        ways[parents] -= 1
        self._indirect[node] = ways > 0
        if bool((row == before).all()):
            return False
        self.ancestors[node] = row
        self._legal[node] = np.where(row, -np.inf, self.adding[node])
        return True

    def _refresh(self, child: int) -> None:
        """Look up, or score, everything about a child whose parents are new."""
        parents = self.parents[child]
        column = self._columns.get((child, parents))
        if column is None:
            column = self._columns[child, parents] = self._scored(child, parents)
        self._family_scores[child] = column.score
        self.adding[:, child] = column.adding
        self.dropping[:, child] = column.dropping
        self._legal[:, child] = np.where(self.ancestors[:, child], -np.inf, column.adding)

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
