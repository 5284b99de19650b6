"""What a model file says, checked before it is believed: shapes, and numbers that can be what they claim."""

from __future__ import annotations

import numpy as np

from bayou.distributions import LinearGaussian, MaxOfCauses, Table
from bayou.errors import BadFile
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


def _finite(values: FloatArray) -> bool:
    return bool(np.all(np.isfinite(values)))
