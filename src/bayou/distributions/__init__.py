"""Floor 3: the local distributions of a network, and the priors that they are estimated with."""

from __future__ import annotations

from typing import TypeAlias

from bayou.distributions.linear_gaussian import LinearGaussian
from bayou.distributions.priors import BDeu, Dirichlet, Laplace, MEstimate, Prior, prior_from
from bayou.distributions.table import Table, check_table_size, normalised_rows

LocalDistribution: TypeAlias = Table | LinearGaussian

__all__ = [
    "BDeu",
    "Dirichlet",
    "Laplace",
    "LinearGaussian",
    "LocalDistribution",
    "MEstimate",
    "Prior",
    "Table",
    "check_table_size",
    "normalised_rows",
    "prior_from",
]
