"""What a file says about a network, as plain data: the form between a format and a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bayou.schema import Variable
from bayou.schema.values import decode_value, encode_value
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Remarks:
    """What a file says beside the network itself: its name, and free text by variable (None: the network)."""

    name: str = "bayou"
    properties: Mapping[Name | None, tuple[str, ...]] = field(default_factory=dict)

    def state(self) -> dict[str, Any]:
        """The name and all texts, as bayou's own file holds them."""
        texts = [[encode_value(name), list(lines)] for name, lines in self.properties.items()]
        return {"name": self.name, "properties": texts}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Remarks:
        """The remarks that :meth:`state` described."""
        properties = {decode_value(name): tuple(map(str, lines)) for name, lines in state["properties"]}
        return cls(str(state["name"]), properties)


@dataclass(frozen=True, eq=False)
class NetworkDraft:
    """A network with tables only: what the foreign formats read and write.

    A table has one axis a parent, in the order of ``parents``, then the axis of the variable itself;
    every row sums to 1. ``properties`` keeps free text for the way back: under a variable's name what
    the file says of that variable, under ``None`` what it says of the network.

    >>> import numpy as np
    >>> coin = Variable("coin", ["heads", "tails"])
    >>> draft = NetworkDraft("toss", (coin,), {"coin": ()}, {"coin": np.array([0.5, 0.5])})
    >>> draft.arcs
    ()
    """

    name: str
    variables: tuple[Variable, ...]
    parents: Mapping[Name, tuple[Name, ...]]
    tables: Mapping[Name, FloatArray]
    properties: Mapping[Name | None, tuple[str, ...]] = field(default_factory=dict)

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """Every (parent, child), children in the order of the variables."""
        return tuple(
            (parent, variable.name) for variable in self.variables for parent in self.parents[variable.name]
        )
