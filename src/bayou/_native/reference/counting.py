"""Numpy references of the kernels on coded columns: counting, indices, sums of table entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code, missing_code
from bayou.typing import CodeArray, CountArray, FloatArray, IntArray

_MISSING_INDEX = 0xFFFFFFFF


def count_families(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    weights: CountArray | None = None,
    threads: int = 0,
) -> list[CountArray]:
    """A contingency table for each family of columns; rows with a missing cell of the family are left out.

    >>> codes = np.array([0, 1, 255, 1], np.uint8)
    >>> [table.tolist() for table in count_families([codes], [2], [[0], []])]
    [[1, 2], 4]
    """
    _check(columns, cards, families, threads)
    if weights is not None and columns and len(weights) != len(columns[0]):
        raise ValueError(f"weights has {len(weights)} rows, the columns have {len(columns[0])}")
    if weights is None:
        weights = np.ones(len(columns[0]) if columns else 0, np.int64)
    return [_count(columns, cards, family, weights) for family in families]


def count_pairs(
    columns: list[CodeArray], cards: Sequence[int], threads: int = 0
) -> tuple[IntArray, IntArray]:
    """The tables of all pairs i < j, flat, and where each starts (the last offset is the end).

    >>> codes = np.array([0, 1, 1], np.uint8)
    >>> flat, offsets = count_pairs([codes, codes], [2, 2])
    >>> flat.tolist(), offsets.tolist()
    ([1, 0, 0, 2], [0, 4])
    """
    pairs = [list(pair) for pair in combinations(range(len(columns)), 2)]
    tables = count_families(columns, cards, pairs, None, threads)
    flat = [np.zeros(0, np.int64), *(table.reshape(-1).astype(np.int64) for table in tables)]
    return np.concatenate(flat), np.cumsum([len(part) for part in flat], dtype=np.int64)


def combine_codes(columns: list[CodeArray], cards: Sequence[int], threads: int = 0) -> npt.NDArray[np.uint32]:
    """The mixed-radix index of each row, first column slowest; 0xFFFFFFFF where a cell is missing.

    >>> combine_codes([np.array([0, 1], np.uint8), np.array([2, 255], np.uint8)], [2, 3]).tolist()
    [2, 4294967295]
    """
    if not columns:
        raise ValueError("there are no columns to combine")
    everything = range(len(columns))
    _check(columns, cards, [everything], threads)
    return _indices(columns, cards, everything, len(columns[0]))


def sum_log_tables(
    columns: list[CodeArray],
    cards: Sequence[int],
    families: Sequence[Sequence[int]],
    log_tables: list[FloatArray],
    threads: int = 0,
) -> FloatArray:
    """The sum over families of each row's table entry; NaN where a cell is missing.

    >>> sum_log_tables([np.array([0, 1, 255], np.uint8)], [2], [[0]], [np.array([-1.0, -2.0])]).tolist()
    [-1.0, -2.0, nan]
    """
    _check(columns, cards, families, threads)
    if len(families) != len(log_tables):
        raise ValueError(f"there are {len(families)} families but {len(log_tables)} log_tables")
    total = np.zeros(len(columns[0]) if columns else 0)
    for position, (family, table) in enumerate(zip(families, log_tables, strict=True)):
        if table.shape != tuple(cards[member] for member in family):
            raise ValueError(f"log_tables[{position}]: its shape is not that of the family's cards")
        index = _indices(columns, cards, family, len(total))
        entries = np.append(table.reshape(-1), np.nan)
        total += entries[np.minimum(index, entries.size - 1)]
    return total


def _check(
    columns: list[CodeArray], cards: Sequence[int], families: Sequence[Sequence[int]], threads: int
) -> None:
    if threads < 0:
        raise ValueError(f"threads is {threads}: expected 0 (every core) or a positive number")
    if len(columns) != len(cards):
        raise ValueError(f"there are {len(columns)} columns but {len(cards)} cards: expected one a column")
    for position, (codes, card) in enumerate(zip(columns, cards, strict=True)):
        _check_column(position, codes, card, len(columns[0]))
    for position, family in enumerate(families):
        if any(not 0 <= member < len(columns) for member in family) or len(set(family)) < len(family):
            raise ValueError(f"family {position} names a column that is not there, or one column twice")
        if math.prod(cards[member] for member in family) >= _MISSING_INDEX:
            raise ValueError(f"a table over {len(family)} columns would have 2**32 - 1 cells or more")


def _check_column(position: int, codes: CodeArray, card: int, rows: int) -> None:
    if codes.dtype not in (np.uint8, np.uint16, np.uint32) or codes.ndim != 1:
        raise ValueError(f"column {position}: expected a one-dimensional uint8, uint16 or uint32 array")
    if len(codes) != rows:
        raise ValueError(f"column {position} has {len(codes)} rows, column 0 has {rows}")
    if not 0 <= card <= missing_code(codes.dtype):
        raise ValueError(f"column {position} holds {codes.dtype} codes, too narrow for {card} states")


def _indices(
    columns: list[CodeArray], cards: Sequence[int], family: Sequence[int], rows: int
) -> npt.NDArray[np.uint32]:
    index = np.zeros(rows, np.int64)
    missing = np.zeros(rows, bool)
    for member in family:
        codes = columns[member]
        absent = is_missing_code(codes)
        bad = np.flatnonzero((codes >= cards[member]) & ~absent)
        if bad.size:
            raise ValueError(
                f"column {member}, row {bad[0]}: code {codes[bad[0]]} is not below the number of states, "
                f"{cards[member]}"
            )
        index = index * cards[member] + np.where(absent, 0, codes)
        missing |= absent
    return np.where(missing, _MISSING_INDEX, index).astype(np.uint32)


def _count(
    columns: list[CodeArray], cards: Sequence[int], family: Sequence[int], weights: CountArray
) -> CountArray:
    shape = tuple(cards[member] for member in family)
    index = _indices(columns, cards, family, len(weights))
    counted = index != _MISSING_INDEX
    real = weights.dtype == np.float64
    table: CountArray = np.zeros(math.prod(shape)) if real else np.zeros(math.prod(shape), np.int64)
    np.add.at(table, index[counted], weights[counted])
    return table.reshape(shape)
