"""The E-step of EM with continuous variables: expected counts and moments of rows with gaps.

With weights w_r, hidden states s and hidden numbers of row r, a discrete family expects the counts

    n(cell) = Σ_r w_r · P(cell | row r),

and a continuous variable with its continuous parents, together the vector y, expects for each combination g
of its discrete parents' states

    n(g) = Σ_r w_r P(g | r),   mean(g) = Σ_r Σ_s∈g w_r P(s | r) m(r,s) / n(g),
    scatter(g) = Σ_r Σ_s∈g w_r P(s | r) [ V(r,s) + (m(r,s) − mean(g)) (m(r,s) − mean(g))ᵀ ],

with m(r,s) and V(r,s) the mean and the covariance of y given the row and the states (observed numbers: V =
0). Lauritzen (1995), The EM algorithm for graphical association models with missing data, Computational
Statistics and Data Analysis 19; Little and Rubin, Statistical Analysis with Missing Data, chapter 11.

Three modules compute the same sums. :mod:`bayou.inference.expectation.latent_rows` takes rows whose missing
states are missing in every row, as in a mixture. :mod:`bayou.inference.expectation.expanded_rows` takes rows
whose missing states have few combinations: each becomes one row per combination.
:mod:`bayou.inference.expectation.wide_rows` takes the others, and all rows of networks with a variance of 0,
one pattern of gaps at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from bayou.errors import ImpossibleEvidence
from bayou.inference.expectation.expanded_rows import add_rows, combinations, longest_chunk, row_slices
from bayou.inference.expectation.expected_counts import impossible_remedy
from bayou.inference.expectation.expected_statistics import Expectation, expectation_of
from bayou.inference.expectation.expected_sums import ExpectedSums, RealFamily, real_families
from bayou.inference.expectation.latent_rows import add_latent_rows, have_latent_form, unconnected_numbers
from bayou.inference.expectation.wide_rows import add_wide_rows
from bayou.inference.mixed.gap_patterns import by_pattern
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import BoolArray, ColumnArray, FloatArray, Name

_SHOWN = 12
"""The most cells of a row listed in a message."""
_FEW_COMBINATIONS = 64
"""A row whose missing states have at most this many combinations is always expanded."""
_PATTERN_WORK, _ROW_WORK = 2000, 4
"""The number of combinations that are expanded in the time that elimination takes for each variable of a
pattern of gaps, and for each variable of one more row with that pattern (measured)."""
_LATENT_NUMBERS = 2**20
"""The most rows × combinations of hidden states processed at once: some arrays of 8 MB."""


def expected_moments(network: FrozenNetwork, batch: Batch) -> Expectation:
    """Return the exact expected counts and moments of rows with gaps.

    Raises ImpossibleEvidence for a row that cannot occur under the network (rows count from 0).

    >>> import bayou
    >>> from bayou.statistics import CountTable, Moments
    >>> net = bayou.Network("Art -> x", states={"Art": ["a", "b"]}, continuous=["x"])
    >>> net = net.set_cpt("Art", [0.5, 0.5]).set_gaussian("x", {"a": (-1, 1), "b": (1, 1)})
    >>> batch = Batch(2, {"Art": np.array([255, 0], np.uint8)}, {"x": np.array([0.0, np.nan])})
    >>> found = expected_moments(net.frozen, batch).statistics
    >>> found[CountTable(("Art",))].values.tolist(), found[Moments(("x",), ("Art",))].n.tolist()
    ([1.5, 0.5], [1.5, 0.5])
    """
    network.require(network.dag.nodes)
    families = real_families(network)
    sums = ExpectedSums(network, families)
    rows: npt.NDArray[np.intp] = np.arange(batch.rows)
    if batch.weights is not None and not np.all(batch.weights > 0):
        rows = np.flatnonzero(batch.weights > 0)
    step = _Step(network, families, sums, batch)
    left, counts = step.add_latent(rows), combinations(network, _taken(network, batch, rows))
    wide = left & step.wide(rows, counts)
    step.add_narrow(rows[left & ~wide], counts[left & ~wide])
    if wide.any():
        part = _taken(network, batch, rows[wide])
        _check(network, batch, rows[wide], add_wide_rows(network, families, sums, part))
    return expectation_of(network, sums.log_likelihood, sums.answers(), batch.total)


@dataclass(frozen=True)
class _Step:
    """The rows and the sums of one call."""

    network: FrozenNetwork
    families: Sequence[RealFamily]
    sums: ExpectedSums
    batch: Batch

    def add_latent(self, rows: npt.NDArray[np.intp]) -> BoolArray:
        """Add the rows whose missing states are missing in every row; return a mask of the rows not added."""
        left = np.ones(len(rows), dtype=bool)
        chosen = _taken(self.network, self.batch, rows)
        gaps = {name: chosen.missing(name) for name in self.network.dag.nodes}
        hidden = [name for name in chosen.codes if gaps[name].all()]
        size = prod(self.network.schema[name].cardinality for name in hidden)
        simple = not self.fixed and not self.sums.leaves and have_latent_form(self.families, hidden)
        if not simple or self._too_many(float(size), len(rows)):
            return left
        left[:] = False
        free = {*hidden, *unconnected_numbers(self.families)}
        for name, gap in gaps.items():
            if name not in free:
                left |= gap
        mine = rows[~left]
        step = max(1, _LATENT_NUMBERS // size)
        for start in range(0, len(mine), step):
            stretch = mine[start : start + step]
            taken = _taken(self.network, self.batch, stretch)
            logs = add_latent_rows(self.network, self.families, self.sums, taken, hidden)
            _check(self.network, self.batch, stretch, logs)
        return left

    @property
    def fixed(self) -> bool:
        """Whether some continuous variable has variance 0: it is a function of its parents."""
        return any((family.deviation == 0).any() for family in self.families)

    def wide(self, rows: npt.NDArray[np.intp], counts: FloatArray) -> BoolArray:
        """A mask of the rows with too many combinations of missing states to be expanded.

        Elimination, the alternative, costs much for each pattern of gaps, but little for each row with it.
        """
        if self.fixed:
            return np.ones(len(rows), dtype=bool)
        wide = np.zeros(len(rows), dtype=bool)
        many = np.flatnonzero(counts > _FEW_COMBINATIONS)
        if len(many):
            part = _taken(self.network, self.batch, rows[many])
            gaps = np.stack([part.missing(name) for name in self.network.dag.nodes], axis=-1)
            for _, members in by_pattern(gaps):
                wide[many[members]] = self._too_many(float(counts[many[members[0]]]), len(members))
        return wide

    def _too_many(self, combinations: float, rows: int) -> bool:
        if combinations <= _FEW_COMBINATIONS:
            return False
        work = len(self.network.dag.nodes) * (_PATTERN_WORK + _ROW_WORK * rows)
        return combinations * rows > work or combinations > longest_chunk(self.families, self.batch)

    def add_narrow(self, rows: npt.NDArray[np.intp], counts: FloatArray) -> None:
        """Add rows by expanding the combinations of their missing states."""
        chosen = _taken(self.network, self.batch, rows)
        for stretch in row_slices(self.families, chosen, counts):
            part = _taken(self.network, chosen, np.arange(stretch.start, stretch.stop))
            logs = add_rows(self.network, self.families, self.sums, part, counts[stretch])
            _check(self.network, self.batch, rows[stretch], logs)


def _taken(network: FrozenNetwork, batch: Batch, rows: npt.NDArray[np.intp]) -> Batch:
    """Some rows, with only the variables of the network, as contiguous columns (the kernels need these)."""
    whole = len(rows) == batch.rows

    def taken(column: ColumnArray) -> ColumnArray:
        return np.ascontiguousarray(column) if whole else column[rows]

    return Batch(
        len(rows),
        {name: taken(batch.codes[name]) for name in network.dag.nodes if name in batch.codes},
        {name: taken(batch.numbers[name]) for name in network.dag.nodes if name in batch.numbers},
        None if batch.weights is None else taken(batch.weights),
    )


def _check(network: FrozenNetwork, batch: Batch, rows: npt.NDArray[np.intp], logs: FloatArray) -> None:
    """Raise ImpossibleEvidence for the first row with log density -inf, naming its observed cells."""
    bad = np.flatnonzero(~np.isfinite(logs))
    if not len(bad):
        return
    row = int(rows[bad[0]])
    cells = [f"{name} = {_value(network, batch, name, row)!r}" for name in network.dag.nodes]
    seen = [cell for cell, name in zip(cells, network.dag.nodes, strict=True) if not batch.missing(name)[row]]
    raise ImpossibleEvidence(
        f"Row {batch.number(row)} (counting from 0) cannot occur under this network (its probability is 0): "
        f"{', '.join(seen[:_SHOWN])}{' …' if len(seen) > _SHOWN else ''}. {impossible_remedy(network)}"
    )


def _value(network: FrozenNetwork, batch: Batch, name: Name, row: int) -> object:
    if name in batch.numbers:
        return batch.numbers[name][row : row + 1].tolist()[0]
    states, code = network.schema[name].states, int(batch.codes[name][row])
    return states[code] if code < len(states) else None
