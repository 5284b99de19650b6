"""Rows whose discrete gaps are the same variables in every row, as the component of a mixture model.

    joint[s, r] = log P(s, findings of row r),      shares[s, r] = exp(joint[s, r] − log Σ_s exp joint[s, r]),

for all combinations s of the hidden states and rows r. A number may be missing if it has no continuous
parents or children. The parameters of a combination s are the same for all rows, so they are not copied or
looked up row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from bayou.inference.exact.local_factors import table_factor
from bayou.inference.expectation.expected_sums import ExpectedSums, Groups, RealFamily
from bayou.networks import FrozenNetwork
from bayou.special_functions import LOG_TWO_PI
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, IntArray, Name


def have_latent_form(families: Sequence[RealFamily], hidden: Sequence[Name]) -> bool:
    """Whether this module applies: a variable is hidden, and no number has hidden and observed parents both.

    Only discrete parents count here.
    """
    among = [[name in hidden for name in family.discrete] for family in families]
    return bool(hidden) and all(all(flags) or not any(flags) for flags in among)


def unconnected_numbers(families: Sequence[RealFamily]) -> list[Name]:
    """Return the numbers without continuous parents or children; a gap has their mean and variance."""
    parents = {place for family in families for place in family.places[:-1]}
    return [f.name for k, f in enumerate(families) if len(f.places) == 1 and k not in parents]


def add_latent_rows(
    network: FrozenNetwork,
    families: Sequence[RealFamily],
    sums: ExpectedSums,
    batch: Batch,
    hidden: Sequence[Name],
) -> FloatArray:
    """Add the expected counts and moments of these rows to ``sums``; return the rows' log densities.

    If a row is impossible (-inf), no row is added.
    """
    rows = _Latent(network, families, sums, batch, tuple(hidden))
    joint = rows.joint()
    largest = joint.max(axis=0)
    safe = np.where(np.isfinite(largest), largest, 0.0)
    joint -= safe
    shares: FloatArray = np.exp(joint, out=joint)
    total = shares.sum(axis=0)
    with np.errstate(divide="ignore"):
        logs: FloatArray = safe + np.log(total)
    if not np.all(np.isfinite(logs)):
        return logs
    shares *= (1.0 if batch.weights is None else batch.weights) / total
    rows.count(shares)
    rows.measure(shares)
    sums.log_likelihood += float(logs.sum() if batch.weights is None else logs @ batch.weights)
    return logs


class _Latent:
    """The rows of one call, and the sums that they are added to; ``seen`` are the observed states."""

    def __init__(
        self,
        network: FrozenNetwork,
        families: Sequence[RealFamily],
        sums: ExpectedSums,
        batch: Batch,
        hidden: tuple[Name, ...],
    ) -> None:
        self.network, self.families, self.sums, self.batch = network, families, sums, batch
        self.hidden = hidden
        self.shape = tuple(network.schema[name].cardinality for name in hidden)
        self.seen: dict[Name, CodeArray] = {n: c for n, c in batch.codes.items() if n not in hidden}
        names = [family.name for family in families]
        self.columns = [[batch.numbers[names[k]] for k in family.places] for family in families]
        gaps = [np.isnan(batch.numbers[name]) for name in names]
        self.gaps = [gap if gap.any() else None for gap in gaps]
        self.groups: list[Groups] = [
            None if self._is_hidden(family) else sums.groups(family, self.seen) for family in families
        ]

    def _is_hidden(self, family: RealFamily) -> bool:
        return any(name in self.hidden for name in family.discrete)

    def joint(self) -> FloatArray:
        """log P(hidden states, findings), of shape (combinations of hidden states, rows)."""
        same: FloatArray = np.zeros(self.batch.rows)
        by_parents: dict[tuple[Name, ...], FloatArray] = {}
        for k, family in enumerate(self.families):
            if not self._is_hidden(family):
                groups = self.groups[k]
                same += self._log_density(k, 0 if groups is None else groups)
                continue
            if family.discrete not in by_parents:
                by_parents[family.discrete] = np.zeros((family.groups, self.batch.rows))
            for group in range(family.groups):
                by_parents[family.discrete][group] += self._log_density(k, group)
        joint = np.zeros((prod(self.shape), self.batch.rows))
        self._add_tables(joint)
        for discrete, logs in by_parents.items():
            group_of = self._place(discrete)
            joint += logs if np.array_equal(group_of, np.arange(len(joint))) else logs[group_of]
        joint += same
        return joint

    def _log_density(self, k: int, at: int | Groups) -> FloatArray:
        density, gap = _log_density(self.families[k], self.columns[k], at), self.gaps[k]
        if gap is not None:
            density[gap] = 0.0
        return density

    def _place(self, names: Sequence[Name]) -> IntArray:
        """For each combination of all hidden states, the number of its part that concerns ``names``."""
        states = dict(zip(self.hidden, np.indices(self.shape), strict=True))
        place = np.zeros(self.shape, dtype=np.int64)
        for name in names:
            place = place * self.network.schema[name].cardinality + states[name]
        return place.ravel()

    def _add_tables(self, joint: FloatArray) -> None:
        order = [self.network.schema.index(name) for name in self.hidden]
        for name in self.sums.discrete:
            factor = table_factor(self.network, name, self.seen)
            with np.errstate(divide="ignore"):
                logs = np.log(factor.spread(order))
            whole = np.broadcast_to(logs, (len(logs), *self.shape)).reshape(len(logs), -1)
            joint += whole.T

    def count(self, shares: FloatArray) -> None:
        """Add the expected counts of each discrete family: its posterior, in the cells of observed states."""
        for name in self.sums.discrete:
            scope = [*self.network.dag.parents(name), name]
            seen = [axis for axis, n in enumerate(scope) if n in self.seen]
            hidden = [axis for axis, n in enumerate(scope) if n not in self.seen]
            moved = np.transpose(self.sums.tables[name], [*seen, *hidden])
            sizes = moved.shape[: len(seen)]
            added = np.zeros((prod(sizes), prod(moved.shape[len(seen) :])))
            index = [self.seen[scope[axis]].astype(np.int64) for axis in seen]
            place = np.ravel_multi_index(index, sizes) if seen else None
            for combination, weights in enumerate(self._merged(shares, [scope[axis] for axis in hidden])):
                one = weights.sum() if place is None else np.bincount(place, weights, prod(sizes))
                added[:, combination] = one
            moved += added.reshape(moved.shape)

    def _merged(self, shares: FloatArray, names: Sequence[Name]) -> FloatArray:
        """The weights summed to combinations of some of the hidden variables only."""
        kept = [self.hidden.index(name) for name in names]
        summed_out = [axis for axis in range(len(self.hidden)) if axis not in kept]
        if not summed_out and kept == sorted(kept):
            return shares
        whole = np.transpose(shares.reshape(*self.shape, -1), [*summed_out, *kept, len(self.shape)])
        summed = whole.sum(axis=tuple(range(len(summed_out))))
        return np.ascontiguousarray(summed.reshape(-1, shares.shape[1]))

    def measure(self, shares: FloatArray) -> None:
        """Add the moments of each number; groups of hidden parents are weighted by their posterior."""
        by_parents: dict[tuple[Name, ...], FloatArray] = {}
        for k, family in enumerate(self.families):
            if not self._is_hidden(family):
                self.sums.measure(family, self.columns[k], self.groups[k], self.batch.weights)
                self._measure_gaps(k, None)
                continue
            if family.discrete not in by_parents:
                by_parents[family.discrete] = self._merged(shares, family.discrete)
            weights, columns, gap = by_parents[family.discrete], self.columns[k], self.gaps[k]
            if gap is not None:
                self._measure_gaps(k, weights)
                columns, weights = [columns[0][~gap]], weights[:, ~gap]
            self.sums.add(family, *_weighted_moments(columns, weights))

    def _measure_gaps(self, k: int, shares: FloatArray | None) -> None:
        """Add the missing cells of a number, with the mean and the variance of its group."""
        family, gap, groups = self.families[k], self.gaps[k], self.groups[k]
        if gap is None:
            return
        if shares is not None:
            n = shares[:, gap].sum(axis=1)
        else:
            place = np.zeros(int(gap.sum()), dtype=np.int64) if groups is None else groups[gap]
            weights = None if self.batch.weights is None else self.batch.weights[gap]
            n = np.bincount(place, weights, family.groups).astype(np.float64)
        scatter = (n * family.deviation**2)[:, None, None]
        self.sums.add(family, n, family.intercept[:, None].copy(), scatter)


def _log_density(family: RealFamily, columns: list[FloatArray], at: int | Groups) -> FloatArray:
    """The log density of each row's value; -inf where its square overflows."""
    # A value so far out that its square overflows correctly gets the log density -inf.
    with np.errstate(over="ignore", invalid="ignore"):
        z = columns[-1] - family.intercept[at]
        for position, column in enumerate(columns[:-1]):
            z -= family.coefficients[at, position] * column
        z /= family.deviation[at]
        z *= z
        z *= -0.5
        z += (-0.5 * LOG_TWO_PI - np.log(family.deviation))[at]
    if not np.isfinite(z.sum()):
        z[np.isnan(z)] = -np.inf
    return np.asarray(z)


def _weighted_moments(
    columns: list[FloatArray], weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, mean, scatter) of the columns for each row of ``weights``, centred before anything is squared.

    Matrix products are avoided: for few, long columns their threads cost more than they save.
    """
    values = np.stack(columns)
    middle = values.mean(axis=1) if values.size else np.zeros(len(values))
    values -= middle[:, None]
    n = weights.sum(axis=1)
    mean = np.einsum("gr,kr->gk", weights, values) / np.where(n > 0, n, 1.0)[:, None]
    scatter = np.empty((len(n), len(values), len(values)))
    for group, weight in enumerate(weights):
        away = values - mean[group][:, None]
        scatter[group] = np.einsum("ir,jr->ij", away * weight, away)
    return n, np.where(n[:, None] > 0, mean + middle, 0.0), scatter
