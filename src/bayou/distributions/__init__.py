"""Floor 3: the local distributions of a network, and the priors that they are estimated with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.distributions.base import CODES as CODES
    from bayou.distributions.base import DENSITY as DENSITY
    from bayou.distributions.base import FINITE as FINITE
    from bayou.distributions.base import GAUSSIAN as GAUSSIAN
    from bayou.distributions.base import NUMBERS as NUMBERS
    from bayou.distributions.base import TEXTS as TEXTS
    from bayou.distributions.base import Distribution as Distribution
    from bayou.distributions.declaration import Declaration as Declaration
    from bayou.distributions.deterministic import FunctionOfParents as FunctionOfParents
    from bayou.distributions.distribution_kind import DistributionKind as DistributionKind
    from bayou.distributions.distribution_kind import StartingData as StartingData
    from bayou.distributions.distribution_registry import DISTRIBUTIONS as DISTRIBUTIONS
    from bayou.distributions.distribution_registry import SCORERS as SCORERS
    from bayou.distributions.distribution_registry import default_kind as default_kind
    from bayou.distributions.family import Family as Family
    from bayou.distributions.family import FamilyRows as FamilyRows
    from bayou.distributions.family import RandomStream as RandomStream
    from bayou.distributions.finite import FiniteDistribution as FiniteDistribution
    from bayou.distributions.gaussian.linear_gaussian import LinearGaussian as LinearGaussian
    from bayou.distributions.kernel.bandwidth_rules import Bandwidth as Bandwidth
    from bayou.distributions.kernel.bandwidth_rules import Fixed as Fixed
    from bayou.distributions.kernel.bandwidth_rules import HeldOut as HeldOut
    from bayou.distributions.kernel.bandwidth_rules import Scott as Scott
    from bayou.distributions.kernel.bandwidth_rules import Silverman as Silverman
    from bayou.distributions.kernel.bandwidth_rules import bandwidth_from as bandwidth_from
    from bayou.distributions.kernel.kernel_density import KernelDensity as KernelDensity
    from bayou.distributions.kernel.kernel_feature import KernelFeature as KernelFeature
    from bayou.distributions.node_kind import NodeKind as NodeKind
    from bayou.distributions.node_kind import kind_from_declaration as kind_from_declaration
    from bayou.distributions.noisy.noisy_max import MaxOfCauses as MaxOfCauses
    from bayou.distributions.poisson import Poisson as Poisson
    from bayou.distributions.poisson import PoissonFeature as PoissonFeature
    from bayou.distributions.priors import DEFAULT_PRIOR as DEFAULT_PRIOR
    from bayou.distributions.priors import DEFAULT_SMOOTHING as DEFAULT_SMOOTHING
    from bayou.distributions.priors import PRIORS as PRIORS
    from bayou.distributions.priors import BDeu as BDeu
    from bayou.distributions.priors import Dirichlet as Dirichlet
    from bayou.distributions.priors import Laplace as Laplace
    from bayou.distributions.priors import MEstimate as MEstimate
    from bayou.distributions.priors import Prior as Prior
    from bayou.distributions.priors import checked_records as checked_records
    from bayou.distributions.priors import prior_from as prior_from
    from bayou.distributions.priors import prior_from_state as prior_from_state
    from bayou.distributions.priors import prior_state as prior_state
    from bayou.distributions.priors import virtual_records as virtual_records
    from bayou.distributions.table import Table as Table
    from bayou.distributions.table import check_table_size as check_table_size
    from bayou.distributions.table import normalised_rows as normalised_rows
    from bayou.distributions.words import CodedTexts as CodedTexts
    from bayou.distributions.words import Words as Words

_WHERE = {
    "CODES": "bayou.distributions.base",
    "DEFAULT_PRIOR": "bayou.distributions.priors",
    "DEFAULT_SMOOTHING": "bayou.distributions.priors",
    "DENSITY": "bayou.distributions.base",
    "DISTRIBUTIONS": "bayou.distributions.distribution_registry",
    "FINITE": "bayou.distributions.base",
    "GAUSSIAN": "bayou.distributions.base",
    "NUMBERS": "bayou.distributions.base",
    "PRIORS": "bayou.distributions.priors",
    "SCORERS": "bayou.distributions.distribution_registry",
    "TEXTS": "bayou.distributions.base",
    "BDeu": "bayou.distributions.priors",
    "Bandwidth": "bayou.distributions.kernel.bandwidth_rules",
    "StartingData": "bayou.distributions.distribution_kind",
    "CodedTexts": "bayou.distributions.words",
    "Declaration": "bayou.distributions.declaration",
    "Dirichlet": "bayou.distributions.priors",
    "Distribution": "bayou.distributions.base",
    "DistributionKind": "bayou.distributions.distribution_kind",
    "Family": "bayou.distributions.family",
    "FamilyRows": "bayou.distributions.family",
    "FiniteDistribution": "bayou.distributions.finite",
    "Fixed": "bayou.distributions.kernel.bandwidth_rules",
    "FunctionOfParents": "bayou.distributions.deterministic",
    "HeldOut": "bayou.distributions.kernel.bandwidth_rules",
    "KernelDensity": "bayou.distributions.kernel.kernel_density",
    "KernelFeature": "bayou.distributions.kernel.kernel_feature",
    "Laplace": "bayou.distributions.priors",
    "LinearGaussian": "bayou.distributions.gaussian.linear_gaussian",
    "MEstimate": "bayou.distributions.priors",
    "MaxOfCauses": "bayou.distributions.noisy.noisy_max",
    "NodeKind": "bayou.distributions.node_kind",
    "Poisson": "bayou.distributions.poisson",
    "PoissonFeature": "bayou.distributions.poisson",
    "Prior": "bayou.distributions.priors",
    "RandomStream": "bayou.distributions.family",
    "Scott": "bayou.distributions.kernel.bandwidth_rules",
    "Silverman": "bayou.distributions.kernel.bandwidth_rules",
    "Table": "bayou.distributions.table",
    "Words": "bayou.distributions.words",
    "bandwidth_from": "bayou.distributions.kernel.bandwidth_rules",
    "check_table_size": "bayou.distributions.table",
    "checked_records": "bayou.distributions.priors",
    "default_kind": "bayou.distributions.distribution_registry",
    "kind_from_declaration": "bayou.distributions.node_kind",
    "normalised_rows": "bayou.distributions.table",
    "prior_from": "bayou.distributions.priors",
    "prior_from_state": "bayou.distributions.priors",
    "prior_state": "bayou.distributions.priors",
    "virtual_records": "bayou.distributions.priors",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
