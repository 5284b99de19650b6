"""What a model file says, checked before it is believed: shapes, and numbers that can be what they claim."""

from __future__ import annotations

from typing import Any

import numpy as np

from bayou.distributions import LinearGaussian, Table
from bayou.errors import BadFile
from bayou.statistics import Counts, GroupMoments
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


def checked_counts(counts: Counts) -> Counts:
    """A cell for each combination of the axes' states, none negative."""
    values = counts.values
    if np.shape(values) != tuple(axis.cardinality for axis in counts.axes):
        raise BadFile(f"the counts of {counts.names!r} do not have the shape of their axes.")
    if not _finite(values) or np.any(values < 0):
        raise BadFile(f"the counts of {counts.names!r} have cells that are no counts.")
    return counts


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


def checked_rows(rows: Any) -> float:
    """The number (or weight) of the rows that were learned from."""
    if isinstance(rows, bool) or not isinstance(rows, int | float) or not 0 <= rows < float("inf"):
        raise BadFile(f"it claims to have learned from {rows!r} rows.")
    return rows


def _finite(values: FloatArray) -> bool:
    return bool(np.all(np.isfinite(values)))
