"""The kinds of local distributions: a file or a declaration names one, and its class is found here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.registry import Registry

if TYPE_CHECKING:
    from bayou.distributions.base import Distribution

DISTRIBUTIONS: Registry[type[Distribution]] = Registry(
    "distribution",
    {
        "table": "bayou.distributions.table:Table",
        "gaussian": "bayou.distributions.linear_gaussian:LinearGaussian",
        "causes": "bayou.distributions.noisy_max:MaxOfCauses",
        "function": "bayou.distributions.deterministic:FunctionOfParents",
        "poisson": "bayou.distributions.poisson:Poisson",
        "kernel": "bayou.distributions.kernel_density:KernelDensity",
        "words": "bayou.distributions.words:Words",
    },
)
"""Kind → class. A class that inherits from :class:`Distribution` enters itself."""
