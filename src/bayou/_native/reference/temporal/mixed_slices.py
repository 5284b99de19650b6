"""Plain numpy references of slices with numbers and known states: covariances as they stand in textbooks,
without roots.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou.typing import FloatArray, IntArray

Codes: TypeAlias = npt.NDArray[np.uint32]
Marks: TypeAlias = npt.NDArray[np.uint8]
Lines: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
_LEAST_SHARE = 1e-26
"""A variance that is a smaller share of what it was subtracted from is rounding."""


class MixedSlices:
    """Slices of a dynamic network with numbers, with their parameters."""

    def __init__(
        self,
        variables: int,
        places: int,
        states: Sequence[int],
        cells: int,
        lines: Sequence[Lines],
        tables: Sequence[FloatArray],
        slices: Sequence[tuple[IntArray, ...]],
    ) -> None:
        self.variables, self.places, self.states, self.cells = variables, places, list(states), cells
        self.lines, self.tables, self.slices = list(lines), list(tables), list(slices)

    def group(self, parts: IntArray, owner: int, old: IntArray, new: IntArray) -> int:
        """The group that the states of cells choose."""
        own = parts[parts[:, 0] == owner]
        return int(sum(stride * (old if before else new)[cell] for _, before, cell, stride in own))

    def next_cells(self, kind: int, old: IntArray, codes: Codes | IntArray) -> IntArray:
        """The states of the cells after a row with these codes."""
        new = np.zeros(self.cells, dtype=np.int64)
        _, copies, nodes, *_ = self.slices[kind]
        for to, from_ in copies:
            new[to] = old[from_]
        for cell, _ in nodes:
            new[cell] = codes[cell]
        return new

    def log_of_states(self, kind: int, old: IntArray, new: IntArray, are_set: Marks) -> float:
        """log P(states that were not set | those before)."""
        _, _, nodes, parents, *_ = self.slices[kind]
        log = 0.0
        for k, (cell, table) in enumerate(nodes):
            if not are_set[cell]:
                share = self.tables[table][self.group(parents, k, old, new), new[cell]]
                log += float(np.log(share)) if share > 0 else -np.inf
        return log

    def system(
        self, kind: int, old: IntArray, new: IntArray, values: FloatArray, are_set: Marks
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(matrix, constant, covariance of the noise) of the new places given the old ones."""
        copies, _, _, _, lines, parents, groups = self.slices[kind]
        matrix, constant = np.zeros((self.places, self.places)), np.zeros(self.places)
        noise = np.zeros((self.places, len(lines)))
        for to, from_ in copies:
            matrix[to, from_] = 1.0
        for k, (place, block) in enumerate(lines):
            if are_set[place]:
                constant[place] = values[place]
                continue
            intercept, slopes, variance = self.lines[block]
            group = self.group(groups, k, old, new)
            constant[place] = intercept[group]
            noise[place, k] = np.sqrt(variance[group])
            for slope, (_, before, at) in zip(slopes[group], parents[parents[:, 0] == k], strict=True):
                if before:
                    matrix[place, at] += slope
                else:
                    matrix[place] += slope * matrix[at]
                    constant[place] += slope * constant[at]
                    noise[place] += slope * noise[at]
        return matrix, constant, noise @ noise.T

    def seen(self, kind: int, values: FloatArray, are_set: Marks) -> list[int]:
        """The places whose values are observed."""
        return [p for p, _ in self.slices[kind][4] if not are_set[p] and not np.isnan(values[p])]


def observed(
    mean: FloatArray, covariance: FloatArray, seen: list[int], values: FloatArray
) -> tuple[float, FloatArray, FloatArray] | None:
    """(log density, mean, covariance) given some places; None if they have no density."""
    log = 0.0
    for place in seen:
        before, spread = covariance.copy(), covariance[place, place]
        if not spread > _LEAST_SHARE * max(float(np.abs(before).max()), 1e-300):
            return None
        apart = values[place] - mean[place]
        log -= 0.5 * float(np.log(2 * np.pi * spread) + apart**2 / spread)
        gain = covariance[:, place] / spread
        mean = mean + gain * apart
        covariance = covariance - np.outer(gain, covariance[place])
        covariance[place], covariance[:, place], mean[place] = 0.0, 0.0, values[place]
    return log, mean, (covariance + covariance.T) / 2


