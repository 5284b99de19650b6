"""Numpy references of the kernels on tables of all pairs: counting by group, and mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bayou._native.reference_counting import count_pairs
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


def _information(table: FloatArray) -> float:
    margins = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True)
    groups = table.sum(axis=(1, 2), keepdims=True)
    ratio = np.divide(table * groups, margins, out=np.ones_like(table), where=table > 0)
    return max(0.0, float((table * np.log(ratio)).sum() / table.sum()))
