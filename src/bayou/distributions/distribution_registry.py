"""The kinds of local distributions by name, as files and declarations use them, with their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from bayou.registry import Registry
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution
    from bayou.distributions.distribution_kind import DistributionKind
    from bayou.schema import Variable

DISTRIBUTIONS: Registry[type[Distribution]] = Registry(
    "distribution",
    {
        "table": "bayou.distributions.table:Table",
        "gaussian": "bayou.distributions.gaussian.linear_gaussian:LinearGaussian",
        "causes": "bayou.distributions.noisy.noisy_max:MaxOfCauses",
        "function": "bayou.distributions.deterministic:FunctionOfParents",
        "poisson": "bayou.distributions.poisson:Poisson",
        "kernel": "bayou.distributions.kernel.kernel_density:KernelDensity",
        "bumps": "bayou.distributions.kernel.bump_mixture:BumpMixture",
        "words": "bayou.distributions.words:Words",
    },
)
"""Kind → class. A class that inherits from :class:`Distribution` and sets ``kind`` registers itself."""


def default_kind(variable: Variable) -> DistributionKind:
    """Return the kind of distribution used if none is declared: a table, or a linear Gaussian for numbers.

    >>> from bayou.schema import Variable
    >>> default_kind(Variable("height")).title
    'Gaussian'
    """
    return DISTRIBUTIONS.find("gaussian" if variable.is_continuous else "table")


class Scorer(Protocol):
    """Scores many columns at once; what does not depend on the rows is computed when it is made."""

    def __call__(self, columns: Any, start: FloatArray, rows: int) -> FloatArray:
        """Return ``start`` + Σ log density of the columns, [row, group].

        The columns come as a list of arrays, or as a matrix if they already are one. A scorer of codes may
        have ``of_one_row(codes, start)`` too.
        """


SCORERS: Registry[Callable[[Sequence[Any]], Scorer]] = Registry(
    "scorer",
    {
        "tables": "bayou.distributions.table:TableScorer",
        "gaussians": "bayou.distributions.gaussian.gaussian_scorer:GaussianScorer",
    },
)
"""Classes of scorers, made of the distributions of all columns, by the name in ``Distribution.scorer``."""
