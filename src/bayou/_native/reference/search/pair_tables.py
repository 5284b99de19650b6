"""Numpy references of the kernels on tables of all pairs: counting by group, and mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bayou._native.reference.counting import count_pairs
from bayou.typing import CodeArray, CountArray, FloatArray, IntArray


def count_pairs_by(
    columns: list[CodeArray],
    cards: Sequence[int],
    groups: npt.NDArray[np.uint32],
    n_groups: int,
    threads: int = 0,
) -> IntArray:
    """The flat tables of all pairs i < j for each group of rows, [group, cell].

    >>> codes = np.array([0, 1, 1], np.uint8)
    >>> count_pairs_by([codes, codes], [2, 2], np.array([0, 1, 9], np.uint32), 2).tolist()
    [[1, 0, 0, 0], [0, 0, 0, 1]]
    """
    if columns and len(groups) != len(columns[0]):
        raise ValueError(f"groups has {len(groups)} rows, the columns have {len(columns[0])}")
    cells = len(count_pairs([column[:0] for column in columns], cards, threads)[0])
    tables = np.zeros((n_groups, cells), dtype=np.int64)
    for group in range(n_groups):
        tables[group], _ = count_pairs([column[groups == group] for column in columns], cards, threads)
    return tables


def pair_information(
    tables: CountArray, cards: Sequence[int], threads: int = 0
) -> tuple[FloatArray, FloatArray]:
    """I(A; B | group) in nats of every pair, and its expected value under independence: symmetric matrices.

    The expected value is degrees of freedom / (2 n), from the chi-squared approximation.

    >>> information, chance = pair_information(np.array([[5, 0, 0, 5]]), [2, 2])
    >>> information.round(4).tolist(), chance.tolist()
    ([[0.0, 0.6931], [0.6931, 0.0]], [[0.0, 0.05], [0.05, 0.0]])
    """
    size = len(cards)
    if tables.shape[1] != sum(a * b for a, b in combinations(cards, 2)):
        raise ValueError(f"tables has {tables.shape[1]} cells a group, the cards ask for another number")
    information, chance = np.zeros((size, size)), np.zeros((size, size))
    start = 0
    for i, j in combinations(range(size), 2):
        cells = cards[i] * cards[j]
        table = tables[:, start : start + cells].reshape(len(tables), cards[i], cards[j]).astype(float)
        start += cells
        if table.sum() > 0:
            information[i, j] = information[j, i] = _information(table)
            degrees = len(table) * (cards[i] - 1) * (cards[j] - 1)
            chance[i, j] = chance[j, i] = degrees / (2 * table.sum())
    return information, chance


def one_dependence_tables(
    tables: CountArray, cards: Sequence[int], strength: float, threads: int = 0
) -> FloatArray:
    """log P(second state | group, first state) of all states of all columns, [first, second, group].

    The states of all columns are numbered one after the other; two states of one column get 0.

    >>> np.exp(one_dependence_tables(np.array([[3, 1, 0, 0]]), [2, 2], 0.0)[:2, 2:, 0]).tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    first = np.cumsum([0, *cards])
    logs = np.zeros((first[-1], first[-1], len(tables)))
    start = 0
    for i, j in combinations(range(len(cards)), 2):
        cells = cards[i] * cards[j]
        table = tables[:, start : start + cells].reshape(len(tables), cards[i], cards[j])
        start += cells
        rows, columns = slice(first[i], first[i + 1]), slice(first[j], first[j + 1])
        logs[rows, columns] = _log_shares(table + strength).transpose(1, 2, 0)
        logs[columns, rows] = _log_shares(table.transpose(0, 2, 1) + strength).transpose(1, 2, 0)
    return logs


def one_dependence_scores(
    codes: npt.NDArray[np.uint32],
    cards: Sequence[int],
    own: FloatArray,
    frequent: npt.NDArray[np.uint8],
    log_weights: FloatArray,
    logs: FloatArray,
    threads: int = 0,
) -> FloatArray:
    """log of the weighted sum over parents of P(class, row), [row, class]; codes is [column, row].

    Codes beyond a column's states are left out; a row without any frequent state gets -inf.
    """
    first = np.cumsum([0, *cards])
    joint = np.full((codes.shape[1], own.shape[1]), -np.inf)
    for row, states in enumerate(codes.T):
        seen = [k for k, code in enumerate(states) if code < cards[k]]
        places = [first[k] + states[k] for k in seen]
        for k, place in zip(seen, places, strict=True):
            if frequent[place]:
                part = own[place] + logs[place][places].sum(axis=0) + log_weights[k]
                joint[row] = np.logaddexp(joint[row], part)
    return joint


def _log_shares(weighed: FloatArray) -> FloatArray:
    """Logs of the shares along the last axis, equal where all are 0."""
    totals = weighed.sum(axis=-1, keepdims=True)
    uniform = np.full(weighed.shape, 1 / max(weighed.shape[-1], 1))
    shares = np.divide(weighed, totals, out=uniform, where=totals > 0)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares)
    return logs


def _information(table: FloatArray) -> float:
    margins = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True)
    groups = table.sum(axis=(1, 2), keepdims=True)
    ratio = np.divide(table * groups, margins, out=np.ones_like(table), where=table > 0)
    return max(0.0, float((table * np.log(ratio)).sum() / table.sum()))
