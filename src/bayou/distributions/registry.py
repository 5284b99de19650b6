"""The kinds of local distributions: a file or a declaration names one, and its class is found here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bayou.registry import Registry
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution

DISTRIBUTIONS: Registry[type[Distribution]] = Registry(
    "distribution",
    {
        "table": "bayou.distributions.table:Table",
        "gaussian": "bayou.distributions.gaussian.linear_gaussian:LinearGaussian",
        "causes": "bayou.distributions.noisy.noisy_max:MaxOfCauses",
        "function": "bayou.distributions.deterministic:FunctionOfParents",
        "poisson": "bayou.distributions.poisson:Poisson",
        "kernel": "bayou.distributions.kernel.kernel_density:KernelDensity",
        "words": "bayou.distributions.words:Words",
    },
)
"""Kind → class. A class that inherits from :class:`Distribution` enters itself."""

Scorer: TypeAlias = Callable[[Sequence[Any], Any, FloatArray, int], FloatArray]
"""(distributions, their columns, start, rows) → start + Σ log density of the columns, [row, group].

The columns come as a list, or as a matrix where they are one already.
"""
SCORERS: Registry[Scorer] = Registry(
    "scorer",
    {
        "tables": "bayou.distributions.table:table_scores",
        "gaussians": "bayou.distributions.gaussian.linear_gaussian:gaussian_scores",
    },
)
"""Kernels that score many columns at once, by the name that the distributions give (``scorer``)."""
