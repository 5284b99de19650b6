"""Gaussian classes: where their densities cross, and from that the exact Bayes error in one dimension."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.decisions.beliefs import class_names
from bayou.errors import BadTable
from bayou.special_functions import LOG_TWO_PI, ndtr
from bayou.typing import FloatArray, State


class GaussianClasses:
    """A known model: each class has a prior, a mean and a variance (for vectors, a covariance matrix).

    ``means`` has one number or one vector per class; ``variances`` one number or one matrix per class, or a
    single one that all classes share. Priors are equal by default.

    Raises ``BadTable`` if there are not as many priors as classes, or they do not sum to 1.

    ``priors`` are the probabilities of the classes.

    >>> model = GaussianClasses([0, 2], [1, 1])
    >>> model.posterior([[1.0]]).tolist()
    [[0.5, 0.5]]
    """

    def __init__(
        self,
        means: Any,
        variances: Any,
        priors: Any = None,
        classes: Iterable[State] | None = None,
    ) -> None:
        self.means: FloatArray = _numbers(means, "means")
        if self.means.ndim == 1:
            self.means = self.means[:, None]
        count, width = self.means.shape
        self.covariances = _covariances(variances, count, width)
        self.classes = tuple(range(count)) if classes is None else class_names(classes)
        if len(self.classes) != count:
            raise BadTable(
                f"There are {count} means and {len(self.classes)} classes; give one mean for each class."
            )
        self.priors: FloatArray = np.full(count, 1 / count) if priors is None else _numbers(priors, "priors")
        if self.priors.shape != (count,) or (self.priors < 0).any() or abs(self.priors.sum() - 1) > 1e-9:
            raise BadTable(f"The priors must be {count} probabilities that sum to 1; got {priors!r}.")

    def log_joint(self, rows: Any) -> FloatArray:
        """Return log P(class) + log p(row | class): rows × classes.

        Raises ``BadTable`` for rows of another number of columns.

        >>> GaussianClasses([0, 2], [1, 1]).log_joint([[1.0]]).round(4).tolist()
        [[-2.1121, -2.1121]]
        """
        points = _points(rows, self.means.shape[1])
        logs = []
        for mean, covariance in zip(self.means, self.covariances, strict=True):
            factor = np.linalg.cholesky(covariance)
            units = np.linalg.solve(factor, (points - mean).T)
            logs.append(-0.5 * (units**2).sum(axis=0) - np.log(np.diag(factor)).sum())
        with np.errstate(divide="ignore"):
            constant = np.log(self.priors) - 0.5 * self.means.shape[1] * LOG_TWO_PI
        result: FloatArray = np.stack(logs, axis=1) + constant
        return result

    def posterior(self, rows: Any) -> FloatArray:
        """Return P(class | row): rows × classes.

        Raises ``BadTable`` for rows of another number of columns.

        >>> import bayou
        >>> bayou.decisions.GaussianClasses([0, 2], [1, 1]).posterior([[1.0], [0.0]]).round(3).tolist()
        [[0.5, 0.5], [0.881, 0.119]]
        """
        logs = self.log_joint(rows)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        result: FloatArray = weights / weights.sum(axis=1, keepdims=True)
        return result

    def sample(self, n: int, seed: int = 0) -> tuple[FloatArray, Any]:
        """Draw n rows; return them and the positions of their classes.

        Raises ``BadQuestion`` for a number of rows below 0.

        >>> import bayou
        >>> rows, classes = bayou.decisions.GaussianClasses([0, 2], [1, 1]).sample(3)
        >>> rows.shape, classes.shape
        ((3, 1), (3,))
        """
        rows_asked = whole_number("n", n)
        random = np.random.default_rng(seed)
        drawn = random.choice(len(self.priors), size=rows_asked, p=self.priors)
        factors = np.linalg.cholesky(self.covariances)
        noise = random.standard_normal((rows_asked, self.means.shape[1]))
        rows: FloatArray = self.means[drawn] + np.einsum("nij,nj->ni", factors[drawn], noise)
        return rows, drawn

    def exact_error(self) -> float | None:
        """Return the Bayes error in closed form, or None if there is none.

        It exists in one dimension, for any number of classes, and for two classes that share a covariance:
        their error depends on the Mahalanobis distance of the means only.

        >>> round(GaussianClasses([0, 2], [1, 1]).exact_error(), 6)
        0.158655
        """
        if self.means.shape[1] == 1:
            spreads = np.sqrt(self.covariances[:, 0, 0])
            return error_on_a_line(self.means[:, 0], spreads, self.priors)
        if len(self.means) == 2 and np.array_equal(self.covariances[0], self.covariances[1]):
            gap = self.means[1] - self.means[0]
            distance = float(np.sqrt(gap @ np.linalg.solve(self.covariances[0], gap)))
            return error_on_a_line(np.array([0.0, distance]), np.ones(2), self.priors)
        return None


def error_on_a_line(means: FloatArray, spreads: FloatArray, priors: FloatArray) -> float:
    """Return the Bayes error of 1-D Gaussians.

    Between two neighbouring crossings of the weighted densities one class is best; the mass of the other
    classes there is error.

    >>> round(error_on_a_line(np.array([0.0, 2.0]), np.ones(2), np.array([0.5, 0.5])), 6)
    0.158655
    """
    # In units of the largest standard deviation, so that the scale of the data costs no precision.
    means, spreads = (means - means.mean()) / spreads.max(), spreads / spreads.max()
    cuts = np.unique(
        [x for pair in combinations(range(len(means)), 2) for x in _crossings(pair, means, spreads, priors)]
    )
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    inside = _inside(edges)
    with np.errstate(divide="ignore"):
        heights = np.log(priors) - np.log(spreads) - 0.5 * ((inside[:, None] - means) / spreads) ** 2
    best = heights.argmax(axis=1)
    left, right = ((edge[:, None] - means) / spreads for edge in (edges[:-1], edges[1:]))
    # Right of the mean the masses are differences of small upper tails, not of numbers near 1.
    masses = np.where(left > 0, ndtr(-left) - ndtr(-right), ndtr(right) - ndtr(left)) * priors
    masses[np.arange(len(best)), best] = 0.0
    return float(masses.sum())


def _crossings(
    pair: tuple[int, int], means: FloatArray, spreads: FloatArray, priors: FloatArray
) -> list[float]:
    """The points where two weighted densities are equal.

    They are the real roots of log(p_i N(x; m_i, s_i)) - log(p_j N(x; m_j, s_j)), which is quadratic in x.
    """
    i, j = pair
    if not priors[i] or not priors[j]:
        return []
    # Relative to the midpoint of the means, in units of the larger spread: no digits are lost far from 0.
    centre, unit = (means[i] + means[j]) / 2, max(spreads[i], spreads[j])
    mean_i, mean_j = (means[i] - centre) / unit, (means[j] - centre) / unit
    precision_i, precision_j = (unit / spreads[i]) ** 2, (unit / spreads[j]) ** 2
    a = (precision_j - precision_i) / 2
    b = precision_i * mean_i - precision_j * mean_j
    c = (precision_j * mean_j**2 - precision_i * mean_i**2) / 2
    c += np.log(priors[i] / priors[j]) + np.log(spreads[j] / spreads[i])
    return [float(centre + unit * root) for root in _real_roots(a, b, c)]


def _real_roots(a: float, b: float, c: float) -> list[float]:
    """The real roots of a·x² + b·x + c without cancellation; an empty list if the polynomial is constant."""
    if a == 0:
        return [] if b == 0 else [-c / b]
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    q = -0.5 * (b + np.copysign(np.sqrt(discriminant), b))
    return [q / a] if q == 0 else [q / a, c / q]


def _inside(edges: FloatArray) -> FloatArray:
    """A point inside each interval."""
    if len(edges) == 2:
        return np.zeros(1)
    width = max(1.0, float(np.abs(edges[1:-1]).max()))
    bounded = np.concatenate([[edges[1] - width], edges[1:-1], [edges[-2] + width]])
    result: FloatArray = (bounded[:-1] + bounded[1:]) / 2
    return result


def _numbers(values: Any, what: str) -> FloatArray:
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadTable(f"The {what} of the classes must be numbers; got {values!r}.") from None
    if numbers.ndim == 0 or not numbers.size or not np.isfinite(numbers).all():
        raise BadTable(f"The {what} of the classes must be finite numbers, one per class; got {values!r}.")
    return numbers


def _covariances(variances: Any, count: int, width: int) -> FloatArray:
    given = _numbers(np.atleast_1d(variances), "variances")
    if given.ndim == 1:
        given = given[:, None, None] * np.eye(width)
    elif given.ndim == 2:
        given = given[None]
    if len(given) == 1:
        given = np.repeat(given, count, axis=0)
    if given.shape != (count, width, width):
        raise BadTable(
            f"There are {count} classes with means of {width} numbers: give one variance or one "
            f"{width} × {width} matrix per class (or a single one for all); the shape is {given.shape}."
        )
    for place, matrix in enumerate(given):
        if not np.allclose(matrix, matrix.T) or (np.linalg.eigvalsh(matrix) <= 0).any():
            raise BadTable(
                f"The variance of class {place + 1} must be positive (a matrix must be positive definite)."
            )
    return given


def _points(rows: Any, width: int) -> FloatArray:
    points = np.asarray(rows, dtype=np.float64)
    if points.ndim == 1 and width == 1:
        points = points[:, None]
    if points.ndim != 2 or points.shape[1] != width:
        raise BadTable(f"Expected rows of {width} numbers; the shape is {points.shape}.")
    return points
