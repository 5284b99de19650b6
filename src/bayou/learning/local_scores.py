"""Scores of families (a variable and its parents), counted where they are not known yet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np

from bayou.distributions import Family, LinearGaussian, Table
from bayou.learning.scores import Score
from bayou.schema import Variable
from bayou.statistics import (
    CachedSource,
    CountTable,
    DistinctRows,
    Moments,
    Request,
    RowCounts,
    Source,
    Statistics,
)
from bayou.typing import CountArray, FloatArray, IntArray

FamilyNumbers: TypeAlias = tuple[int, tuple[int, ...]]
"""A variable and its parents, all by position, the parents ascending."""

LARGEST_TABLE = 1 << 20
"""Families with more cells than this are asked for as distinct rows, and not tested: no data fill them."""


class LocalScores(Protocol):
    """What searches ask. Variables are positions in ``variables``; a family's score does not change."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""

    @property
    def score(self) -> Score:
        """What the families are scored by."""

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family."""

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""


class SourceScores:
    """Scores from any source, by statistics requests; each family is asked for once.

    >>> from bayou.learning.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "B": [0, 0, 1, 1] * 9})
    >>> scores = SourceScores(source, [source.variable("A"), source.variable("B")], BIC())
    >>> scores.families([(1, ()), (1, (0,))]).round(3).tolist()
    [-26.745, -3.584]
    """

    def __init__(
        self,
        source: Source,
        variables: Sequence[Variable],
        score: Score,
        largest_table: float = LARGEST_TABLE,
    ) -> None:
        self.source, self.largest_table = source, largest_table
        # A pass over the rows for every step is what a search on a stream costs: the fewer the better.
        self._asked = CachedSource(source) if source.is_streamed else source
        self.variables = tuple(variables)
        self.score = score
        self._known: dict[FamilyNumbers, float] = {}

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family; those not known yet are asked for in one batch."""
        new = [family for family in dict.fromkeys(wanted) if family not in self._known]
        if new:
            self._learn(new)
        return np.array([self._known[family] for family in wanted])

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""
        return self.families([(child, tuple(sorted((*parents, int(other))))) for other in candidates])

    def _learn(self, families: Sequence[FamilyNumbers]) -> None:
        """Score families that are not known yet."""
        requests = [self._request(family) for family in families]
        statistics = self._asked.collect(list(dict.fromkeys(requests)))
        for family, request in zip(families, requests, strict=True):
            self._known[family] = self._scored(family, request, statistics)

    def _request(self, family: FamilyNumbers) -> Request:
        """What the family's distribution is estimated from, but rows where a table would be too large."""
        child, parents = self.variables[family[0]], [self.variables[parent] for parent in family[1]]
        if child.is_continuous:
            return LinearGaussian.needs(Family(child, tuple(parents)))
        cells = math.prod(variable.cardinality for variable in (*parents, child))
        needed = Table.needs(Family(child, tuple(parents)))
        return needed if cells <= self.largest_table else DistinctRows(needed.variables)

    def _scored(self, family: FamilyNumbers, request: Request, statistics: Statistics) -> float:
        child, parents = family
        axes = [self.variables[member] for member in (*parents, child)]
        if isinstance(request, Moments):
            groups = [axis for axis in axes if not axis.is_continuous]
            moments = statistics[request].aligned(groups)
            return self.score.of_likelihood(*LinearGaussian.evidence(moments))
        configurations = math.prod(float(axis.cardinality) for axis in axes[:-1])
        if isinstance(request, CountTable):
            values = statistics[request].aligned(axes).values
            return self.score.of_counts(values.reshape(-1, values.shape[-1]), configurations)
        assert isinstance(request, DistinctRows)
        return self.score.of_counts(_table_of(statistics[request].aligned(axes)), configurations)


def _table_of(rows: RowCounts) -> CountArray:
    """The rows of the table that occur."""
    keys, places = np.unique(rows.codes[:, :-1], axis=0, return_inverse=True)
    table = np.zeros((len(keys), rows.axes[-1].cardinality), dtype=rows.counts.dtype)
    np.add.at(table, (places.ravel(), rows.codes[:, -1]), rows.counts)
    return table