def _filtered(
    model: MixedSlices,
    starts: IntArray,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
) -> tuple[FloatArray, list[Any], int]:
    """(log of each row, (mean, covariance, matrix, predicted mean and covariance, old and new cells) of each
    row, first bad row).
    """
    steps, found, failed = np.zeros(int(starts[-1])), [], -1
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        mean, covariance = np.zeros(model.places), np.zeros((model.places, model.places))
        old = np.zeros(model.cells, dtype=np.int64)
        for row in range(first, last):
            kind = int(slices[row])
            new = model.next_cells(kind, old, codes[row])
            matrix, constant, noise = model.system(kind, old, new, values[row], are_set[row])
            predicted, spread = matrix @ mean + constant, matrix @ covariance @ matrix.T + noise
            seen = model.seen(kind, values[row], are_set[row])
            update = observed(predicted.copy(), spread.copy(), seen, values[row])
            if update is None:
                failed = row if failed < 0 else failed
                update = (0.0, predicted, spread)
            log, mean, covariance = update
            steps[row] = log + model.log_of_states(kind, old, new, codes_are_set[row])
            found.append((mean, covariance, matrix, predicted, spread, old, new))
            old = new
    return steps, found, failed


def filter_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    numbers: bool = True,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]:
    """(log-likelihoods, log density of each row given those before, means, covariances, first bad row)."""
    steps, found, failed = _filtered(model, starts, slices, values, are_set, codes, codes_are_set)
    m = model.variables
    kept = found if numbers else []
    means = np.array([one[0][:m] for one in kept]).reshape(len(kept), m)
    covariances = np.array([one[1][:m, :m] for one in kept]).reshape(len(kept), m, m)
    return _sums(steps, starts), steps, means, covariances, failed


def smooth_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray, int]:
    """(log-likelihoods, means and covariances given all rows, first bad row or -1)."""
    steps, found, failed = _filtered(model, starts, slices, values, are_set, codes, codes_are_set)
    m, rows = model.variables, int(starts[-1])
    means, covariances = np.zeros((rows, m)), np.zeros((rows, m, m))
    for row, mean, covariance, _ in _backwards(found, starts):
        means[row], covariances[row] = mean[:m], covariance[:m, :m]
    return _sums(steps, starts), means, covariances, failed


def expect_mixed(
    model: MixedSlices,
    starts: IntArray,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    weights: FloatArray | None,
    threads: int = 0,
) -> tuple[FloatArray, list[Lines], int]:
    """(log-likelihoods, sums of parents and child of each block of lines, first bad row or -1)."""
    steps, found, failed = _filtered(model, starts, slices, values, are_set, codes, codes_are_set)
    sums = [
        (np.zeros(len(b)), np.zeros((len(b), k + 1)), np.zeros((len(b), k + 1, k + 1)))
        for (b, slopes, _), k in ((line, line[1].shape[1]) for line in model.lines)
    ]
    n, later = model.places, {}
    for row, mean, covariance, cross in _backwards(found, starts):
        later[row] = (mean, covariance, cross)
    for k, (first, last) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        weight = 1.0 if weights is None else float(weights[k])
        for row in range(first, last):
            mean, covariance, _ = later[row]
            before = later.get(row - 1) if row > first else None
            both = np.concatenate([np.zeros(n) if before is None else before[0], mean])
            spread = np.zeros((2 * n, 2 * n))
            spread[n:, n:] = covariance
            if before is not None:
                spread[:n, :n], spread[n:, :n], spread[:n, n:] = before[1], before[2], before[2].T
            _, _, _, _, lines, parents, groups = model.slices[int(slices[row])]
            for i, (place, block) in enumerate(lines):
                if are_set[row, place]:
                    continue
                own = [at + (0 if old else n) for _, old, at in parents[parents[:, 0] == i]] + [place + n]
                group = model.group(groups, i, found[row][5], found[row][6])
                sums[block][0][group] += weight
                sums[block][1][group] += weight * both[own]
                square = np.outer(both[own], both[own]) + spread[np.ix_(own, own)]
                sums[block][2][group] += weight * square
    return _sums(steps, starts), sums, failed


def _backwards(
    found: list[Any], starts: IntArray
) -> Iterator[tuple[int, FloatArray, FloatArray, FloatArray]]:
    """(row, smoothed mean and covariance, Cov(next places, places)) of each row, the last one first."""
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        mean = covariance = cross = np.zeros(0)
        for row in range(last - 1, first - 1, -1):
            own, spread = found[row][:2]
            if row == last - 1:
                mean, covariance = own, spread
            else:
                _, _, matrix, predicted, wide = found[row + 1][:5]
                gain = np.linalg.lstsq(wide, matrix @ spread, rcond=1e-12)[0].T
                cross = covariance @ gain.T
                mean = own + gain @ (mean - predicted)
                covariance = spread + gain @ (covariance - wide) @ gain.T
            yield row, mean, covariance, cross


def _sums(steps: FloatArray, starts: IntArray) -> FloatArray:
    return np.array([steps[first:last].sum() for first, last in itertools.pairwise(starts.tolist())])
