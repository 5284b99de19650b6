"""Moments of continuous variables by groups of rows: asked for together, and kept while there is room."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bayou.distributions.gaussian.gaussian_regression import root_scatter
from bayou.learning.scores.local_scores import FamilyNumbers
from bayou.schema import Variable
from bayou.statistics import GroupMoments, Moments, Source
from bayou.typing import FloatArray, IntArray

LARGEST = 1 << 22
"""The most numbers in one answer (32 MiB), unless a single family has more."""

ROOM = 1 << 24
"""The most numbers that are kept: of answers that nobody wanted for long, the oldest go."""


class Regressions(NamedTuple):
    """Groups of rows, one after the other: their number, means, scatter and its root, the child last."""

    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    spread: FloatArray


@dataclass(frozen=True)
class KeptMoments:
    """Moments of some variables, by their places, in groups of rows."""

    moments: GroupMoments
    columns: tuple[int, ...]

    @cached_property
    def place(self) -> dict[int, int]:
        """Where each variable stands."""
        return {column: at for at, column in enumerate(self.columns)}

    @cached_property
    def spread(self) -> FloatArray:
        """The root of each scatter: (groups, variables)."""
        return root_scatter(self.moments).reshape(self.moments.n.size, len(self.place))

    @cached_property
    def pooled(self) -> GroupMoments:
        """The same, all groups as one."""
        return self.moments.marginal([])

    def regressions(self, members: IntArray) -> Regressions:
        """What each family's variables (a row of ``members``) have, one family's groups together."""
        size, groups = len(self.place), self.moments.n.size
        k = members.shape[1]
        within = members[:, None, :, None] * size + members[:, None, None, :]
        starts = np.arange(groups)[:, None, None] * (size * size)
        scatter = self.moments.scatter.reshape(-1)[starts + within]
        place = np.arange(groups)[:, None], members[:, None, :]
        mean = self.moments.mean.reshape(groups, size)[place]
        n = np.tile(self.moments.n.reshape(-1), len(members))
        spread = self.spread[place].reshape(-1, k)
        return Regressions(n, mean.reshape(-1, k), scatter.reshape(-1, k, k), spread)

    def lines(self, members: IntArray) -> GroupMoments:
        """Each family's variables with all groups as one: an axis for families, then those of moments."""
        whole = self.pooled
        n = np.broadcast_to(whole.n, (len(members),))
        scatter = whole.scatter[members[:, :, None], members[:, None, :]]
        return GroupMoments((), (), n, whole.mean[members], scatter)


@dataclass(frozen=True)
class _Wanted:
    """A request to be: the variables' places, and those whose states make the groups."""

    given: tuple[int, ...]
    columns: tuple[int, ...]
    families: tuple[FamilyNumbers, ...]


class MomentCache:
    """What families of continuous variables need, for data that have a value in all of these.

    The moments of *all* continuous variables by some discrete ones answer every family with these discrete
    parents. They are asked for as soon as the narrow requests for the same groups have cost as much.
    """

    def __init__(self, source: Source, variables: Sequence[Variable], whole: GroupMoments) -> None:
        self._source, self._variables = source, variables
        self._is_continuous = [variable.is_continuous for variable in variables]
        self._continuous = tuple(np.flatnonzero(self._is_continuous).tolist())
        self._kept: OrderedDict[tuple[int, ...], KeptMoments] = OrderedDict()
        self._filled = 0
        self._spent: dict[tuple[int, ...], float] = {}
        self._keep((), KeptMoments(whole, self._continuous))

    def answers(
        self, families: Sequence[FamilyNumbers]
    ) -> Iterator[list[tuple[KeptMoments, tuple[FamilyNumbers, ...]]]]:
        """All that is needed to score these families, in portions that fit into memory."""
        groups: dict[tuple[int, ...], list[FamilyNumbers]] = {}
        for family in families:
            given = tuple([parent for parent in family[1] if not self._is_continuous[parent]])
            groups.setdefault(given, []).append(family)
        portion: list[_Wanted] = []
        filled = 0.0
        for given, alike in groups.items():
            for wanted in self._planned(given, tuple(alike)):
                size = self._size(wanted.given, len(wanted.columns))
                if portion and filled + size > LARGEST:
                    yield self._collected(portion)
                    portion, filled = [], 0.0
                portion.append(wanted)
                filled += size
        if portion:
            yield self._collected(portion)

    def _planned(self, given: tuple[int, ...], families: tuple[FamilyNumbers, ...]) -> list[_Wanted]:
        """Everything about these groups; or what the families need; or, where that is much, one by one."""
        if given in self._kept:
            return [_Wanted(given, self._continuous, families)]
        needed = tuple(sorted({member for family in families for member in self.members(family)}))
        fits = self._size(given, len(self._continuous)) <= LARGEST
        self._spent[given] = self._spent.get(given, 0.0) + _cost(len(needed))
        # Every search begins with single parents of every child.
        if fits and (len(given) < 2 or self._spent[given] >= _cost(len(self._continuous))):
            return [_Wanted(given, self._continuous, families)]
        if self._size(given, len(needed)) <= LARGEST:
            return [_Wanted(given, needed, families)]
        return [_Wanted(given, self.members(family), (family,)) for family in families]

    def members(self, family: FamilyNumbers) -> tuple[int, ...]:
        """The continuous parents of a continuous child, and the child."""
        child, parents = family
        return (*[parent for parent in parents if self._is_continuous[parent]], child)

    def _size(self, given: Sequence[int], columns: int) -> float:
        cells = math.prod(float(self._variables[at].cardinality) for at in given)
        return cells * columns * columns

    def _collected(self, portion: Sequence[_Wanted]) -> list[tuple[KeptMoments, tuple[FamilyNumbers, ...]]]:
        """Ask for what is not kept, in one pass over the data."""
        found = {wanted.given: self._kept[wanted.given] for wanted in portion if wanted.given in self._kept}
        asked = {wanted: self._request(wanted) for wanted in portion if wanted.given not in found}
        statistics = self._source.collect(list(dict.fromkeys(asked.values()))) if asked else None
        answers = []
        for wanted in portion:
            answer = found.get(wanted.given)
            if answer is None:
                assert statistics is not None
                axes = [self._variables[at] for at in wanted.given]
                answer = KeptMoments(statistics[asked[wanted]].aligned(axes), wanted.columns)
            if wanted.columns == self._continuous and answer.moments.scatter.size <= LARGEST:
                self._keep(wanted.given, answer)
            answers.append((answer, wanted.families))
        return answers

    def _request(self, wanted: _Wanted) -> Moments:
        names = [self._variables[at].name for at in (*wanted.columns, *wanted.given)]
        return Moments(tuple(names[: len(wanted.columns)]), tuple(names[len(wanted.columns) :]))

    def _keep(self, given: tuple[int, ...], answer: KeptMoments) -> None:
        if given not in self._kept:
            self._filled += answer.moments.scatter.size
        self._kept[given] = answer
        self._kept.move_to_end(given)
        while len(self._kept) > 1 and self._filled > ROOM:
            _, gone = self._kept.popitem(last=False)
            self._filled -= gone.moments.scatter.size


def _cost(columns: int) -> float:
    """What a pass over the rows with so many columns takes, about, in columns read."""
    return 2 + columns + columns * columns / 60
