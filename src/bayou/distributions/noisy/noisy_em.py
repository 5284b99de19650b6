"""EM for noisy nodes on complete rows: what each cause proposed is hidden, only the strongest is observed.

The child is y = max(z₀, z₁, …, zₙ) by strength: z₀ is the leak's proposal, zᵢ that of parent i in its state
xᵢ. With F_i(y) = P(zᵢ ≤ y | xᵢ), the likelihood of a row is P(y | x) = Π_i F_i(y) − Π_i F_i(y − 1), and

    P(zᵢ = z | x, y) = P(z | xᵢ) · [Π_(j≠i) F_j(y) − Π_(j≠i) F_j(y − 1)] / P(y | x)      for z < y,
    P(zᵢ = y | x, y) = P(y | xᵢ) · Π_(j≠i) F_j(y) / P(y | x).

These are the expected proposals of the E-step; the M-step normalises their sums plus pseudocounts. Steps are
extrapolated as in Varadhan and Roland (2008), Simple and globally convergent methods for accelerating the
convergence of any EM algorithm, Scandinavian Journal of Statistics 35.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.distributions.priors import Prior
from bayou.errors import BadData, warn_user
from bayou.special_functions import weighted_sum
from bayou.statistics import RowCounts
from bayou.typing import FloatArray, IntArray

MOST_STEPS = 3000
TOLERANCE = 1e-10
"""EM stops when a step gains less than this per record."""
_BLOCK = 1 << 19
_LEAST = 1e-300


@dataclass(frozen=True)
class _Task:
    """The data of one EM run; its parameters are a table: one line per state of each cause, then the leak.

    ``lines`` [cause, distinct row of data] is the line that applies, ``child`` the rank of the observed state
    by strength, ``weights`` the counts of the rows, ``pseudo`` the pseudocounts of the table. ``fixed`` lines
    always propose the weakest state.
    """

    lines: IntArray
    child: IntArray
    weights: FloatArray
    pseudo: FloatArray
    fixed: npt.NDArray[np.bool_]


def fit_causes(
    rows: RowCounts,
    prior: Prior,
    strength: Sequence[int],
    neutral: Sequence[int],
    trace: list[float] | None = None,
) -> tuple[list[FloatArray], FloatArray]:
    """Return the links and the leak, by the child's codes, with the largest posterior for these rows."""
    *parents, child = rows.axes
    if not rows.total > 0:
        raise BadData(f"There is no row to learn {child.name!r} from: each lacks a value in its family.")
    task = _task(rows, prior, strength, neutral)
    _warn_unseen(task, repr(child.name))
    table, gain = _climb(task, trace)
    if gain is not None:
        warn_user(
            f"EM for the noisy node {child.name!r} still gained {gain:.3g} after {MOST_STEPS} steps; its "
            "parameters are close to the best. A prior such as Laplace(1) makes it converge faster."
        )
    by_code = table[:, np.argsort(np.asarray(strength))]
    edges = np.cumsum([parent.cardinality for parent in parents], dtype=np.int64)
    *links, leak = np.split(by_code, edges)
    return links, leak[0]


def _task(rows: RowCounts, prior: Prior, strength: Sequence[int], neutral: Sequence[int]) -> _Task:
    *parents, child = rows.axes
    sizes = [*(parent.cardinality for parent in parents), 1]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    lines = np.concatenate([rows.codes[:, :-1], np.zeros((len(rows.codes), 1), dtype=np.int64)], axis=1)
    given = [prior.pseudocounts(child, [parent]) for parent in parents] + [prior.pseudocounts(child, [])]
    spread = [np.broadcast_to(p, (size, child.cardinality)) for p, size in zip(given, sizes, strict=True)]
    fixed = np.zeros(sum(sizes), dtype=bool)
    fixed[starts[:-1] + np.asarray(neutral, dtype=np.int64)] = True
    rank = np.argsort(np.asarray(strength))
    return _Task(
        np.ascontiguousarray((lines + starts).T),
        rank[rows.codes[:, -1]],
        rows.counts.astype(np.float64),
        np.concatenate(spread)[:, list(strength)],
        fixed,
    )


