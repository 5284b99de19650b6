"""Rows whose missing states have few combinations: one row per combination, weighted by its posterior.

    P(s | row) = P(s, findings) / Σ_s' P(s', findings).

All states are known in an expanded row, so P(s, findings) is a product of table entries and one Gaussian
density of the observed numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou._native import sum_log_tables
from bayou.distributions import FamilyRows
from bayou.inference.exact.local_factors import local_probability
from bayou.inference.expectation.expected_sums import ExpectedSums, Groups, RealFamily, spread_by_group
from bayou.inference.expectation.gap_regression import FilledNumbers, fill
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import CodeArray, FloatArray, Name

_CHUNK_NUMBERS = 2**23
"""The approximate number of numbers in the working arrays of a chunk of rows: 64 MB."""


@dataclass(frozen=True)
class ExpandedRows:
    """Expanded rows: one for each combination of a row's missing states, those of a row next to each other.

    ``source`` is the original row of each expanded row, and ``starts`` the first expanded row of each
    original one. ``each`` is the number of expanded rows per original row, or 0 if it differs between rows.
    """

    source: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    each: int
    codes: dict[Name, CodeArray]

    def repeated(self, values: FloatArray) -> FloatArray:
        """Values of the original rows, repeated for each of their combinations."""
        if self.each == 1:
            return values
        result: FloatArray = np.repeat(values, self.each) if self.each else values[self.source]
        return result

    def shares(self, logs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The posterior of each combination, and the log density of each row (-inf: impossible).

        ``logs`` are log P(combination, findings).
        """
        if self.each == 1:
            return np.ones(len(logs)), logs
        largest = self._reduced(np.maximum, logs)
        safe = np.where(np.isfinite(largest), largest, 0.0)
        shares = np.exp(logs - self.repeated(safe))
        total = self._reduced(np.add, shares)
        with np.errstate(divide="ignore"):
            found = safe + np.log(total)
        shares /= self.repeated(np.where(total > 0, total, 1.0))
        return shares, found

    def _reduced(self, what: np.ufunc, values: FloatArray) -> FloatArray:
        """Apply np.add or np.maximum to the combinations of each row."""
        if self.each:
            return np.asarray(what.reduce(values.reshape(-1, self.each), axis=1))
        return np.asarray(what.reduceat(values, self.starts))


def combinations(network: FrozenNetwork, batch: Batch) -> FloatArray:
    """Return the number of combinations of the missing states of each row; inf where a float overflows."""
    count = np.ones(batch.rows)
    for name in network.dag.nodes:
        if not network.schema[name].is_continuous:
            gap = batch.missing(name)
            if gap.any():
                with np.errstate(over="ignore"):
                    count *= np.where(gap, float(network.schema[name].cardinality), 1.0)
    return count


