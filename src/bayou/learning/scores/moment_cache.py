"""Moments of continuous variables by groups of rows: requested together, and cached while there is room."""

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
"""The largest number of floats in one answer (32 MiB), unless a single family needs more."""

ROOM = 1 << 24
"""The largest number of floats in the cache; beyond it, the least recently used answers are dropped."""


class Regressions(NamedTuple):
    """Moments of many groups of rows: rows per group, means, scatter and spread (root of the diagonal).

    The child is the last variable.
    """

    n: FloatArray
    mean: FloatArray
    scatter: FloatArray
    spread: FloatArray


@dataclass(frozen=True)
class KeptMoments:
    """Moments of some variables (``columns``: their positions) in groups of rows."""

    moments: GroupMoments
    columns: tuple[int, ...]

    @cached_property
    def place(self) -> dict[int, int]:
        """The position of each variable within these moments."""
        return {column: at for at, column in enumerate(self.columns)}

    @cached_property
    def spread(self) -> FloatArray:
        """The square roots of the scatter matrices' diagonals: (groups, variables)."""
        return root_scatter(self.moments).reshape(self.moments.n.size, len(self.place))

    @cached_property
    def pooled(self) -> GroupMoments:
        """The moments with all groups joined into one."""
        return self.moments.marginal([])

    def regressions(self, members: IntArray) -> Regressions:
        """The moments of each family (a row of ``members``), the groups of one family next to each other."""
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
        """The moments of each family with all groups joined into one; the first axis is the family."""
        whole = self.pooled
        n = np.broadcast_to(whole.n, (len(members),))
        scatter = whole.scatter[members[:, :, None], members[:, None, :]]
        return GroupMoments((), (), n, whole.mean[members], scatter)


@dataclass(frozen=True)
class _PlannedRequest:
    """A request to be made: moments of ``columns`` grouped by the states of ``given``, for ``families``."""

    given: tuple[int, ...]
    columns: tuple[int, ...]
    families: tuple[FamilyNumbers, ...]


class MomentCache:
    """The moments that families of continuous variables need, for data where none of these is missing.

    The moments of *all* continuous variables, grouped by some discrete ones, serve every family with these
    discrete parents. They are requested as soon as requests for fewer variables have cost as much.
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
        """The moments needed to score these families, in portions that fit into memory."""
        groups: dict[tuple[int, ...], list[FamilyNumbers]] = {}
        for family in families:
            given = tuple([parent for parent in family[1] if not self._is_continuous[parent]])
            groups.setdefault(given, []).append(family)
        portion: list[_PlannedRequest] = []
        filled = 0.0
        for given, alike in groups.items():
            for planned in self._planned(given, tuple(alike)):
                size = self._size(planned.given, len(planned.columns))
                if portion and filled + size > LARGEST:
                    yield self._collected(portion)
                    portion, filled = [], 0.0
                portion.append(planned)
                filled += size
        if portion:
            yield self._collected(portion)

    def _planned(self, given: tuple[int, ...], families: tuple[FamilyNumbers, ...]) -> list[_PlannedRequest]:
        """Request all continuous variables, or those of the families, or (if that is large) one by one."""
        if given in self._kept:
            return [_PlannedRequest(given, self._continuous, families)]
        needed = tuple(sorted({member for family in families for member in self.members(family)}))
        fits = self._size(given, len(self._continuous)) <= LARGEST
        self._spent[given] = self._spent.get(given, 0.0) + _cost(len(needed))
        # Every search begins with single parents of every child, so all variables are needed then.
        if fits and (len(given) < 2 or self._spent[given] >= _cost(len(self._continuous))):
            return [_PlannedRequest(given, self._continuous, families)]
        if self._size(given, len(needed)) <= LARGEST:
            return [_PlannedRequest(given, needed, families)]
        return [_PlannedRequest(given, self.members(family), (family,)) for family in families]

    def members(self, family: FamilyNumbers) -> tuple[int, ...]:
        """The continuous parents of a continuous child, then the child."""
        child, parents = family
        return (*[parent for parent in parents if self._is_continuous[parent]], child)

    def _size(self, given: Sequence[int], columns: int) -> float:
        cells = math.prod(float(self._variables[at].cardinality) for at in given)
        return cells * columns * columns

    def _collected(
        self, portion: Sequence[_PlannedRequest]
    ) -> list[tuple[KeptMoments, tuple[FamilyNumbers, ...]]]:
        """Take answers from the cache, and request the others in one pass over the data."""
        found = {one.given: self._kept[one.given] for one in portion if one.given in self._kept}
        requests = {one: self._request(one) for one in portion if one.given not in found}
        statistics = self._source.collect(list(dict.fromkeys(requests.values()))) if requests else None
        answers = []
        for planned in portion:
            answer = found.get(planned.given)
            if answer is None:
                assert statistics is not None
                axes = [self._variables[at] for at in planned.given]
                answer = KeptMoments(statistics[requests[planned]].aligned(axes), planned.columns)
            if planned.columns == self._continuous and answer.moments.scatter.size <= LARGEST:
                self._keep(planned.given, answer)
            answers.append((answer, planned.families))
        return answers

    def _request(self, planned: _PlannedRequest) -> Moments:
        names = [self._variables[at].name for at in (*planned.columns, *planned.given)]
        return Moments(tuple(names[: len(planned.columns)]), tuple(names[len(planned.columns) :]))

    def _keep(self, given: tuple[int, ...], answer: KeptMoments) -> None:
        if given not in self._kept:
            self._filled += answer.moments.scatter.size
        self._kept[given] = answer
        self._kept.move_to_end(given)
        while len(self._kept) > 1 and self._filled > ROOM:
            _, dropped = self._kept.popitem(last=False)
            self._filled -= dropped.moments.scatter.size


def _cost(columns: int) -> float:
    """The approximate cost of moments of this many columns; the unit is reading one column."""
    return 2 + columns + columns * columns / 60
