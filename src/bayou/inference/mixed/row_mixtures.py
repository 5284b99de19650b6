"""Posteriors of a real variable for many rows: rows with the same gaps are conditioned together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_cell
from bayou.inference.mixed.components import Component, components
from bayou.inference.mixed.gap_patterns import as_findings, by_pattern
from bayou.inference.mixed.gaussian_conditioning import block_length, conditioned
from bayou.inference.mixed.mixed_query import check_mixture
from bayou.inference.mixed.pattern_rows import pattern_posterior
from bayou.inference.question import Question, refuse_densities, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import BoolArray, ColumnArray, FloatArray, IntArray, Name

_MOST = 256
"""Mixtures of more Gaussians than this are not computed here; the caller gets ``TooManyGaussians``."""


@dataclass(frozen=True)
class RowMixtures:
    """One mixture per row of ``rows``, all with the same number of Gaussians: arrays (rows, Gaussians).

    Rows with impossible findings have NaN weights.
    """

    rows: npt.NDArray[np.intp]
    weights: FloatArray
    means: FloatArray
    variances: FloatArray

    @property
    def expected(self) -> FloatArray:
        """The mean of each mixture."""
        return np.asarray((self.weights * self.means).sum(axis=1))

    def taken(self, kept: BoolArray) -> RowMixtures:
        """The mixtures of the rows where ``kept`` is True."""
        return RowMixtures(self.rows[kept], self.weights[kept], self.means[kept], self.variances[kept])

    def merged(self) -> FloatArray:
        """The weights, those of equal Gaussians added to the first of them, as in :func:`mixtures.merged`.

        >>> at, equal = np.arange(1), np.array([[1.0, 0.0, 1.0]])
        >>> RowMixtures(at, np.array([[0.25, 0.5, 0.25]]), equal, equal).merged().tolist()
        [[0.5, 0.5, 0.0]]
        """
        if self.weights.shape[1] == 1:
            return self.weights
        result = np.zeros_like(self.weights)
        alive = ~(self.weights <= 0)
        every = np.arange(len(self.rows))
        for k in range(self.weights.shape[1]):
            same = self.means[:, : k + 1] == self.means[:, k : k + 1]
            same &= self.variances[:, : k + 1] == self.variances[:, k : k + 1]
            # A Gaussian of weight 0 is not part of the mixture: no weight may be added to it.
            result[every, (same & alive[:, : k + 1]).argmax(axis=1)] += self.weights[:, k]
        return result


@dataclass(frozen=True)
class TooManyGaussians:
    """Rows whose mixtures have too many Gaussians to be computed together; the caller asks one by one."""

    rows: npt.NDArray[np.intp]


def row_mixtures(
    network: FrozenNetwork, target: Name, columns: Mapping[Name, ColumnArray], rows: int
) -> Iterator[RowMixtures | TooManyGaussians]:
    """Yield P(target | findings of the row) for every row, in parts; the target's own cell is no finding."""
    refuse_densities(network, (target,))
    names = [name for name in columns if name != target]
    gaps = [is_missing_cell(columns[name]) for name in names]
    apart = np.stack(gaps, axis=-1) if gaps else np.zeros((rows, 0), dtype=bool)
    for pattern, members in by_pattern(apart):
        seen = [name for name, gap in zip(names, pattern, strict=True) if not gap]
        evidence = {name: as_findings(columns[name][members]) for name in seen}
        yield from _of_pattern(network, target, evidence, members)


def _of_pattern(
    network: FrozenNetwork,
    target: Name,
    evidence: Mapping[Name, ColumnArray],
    members: npt.NDArray[np.intp],
) -> Iterator[RowMixtures | TooManyGaussians]:
    """Yield the mixtures of rows in which exactly these variables are observed."""
    names = relevant(network, Question((target,), dict.fromkeys(evidence, 0)))
    network.require(names)
    parts, _ = components(network, names, evidence)
    (part,) = (part for part in parts if target in part.hidden)
    check_mixture(network, [part], part.border, (target,))
    if part.combinations > _MOST:
        yield TooManyGaussians(members)
        return
    answer = pattern_posterior(network, names, part.border, evidence, len(members))
    size = block_length(len(part.hidden), part.combinations)
    for start in range(0, len(members), size):
        block = slice(start, start + size)
        found = {name: column[block] for name, column in evidence.items()}
        means, variances = _moments(network, part, target, found, len(members[block]))
        yield RowMixtures(members[block], answer.table[block], means, variances)


def _moments(
    network: FrozenNetwork, part: Component, target: Name, evidence: Mapping[Name, ColumnArray], rows: int
) -> tuple[FloatArray, FloatArray]:
    """The target's mean and variance for each row and each combination of states on the border."""
    at = part.hidden.index(target)
    state = conditioned(network, part, _border(network, part.border), evidence, rows, part.combinations)
    roots = state.roots[:, :, [at], :]
    variances = (roots @ np.swapaxes(roots, -1, -2))[:, :, 0, 0]
    return state.means[:, :, at], np.broadcast_to(state.by_row(variances), (rows, part.combinations))


def _border(network: FrozenNetwork, border: Sequence[Name]) -> dict[Name, IntArray]:
    shape = [network.schema[name].cardinality for name in border]
    codes = np.unravel_index(np.arange(prod(shape)), shape) if shape else ()
    return dict(zip(border, codes, strict=True))
