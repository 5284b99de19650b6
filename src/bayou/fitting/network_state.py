"""A network and its fitted parameters as plain values (dicts, lists, arrays) for a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.fitting.fitted_parameters import FittedParameters
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.typing import Name

State = dict[str, Any]


def network_state(
    frozen: FrozenNetwork, learned: FittedParameters | None, declared: Mapping[Name, Variable]
) -> State:
    """A network as plain values: names, typed states, arcs, sharing, parameters, statistics."""
    state = frozen.state()
    place = {name: position for position, name in enumerate(frozen.dag.nodes)}
    return {
        "variables": state["variables"],
        "declared": [place[name] for name in declared],
        **state,
        "learned": None if learned is None else learned.state(),
    }


def network_from_state(
    state: Mapping[str, Any],
) -> tuple[FrozenNetwork, FittedParameters | None, dict[Name, Variable]]:
    """The network that :func:`network_state` described, its fitted parameters, and the declared variables."""
    frozen = FrozenNetwork.from_state(state)
    learned = None if state["learned"] is None else FittedParameters.from_state(state["learned"], frozen)
    declared = [frozen.schema.variables[place] for place in state["declared"]]
    return frozen, learned, {variable.name: variable for variable in declared}
