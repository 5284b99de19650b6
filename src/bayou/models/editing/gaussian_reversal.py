"""An arc between two linear Gaussians turned round, exactly.

With x = a + c·w + noise of variance s, and y = d + b x + e·w + noise of variance r, for the values w of all
other parents of both,

    y | w ~ N(d + b a + (b c + e)·w, r + b² s),        x | y, w ~ N(x̂ + k (y − ŷ), s r / (r + b² s)),

where x̂ and ŷ are the means given w and k = b s / (r + b² s) is the regression of x on y. Shachter and Kenley
(1989), Gaussian influence diagrams, Management Science 35.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bayou.distributions import LinearGaussian
from bayou.typing import FloatArray, Name


def gaussians_turned(
    x: tuple[Name, Sequence[Name], LinearGaussian],
    y: tuple[Sequence[Name], LinearGaussian],
    groups: Mapping[Name, int],
    numbers: Sequence[Name],
) -> tuple[LinearGaussian, LinearGaussian]:
    """Return P(y | w) and P(x | w, y); ``x`` is a name with its parents, ``y`` has x among its parents.

    ``groups`` are all parents with states and their numbers of states, ``numbers`` all real-valued parents
    except x, both in the new order.
    """
    name, own, first = x
    other, second = y
    a, c, s, _ = _for_all_parents(first, own, groups, numbers, name)
    d, e, r, b = _for_all_parents(second, other, groups, numbers, name)
    mean, slopes, variance = d + b * a, b[..., None] * c + e, r + b**2 * s
    k = b * s / np.where(variance > 0, variance, 1.0)
    share = np.where(variance > 0, r / np.where(variance > 0, variance, 1.0), 1.0)
    turned = np.concatenate([c - k[..., None] * slopes, k[..., None]], axis=-1)
    return LinearGaussian(mean, slopes, variance), LinearGaussian(a - k * mean, turned, s * share)


def _for_all_parents(
    gaussian: LinearGaussian,
    parents: Sequence[Name],
    groups: Mapping[Name, int],
    numbers: Sequence[Name],
    x: Name,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The intercept, the slopes, the variance and the slope of x, for all groups of the new parents."""
    discrete = [name for name in parents if name in groups]
    real = [name for name in parents if name not in groups]
    order = [discrete.index(name) for name in groups if name in discrete]
    axes = [size if name in discrete else 1 for name, size in groups.items()]
    shape = tuple(groups.values())

    def wide(values: FloatArray) -> FloatArray:
        return np.broadcast_to(np.transpose(values, order).reshape(axes), shape)

    def slope(name: Name) -> FloatArray:
        return wide(gaussian.coefficients[..., real.index(name)]) if name in real else np.zeros(shape)

    slopes = np.stack([slope(name) for name in numbers], axis=-1) if numbers else np.zeros((*shape, 0))
    return wide(gaussian.intercept), slopes, wide(gaussian.variance), slope(x)
