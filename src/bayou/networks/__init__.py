"""Floor 4: networks as frozen data. Fitting, queries, sampling and saving are on the floors above."""

from __future__ import annotations

from bayou.networks.counting import ParameterCount, count_parameters
from bayou.networks.frozen import FrozenNetwork, same_parameters
from bayou.networks.sharing import Sharing, check_sharing, describe, same_domains, slots
from bayou.networks.structure import Structure, require_same_kind

__all__ = [
    "FrozenNetwork",
    "ParameterCount",
    "Sharing",
    "Structure",
    "check_sharing",
    "count_parameters",
    "describe",
    "require_same_kind",
    "same_domains",
    "same_parameters",
    "slots",
]
