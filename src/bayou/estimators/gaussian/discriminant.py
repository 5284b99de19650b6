"""The discriminant function of two classes: where it is 0, both are equally probable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from bayou.errors import BadQuestion
from bayou.estimators.gaussian.gaussian_model import GaussianModel
from bayou.typing import FloatArray, State


@dataclass(frozen=True)
class Discriminant:
    """g(x) = log P(first | x) − log P(second | x) = xᵀQx + wᵀx + bias; Q is None if both Σ are equal.

    >>> from bayou.estimators.gaussian.gaussian_bayes import GaussianBayes
    >>> model = GaussianBayes("spherical", class_prior={0: 0.2, 1: 0.8})
    >>> model = model.fit([[-1], [1], [1], [3]], [0, 0, 1, 1])
    >>> g = model.discriminant(1, 0)
    >>> g.w.tolist(), g.x0.round(3).tolist(), float(g([[0.307]]).round(3)[0])
    ([2.0], [0.307], 0.0)
    """

    first: State
    second: State
    w: FloatArray
    bias: float
    quadratic: FloatArray | None
    mean_gap: FloatArray
    midpoint: FloatArray

    def __call__(self, X: Any) -> FloatArray:
        x = np.atleast_2d(np.asarray(X, dtype=np.float64))
        flat: FloatArray = x @ self.w + self.bias
        return flat if self.quadratic is None else flat + np.einsum("ni,ij,nj->n", x, self.quadratic, x)

    @property
    def x0(self) -> FloatArray:
        """The point where the boundary wᵀ(x − x0) = 0 cuts the line of the means: midway for equal priors."""
        if self.quadratic is not None:
            raise BadQuestion(
                f"The boundary between {self.first!r} and {self.second!r} is curved: their covariances "
                "differ, so there is no x0. Use covariance='shared' or 'spherical' for a flat boundary."
            )
        along = float(self.w @ self.mean_gap)
        if along == 0:
            raise BadQuestion(
                f"{self.first!r} and {self.second!r} have the same mean, so no boundary lies between them."
            )
        height = float(self.w @ self.midpoint) + self.bias
        result: FloatArray = self.midpoint - (height / along) * self.mean_gap
        return result


def discriminant_of(model: GaussianModel, a: int, b: int, names: tuple[State, State]) -> Discriminant:
    """Return the discriminant function of the classes with the numbers a and b of a model."""
    # A Gaussian density to the power of w is, up to a factor, the one with covariance Σ / w.
    first, second = model.covariance(a) / model.weight, model.covariance(b) / model.weight
    gap, middle = model.means[a] - model.means[b], 0.5 * (model.means[a] + model.means[b])
    odds = float(model.log_prior[a] - model.log_prior[b])
    if np.array_equal(first, second):
        w = linalg.solve(first, gap, assume_a="pos")
        return Discriminant(*names, w, odds - float(w @ middle), None, gap, middle)
    inverse_a, inverse_b = linalg.inv(first), linalg.inv(second)
    w = inverse_a @ model.means[a] - inverse_b @ model.means[b]
    logs = np.linalg.slogdet(first)[1] - np.linalg.slogdet(second)[1]
    squares = model.means[a] @ inverse_a @ model.means[a] - model.means[b] @ inverse_b @ model.means[b]
    bias = odds - 0.5 * float(model.weight * logs + squares)
    return Discriminant(*names, w, bias, 0.5 * (inverse_b - inverse_a), gap, middle)