def _climb(task: _Task, trace: list[float] | None) -> tuple[FloatArray, float | None]:
    """EM with extrapolated steps, used only if they gain.

    Returns the table, and None or, if it did not converge, the gain of the last step.
    """
    seen: list[float] = [] if trace is None else trace
    enough = TOLERANCE * max(float(task.weights.sum()), 1.0)
    start = _normalised(task, np.ones_like(task.pseudo))
    expected, before = _expect(task, start)
    seen.append(before)
    for _ in range(MOST_STEPS // 3):
        first = _normalised(task, expected + task.pseudo)
        expected, value = _expect(task, first)
        seen.append(value)
        if value - before <= enough:
            return first, None
        second = _normalised(task, expected + task.pseudo)
        further = _extrapolated(task, start, first, second)
        expected, reached = _expect(task, further)
        if not reached >= value:
            further = second
            expected, reached = _expect(task, further)
        seen.append(reached)
        start, before, gain = further, reached, reached - value
    return start, gain


def _extrapolated(task: _Task, start: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """The squared extrapolation of two EM steps, kept positive."""
    step = first - start
    bend = second - first - step
    size = float(np.sqrt((bend * bend).sum()))
    length = max(1.0, float(np.sqrt((step * step).sum())) / size) if size > 0 else 1.0
    moved = start + 2 * length * step + length * length * bend
    return _normalised(task, np.maximum(moved, 0.01 * second))


def normalised_lines(counts: FloatArray) -> FloatArray:
    """Each line divided by its sum; one without counts becomes uniform.

    >>> normalised_lines(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    totals = counts.sum(axis=1, keepdims=True)
    result: FloatArray = np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / counts.shape[1])
    return result


def _normalised(task: _Task, counts: FloatArray) -> FloatArray:
    result = normalised_lines(counts)
    result[task.fixed] = 0.0
    result[task.fixed, 0] = 1.0
    return result


def _expect(task: _Task, table: FloatArray) -> tuple[FloatArray, float]:
    """The expected number of proposals of each state by each line, and log P(data) + log prior."""
    expected = np.zeros_like(table)
    used = (task.pseudo > 0) & ~task.fixed[:, None]
    total = float((task.pseudo[used] * np.log(np.maximum(table[used], _LEAST))).sum())
    block = max(1, _BLOCK // len(task.lines))
    for start in range(0, len(task.weights), block):
        part = slice(start, start + block)
        total += _expect_block(task.lines[:, part], task.child[part], task.weights[part], table, expected)
    return expected, total


def _expect_block(
    lines: IntArray, child: IntArray, weights: FloatArray, table: FloatArray, expected: FloatArray
) -> float:
    upto = np.concatenate([np.zeros((len(table), 1)), np.cumsum(table, axis=1)], axis=1)
    # P(proposal ≤ y) and P(proposal < y) for each cause (a row) and distinct row of data (a column).
    most, less = upto[lines, child + 1], upto[lines, child]
    others_most, others_less = _others(most), _others(less)
    seen = np.maximum(others_most[0] * most[0] - others_less[0] * less[0], _LEAST)
    scale = weights / seen
    weaker = np.maximum(others_most - others_less, 0.0) * scale
    equal = others_most * scale
    for z in range(table.shape[1]):
        share = np.where(child > z, weaker, np.where(child == z, equal, 0.0)) * table[lines, z]
        expected[:, z] += np.bincount(lines.ravel(), share.ravel(), minlength=len(table))
    return weighted_sum(weights, np.log(seen))


def _others(values: FloatArray) -> FloatArray:
    """For each row the product of all other rows, without division (a factor may be 0)."""
    result = np.ones_like(values)
    np.cumprod(values[:-1], axis=0, out=result[1:])
    result[:-1] *= np.cumprod(values[:0:-1], axis=0)[::-1]
    return result


def _warn_unseen(task: _Task, child: str) -> None:
    weights = np.broadcast_to(task.weights, task.lines.shape)
    seen = np.bincount(task.lines.ravel(), weights.ravel(), minlength=len(task.pseudo)) > 0
    unseen = ~seen & ~task.fixed & (task.pseudo.sum(axis=1) <= 0)
    if np.any(unseen):
        warn_user(
            f"{int(unseen.sum())} state(s) of the parents of {child} never occur and the prior adds nothing: "
            "their effect is taken as uniform. Use a prior such as Laplace(1) to smooth."
        )
