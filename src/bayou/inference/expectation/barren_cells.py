"""Cells that tell nothing about any table: a variable is missing in a row, and so are all its descendants.

Such a variable is called barren (Shachter 1986): summed out of the row it gives 1, whatever its table. EM may
leave it out of the row: the likelihood of the observed cells is the same, and what EM has to fill in is less.
Where only leaves have gaps nothing is left to fill in, and the expected counts are counts.

A barren cell gets a state of its own, after the real ones. Its probability is 1 for all states of the
parents, so that the row's probability does not change, and its counts are dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from bayou.codes import missing_code
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch
from bayou.typing import BoolArray, CodeArray, FloatArray, Name


def barren_columns(network: FrozenNetwork, batch: Batch) -> dict[Name, CodeArray]:
    """Return the columns with barren cells, these with the code that follows the variable's last state.

    Noisy nodes, which have no table that could be extended, keep their gaps, and so do their ancestors.

    >>> import bayou
    >>> net = bayou.Network("A -> B").fit({"A": [0, 1], "B": [0, 1]})
    >>> a, b = np.array([255, 255, 0], np.uint8), np.array([255, 1, 255], np.uint8)
    >>> found = barren_columns(net.frozen, Batch(3, {"A": a, "B": b}, {}))
    >>> {name: column.tolist() for name, column in found.items()}
    {'B': [2, 1, 2], 'A': [2, 255, 0]}
    """
    silent: dict[Name, BoolArray] = {}
    found: dict[Name, CodeArray] = {}
    for name in reversed(network.dag.topological_order):
        children = network.dag.children(name)
        column, card = batch.codes.get(name), network.schema[name].cardinality
        if column is None:
            column = np.full(batch.rows, missing_code(np.dtype(np.uint32)), np.uint32)
        extended = network.finite(name).is_tabled and card < missing_code(column.dtype)
        if not extended or any(child not in silent for child in children):
            continue
        mask = column == missing_code(column.dtype)
        for child in children:
            mask &= silent[child]
        if mask.any():
            silent[name] = mask
            found[name] = np.where(mask, np.asarray(card, column.dtype), column)
    return found


def leaves_among(network: FrozenNetwork, names: Collection[Name]) -> list[Name]:
    """Return the variables without children."""
    return [name for name in names if not network.dag.children(name)]


def extended_table(table: FloatArray, names: Sequence[Name], barren: Collection[Name]) -> FloatArray:
    """Return P(last name | the others) with one more state for each variable in ``barren``.

    >>> extended_table(np.array([[0.9, 0.1], [0.3, 0.7]]), ["A", "B"], {"B"}).tolist()
    [[0.9, 0.1, 1.0], [0.3, 0.7, 1.0]]
    """
    if names[-1] not in barren:
        return table
    sides = [side + (name in barren) for side, name in zip(table.shape, names, strict=True)]
    extended = np.zeros(sides)
    extended[real_states(table.shape)] = table
    extended[..., -1] = 1.0
    return extended


def real_states(shape: Sequence[int]) -> tuple[slice, ...]:
    """Return the place of the real states in an extended table."""
    return tuple(slice(side) for side in shape)
