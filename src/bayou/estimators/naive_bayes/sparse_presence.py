"""Naive Bayes of presence ("bernoulli") from a sparse matrix: only the cells that are stored are read.

log P(row | class) = Σ log P(absent | class) over all columns + Σ log P(present | class)/P(absent | class)
over the present ones. Counts and scores of all columns are one kernel call each; statistics and densities by
column, the same as those of other tables, are made only if something asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from scipy import sparse

from bayou._native import score_sparse_rows, sum_sparse_rows
from bayou.distributions import DistributionKind, Prior
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.naive_bayes.feature_densities import FeatureDensity
from bayou.estimators.naive_bayes.number_kinds import BernoulliFeature
from bayou.schema import Variable
from bayou.statistics import Counts, CountTable, Request, Result, Statistics
from bayou.typing import CountArray, FloatArray, Name


class SparseStatistics(Statistics):
    """The answers about the columns of a sparse matrix, which are collected when one of them is asked for.

    ``present`` has the number of rows of each class with a value above ``threshold``, [column, class].
    """

    def __init__(
        self, table: LabelledTable, requests: Callable[[], Sequence[Request]], threshold: float
    ) -> None:
        assert table.table.sparse is not None
        self._table, self._requests, self.threshold = table, requests, threshold
        self.names = table.features
        self.rows = table.table.rows if table.weights is None else table.weights.sum().item()
        self.classes = Variable(table.target, table.labels.labels)
        codes = table.labels.codes.astype(np.uint32)
        above = present_cells(table.table.sparse, threshold)
        size = self.classes.cardinality
        self.present: CountArray = sum_sparse_rows(*above, len(self.names), codes, size, table.weights)[1]
        counted = np.bincount(codes, weights=table.weights, minlength=size)
        whole = table.weights is None or table.weights.dtype.kind != "f"
        self.class_counts = Counts((self.classes,), counted.astype(np.int64) if whole else counted)

    @cached_property
    def _results(self) -> dict[Request, Result]:  # type: ignore[override]  # made when it is needed
        return dict(self._table.collect(self._requests()))

    def __getitem__(self, request: Any) -> Any:
        if isinstance(request, CountTable) and request.variables == (self.classes.name,):
            return self.class_counts
        return super().__getitem__(request)

    def __reduce__(self) -> Any:
        return Statistics, (self._results, self.rows)


def sparse_statistics(
    rows: LabelledSource, kinds: Mapping[Name, DistributionKind], requests: Callable[[], Sequence[Request]]
) -> SparseStatistics | None:
    """Return the statistics of a sparse matrix whose columns are all modelled by presence; else None."""
    if not isinstance(rows, LabelledTable) or rows.table.sparse is None:
        return None
    kind = next(iter(kinds.values()))
    alike = len(set(map(id, kinds.values()))) == 1
    if not alike or not isinstance(kind, BernoulliFeature) or not kind.threshold >= 0:
        return None
    if not np.isfinite(rows.table.sparse.data).all():
        return None
    # A copy: the arrays belong to the caller, who may change them before the columns are asked for.
    table = LabelledTable(rows.table.copied(), rows.labels, rows.target, rows.weights)
    return SparseStatistics(table, requests, kind.threshold)


@dataclass(frozen=True, eq=False)
class PresenceScores:
    """Σ log P(column | class) of rows of a sparse matrix: ``start`` if all are absent, and what each adds."""

    names: tuple[Name, ...]
    threshold: float
    start: FloatArray
    added: FloatArray

    @classmethod
    def estimate(cls, statistics: SparseStatistics, classes: Variable, prior: Prior) -> PresenceScores | None:
        """Return the scores by smoothed shares; None where a share is 0, or a known class has no rows."""
        if classes.states != statistics.classes.states or not statistics.names:
            return None
        ranges = Variable(statistics.names[0], cuts=[statistics.threshold])
        absent, present = np.broadcast_to(prior.pseudocounts(ranges, [classes]), (classes.cardinality, 2)).T
        having, all_rows = statistics.present, statistics.class_counts.values
        whole = all_rows + absent + present
        with np.errstate(divide="ignore", invalid="ignore"):
            without = np.log(((all_rows - having) + absent) / whole)
            added = np.log((having + present) / whole) - without
        if not np.isfinite(added).all():
            return None
        return cls(statistics.names, statistics.threshold, without.sum(axis=0), np.ascontiguousarray(added))

    def scores(self, matrix: sparse.csr_array, start: FloatArray) -> FloatArray | None:
        """``start`` + Σ log P(column | class) of every row; None if cells are missing."""
        if not np.isfinite(matrix.data).all():
            return None
        above = present_cells(matrix, self.threshold)
        return score_sparse_rows(*above, self.added, self.start + start, True)


def present_cells(matrix: sparse.csr_array, threshold: float) -> tuple[Any, Any, FloatArray]:
    """The starts, columns and values of the stored cells; values up to the threshold become 0."""
    data = np.ascontiguousarray(matrix.data, dtype=np.float64)
    return matrix.indptr, matrix.indices, data if threshold == 0 else (data > threshold).astype(np.float64)


class LazyDensities(Sequence[FeatureDensity]):
    """The densities of all features, estimated when the first of them is asked for."""

    def __init__(self, size: int, estimate: Callable[[], tuple[FeatureDensity, ...]]) -> None:
        self._size, self._estimate = size, estimate

    @cached_property
    def _all(self) -> tuple[FeatureDensity, ...]:
        return self._estimate()

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> FeatureDensity: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[FeatureDensity]: ...
    def __getitem__(self, place: int | slice) -> FeatureDensity | Sequence[FeatureDensity]:
        return self._all[place]

    def __iter__(self) -> Iterator[FeatureDensity]:
        return iter(self._all)

    def __reduce__(self) -> Any:
        return tuple, (self._all,)
