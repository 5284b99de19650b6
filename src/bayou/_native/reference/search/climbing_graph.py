"""Plain Python reference of the graph that hill climbing changes arc by arc."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bayou._native.reference.search.family_scores import FamilyMemory
from bayou.typing import FloatArray

_Column = tuple[float, FloatArray, FloatArray]
GraphMove = tuple[str, int, int, float]


class ClimbingGraph:
    """A graph, and the gain in score of every change of one arc: a column of gains for each child.

    >>> graph = ClimbingGraph(2, np.zeros(4, dtype=np.uint8), np.ones(4, dtype=np.uint8))
    >>> for child in graph.unknown():
    ...     graph.set_column(child, -5.0, np.where(np.arange(2) == child, -np.inf, 3.0), np.full(2, -np.inf))
    >>> graph.climb(1e-9, 10), graph.unknown()
    ([('add', 0, 1, 3.0)], [1])
    """

    def __init__(self, size: int, required: npt.NDArray[np.uint8], allowed: npt.NDArray[np.uint8]) -> None:
        if required.shape != (size * size,) or allowed.shape != (size * size,):
            raise ValueError("required and allowed: expected square matrices")
        self._size, self._required = size, required.reshape(size, size).astype(bool)
        self._allowed = allowed.reshape(size, size).astype(bool)
        self._memory: FamilyMemory | None = None
        self._columns: dict[tuple[int, tuple[int, ...]], _Column] = {}
        self._parents: list[tuple[int, ...]] = [()] * size

    def use_memory(self, memory: FamilyMemory, most_parents: int, worst: float) -> None:
        """Score unknown columns with this memory from now on."""
        self._memory, self._most_parents, self._worst = memory, most_parents, worst

    def rebuild(self, parents: Sequence[Sequence[int]]) -> None:
        """Replace all arcs; they must not form a cycle."""
        if len(parents) != self._size:
            raise ValueError("parents: expected a list a variable")
        if any(not 0 <= parent < self._size for given in parents for parent in given):
            raise ValueError("parents: expected positions of variables")
        before, self._parents = self._parents, [tuple(sorted(given)) for given in parents]
        if any(self._reaches(child, parent) for child, given in enumerate(parents) for parent in given):
            self._parents = before
            raise ValueError("parents: the arcs run in a circle")

    def perturb(self, share: float, numbers: FloatArray) -> None:
        """Move to an equivalent graph by reversing arcs, then remove arcs at random.

        The last numbers, one per arc, decide which arcs are removed: those with a number below ``share``.
        Each number before them picks an arc, which is reversed if the graph stays equivalent.
        """
        arcs = [(parent, child) for child, given in enumerate(self._parents) for parent in given]
        if len(numbers) < len(arcs):
            raise ValueError("numbers: expected one an arc at least")
        if not all(0 <= number < 1 for number in numbers):
            raise ValueError("numbers: expected to be from 0 to below 1")
        tries = len(numbers) - len(arcs)
        for number in numbers[:tries] if arcs else ():
            place = int(number * len(arcs))
            parent, child = arcs[place]
            covered = {*self._parents[child]} - {parent} == {*self._parents[parent]}
            if covered and self._allowed[child, parent] and not self._required[parent, child]:
                self.apply("turn", parent, child)
                arcs[place] = (child, parent)
        for (parent, child), number in zip(arcs, numbers[tries:], strict=True):
            if number < share and not self._required[parent, child]:
                self.apply("drop", parent, child)

    def fill(self, seconds: float) -> bool:
        """Score the unknown columns with the memory, if there is one; return whether all are known."""
        if self._memory is not None:
            for child in self.unknown():
                self._score_column(self._memory, child, self._parents[child])
        return not self.unknown()

    def _score_column(self, memory: FamilyMemory, child: int, own: tuple[int, ...]) -> None:
        adding, dropping = np.full((2, self._size), -np.inf)
        families = [(child, own), *((child, tuple(p for p in own if p != parent)) for parent in own)]
        score, *fewer = np.maximum(memory.families(families), self._worst)
        dropping[list(own)] = np.array(fewer) - score
        if len(own) < self._most_parents:
            free = [other for other in range(self._size) if self._allowed[other, child] and other not in own]
            more = memory.additions(child, own, np.array(free, dtype=np.int64))
            adding[free] = np.maximum(more, self._worst) - score
        self.set_column(child, float(score), adding, dropping)

    def unknown(self) -> list[int]:
        """The children whose gains with their present parents are not known yet."""
        return [child for child, given in enumerate(self._parents) if (child, given) not in self._columns]

    def set_column(self, child: int, score: float, adding: FloatArray, dropping: FloatArray) -> None:
        """Set the child's score with its present parents, and the gains of adding or removing each parent."""
        self._columns[child, self._parents[child]] = (score, adding.copy(), dropping.copy())

    def best(self, tolerance: float, excluded: Iterable[int] = ()) -> GraphMove | None:
        """The legal change with the largest gain; ties go to additions, then deletions, then by position."""
        if self.unknown():
            raise ValueError("a column is unknown: expected to be told all of them first")
        found: GraphMove | None = None
        for moves in (
            self._additions(set(excluded)),
            self._changes("drop", set(excluded)),
            self._turns(set(excluded)),
        ):
            highest = max((move[3] for move in moves), default=-np.inf)
            if highest == -np.inf:
                continue
            first = min(
                (move for move in moves if move[3] >= highest - tolerance), key=lambda move: move[1:3]
            )
            if found is None or first[3] > found[3] + tolerance:
                found = first
        return found

    def apply(self, kind: str, parent: int, child: int) -> None:
        """Make a legal change."""
        if (parent in self._parents[child]) == (kind == "add"):
            raise ValueError("the arc is there already, or not at all")
        if kind == "add":
            self._link(parent, child)
        else:
            self._parents[child] = tuple(other for other in self._parents[child] if other != parent)
        if kind == "turn":
            self._link(child, parent)

    def climb(self, tolerance: float, most: int, seconds: float = np.inf) -> list[GraphMove]:
        """Apply the best change while it gains, at most ``most`` times, or until a column is unknown."""
        moves: list[GraphMove] = []
        while len(moves) < most:
            if moves and not self.fill(seconds):
                break
            move = self.best(tolerance)
            if move is None or not move[3] > tolerance:
                break
            self.apply(*move[:3])
            moves.append(move)
        return moves

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every variable."""
        return tuple(self._parents)

    def parents_of(self, child: int) -> tuple[int, ...]:
        """The parents of one variable."""
        return self._parents[child]

    def score(self) -> float:
        """The sum of the scores of the children whose columns are known."""
        known = [self._columns.get(family) for family in enumerate(self._parents)]
        return sum((column[0] for column in known if column is not None), 0.0)

    def _link(self, parent: int, child: int) -> None:
        self._parents[child] = tuple(sorted((*self._parents[child], parent)))

    def _reaches(self, start: int, goal: int) -> bool:
        """Whether a directed path leads from start to goal (true if they are the same)."""
        if start == goal:
            return True
        return any(start in given and self._reaches(child, goal) for child, given in enumerate(self._parents))

    def _column(self, child: int) -> _Column:
        return self._columns[child, self._parents[child]]

    def _additions(self, excluded: set[int]) -> list[GraphMove]:
        return [
            ("add", parent, child, float(self._column(child)[1][parent]))
            for child in range(self._size)
            for parent in range(self._size)
            if self._column(child)[1][parent] > -np.inf
            and parent * self._size + child not in excluded
            and not self._reaches(child, parent)
        ]

    def _changes(self, kind: str, excluded: set[int]) -> list[GraphMove]:
        return [
            (kind, parent, child, float(self._column(child)[2][parent]))
            for child, given in enumerate(self._parents)
            for parent in given
            if not self._required[parent, child] and parent * self._size + child not in excluded
        ]

    def _turns(self, excluded: set[int]) -> list[GraphMove]:
        turns = []
        for _, parent, child, gain in self._changes("turn", excluded):
            more = float(self._column(parent)[1][child])
            children = [other for other, given in enumerate(self._parents) if parent in given]
            if more > -np.inf and not any(self._reaches(c, child) for c in children if c != child):
                turns.append(("turn", parent, child, gain + more))
        return turns
