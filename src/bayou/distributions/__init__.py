"""Floor 3: the local distributions of a network, and the priors that they are estimated with."""

from __future__ import annotations

from bayou.distributions.bandwidths import Bandwidth, Fixed, HeldOut, Scott, Silverman, bandwidth_from
from bayou.distributions.base import (
    DENSITY,
    FINITE,
    GAUSSIAN,
    Beginning,
    Distribution,
    DistributionKind,
    FiniteDistribution,
)
from bayou.distributions.deterministic import FunctionOfParents
from bayou.distributions.family import Family, FamilyRows, RandomStream
from bayou.distributions.kernel_density import KernelDensity
from bayou.distributions.linear_gaussian import LinearGaussian
from bayou.distributions.node_kind import NodeKind, kind_from_declaration
from bayou.distributions.noisy_max import MaxOfCauses
from bayou.distributions.priors import (
    PRIORS,
    BDeu,
    Dirichlet,
    Laplace,
    MEstimate,
    Prior,
    prior_from,
    prior_from_state,
    prior_state,
)
from bayou.distributions.registry import DISTRIBUTIONS
from bayou.distributions.table import Table, check_table_size, normalised_rows
from bayou.schema import Variable


def default_kind(variable: Variable) -> DistributionKind:
    """How a variable depends on its parents where nothing is declared: by a table, or as a linear Gaussian.

    >>> default_kind(Variable("height")).title
    'Gaussian'
    """
    return LinearGaussian if variable.is_continuous else Table


__all__ = [
    "DENSITY",
    "DISTRIBUTIONS",
    "FINITE",
    "GAUSSIAN",
    "PRIORS",
    "BDeu",
    "Bandwidth",
    "Beginning",
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
    "Laplace",
    "LinearGaussian",
    "MEstimate",
    "MaxOfCauses",
    "NodeKind",
    "Prior",
    "RandomStream",
    "Scott",
    "Silverman",
    "Table",
    "bandwidth_from",
    "check_table_size",
    "default_kind",
    "kind_from_declaration",
    "normalised_rows",
    "prior_from",
    "prior_from_state",
    "prior_state",
]
