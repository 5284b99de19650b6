"""Plain numpy references of hidden chains in logarithms, and of moments of groups that share rows."""

from __future__ import annotations

from collections.abc import Iterator
from math import fsum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bayou.typing import CodeArray, FloatArray, IntArray

Gaussian: TypeAlias = tuple[list[FloatArray], FloatArray, FloatArray, FloatArray]
"""Columns, means [state, column], whiteners U [state, lower triangle by rows], bases [state]: the log density
is base − ½ |U (x − mean)|².
"""


def filter_chain(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    states: bool = True,
    gaussian: Gaussian | None = None,
    threads: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(log-likelihood of each sequence, log P(row | rows before), P(state | rows so far)).

    >>> half = np.full((2, 2), 0.5)
    >>> found = filter_chain(half[0], half, None, np.array([0, 1]), [], [], np.log([[0.2, 0.6]]))
    >>> [part.round(4).tolist() for part in found]
    [[-0.9163], [-0.9163], [[0.25, 0.75]]]
    """
    emitted = _emission_logs(columns, tables, _dense(logs, gaussian), int(starts[-1]), len(start))
    likelihoods, steps = np.zeros(len(starts) - 1), np.zeros(len(emitted))
    filtered = np.zeros_like(emitted)
    for k, rows in _sequences(starts):
        forward = _forward(start, transition, emitted[rows])
        totals = _log_sum(forward)
        likelihoods[k] = _log_sum(forward[-1] + _log(end)) if end is not None else totals[-1]
        possible = totals > -np.inf
        with np.errstate(invalid="ignore"):
            steps[rows] = np.where(possible, np.diff(totals, prepend=0.0), -np.inf)
            filtered[rows] = np.where(possible[:, None], np.exp(forward - totals[:, None]), 0.0)
    return likelihoods, (steps if states else steps[:0]), (filtered if states else filtered[:0])


def expect_chain(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    weights: FloatArray | None,
    counts: bool = True,
    smoothed: bool = False,
    gaussian: Gaussian | None = None,
    threads: int = 0,
) -> tuple[
    FloatArray,
    FloatArray,
    FloatArray,
    FloatArray,
    list[FloatArray],
    FloatArray,
    tuple[FloatArray, FloatArray, FloatArray],
]:
    """(log-likelihoods, counts of first states, moves, last states and codes, smoothed states, moments)."""
    size = len(start)
    emitted = _emission_logs(columns, tables, _dense(logs, gaussian), int(starts[-1]), size)
    likelihoods, every = np.zeros(len(starts) - 1), np.zeros_like(emitted)
    first, moves, last = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    for k, rows in _sequences(starts):
        own = emitted[rows]
        forward = _forward(start, transition, own)
        final = _log(end) if end is not None else np.zeros(size)
        likelihoods[k] = _log_sum(forward[-1] + final)
        if likelihoods[k] == -np.inf:
            continue
        weight = 1.0 if weights is None else float(weights[k])
        backward = np.tile(final, (len(own), 1))
        for t in range(len(own) - 2, -1, -1):
            after = own[t + 1] + backward[t + 1]
            backward[t] = _log_sum(_log(transition) + after)
            together = forward[t][:, None] + _log(transition) + after
            moves += weight * np.exp(together - _log_sum(together.ravel()))  # exact however long
        both = forward + backward
        every[rows] = weight * np.exp(both - _log_sum(both)[:, None])
        first += every[rows][0]
        last += every[rows][-1]
    coded = []
    for column, table in zip(columns, tables, strict=True):
        counted = np.zeros_like(table)
        np.add.at(counted, np.minimum(column.astype(np.int64), len(table) - 1), every)
        coded.append(counted if counts else counted[:0])
    moments = (np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0, 0)))
    if gaussian is not None and counts:
        moments = shared_moments(np.column_stack(gaussian[0]), every, gaussian[1])
    if not counts:
        first, moves, last = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    return likelihoods, first, moves, last, coded, (every if smoothed else every[:0]), moments


def best_paths(
    start: FloatArray,
    transition: FloatArray,
    end: FloatArray | None,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    gaussian: Gaussian | None = None,
    threads: int = 0,
) -> tuple[npt.NDArray[np.uint32], FloatArray]:
    """(most probable states, their log probability for each sequence): Viterbi (1967)."""
    emitted = _emission_logs(columns, tables, _dense(logs, gaussian), int(starts[-1]), len(start))
    path, logs_of_paths = np.zeros(len(emitted), np.uint32), np.zeros(len(starts) - 1)
    for k, rows in _sequences(starts):
        own = emitted[rows]
        best = [_log(start) + own[0]]
        for t in range(1, len(own)):
            best.append(np.max(best[-1][:, None] + _log(transition), axis=0) + own[t])
        final = best[-1] + (_log(end) if end is not None else 0.0)
        logs_of_paths[k] = final.max()
        if logs_of_paths[k] == -np.inf:
            continue
        state = int(final.argmax())
        for t in range(len(own) - 1, -1, -1):
            if t < len(own) - 1:
                state = int(np.argmax(best[t] + _log(transition)[:, state]))
            path[rows.start + t] = state
    return path, logs_of_paths


def carry_message(
    message: FloatArray,
    transition: FloatArray,
    starts: IntArray,
    columns: list[CodeArray],
    tables: list[FloatArray],
    logs: FloatArray | None,
    backward: bool = False,
    best: bool = False,
    gaussian: Gaussian | None = None,
) -> tuple[FloatArray, float]:
    """(the log message of a block of rows of one sequence, divided by its largest entry; the log of that
    entry): at its last row or, backward, at its first.

    Forward: from log P(state of the first row | rows before it) to log P(state of the last row, the block).
    Backward: from log P(rows after the block | state of its last row) to log P(the block and those rows |
    state of its first row). With ``best`` sums over paths are maxima.
    """
    emitted = _emission_logs(columns, tables, _dense(logs, gaussian), int(starts[-1]), len(message))
    add = np.maximum if best else np.logaddexp
    moves, rows = (_log(transition).T, emitted[::-1]) if backward else (_log(transition), emitted)
    carried, scales = np.array(message, dtype=np.float64), [0.0]
    for step, row in enumerate(rows):
        if step:
            carried = add.reduce(carried[:, None] + moves, axis=0)
        carried = carried + row
        largest = float(carried.max())
        if largest == -np.inf:
            return carried, -np.inf
        carried = carried - largest
        scales.append(largest)
    return carried, fsum(scales)


def shared_moments(
    matrix: FloatArray, weights: FloatArray, centres: FloatArray, threads: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, mean, centred scatter) of each group; row i belongs to group g with weights[i, g].

    >>> found = shared_moments(np.array([[1.0], [3.0]]), np.ones((2, 1)), np.zeros((1, 1)))
    >>> [part.tolist() for part in found]
    [[2.0], [[2.0]], [[[2.0]]]]
    """
    n = weights.sum(axis=0)
    away = matrix[:, None, :] - centres
    shift = np.einsum("ng,ngd->gd", weights, away) / np.where(n > 0, n, 1.0)[:, None]
    away = away - shift
    return n, centres + shift, np.einsum("ng,nga,ngb->gab", weights, away, away)


def _sequences(starts: IntArray) -> Iterator[tuple[int, slice]]:
    """The sequences that have rows, with their numbers."""
    for k, (first, last) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        if last > first:
            yield k, slice(first, last)


def _dense(logs: FloatArray | None, gaussian: Gaussian | None) -> FloatArray | None:
    """The log densities of the Gaussian columns, added to the others."""
    if gaussian is None:
        return logs
    columns, means, packed, bases = gaussian
    d = len(columns)
    whiteners = np.zeros((len(means), d, d))
    whiteners[:, np.tril_indices(d)[0], np.tril_indices(d)[1]] = packed
    away = np.column_stack(columns)[:, None, :] - means
    found: FloatArray = bases - 0.5 * (np.einsum("gab,ngb->nga", whiteners, away) ** 2).sum(axis=2)
    return found if logs is None else logs + found


def _emission_logs(
    columns: list[CodeArray], tables: list[FloatArray], logs: FloatArray | None, rows: int, states: int
) -> FloatArray:
    total = np.zeros((rows, states)) if logs is None else logs.copy()
    for column, table in zip(columns, tables, strict=True):
        total += _log(table)[np.minimum(column.astype(np.int64), len(table) - 1)]
    return total


def _forward(start: FloatArray, transition: FloatArray, emitted: FloatArray) -> FloatArray:
    forward = np.empty_like(emitted)
    forward[0] = _log(start) + emitted[0]
    for t in range(1, len(emitted)):
        forward[t] = _log_sum((forward[t - 1][:, None] + _log(transition)).T) + emitted[t]
    return forward


def _log(values: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(values)
    return logs


def _log_sum(logs: FloatArray) -> FloatArray:
    """log Σ exp over the last axis; -inf where all are."""
    largest = logs.max(axis=-1)
    base = np.where(largest > -np.inf, largest, 0.0)
    with np.errstate(divide="ignore"):
        sums: FloatArray = base + np.log(np.exp(logs - base[..., None]).sum(axis=-1))
    return sums