def longest_chunk(families: Sequence[RealFamily], batch: Batch) -> int:
    """Return the most expanded rows in a chunk: fewer if numbers are missing, which needs matrices."""
    size = len(families)
    gappy = any(batch.missing(family.name).any() for family in families)
    numbers = 16 + len(batch.codes) + 3 * size + (3 * size**2 if gappy else 0)
    return max(1, _CHUNK_NUMBERS // numbers)


def row_slices(families: Sequence[RealFamily], batch: Batch, counts: FloatArray) -> Iterator[slice]:
    """Yield slices of rows whose expanded rows fit into a chunk; ``counts`` is their number per row."""
    most = longest_chunk(families, batch)
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield slice(start, stop)
        start = stop


def add_rows(
    network: FrozenNetwork,
    families: Sequence[RealFamily],
    sums: ExpectedSums,
    batch: Batch,
    counts: FloatArray,
) -> FloatArray:
    """Add the expected counts and moments of these rows to ``sums``; return the rows' log densities.

    If a row is impossible (-inf), no row is added.
    """
    expanded = _expanded(network, batch, counts.astype(np.intp))
    groups = _groups(sums, families, expanded.codes)
    values = np.empty((len(families), len(expanded.source)))
    for k, family in enumerate(families):
        values[k] = expanded.repeated(batch.numbers[family.name])
    filled = fill(families, values, groups)
    if sums.discrete:
        filled.logs += _log_tables(network, sums, expanded.codes)
    for name in sums.leaves:
        filled.logs += _leaf_logs(network, name, batch, expanded)
    shares, logs = expanded.shares(filled.logs)
    if not np.all(np.isfinite(logs)):
        return logs
    weighted = batch.weights is not None or expanded.each != 1
    weights = shares if batch.weights is None else shares * expanded.repeated(batch.weights)
    sums.count(expanded.codes, weights)
    for name in sums.leaves:
        sums.observe(name, expanded.codes, expanded.repeated(batch.numbers[name]), weights)
    if not np.isfinite(values).all():
        # The means of impossible combinations may be infinite; their weight is 0.
        values[:, weights == 0] = 0.0
    for k, family in enumerate(families):
        columns = [values[place] for place in family.places]
        spread = _spread(family, groups[k], filled, weights)
        sums.measure(family, columns, groups[k], weights if weighted else None, spread)
    sums.log_likelihood += float(logs.sum() if batch.weights is None else logs @ batch.weights)
    return logs


def _leaf_logs(network: FrozenNetwork, name: Name, batch: Batch, expanded: ExpandedRows) -> FloatArray:
    """The log densities of a leaf that is not Gaussian, for each combination of each row."""
    node, family = network.distribution(name), network.family(name)
    by_group = node.log_density_by_group(batch.numbers[name])
    codes = [expanded.codes[parent.name] for parent in family.parents]
    groups = FamilyRows(len(expanded.source), codes, np.zeros((0, 0))).groups(family.shape)
    logs: FloatArray = by_group[expanded.source, 0 if groups is None else groups.astype(np.intp)]
    return logs


def _expanded(network: FrozenNetwork, batch: Batch, counts: npt.NDArray[np.intp]) -> ExpandedRows:
    starts = np.cumsum(counts) - counts
    each = int(counts[0]) if np.all(counts == counts[0]) else 0
    rows = np.arange(batch.rows)
    source = rows if each == 1 else np.repeat(rows, counts)
    left = np.arange(len(source)) - starts[source]
    codes: dict[Name, CodeArray] = {}
    for name in network.dag.nodes:
        if network.schema[name].is_continuous:
            continue
        column, gap = batch.codes[name], batch.missing(name)
        codes[name] = column if each == 1 else column[source]
        if each != 1 and gap.any():
            card, hidden = network.schema[name].cardinality, gap[source]
            rest = left // card
            codes[name] = np.where(hidden, left - rest * card, codes[name]).astype(column.dtype)
            left = np.where(hidden, rest, left)
        elif gap.any():
            # With one combination per row, a missing variable has a single state.
            codes[name] = np.where(gap, 0, column).astype(column.dtype)
    return ExpandedRows(source, starts, each, codes)


def _groups(sums: ExpectedSums, families: Sequence[RealFamily], codes: dict[Name, CodeArray]) -> list[Groups]:
    """The group of each row for each family; families with the same discrete parents share an array."""
    by_parents: dict[tuple[Name, ...], Groups] = {}
    for family in families:
        if family.discrete not in by_parents:
            by_parents[family.discrete] = sums.groups(family, codes)
    return [by_parents[family.discrete] for family in families]


def _log_tables(network: FrozenNetwork, sums: ExpectedSums, codes: dict[Name, CodeArray]) -> FloatArray:
    """log P(states) of each row; no full table is made of a noisy node."""
    tabled = [
        (name, scope)
        for name, scope in zip(sums.discrete, sums.scopes, strict=True)
        if network.finite(name).is_tabled
    ]
    columns = [codes[name] for name in sums.discrete]
    total = np.zeros(len(columns[0]))
    with np.errstate(divide="ignore"):
        tables = [np.log(network.table(name)) for name, _ in tabled]
        if tabled:
            total += sum_log_tables(columns, sums.cards, [scope for _, scope in tabled], tables)
        for name in set(sums.discrete).difference(name for name, _ in tabled):
            total += np.log(local_probability(network, name, codes))
    return total


def _spread(
    family: RealFamily, groups: Groups, filled: FilledNumbers, weights: FloatArray
) -> FloatArray | None:
    """The weighted covariances of a family's missing numbers, summed by group; None if none is missing."""
    places = np.array(family.places)
    covariances = filled.covariances[:, places[:, None], places[None, :]]
    touched = np.flatnonzero(covariances.any(axis=(1, 2)))
    if not len(touched):
        return None
    total = np.bincount(filled.which, weights[filled.rows], len(filled.first))[touched]
    first = None if groups is None else groups[filled.first[touched]]
    return spread_by_group(covariances[touched] * total[:, None, None], first, family.groups)
