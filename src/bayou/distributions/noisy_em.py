"""EM for independent causes: which state each cause proposed is hidden, only the strongest is seen."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.distributions.priors import Prior
from bayou.errors import BadData, BayouWarning
from bayou.statistics import RowCounts
from bayou.typing import FloatArray, IntArray

MOST_STEPS = 2000
TOLERANCE = 1e-10
"""EM stops where a step gains less than this per record."""
_BLOCK = 1 << 15
_LEAST = 1e-300


@dataclass(frozen=True)
class _Task:
    """Distinct rows with the child by strength, pseudocounts by strength, and what is fixed."""

    parents: IntArray
    child: IntArray
    weights: FloatArray
    pseudo: tuple[FloatArray, ...]
    neutral: tuple[int, ...]


def fit_causes(
    rows: RowCounts,
    prior: Prior,
    strength: Sequence[int],
    neutral: tuple[int, ...],
    trace: list[float] | None = None,
) -> tuple[list[FloatArray], FloatArray]:
    """Links and leak, axes by the child's codes, that make the distinct rows most probable."""
    *parents, child = rows.axes
    if not rows.total > 0:
        raise BadData(f"There is no row to learn {child.name!r} from: each lacks a value in its family.")
    order = list(strength)
    rank = np.argsort(np.asarray(order))
    sizes = [(parent.cardinality, child.cardinality) for parent in parents]
    pseudo = [np.broadcast_to(prior.pseudocounts(child, [p]), s)[:, order] for p, s in zip(parents, sizes)]
    pseudo.append(np.broadcast_to(prior.pseudocounts(child, []), (1, child.cardinality))[:, order])
    task = _Task(
        rows.codes[:, :-1], rank[rows.codes[:, -1]], rows.counts.astype(np.float64), tuple(pseudo), neutral
    )
    tables = _start(task)
    tables = _climb(task, tables, trace, str(child.name))
    _warn_unseen(task, [str(parent.name) for parent in parents], str(child.name))
    by_code = [table[:, rank] for table in tables]
    return by_code[:-1], by_code[-1][0]


def _climb(task: _Task, tables: list[FloatArray], trace: list[float] | None, name: str) -> list[FloatArray]:
    before = -np.inf
    enough = TOLERANCE * max(float(task.weights.sum()), 1.0)
    for _ in range(MOST_STEPS):
        expected, log_likelihood = _expect(task, tables)
        objective = log_likelihood + _log_prior(task, tables)
        if trace is not None:
            trace.append(objective)
        if objective - before <= enough:
            return tables
        before = objective
        tables = [
            _normalised(counts + pseudo, None if k == len(task.neutral) else task.neutral[k])
            for k, (counts, pseudo) in enumerate(zip(expected, task.pseudo, strict=True))
        ]
    warnings.warn(
        f"EM for the noisy node {name!r} still gained {objective - before:.3g} after {MOST_STEPS} steps; its "
        "parameters are near the best. A prior such as Laplace(1) makes it converge faster.",
        BayouWarning,
        stacklevel=2,
    )
    return tables


def _start(task: _Task) -> list[FloatArray]:
    """Every free row uniform: inside, where no row of data is impossible."""
    return [
        _normalised(np.ones_like(pseudo), None if k == len(task.neutral) else task.neutral[k])
        for k, pseudo in enumerate(task.pseudo)
    ]


def _normalised(counts: FloatArray, neutral: int | None) -> FloatArray:
    totals = counts.sum(axis=1, keepdims=True)
    result: FloatArray = np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / counts.shape[1])
    if neutral is not None:
        result[neutral] = 0.0
        result[neutral, 0] = 1.0
    return result


def _expect(task: _Task, tables: list[FloatArray]) -> tuple[list[FloatArray], float]:
    """Expected number of proposals of each cause in each of its states, and log P(data)."""
    expected = [np.zeros_like(table) for table in tables]
    total = 0.0
    for start in range(0, len(task.weights), _BLOCK):
        part = slice(start, start + _BLOCK)
        total += _expect_block(task.parents[part], task.child[part], task.weights[part], tables, expected)
    return expected, total


def _expect_block(
    parents: IntArray,
    child: IntArray,
    weights: FloatArray,
    tables: list[FloatArray],
    expected: list[FloatArray],
) -> float:
    chosen = [*(parents[:, k] for k in range(parents.shape[1])), np.zeros(len(child), dtype=np.int64)]
    # P(proposal ≤ y) and P(proposal < y) for each cause (a row) and record (a column).
    to = np.stack([np.cumsum(t, axis=1)[x, child] for t, x in zip(tables, chosen, strict=True)])
    under = np.stack(
        [
            np.where(child > 0, np.cumsum(t, axis=1)[x, child - 1], 0.0)
            for t, x in zip(tables, chosen, strict=True)
        ]
    )
    others_to, others_under = _others(to), _others(under)
    seen = np.maximum(others_to[0] * to[0] - others_under[0] * under[0], _LEAST)
    strongest = weights / seen
    weaker = np.maximum(others_to - others_under, 0.0)
    for k, (table, x) in enumerate(zip(tables, chosen, strict=True)):
        for z in range(table.shape[1]):
            share = np.where(child > z, weaker[k], np.where(child == z, others_to[k], 0.0))
            amount = share * strongest * table[x, z]
            expected[k][:, z] += np.bincount(x, amount, minlength=len(table))
    return float(weights @ np.log(seen))


def _others(values: FloatArray) -> FloatArray:
    """For each row the product of all other rows, without dividing (a factor may be 0)."""
    ahead, behind = np.ones_like(values), np.ones_like(values)
    np.cumprod(values[:-1], axis=0, out=ahead[1:])
    behind[:-1] = np.cumprod(values[:0:-1], axis=0)[::-1]
    result: FloatArray = ahead * behind
    return result


def _log_prior(task: _Task, tables: list[FloatArray]) -> float:
    total = 0.0
    for k, (table, pseudo) in enumerate(zip(tables, task.pseudo, strict=True)):
        free = np.ones(len(table), dtype=bool)
        if k < len(task.neutral):
            free[task.neutral[k]] = False
        used = (pseudo > 0) & free[:, None]
        total += float((pseudo[used] * np.log(np.maximum(table[used], _LEAST))).sum())
    return total


def _warn_unseen(task: _Task, parents: list[str], child: str) -> None:
    for k, name in enumerate(parents):
        seen = np.bincount(task.parents[:, k], task.weights, minlength=len(task.pseudo[k])) > 0
        seen[task.neutral[k]] = True
        unseen = ~seen & (task.pseudo[k].sum(axis=1) <= 0)
        if np.any(unseen):
            warnings.warn(
                f"{int(unseen.sum())} state(s) of {name!r} never occur with a value of {child!r} and the prior "
                "adds nothing: their rows are uniform. Use a prior such as Laplace(1) to smooth.",
                BayouWarning,
                stacklevel=2,
            )
