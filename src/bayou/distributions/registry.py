"""The kinds of local distributions: a file or a declaration names one, and its class is found here."""

from __future__ import annotations

from typing import Any

from bayou.registry import Registry

DISTRIBUTIONS: Registry[Any] = Registry(
    "distribution",
    {
        "table": "bayou.distributions.table:Table",
        "gaussian": "bayou.distributions.linear_gaussian:LinearGaussian",
        "causes": "bayou.distributions.noisy_max:MaxOfCauses",
        "function": "bayou.distributions.deterministic:FunctionOfParents",
    },
)
"""Kind → class."""
