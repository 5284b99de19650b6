"""Floor 3: the local distributions of a network, and the priors that they are estimated with."""

from __future__ import annotations

from bayou.distributions.base import (
    CODES,
    DENSITY,
    FINITE,
    GAUSSIAN,
    NUMBERS,
    TEXTS,
    Beginning,
    Distribution,
    DistributionKind,
)
from bayou.distributions.declaration import Declaration
from bayou.distributions.deterministic import FunctionOfParents
from bayou.distributions.distribution_registry import DISTRIBUTIONS, SCORERS
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.finite import FiniteDistribution
from bayou.distributions.gaussian.linear_gaussian import LinearGaussian
from bayou.distributions.kernel.bandwidth_rules import (
    Bandwidth,
    Fixed,
    HeldOut,
    Scott,
    Silverman,
    bandwidth_from,
)
from bayou.distributions.kernel.kernel_density import KernelDensity, KernelFeature
from bayou.distributions.node_kind import NodeKind, kind_from_declaration
from bayou.distributions.noisy.noisy_max import MaxOfCauses
from bayou.distributions.poisson import Poisson, PoissonFeature
from bayou.distributions.priors import (
    DEFAULT_PRIOR,
    DEFAULT_SMOOTHING,
    PRIORS,
    BDeu,
    Dirichlet,
    Laplace,
    MEstimate,
    Prior,
    prior_from,
    prior_from_state,
    prior_state,
    virtual_records,
)
from bayou.distributions.table import Table, check_table_size, normalised_rows
from bayou.distributions.words import CodedTexts, Words
from bayou.schema import Variable


def default_kind(variable: Variable) -> DistributionKind:
    """Return the kind of distribution used if none is declared: a table, or a linear Gaussian for numbers.

    >>> default_kind(Variable("height")).title
    'Gaussian'
    """
    return LinearGaussian if variable.is_continuous else Table


__all__ = [
    "CODES",
    "DEFAULT_PRIOR",
    "DEFAULT_SMOOTHING",
    "DENSITY",
    "DISTRIBUTIONS",
    "FINITE",
    "GAUSSIAN",
    "NUMBERS",
    "PRIORS",
    "SCORERS",
    "TEXTS",
    "BDeu",
    "Bandwidth",
    "Beginning",
    "CodedTexts",
    "Declaration",
    "Dirichlet",
    "Distribution",
    "DistributionKind",
    "Family",
    "FamilyRows",
    "FiniteDistribution",
    "Fixed",
    "FunctionOfParents",
    "HeldOut",
    "KernelDensity",
    "KernelFeature",
    "Laplace",
    "LinearGaussian",
    "MEstimate",
    "MaxOfCauses",
    "NodeKind",
    "Poisson",
    "PoissonFeature",
    "Prior",
    "RandomStream",
    "Scott",
    "Silverman",
    "Table",
    "Words",
    "bandwidth_from",
    "check_table_size",
    "default_kind",
    "kind_from_declaration",
    "normalised_rows",
    "prior_from",
    "prior_from_state",
    "prior_state",
    "virtual_records",
]
