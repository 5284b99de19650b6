"""Means and scatter matrices in the database, by the states of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import prod

import numpy as np

from bayou.codes import is_missing_code
from bayou.schema import Variable
from bayou.sources.databases.cell_counts import Counted
from bayou.sources.databases.shifted_sums import MakeTable, ShiftedSums
from bayou.sources.table_source import TableSource
from bayou.sources.tables.columns import Columns
from bayou.statistics import CountTable, GroupMoments, Moments
from bayou.typing import FloatArray, IntArray


def moments_of(counted: Counted, make: MakeTable, request: Moments) -> GroupMoments:
    """The answer to a request for moments; ``make`` makes a table of groups into a source."""
    k = len(request.variables)
    terms = (*((i,) for i in range(k)), *combinations_with_replacement(range(k), 2))
    summed = ShiftedSums(counted, request.given, request.variables, terms, complete=True)
    groups, _, sizes, centres, sums = summed.read()
    keys = None
    if request.given:
        table = Columns(request.given, [groups[name] for name in request.given], groups.rows)
        keys = make(table, np.ones(groups.rows, dtype=np.int64))
    single = [CountTable((name,)) for name in request.given]
    axes = () if keys is None else tuple(keys.collect([each])[each].axes[0] for each in single)
    shape = [axis.cardinality for axis in axes]
    rows, places = _complete(keys, axes, sizes[:, 0])
    n, centre, first, products = sizes[rows][:, :1], centres[rows], sums[rows][:, :k], sums[rows][:, k:]
    scatter = np.zeros((len(n), k, k))
    for place, (i, j) in enumerate(combinations_with_replacement(range(k), 2)):
        scatter[:, i, j] = scatter[:, j, i] = products[:, place] - first[:, i] * first[:, j] / n[:, 0]
    scatter[:, np.arange(k), np.arange(k)] = np.maximum(np.einsum("gii->gi", scatter), 0.0)
    parts = (n[:, 0], centre + first / n, scatter)
    whole = [np.zeros((prod(shape), *part.shape[1:])) for part in parts]
    for target, part in zip(whole, parts, strict=True):
        target[places] = part
    cells = [each.reshape((*shape, *each.shape[1:])) for each in whole]
    return GroupMoments(request.variables, axes, *cells)


def _complete(keys: TableSource | None, axes: Sequence[Variable], n: FloatArray) -> tuple[IntArray, IntArray]:
    """The groups with rows and without a missing state: their rows in the result, and their cells."""
    seen = n > 0
    if keys is None or not all(axis.cardinality for axis in axes):
        rows = np.flatnonzero(seen & (keys is None))
        return rows, np.zeros(len(rows), dtype=np.int64)
    codes = keys.batch(axes).codes
    for axis in axes:
        seen = seen & ~is_missing_code(codes[axis.name])
    rows = np.flatnonzero(seen)
    places = np.zeros(len(rows), dtype=np.int64)
    for axis in axes:
        places = places * axis.cardinality + codes[axis.name][rows]
    return rows, places
