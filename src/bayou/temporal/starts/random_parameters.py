"""Random parameters from which climbs of EM start, many at once; the rows say what is plausible.

States look like random windows of consecutive rows (a state often lasts for some steps), like groups found
by k-means, like single rows with the spread of all rows, or share each symbol out by chance. Moves are
sticky, even, or lead to few states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou.temporal.chain_structure import SHARED, SHARED_DIAGONAL, SPHERICAL
from bayou.temporal.starts.many_climbs import ManyClimbs
from bayou.typing import FloatArray, IntArray

_SAMPLE = 1_000
"""The rows that are grouped by k-means."""
_ROUNDS = 6
_WIDTHS = np.array([4, 8, 16, 32, 64])
_STICKIEST, _FEW_FOLLOW = 0.95, 0.3
_JITTER = 1e-6
_WINDOWS, _GROUPS, _POINTS = range(3)
"""Kinds of starts: what states emit is that of windows of rows, of groups by k-means, or of single rows."""


@dataclass(frozen=True, eq=False)
class RandomParameters:
    """Draws rows of parameters for climbs."""

    climbs: ManyClimbs
    chance: np.random.Generator

    def draw(self, count: int) -> FloatArray:
        """So many rows of parameters; kinds of starts take turns."""
        k = self.climbs.states
        kind = np.arange(count) % 3
        windows = self._windows(count)
        start = self.chance.dirichlet(np.ones(k), count)
        tables = [
            np.where(
                kind[:, None, None] == _WINDOWS, self._of_windows(at, windows), self._shared_out(at, count)
            )
            for at in range(len(self.climbs.coded))
        ]
        return self.climbs.rows_of([start, self._moves(count), *tables, *self._gaussians(kind, windows)])

    def _moves(self, count: int) -> FloatArray:
        """P(state | state before): sticky, even, or with few states that can follow, in turns."""
        k = self.climbs.states
        kind = (np.arange(count) // 3 % 3)[:, None, None]
        stays = self.chance.uniform(0.0, _STICKIEST, (count, 1, 1))
        even = self.chance.dirichlet(np.ones(k), (count, k))
        few = self.chance.dirichlet(np.full(k, _FEW_FOLLOW), (count, k))
        return np.where(
            kind == 0,
            even * (1 - stays) + stays * np.eye(k),
            np.where(kind == 1, even, few * 0.95 + 0.05 / k),
        )

    def _windows(self, count: int) -> IntArray:
        """The rows of a random window for each state, [climb, state, row]; short ones repeat their rows."""
        rows, k = self.climbs.rows.rows, self.climbs.states
        widths = self.chance.choice(_WIDTHS, (count, 1, 1))
        widths = np.maximum(np.minimum(widths, rows // k), 1)
        first = (self.chance.random((count, k, 1)) * (rows - widths + 1)).astype(np.int64)
        found: IntArray = first + np.arange(_WIDTHS.max()) % widths
        return found

    def _frequencies(self, column: int) -> FloatArray:
        codes = self.climbs.rows.batch.codes[self.climbs.coded[column]].astype(np.int64)
        counts = np.bincount(codes[codes < self.climbs.cards[column]], minlength=self.climbs.cards[column])
        shares: FloatArray = (counts + 0.5) / (counts + 0.5).sum()
        return shares

    def _of_windows(self, column: int, windows: IntArray) -> FloatArray:
        """The symbols of a window, and a few of all rows."""
        count, k, width = windows.shape
        card = self.climbs.cards[column]
        codes = self.climbs.rows.batch.codes[self.climbs.coded[column]].astype(np.int64)
        codes = np.minimum(codes[windows], card)
        cell = np.arange(count * k)[:, None] * (card + 1) + codes.reshape(count * k, width)
        counts = np.bincount(cell.ravel(), minlength=count * k * (card + 1)).reshape(count, k, card + 1)
        weighed = counts[..., :card] + 0.2 * width * self._frequencies(column)
        return np.asarray(weighed / weighed.sum(axis=-1, keepdims=True))

    def _shared_out(self, column: int, count: int) -> FloatArray:
        """Every symbol is shared out to the states by chance."""
        card = self.climbs.cards[column]
        shares = self.chance.gamma(1.0, size=(count, self.climbs.states, card)) + 1e-6
        weighed = shares / shares.sum(axis=1, keepdims=True) * self._frequencies(column)
        return np.asarray(weighed / weighed.sum(axis=-1, keepdims=True))

    @cached_property
    def _whole(self) -> tuple[FloatArray, FloatArray]:
        """A sample of the rows in standard units, and the covariance of all rows in these units."""
        scaled = self.climbs.scaled
        rows = self.chance.choice(len(scaled), min(_SAMPLE, len(scaled)), replace=False)
        return scaled[rows], scaled.T @ scaled / len(scaled)

    def _gaussians(self, kind: IntArray, windows: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means, slopes and variances of each climb and state."""
        count, k, d = len(kind), self.climbs.states, len(self.climbs.numbers)
        if not d:
            return np.zeros((count, k, 0)), np.zeros((count, k, 0)), np.zeros((count, k, 0))
        sample, whole = self._whole
        means, covariances = np.empty((count, k, d)), np.empty((count, k, d, d))
        seen = self.climbs.scaled[windows[kind == _WINDOWS]]
        means[kind == _WINDOWS], covariances[kind == _WINDOWS] = seen.mean(axis=2), _shrunk(seen, whole)
        centres = _seeds(sample, k, int((kind != _WINDOWS).sum()), self.chance)
        moved, groups = _lloyd(sample, centres, _ROUNDS)
        wide = kind[kind != _WINDOWS] == _POINTS
        means[kind != _WINDOWS] = np.where(wide[:, None, None], centres, moved)
        within = _within(sample, groups, moved, whole)
        covariances[kind != _WINDOWS] = np.where(wide[:, None, None, None], whole, within)
        slopes, variances = self._regressions(covariances)
        return self._in_units(means, slopes, variances)

    def _in_units(
        self, means: FloatArray, slopes: FloatArray, variances: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same parameters in the units of the columns."""
        centre, spread = self.climbs.units
        of, on = np.tril_indices(len(spread), -1)
        floors = np.maximum(self.climbs.floors, 1e-300)
        return (
            means * spread + centre,
            slopes * spread[of] / spread[on],
            np.maximum(variances * spread**2, floors),
        )

    def _regressions(self, covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slopes and variances of covariances [climb, state, column, column], in the form of the model."""
        shape, d = self.climbs.problem.chain.covariance, covariances.shape[-1]
        if shape in (SHARED, SHARED_DIAGONAL):
            covariances = np.broadcast_to(covariances.mean(axis=1, keepdims=True), covariances.shape)
        variances = np.einsum("...ii->...i", covariances)
        slopes = np.zeros((*variances.shape[:-1], d * (d - 1) // 2))
        if self.climbs.linked:
            root = np.linalg.cholesky(covariances + _JITTER * np.eye(d))
            own = np.einsum("...ii->...i", root)
            inverse = np.linalg.inv(root / own[..., None, :])
            below = np.tril_indices(d, -1)
            slopes, variances = -inverse[..., below[0], below[1]], own**2
        if shape == SPHERICAL:
            variances = np.broadcast_to(variances.mean(axis=-1, keepdims=True), variances.shape)
        return slopes, variances


def _shrunk(seen: FloatArray, whole: FloatArray) -> FloatArray:
    """The covariance of the rows of each window [..., row, column], with some of that of all rows."""
    away = seen - seen.mean(axis=-2, keepdims=True)
    found: FloatArray = 0.7 * np.einsum("...ri,...rj->...ij", away, away) / seen.shape[-2] + 0.3 * whole
    return found


def _within(points: FloatArray, groups: IntArray, centres: FloatArray, whole: FloatArray) -> FloatArray:
    """The covariance of the points of each group, [climb, state, column, column], and some of that of all."""
    count, k, d = centres.shape
    cell = (np.arange(count)[:, None] * k + groups).ravel()
    n = np.bincount(cell, minlength=count * k).reshape(count, k)
    found = np.empty((count, k, d, d))
    away = points - centres[np.arange(count)[:, None], groups]
    for i in range(d):
        for j in range(d):
            product = (away[..., i] * away[..., j]).ravel()
            found[..., i, j] = np.bincount(cell, product, minlength=count * k).reshape(count, k)
    weight = d + 2.0
    return np.asarray((found + 0.1 * weight * whole) / (n + weight)[..., None, None])


def _seeds(points: FloatArray, groups: int, count: int, chance: np.random.Generator) -> FloatArray:
    """Rows far from each other, [climb, group, column]: k-means++ (Arthur and Vassilvitskii 2007)."""
    chosen = points[chance.integers(len(points), size=count)]
    found = [chosen]
    near = np.full((count, len(points)), np.inf)
    for _ in range(groups - 1):
        near = np.minimum(near, ((points - chosen[:, None]) ** 2).sum(axis=2))
        total = np.cumsum(near, axis=1)
        place = (total < chance.random((count, 1)) * total[:, -1:]).sum(axis=1)
        chosen = points[np.minimum(place, len(points) - 1)]
        found.append(chosen)
    return np.stack(found, axis=1)


def _lloyd(points: FloatArray, centres: FloatArray, rounds: int) -> tuple[FloatArray, IntArray]:
    """A few rounds of Lloyd's algorithm for many sets of centres: (centres, groups of the points)."""
    count, k, d = centres.shape
    for _ in range(rounds):
        away = (centres**2).sum(axis=2)[:, None] - 2 * np.einsum("nd,ckd->cnk", points, centres)
        groups = away.argmin(axis=2)
        cell = (np.arange(count)[:, None] * k + groups).ravel()
        n = np.bincount(cell, minlength=count * k)
        sums = [np.bincount(cell, np.tile(points[:, j], count), minlength=count * k) for j in range(d)]
        averages = np.stack(sums, axis=1) / np.maximum(n, 1)[:, None]
        centres = np.where((n > 0)[:, None], averages, centres.reshape(-1, d)).reshape(count, k, d)
    return centres, groups
