"""What a model file says, checked before it is believed: shapes, and numbers that can be what they claim."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bayou.distributions import LinearGaussian, MaxOfCauses, Table
from bayou.errors import BadFile
from bayou.statistics import Counts, GroupMoments, PairTables, RowCounts, ValueCounts
from bayou.statistics.class_moments import ClassMoments
from bayou.typing import FloatArray

_ROW_TOLERANCE = 1e-9


def checked_table(block: object, table: Table) -> Table:
    """Rows of probabilities that sum to 1."""
    values = table.values
    if values.ndim == 0 or not np.all(np.isfinite(values)) or np.any(values < 0):
        raise BadFile(f"the table of {block!r} has entries that are no probabilities.")
    if np.any(np.abs(values.sum(axis=-1) - 1) > _ROW_TOLERANCE):
        raise BadFile(f"the table of {block!r} has a row that does not sum to 1.")
    return table


def checked_gaussian(block: object, gaussian: LinearGaussian) -> LinearGaussian:
    """An intercept, slopes and a positive variance for each combination of states."""
    shape = gaussian.coefficients.shape[:-1]
    if (
        not gaussian.coefficients.ndim
        or gaussian.intercept.shape != shape
        or gaussian.variance.shape != shape
    ):
        raise BadFile(f"the Gaussian of {block!r} has arrays of shapes that do not belong together.")
    if not all(_finite(part) for part in (gaussian.intercept, gaussian.coefficients, gaussian.variance)):
        raise BadFile(f"the Gaussian of {block!r} has parameters that are not finite.")
    if np.any(gaussian.variance <= 0):
        raise BadFile(f"the Gaussian of {block!r} has a variance that is not positive.")
    return gaussian


def checked_causes(block: object, node: MaxOfCauses) -> MaxOfCauses:
    """Rows of probabilities for each cause and the leak."""
    for values in (*node.links, node.leak):
        checked_table(block, Table(values))
    return node


def checked_distinct(rows: RowCounts) -> RowCounts:
    """Codes of the axes' states, and a count for each row."""
    sizes = [axis.cardinality for axis in rows.axes]
    if rows.codes.shape != (len(rows.counts), len(sizes)) or rows.codes.dtype.kind not in "iu":
        raise BadFile(f"the rows counted for {rows.names!r} do not have the shape of their axes.")
    if not np.all((rows.codes >= 0) & (rows.codes < sizes)):
        raise BadFile(f"the rows counted for {rows.names!r} do not fit their states.")
    if not _finite(rows.counts) or np.any(rows.counts < 0):
        raise BadFile(f"the rows counted for {rows.names!r} have counts that are none.")
    return rows


def checked_counts(counts: Counts) -> Counts:
    """A cell for each combination of the axes' states, none negative."""
    values = counts.values
    if np.shape(values) != tuple(axis.cardinality for axis in counts.axes):
        raise BadFile(f"the counts of {counts.names!r} do not have the shape of their axes.")
    if not _finite(values) or np.any(values < 0):
        raise BadFile(f"the counts of {counts.names!r} have cells that are no counts.")
    return counts


def checked_pairs(pairs: PairTables) -> PairTables:
    """A cell for each two states of each pair of axes, by combination of the given ones', none negative."""
    groups = math.prod(axis.cardinality for axis in pairs.given)
    if np.shape(pairs.values) != (groups, int(pairs.offsets[-1])):
        raise BadFile(f"the counts of pairs of {pairs.names!r} do not have the shape of their axes.")
    if not _finite(pairs.values) or np.any(pairs.values < 0):
        raise BadFile(f"the counts of pairs of {pairs.names!r} have cells that are no counts.")
    return pairs


def checked_moments(moments: GroupMoments) -> GroupMoments:
    """A weight, means and a scatter for each combination of the groups' states."""
    shape, k = tuple(axis.cardinality for axis in moments.groups), len(moments.variables)
    wanted = (shape, (*shape, k), (*shape, k, k))
    if (moments.n.shape, moments.mean.shape, moments.scatter.shape) != wanted:
        raise BadFile(f"the moments of {moments.variables!r} do not have the shape of their axes.")
    if not all(_finite(part) for part in (moments.n, moments.mean, moments.scatter)):
        raise BadFile(f"the moments of {moments.variables!r} are not finite.")
    if np.any(moments.n < 0) or np.any(np.einsum("...ii->...i", moments.scatter) < 0):
        raise BadFile(f"the moments of {moments.variables!r} have negative weights or variances.")
    return moments


def checked_values(counted: ValueCounts) -> ValueCounts:
    """Ascending values, each with a group and a weight, in the order of value and group."""
    name, codes, weights = counted.variable, counted.codes, counted.weights
    if not counted.values.shape == codes.shape == weights.shape or codes.ndim != 1 or codes.dtype.kind != "i":
        raise BadFile(f"the values of {name!r} do not have a group and a weight each.")
    cells = int(np.prod([axis.cardinality for axis in counted.groups], dtype=np.int64))
    if np.any((codes < 0) | (codes >= cells)) or not _finite(weights) or np.any(weights <= 0):
        raise BadFile(f"the values of {name!r} have groups or weights that can not be.")
    step = np.diff(counted.values)
    if np.any(np.isnan(counted.values)) or np.any((step < 0) | ((step == 0) & (np.diff(codes) <= 0))):
        raise BadFile(f"the values of {name!r} are not distinct and ascending.")
    width: Any = counted.bin_width
    if isinstance(width, bool) or not isinstance(width, int | float) or not 0 <= width < float("inf"):
        raise BadFile(f"the values of {name!r} are said to lie in bins of width {width!r}.")
    return counted


def checked_class_moments(moments: ClassMoments) -> ClassMoments:
    """Weights, means and squares of every class, in one of the three forms."""
    k, d = moments.classes.cardinality, len(moments.variables)
    squares = {"columns": (k, d), "matrices": (k, d, d), "pooled": (d, d)}
    parts = [moments.rows, moments.n, moments.mean, moments.scatter]
    wanted = [(k,), (k, d), (k, d), squares.get(moments.form)]
    if moments.spread is not None:
        parts, wanted = [*parts, moments.spread.third, moments.spread.fourth], [*wanted, *[(k, d, d)] * 2]
    if [np.shape(part) for part in parts] != wanted:
        raise BadFile("the moments of the classes do not have the shape of their columns.")
    if not all(_finite(part) for part in parts) or np.any(moments.rows < 0) or np.any(moments.n < 0):
        raise BadFile("the moments of the classes have numbers that can not be.")
    return moments


def checked_rows(rows: Any) -> float:
    """The number (or weight) of the rows that were learned from."""
    if isinstance(rows, bool) or not isinstance(rows, int | float) or not 0 <= rows < float("inf"):
        raise BadFile(f"it claims to have learned from {rows!r} rows.")
    return rows


def _finite(values: FloatArray) -> bool:
    return bool(np.all(np.isfinite(values)))
