"""Rows that no class can have produced: they get the class prior, and one warning counts them.

Such a row has probability 0 in every class (a value without any count where nothing is smoothed), or a
number so far away that its density is 0 in floating point. It says nothing about the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import ImpossibleEvidence, counted, warn_user
from bayou.sources.matrix_source import refuse_infinite
from bayou.typing import FloatArray

LEAST_LOG = -1e300
"""A log P(class, row) below this has lost all that the classes differ in."""
_FEW = 64


class ImpossibleRows:
    """The impossible rows of one call: their number, and the number of the first one.

    >>> import numpy as np
    >>> found = ImpossibleRows()
    >>> joint = np.array([[-1.0, -2.0], [-np.inf, -np.inf]])
    >>> found.replaced(joint, np.log([0.25, 0.75]), 0).round(2).tolist()
    [[-1.0, -2.0], [-1.39, -0.29]]
    >>> found.count, found.first
    (1, 1)
    """

    def __init__(self) -> None:
        self.count = 0
        self.first = 0

    def replaced(self, joint: FloatArray, log_prior: FloatArray, start: int) -> FloatArray:
        """Return log P(class, row), the class prior in impossible rows; ``start`` numbers the first row."""
        bad = impossible_row_numbers(joint)
        if not len(bad):
            return joint
        if not self.count:
            self.first = start + int(bad[0])
        self.count += len(bad)
        joint = joint.copy()
        joint[bad] = log_prior
        return joint

    def warn(self) -> None:
        """Warn once, if there was any such row."""
        if not self.count:
            return
        one = self.count == 1
        gets = "It gets" if one else "They get"
        rows = f"{counted(self.count, 'row')} {'has' if one else 'have'}"
        first = f"row {self.first}, counting from 0" + ("" if one else ", is the first")
        warn_user(
            f"{rows} probability 0 in every class ({first}): a table without smoothing has no such value, or "
            f"a number is far beyond all training values. {gets} the class prior. "
            "Correct such values or make them missing; prior=1 smooths tables."
        )


def impossible_row_numbers(joint: FloatArray) -> Any:
    """Return the numbers of the rows whose log P(class, row) is no usable number in the best class."""
    if all_usable(joint):
        return np.zeros(0, dtype=np.intp)
    best = joint.max(axis=1)
    return np.flatnonzero(~(np.isfinite(best) & (best > LEAST_LOG)))


def possible(joint: FloatArray, estimator: Any) -> FloatArray:
    """Return log P(class, row) of a row that is to be explained; an impossible one is an error."""
    if len(impossible_row_numbers(joint)):
        raise ImpossibleEvidence(
            "This row has probability 0 in every class, so there is nothing to explain: it gets the class "
            f"prior. {_remedy(estimator)}"
        )
    return joint


def _remedy(estimator: Any) -> str:
    """What helps: smoothing does only where tables are not smoothed."""
    prior = getattr(estimator, "prior", 1)
    if isinstance(prior, Mapping) or (isinstance(prior, int | float) and prior == 0):
        return "Make its impossible value missing, or smooth the tables (prior=1)."
    return "Perhaps a number is far beyond all training values: correct it, or make it missing."


def all_usable(joint: FloatArray) -> bool:
    """Whether all entries are finite and above the least log; by their sum, which is cheap."""
    if joint.size <= _FEW:  # the fastest way for a single row
        return all(LEAST_LOG < value < np.inf for value in joint.ravel().tolist())
    with np.errstate(over="ignore"):
        total = joint.sum()
    return bool(np.isfinite(total) and total > LEAST_LOG)


def without_numbers_lost(joint: FloatArray, rows: Any) -> FloatArray:
    """Return log P(class, row), −inf where it is not a number; infinite cells of a matrix are an error."""
    if all_usable(joint):
        return joint
    if rows.matrix is not None and len(impossible_row_numbers(joint)):
        refuse_infinite(rows.matrix)
    return np.where(np.isnan(joint), -np.inf, joint)


def prior_of(model: Any) -> FloatArray:
    """Return log P(class) of any model; a network whose class has parents computes it."""
    logs: FloatArray | None = getattr(model, "log_prior", None)
    return model.log_marginal() if logs is None else logs
