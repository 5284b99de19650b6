"""Floor 3: the local distributions of a network, and the priors that they are estimated with."""

from __future__ import annotations

from typing import TypeAlias

from bayou.distributions.bandwidths import Bandwidth, Fixed, HeldOut, Scott, Silverman, bandwidth_from
from bayou.distributions.deterministic import FunctionOfParents
from bayou.distributions.kernel_density import KernelDensity
from bayou.distributions.linear_gaussian import LinearGaussian
from bayou.distributions.node_kind import NodeKind
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

LocalDistribution: TypeAlias = Table | LinearGaussian | MaxOfCauses | FunctionOfParents

__all__ = [
    "DISTRIBUTIONS",
    "PRIORS",
    "BDeu",
    "Bandwidth",
    "Dirichlet",
    "Fixed",
    "FunctionOfParents",
    "HeldOut",
    "KernelDensity",
    "Laplace",
    "LinearGaussian",
    "LocalDistribution",
    "MEstimate",
    "MaxOfCauses",
    "NodeKind",
    "Prior",
    "Scott",
    "Silverman",
    "Table",
    "bandwidth_from",
    "check_table_size",
    "normalised_rows",
    "prior_from",
    "prior_from_state",
    "prior_state",
]
