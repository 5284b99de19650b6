"""Columns that are Gaussian given the state: densities by group, and expected moments of rows with gaps.

Columns are regressions on the columns before them. With intercepts a, slopes B and variances v, the residuals
e = x − a − Bx are independent, so with C = I − B the mean is C⁻¹a and the density is that of the whitened
residuals (x − mean)' Cᵀ / √v. Of a row with gaps only the observed columns count: their mean and covariance
are parts of the whole. For the M-step the missing ones are replaced by their conditional means, and their
conditional covariance is added to the scatter (Little and Rubin 2002, ch. 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou._native import gaussian_class_scores, quadratic_class_scores, shared_moments
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.special_functions import LOG_TWO_PI
from bayou.statistics import Batch, GroupMoments, Moments, Request, Result
from bayou.temporal.kernel_arguments import KernelGaussian
from bayou.typing import BoolArray, FloatArray, Name

_MOST_IN_KERNEL = 16
"""The kernels of chains compute the densities of at most so many columns by themselves."""
_FEW_COLUMNS = 8
"""So many independent columns are counted at once, with all their products, because one pass is faster."""


@dataclass(frozen=True, eq=False)
class GaussianColumns:
    """The columns, the variables of their groups, and intercept, slopes and variance by group.

    ``slopes[g, j, i]`` is the slope of column j on column i, 0 for i ≥ j; ``linked`` tells whether there are
    slopes at all.
    """

    names: tuple[Name, ...]
    groups: tuple[Variable, ...]
    intercepts: FloatArray
    slopes: FloatArray
    variances: FloatArray
    linked: bool

    @classmethod
    def of(cls, network: FrozenNetwork, names: tuple[Name, ...]) -> GaussianColumns:
        """Read the Gaussian nodes of a network."""
        groups = network.family(names[0]).discrete
        count, d = int(np.prod([axis.cardinality for axis in groups])), len(names)
        intercepts, variances = np.empty((count, d)), np.empty((count, d))
        slopes = np.zeros((count, d, d))
        linked = False
        for j, name in enumerate(names):
            node = network.distribution(name).gaussian
            assert node is not None
            intercepts[:, j], variances[:, j] = node.intercept.ravel(), node.variance.ravel()
            inputs = [names.index(parent.name) for parent in network.family(name).continuous]
            linked |= bool(inputs)
            slopes[:, j, inputs] = node.coefficients.reshape(count, -1)
        return cls(names, groups, intercepts, slopes, variances, linked)

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each group, [group, column]."""
        return np.ascontiguousarray(np.linalg.solve(self._residuals, self.intercepts[:, :, None])[:, :, 0])

    @cached_property
    def covariances(self) -> FloatArray:
        """The covariance of each group, [group, column, column]."""
        inverse = np.linalg.inv(self._residuals)
        made: FloatArray = np.einsum("gij,gj,gkj->gik", inverse, self.variances, inverse)
        return made

    @property
    def _residuals(self) -> FloatArray:
        return np.eye(len(self.names)) - self.slopes

    @cached_property
    def _whiteners(self) -> FloatArray:
        scaled = self._residuals / np.sqrt(self.variances)[:, :, None]
        return np.ascontiguousarray(np.swapaxes(scaled, 1, 2))

    @cached_property
    def packed(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means, whiteners (the lower triangle by rows) and constants of the log density, for the kernels."""
        below, left = np.tril_indices(len(self.names))
        scaled = self._residuals / np.sqrt(self.variances)[:, :, None]
        return self.means, np.ascontiguousarray(scaled[:, below, left]), self._bases

    @property
    def _bases(self) -> FloatArray:
        bases: FloatArray = -0.5 * (np.log(self.variances) + LOG_TWO_PI).sum(axis=1)
        return bases

    def in_kernel(self, batch: Batch) -> KernelGaussian | None:
        """What the kernels of chains need to compute densities and moments by themselves; None if the columns
        have gaps or are too many.
        """
        if not self.fit_kernel or any(batch.has_gaps(name) for name in self.names):
            return None
        return [batch.finite_numbers(name) for name in self.names], *self.packed

    @property
    def fit_kernel(self) -> bool:
        """Whether the columns are not too many for the kernels of chains."""
        return len(self.names) <= (_MOST_IN_KERNEL if self.linked else _FEW_COLUMNS)

    def matrix(self, batch: Batch) -> FloatArray:
        """The columns as one matrix [row, column]."""
        filled = np.empty((batch.rows, len(self.names)))
        for j, name in enumerate(self.names):
            filled[:, j] = batch.finite_numbers(name)
        return filled

    def logs(self, batch: Batch) -> FloatArray:
        """The log density of the observed columns in every group, [row, group]."""
        matrix = self.matrix(batch)
        if not self.linked:
            return gaussian_class_scores(matrix, self.means, self.variances, np.zeros(len(self.means)))
        gaps = np.isnan(matrix)
        incomplete: BoolArray = np.asarray(gaps.any(axis=1))
        base = self._bases
        if not incomplete.any():
            return quadratic_class_scores(matrix, self.means, self._whiteners, base)
        logs = np.zeros((batch.rows, len(self.means)))
        whole = np.ascontiguousarray(matrix[~incomplete])
        logs[~incomplete] = quadratic_class_scores(whole, self.means, self._whiteners, base)
        for seen, rows in _patterns(gaps, incomplete):
            if seen.any():
                logs[rows] = self._partial_logs(matrix[rows][:, seen], seen)
        return logs

    def _partial_logs(self, values: FloatArray, seen: BoolArray) -> FloatArray:
        covariances = self.covariances[:, seen][:, :, seen]
        away = values[:, None, :] - self.means[:, seen]
        solved = np.linalg.solve(covariances[None], away[..., None])[..., 0]
        _, determinants = np.linalg.slogdet(covariances)
        squares = (away * solved).sum(axis=2)
        logs: FloatArray = -0.5 * (squares + determinants + seen.sum() * LOG_TWO_PI)
        return logs

    def expected(self, batch: Batch, weights: FloatArray) -> dict[Request, Result]:
        """The expected moments of each column with those it depends on; weights are [row, group]."""
        matrix = self.matrix(batch)
        if self.linked:
            return self.answers(self._expected(matrix, weights))
        if len(self.names) <= _FEW_COLUMNS and not np.isnan(matrix).any():
            return self.answers(self._moments(matrix, weights, list(range(len(self.names)))))
        answers: dict[Request, Result] = {}
        for j in range(len(self.names)):
            seen = ~np.isnan(matrix[:, j])
            own = np.ascontiguousarray(matrix[seen, j : j + 1])
            answers[self._request(j)] = self._shaped([j], self._moments(own, weights[seen], [j]))
        return answers

    def answers(self, moments: tuple[FloatArray, FloatArray, FloatArray]) -> dict[Request, Result]:
        """The statistics of each column with those it depends on, from n, mean and scatter of all columns."""
        columns = range(len(self.names))
        return {
            self._request(j): self._part(moments, list(range(j + 1)) if self.linked else [j]) for j in columns
        }

    def _request(self, j: int) -> Moments:
        columns = self.names[: j + 1] if self.linked else self.names[j : j + 1]
        return Moments(columns, tuple(axis.name for axis in self.groups))

    def _moments(
        self, matrix: FloatArray, weights: FloatArray, columns: list[int]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        centres = np.ascontiguousarray(self.means[:, columns])
        return shared_moments(matrix, np.ascontiguousarray(weights), centres)

    def _expected(self, matrix: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """n, mean and scatter of all columns by group, with what is expected of the gaps; rows of gaps only
        are left out.
        """
        gaps = np.isnan(matrix)
        incomplete: BoolArray = np.asarray(gaps.any(axis=1))
        every = list(range(len(self.names)))
        if not incomplete.any():
            return self._moments(matrix, weights, every)
        total = self._shaped(
            every, self._moments(np.ascontiguousarray(matrix[~incomplete]), weights[~incomplete], every)
        )
        for seen, rows in _patterns(gaps, incomplete):
            if seen.any():
                total = total + self._shaped(every, self._filled(matrix[rows][:, seen], seen, weights[rows]))
        d = len(every)
        return total.n.ravel(), total.mean.reshape(-1, d), total.scatter.reshape(-1, d, d)

    def _filled(
        self, values: FloatArray, seen: BoolArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The moments of rows that have the same gaps, with the gaps' conditional means and covariance."""
        groups, d = self.means.shape
        n, means, scatters = weights.sum(axis=0), np.empty((groups, d)), np.empty((groups, d, d))
        gap = ~seen
        for g in range(groups):
            covariance = self.covariances[g]
            slopes = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, gap)]).T
            filled = np.empty((len(values), d))
            filled[:, seen] = values
            filled[:, gap] = self.means[g, gap] + (values - self.means[g, seen]) @ slopes.T
            own = np.ascontiguousarray(weights[:, g : g + 1])
            _, mean, scatter = shared_moments(filled, own, self.means[g : g + 1])
            left = covariance[np.ix_(gap, gap)] - slopes @ covariance[np.ix_(seen, gap)]
            scatter[0][np.ix_(gap, gap)] += n[g] * left
            means[g], scatters[g] = mean[0], scatter[0]
        return n, means, scatters

    def _shaped(self, columns: list[int], moments: tuple[FloatArray, FloatArray, FloatArray]) -> GroupMoments:
        n, mean, scatter = moments
        shape = tuple(axis.cardinality for axis in self.groups)
        d = len(columns)
        return GroupMoments(
            tuple(self.names[j] for j in columns),
            self.groups,
            n.reshape(shape),
            mean.reshape(*shape, d),
            scatter.reshape(*shape, d, d),
        )

    def _part(self, moments: tuple[FloatArray, FloatArray, FloatArray], columns: list[int]) -> GroupMoments:
        """The moments of some of the columns."""
        n, mean, scatter = moments
        return self._shaped(columns, (n, mean[:, columns], scatter[:, columns][:, :, columns]))


def _patterns(gaps: BoolArray, incomplete: BoolArray) -> Iterator[tuple[BoolArray, BoolArray]]:
    """The rows with gaps by the columns that they have: (columns seen, rows)."""
    for pattern in np.unique(gaps[incomplete], axis=0):
        yield ~pattern, incomplete & (gaps == pattern).all(axis=1)
