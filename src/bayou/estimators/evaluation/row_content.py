"""Hashes of rows by their content: the same in another order, in other batches and from another source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bayou.sources import Columns
from bayou.sources.tables.columns import Column, NumberColumn
from bayou.statistics.rows.row_sample import Hashes, hash_numbers, hash_states, mixed
from bayou.typing import Name, State

_GOLDEN = 0x9E3779B97F4A7C15


def row_hashes(sums: Hashes, seed: int) -> Hashes:
    """Return a hash for each row from the sum of those of its cells, another with each seed."""
    return mixed(sums + np.uint64((seed + 1) * _GOLDEN % 2**64))


def sum_of_hashes(table: Columns) -> Hashes:
    """Return the sum of the hashes of each row's cells: the order of the columns does not matter.

    >>> from bayou.sources import read_columns
    >>> a = sum_of_hashes(read_columns({"x": [1, 2], "c": ["u", "v"]}))
    >>> b = sum_of_hashes(read_columns({"c": ["v", "u"], "x": [2.0, 1.0]}))
    >>> (a == b[::-1]).all()
    np.True_
    """
    total = np.zeros(table.rows, dtype=np.uint64)
    for name in table.names:
        total += hash_of_column(_cell_hashes(table[name]), name)
    return total


def hashes_of_classes(classes: Sequence[State], target: Name) -> Hashes:
    """Return what each class adds to the sum of a row."""
    return hash_of_column(hash_states(classes), target)


def hash_of_column(cells: Hashes, name: Name) -> Hashes:
    """Return the hashes of cells in a column of this name."""
    return mixed(cells + mixed(hash_states([str(name)])))


def _cell_hashes(column: Column) -> Hashes:
    if isinstance(column, NumberColumn):
        return hash_numbers(column.values)
    by_label = hash_states([*column.labels, None])
    return by_label[np.minimum(column.codes, len(column.labels)).astype(np.intp)]
