"""Factors: functions of a few variables for a batch of rows, multiplied and summed by broadcasting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from bayou.typing import FloatArray

SAFE_LOG_RANGE = 600.0
"""Products of factors whose log ranges add up to no more than this cannot underflow: floats end at e^-745."""


@dataclass(frozen=True, eq=False)
class Factor:
    """Values of shape (rows or 1, size of each variable in ``scope`` …); ``scope`` has variable numbers."""

    scope: tuple[int, ...]
    values: FloatArray

    def spread(self, scope: Sequence[int]) -> FloatArray:
        """The values with an axis for every variable of ``scope``, ready to broadcast."""
        place = {variable: axis for axis, variable in enumerate(self.scope)}
        order = [0, *(place[variable] + 1 for variable in scope if variable in place)]
        moved = np.transpose(self.values, order)
        shape = [moved.shape[0]]
        sizes = iter(moved.shape[1:])
        shape += [next(sizes) if variable in place else 1 for variable in scope]
        return moved.reshape(shape)

    def sum_out(self, variables: Sequence[int]) -> Factor:
        """Sum over some variables."""
        axes = tuple(self.scope.index(variable) + 1 for variable in variables)
        return Factor(tuple(v for v in self.scope if v not in variables), self.values.sum(axis=axes))


def product(factors: Sequence[Factor]) -> Factor:
    """Multiply factors without rescaling; the scope is the union of theirs in ascending order."""
    ascending = sorted(factors, key=lambda factor: factor.values.size)
    return reduce(_times, ascending) if ascending else Factor((), np.ones(1))


def scaled_product(factors: Sequence[Factor]) -> tuple[Factor, FloatArray]:
    """Multiply factors, dividing each row by its largest value after every step.

    A product of a thousand small numbers would underflow otherwise. Where some of them contradict others so
    much that a step underflows all the same, logs are added instead. Returns the product and the logs of the
    divisors.
    """
    merged, logs = Factor((), np.ones(1)), np.zeros(1)
    try:
        with np.errstate(under="raise"):
            for factor in sorted(factors, key=lambda factor: factor.values.size):
                merged, taken = rescaled(_times(merged, factor))
                logs = logs + taken
    except FloatingPointError:
        return _product_in_logs(factors)
    return merged, logs


def _product_in_logs(factors: Sequence[Factor]) -> tuple[Factor, FloatArray]:
    """The same by adding logs, for factors that contradict each other.

    The product of some of them would underflow to 0 where the others are large.
    """
    scope = tuple(sorted({number for factor in factors for number in factor.scope}))
    total: FloatArray = np.zeros((1,) * (len(scope) + 1))
    with np.errstate(divide="ignore"):
        for factor in sorted(factors, key=lambda factor: factor.values.size):
            total = total + np.log(factor.spread(scope))
    taken = total.reshape(len(total), -1).max(axis=1)
    safe = np.where(np.isfinite(taken), taken, 0.0)
    return Factor(scope, np.exp(total - safe.reshape(-1, *([1] * len(scope))))), taken


def _times(left: Factor, right: Factor) -> Factor:
    scope = tuple(sorted({*left.scope, *right.scope}))
    return Factor(scope, left.spread(scope) * right.spread(scope))


def rescaled(factor: Factor) -> tuple[Factor, FloatArray]:
    """Divide each row by its largest value, so that nothing underflows; return also the divisors' logs."""
    flat = factor.values.reshape(factor.values.shape[0], -1)
    largest = flat.max(axis=1) if flat.shape[1] else np.ones(flat.shape[0])
    safe = np.where(largest > 0, largest, 1.0)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(largest)
    shape = (-1, *([1] * len(factor.scope)))
    return Factor(factor.scope, factor.values / safe.reshape(shape)), logs
