"""Floor 4: networks as frozen data. Fitting, queries, sampling and saving are on the floors above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.networks.frozen import FrozenNetwork as FrozenNetwork
    from bayou.networks.frozen import same_parameters as same_parameters
    from bayou.networks.parameter_count import ParameterCount as ParameterCount
    from bayou.networks.parameter_count import count_parameters as count_parameters
    from bayou.networks.sharing import Sharing as Sharing
    from bayou.networks.sharing import check_sharing as check_sharing
    from bayou.networks.sharing import describe as describe
    from bayou.networks.sharing import same_domains as same_domains
    from bayou.networks.sharing import slots as slots
    from bayou.networks.structure import Structure as Structure
    from bayou.networks.structure import require_same_kind as require_same_kind

_WHERE = {
    "FrozenNetwork": "bayou.networks.frozen",
    "ParameterCount": "bayou.networks.parameter_count",
    "Sharing": "bayou.networks.sharing",
    "Structure": "bayou.networks.structure",
    "check_sharing": "bayou.networks.sharing",
    "count_parameters": "bayou.networks.parameter_count",
    "describe": "bayou.networks.sharing",
    "require_same_kind": "bayou.networks.structure",
    "same_domains": "bayou.networks.sharing",
    "same_parameters": "bayou.networks.frozen",
    "slots": "bayou.networks.sharing",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
