"""Scores of families (a variable and its parents), computed from any source and remembered."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np

from bayou.distributions import Family, LinearGaussian, Table
from bayou.distributions.gaussian.gaussian_evidence import gaussian_evidence
from bayou.learning.scores.scores import Score
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
"""The positions of a variable and of its parents, the parents in ascending order."""

LARGEST_TABLE = 1 << 20
"""Families with more cells than this are requested as distinct rows, and tests of independence skip them:
no data set fills such a table."""


class LocalScores(Protocol):
    """What a search needs: scores of families. Variables are given by their position in ``variables``.

    The score of a family never changes, so a search may remember it.
    """

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""

    @property
    def score(self) -> Score:
        """The score that is computed: BIC, BDeu, …"""

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family."""

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The score of the child with these parents and one more, for each candidate."""


class SourceScores:
    """Scores from any source, by statistics requests; each family is requested once.

    >>> from bayou.learning.scores.scores import BIC
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
        # On a stream each new request costs a pass over all rows: the cache saves passes.
        cached = source.is_streamed and not isinstance(source, CachedSource)
        self._requested_from = CachedSource(source) if cached else source
        self.variables = tuple(variables)
        self.score = score
        self._known: dict[FamilyNumbers, float] = {}

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The score of each family; those not known yet are requested together."""
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
        """Request the statistics of families that are not known yet, and remember their scores."""
        requests = [self._request(family) for family in families]
        statistics = self._requested_from.collect(list(dict.fromkeys(requests)))
        for family, request in zip(families, requests, strict=True):
            self._known[family] = self._scored(family, request, statistics)

    def _request(self, family: FamilyNumbers) -> Request:
        """The statistic that the family is scored from: moments, a table of counts, or distinct rows.

        Distinct rows replace the table where it would be larger than ``largest_table``.
        """
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
            return self.score.of_likelihood(*gaussian_evidence(moments))
        configurations = math.prod(float(axis.cardinality) for axis in axes[:-1])
        if isinstance(request, CountTable):
            values = statistics[request].aligned(axes).values
            return self.score.of_counts(values.reshape(-1, values.shape[-1]), configurations)
        assert isinstance(request, DistinctRows)
        return self.score.of_counts(_table_of(statistics[request].aligned(axes)), configurations)


def _table_of(rows: RowCounts) -> CountArray:
    """A table of counts with one row per combination of the parents' states that occurs."""
    keys, places = np.unique(rows.codes[:, :-1], axis=0, return_inverse=True)
    table = np.zeros((len(keys), rows.axes[-1].cardinality), dtype=rows.counts.dtype)
    np.add.at(table, (places.ravel(), rows.codes[:, -1]), rows.counts)
    return table
