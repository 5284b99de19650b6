"""Moments of many columns by class in the database, as Gaussian classifiers need them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from bayou.codes import is_missing_code
from bayou.schema import Variable
from bayou.sources.databases.cell_counts import Counted
from bayou.sources.databases.shifted_sums import MakeTable, ShiftedSums, Term
from bayou.sources.tables.columns import Columns
from bayou.statistics import CountTable
from bayou.statistics.matrix.class_moments import ClassMoments, FourthMoments, MomentsByClass
from bayou.statistics.matrix.incomplete_moments import IncompleteMoments
from bayou.typing import BoolArray, FloatArray, IntArray


def class_moments_of(counted: Counted, make: MakeTable, request: MomentsByClass) -> ClassMoments:
    """The answer to a request for the moments of all classes."""
    d = len(request.variables)
    pairs = [(i, i) for i in range(d)]
    if request.form != "columns":
        pairs = list(combinations_with_replacement(range(d), 2))
    more: list[Term] = []
    if request.with_spread:
        more = [(i, i, j) for i in range(d) for j in range(d)] + [
            (i, i, j, j) for i in range(d) for j in range(d)
        ]
    terms = (*((i,) for i in range(d)), *pairs, *more)
    by_gaps = request.form != "columns"
    summed = ShiftedSums(counted, (request.target,), request.variables, terms, by_gaps=by_gaps)
    groups, weight, n, centre, sums = summed.read()
    table = Columns([request.target], [groups[request.target]], groups.rows)
    source = make(table, np.ones(groups.rows, dtype=np.int64))
    classes = source.collect([asked := CountTable((request.target,))])[asked].axes[0]
    codes = source.batch([classes]).codes[request.target]
    known = np.flatnonzero(~is_missing_code(codes) & (weight > 0))
    label = codes[known].astype(np.int64)
    found = _Groups(label, weight[known], n[known], centre[known], sums[known], pairs)
    if request.form == "columns":
        return found.by_column(request, classes)
    gaps = np.stack([groups.numbers(name) for name in groups.names[1 : 1 + d]], axis=1)[known] > 0
    return found.by_matrix(request, classes, gaps)


@dataclass(frozen=True)
class _Groups:
    """Groups with the class of each, weights, weights and centres by column, and sums of terms."""

    label: IntArray
    weight: FloatArray
    n: FloatArray
    centre: FloatArray
    sums: FloatArray
    pairs: list[tuple[int, int]]

    @property
    def mean(self) -> FloatArray:
        """The mean of each column."""
        return self.centre + self._shift

    @property
    def _shift(self) -> FloatArray:
        first = self.sums[:, : self.n.shape[1]]
        return np.divide(first, self.n, out=np.zeros_like(first), where=self.n > 0)

    @property
    def products(self) -> FloatArray:
        """Σ w(x − mean)(y − mean) of each pair."""
        d = self.n.shape[1]
        shift = self._shift
        sums = self.sums[:, d : d + len(self.pairs)].copy()
        for place, (i, j) in enumerate(self.pairs):
            sums[:, place] -= self.n[:, i] * shift[:, i] * shift[:, j]
            if i == j:
                sums[:, place] = np.maximum(sums[:, place], 0.0)
        return sums

    def by_column(self, request: MomentsByClass, classes: Variable) -> ClassMoments:
        """The form "columns": each column with its own gaps."""
        k = classes.cardinality
        rows, n, mean, squares = (
            _placed(part, self.label, k) for part in (self.weight, self.n, self.mean, self.products)
        )
        return ClassMoments(request.variables, classes, request.form, rows, n, mean, squares)

    def by_matrix(self, request: MomentsByClass, classes: Variable, gaps: BoolArray) -> ClassMoments:
        """The forms "matrices" and "pooled": complete rows, and those with gaps by the columns they have."""
        k, d = classes.cardinality, len(request.variables)
        matrices = np.zeros((len(self.label), d, d))
        for place, (i, j) in enumerate(self.pairs):
            matrices[:, i, j] = matrices[:, j, i] = self.products[:, place]
        whole = ~gaps.any(axis=1)
        label = self.label[whole]
        rows = np.bincount(self.label, self.weight, minlength=k).astype(np.float64)
        n = np.repeat(_placed(self.weight[whole], label, k)[:, None], d, axis=1)
        mean, scatter = (_placed(part[whole], label, k) for part in (self.mean, matrices))
        spread = None
        if request.with_spread:
            more = self.sums[whole][:, d + len(self.pairs) :].reshape(-1, 2, d, d)
            spread = FourthMoments(*(_placed(more[:, which], label, k) for which in range(2)))
        pooled = request.form == "pooled"
        incomplete = None
        if gaps.any():
            incomplete = self._with_gaps(gaps, matrices, k, pooled)
        scatter = scatter.sum(axis=0) if pooled else scatter
        return ClassMoments(
            request.variables, classes, request.form, rows, n, mean, scatter, spread, None, incomplete
        )

    def _with_gaps(self, gaps: BoolArray, matrices: FloatArray, k: int, pooled: bool) -> IncompleteMoments:
        """The groups with gaps: the mean of each is a point, and its scatter a matrix."""
        rows = np.flatnonzero(gaps.any(axis=1) & ~gaps.all(axis=1))
        seen, pattern = np.unique(~gaps[rows], axis=0, return_inverse=True)
        pattern, label = pattern.reshape(-1).astype(np.int64), self.label[rows]
        mean, scatter = np.where(gaps[rows], 0.0, self.mean[rows]), matrices[rows]
        owner, matrix_label = pattern, label
        if pooled:
            owner, place = np.unique(pattern, return_inverse=True)
            total = np.zeros((len(owner), *scatter.shape[1:]))
            np.add.at(total, place.reshape(-1), scatter)
            scatter, matrix_label = total, np.zeros(len(owner), dtype=np.int64)
        return IncompleteMoments(
            seen, k, pooled, pattern, label, self.weight[rows], mean, owner, matrix_label, scatter
        )


def _placed(part: FloatArray, label: IntArray, classes: int) -> FloatArray:
    """The part of each group at its class; zeros for classes without one."""
    result = np.zeros((classes, *part.shape[1:]))
    result[label] = part
    return result
