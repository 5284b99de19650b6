"""P(feature | class) as a term of sums."""

from __future__ import annotations

import numpy as np

from bayou.distributions import CODES, Distribution
from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
from bayou.distributions.kernel.bump_mixture import BumpMixture
from bayou.distributions.kernel.kernel_density import KernelDensity
from bayou.distributions.poisson import Poisson
from bayou.schema import Variable
from bayou.sources.databases.predictions.score_terms import (
    BumpTable,
    NormalTable,
    PoissonTable,
    ScoreTable,
    Term,
)
from bayou.typing import FloatArray


def term_of(variable: Variable, distribution: Distribution, weight: float = 1.0) -> Term | None:
    """Return weight · log P(feature | class) as a term; None if there is no formula for it."""
    if distribution.values_are == CODES:
        codes = np.arange(variable.cardinality, dtype=np.uint32)
        logs = distribution.log_density_by_group(codes).T
        return ScoreTable((variable,), weighed_logs(logs, weight), needed=False)
    if isinstance(distribution, LinearGaussian) and not distribution.coefficients.size:
        means, variances = distribution.intercept.ravel(), distribution.variance.ravel()
        return NormalTable(variable.name, means, variances, weight)
    if type(distribution) is Poisson:
        return PoissonTable(variable.name, distribution.rate.ravel(), weight)
    if type(distribution) is KernelDensity:
        return BumpTable(variable.name, _bumps(distribution), weight)
    if type(distribution) is BumpMixture:
        return BumpTable(variable.name, _mixed_bumps(distribution), weight)
    return None


def weighed_logs(logs: FloatArray, weight: float) -> FloatArray:
    """The logs times a weight; what is impossible stays so, also with the weight 0."""
    return np.where(np.isfinite(logs), weight * np.where(np.isfinite(logs), logs, 0), -np.inf)


def _bumps(density: KernelDensity) -> tuple[FloatArray, ...]:
    """(log share, mean, deviation) of each kernel of each class, the virtual records' among them."""
    found = []
    for points, weights, width in zip(
        density.points, density.weights, density.bandwidths.ravel().tolist(), strict=True
    ):
        seen = weights > 0
        total = weights.sum() + density.strength
        bumps = np.column_stack(
            [np.log(weights[seen] / total), points[seen], np.full(int(seen.sum()), width)]
        )
        if density.strength:
            wide = [np.log(density.strength / total), density.centre, density.width]
            bumps = np.vstack([bumps, wide])
        found.append(bumps)
    return tuple(found)


def _mixed_bumps(mixture: BumpMixture) -> tuple[FloatArray, ...]:
    """The same of a mixture: bumps that all classes share, with weights of their own."""
    found = []
    for weights in mixture.weights.reshape(-1, len(mixture.centres)):
        seen = weights > 0
        parts = [np.log(weights[seen]), mixture.centres[seen], mixture.widths[seen]]
        found.append(np.column_stack(parts))
    return tuple(found)
