"""A plain numpy reference of many climbs of EM for one hidden Markov model."""

from __future__ import annotations

import numpy as np

from bayou._native.reference.temporal.hidden_chain import expect_chain
from bayou.typing import CodeArray, FloatArray, IntArray

FULL, DIAGONAL, SPHERICAL, SHARED, SHARED_DIAGONAL = range(5)
_LEAST_WEIGHT, _NO_DIRECTION = 1e-12, 1e-12


def climb_chains(
    parameters: FloatArray,
    states: int,
    starts: IntArray,
    weights: FloatArray | None,
    columns: list[CodeArray],
    cards: list[int],
    numbers: list[FloatArray],
    covariance: int,
    floors: FloatArray,
    pseudocounts: FloatArray,
    steps: int,
    tolerance: float,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Steps of EM for many hidden Markov models: (parameters, objective before the last step, steps made).

    A row of parameters has P(first state), P(state | state before), P(code | state) of each column, then of
    the numbers, which are regressions on those before them, means, slopes (lower triangle) and variances. The
    objective is -inf of a climb that was given up, NaN if no step was wanted.

    >>> row = np.array([[1.0, 1.0, 0.25, 0.75]])   # one state, a coin
    >>> tossed = [np.array([0, 1], np.uint8)]
    >>> starts, none = np.array([0, 2]), np.zeros(0)
    >>> found = climb_chains(row, 1, starts, None, tossed, [2], [], 0, none, np.zeros(4), 1, 0)
    >>> found[0].tolist(), found[1].round(4).tolist(), found[2].tolist()
    ([[1.0, 1.0, 0.5, 0.5]], [-1.674], [1])
    """
    moved, reached = parameters.copy(), np.full(len(parameters), np.nan)
    taken = np.zeros(len(parameters), np.int64)
    shapes = [(states,), (states, states), *((states, card) for card in cards)]
    for climb in range(len(parameters)):
        for _ in range(steps):
            tables, gaussian = _parts(moved[climb], shapes, states, len(numbers))
            looked_up = [np.vstack([table.T, np.ones(states)]) for table in tables[2:]]
            logs, first, moves, _, coded, _, moments = expect_chain(
                tables[0], tables[1], None, starts, columns, looked_up, None, weights,
                gaussian=(numbers, *_packed(*gaussian)) if numbers else None,
            )  # fmt: skip
            with np.errstate(divide="ignore"):
                prior = np.where(
                    pseudocounts > 0, pseudocounts * np.log(moved[climb, : len(pseudocounts)]), 0.0
                )
            value = float((logs if weights is None else weights * logs).sum() + prior.sum())
            ended = taken[climb] > 0 and value - reached[climb] < tolerance
            reached[climb] = value if np.isfinite(value) else -np.inf
            if ended or not np.isfinite(value):
                break
            counts = [first, moves, *(one[:-1].T for one in coded)]
            estimated = _estimated_tables(tables, counts, pseudocounts)
            better = _estimated_gaussians(gaussian, moments, covariance, floors) if numbers else gaussian
            moved[climb] = np.concatenate([part.ravel() for part in (*estimated, *better)])
            taken[climb] += 1
    return moved, reached, taken


_Gaussians = tuple[FloatArray, FloatArray, FloatArray]


def _parts(
    row: FloatArray, shapes: list[tuple[int, ...]], states: int, d: int
) -> tuple[list[FloatArray], _Gaussians]:
    """The tables, and the means, slopes and variances of the numbers."""
    wanted = [*shapes, (states, d), (states, d * (d - 1) // 2), (states, d)]
    ends = np.cumsum([int(np.prod(shape)) for shape in wanted])[:-1]
    parts = [part.reshape(shape) for part, shape in zip(np.split(row, ends), wanted, strict=True)]
    return parts[:-3], (parts[-3], parts[-2], parts[-1])


def _packed(means: FloatArray, slopes: FloatArray, variances: FloatArray) -> _Gaussians:
    """Means, whiteners (lower triangle by rows) and bases."""
    k, d = means.shape
    whole = np.tile(np.eye(d), (k, 1, 1))
    below = np.tril_indices(d, -1)
    whole[:, below[0], below[1]] = -slopes
    scaled = whole / np.sqrt(variances)[:, :, None]
    within = np.tril_indices(d)
    bases = -0.5 * (np.log(variances) + np.log(2 * np.pi)).sum(axis=1)
    return means, np.ascontiguousarray(scaled[:, within[0], within[1]]), bases


def _estimated_tables(
    tables: list[FloatArray], counts: list[FloatArray], pseudocounts: FloatArray
) -> list[FloatArray]:
    found, at = [], 0
    for table, counted in zip(tables, counts, strict=True):
        weighed = counted + pseudocounts[at : at + table.size].reshape(table.shape)
        total = weighed.sum(axis=-1, keepdims=True)
        found.append(np.where(total > 0, weighed / np.where(total > 0, total, 1.0), table))
        at += table.size
    return found


def _estimated_gaussians(
    present: _Gaussians, moments: _Gaussians, covariance: int, floors: FloatArray
) -> _Gaussians:
    means, slopes, variances = (part.copy() for part in present)
    n, averages, scatters = moments
    d = means.shape[1]
    linked = covariance in (FULL, SHARED)
    shared = covariance in (SHARED, SHARED_DIAGONAL)
    visited = n > _LEAST_WEIGHT
    for s in np.flatnonzero(visited):
        slope, left = _regressions(scatters.sum(axis=0) if shared else scatters[s], linked)
        first = 0
        for j in range(d):
            own = slice(first, first + j)
            scatter = scatters[s, j, j]
            if shared or n[s] >= (j if linked else 0) + 2 or left[j] > _NO_DIRECTION * scatter:
                means[s, j], slopes[s, own] = averages[s, j], slope[j, :j]
                variances[s, j] = max(left[j] / (n.sum() if shared else n[s]), floors[j])
            else:
                means[s, j] += slopes[s, own] @ (means[s, :j] - present[0][s, :j])
            first += j
    if shared:
        slopes[:], variances[:] = slopes[visited][0], variances[visited][0]
    if covariance == SPHERICAL:
        variances[visited] = variances[visited].mean(axis=1, keepdims=True)
    return means, slopes, variances


def _regressions(scatter: FloatArray, linked: bool) -> tuple[FloatArray, FloatArray]:
    """The slopes of each column on those before it, and what they leave of its scatter."""
    d = len(scatter)
    slopes, left = np.zeros((d, d)), np.zeros(d)
    for j in range(d):
        if linked and j:
            slopes[j, :j] = np.linalg.lstsq(scatter[:j, :j], scatter[:j, j], rcond=_NO_DIRECTION)[0]
        left[j] = scatter[j, j] - slopes[j, :j] @ scatter[:j, j]
        left[j] = left[j] if left[j] > 1e-14 * scatter[j, j] else 0.0
    return slopes, left
