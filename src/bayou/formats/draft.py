"""The contents of a network file as plain data: the form between a file format and a network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bayou.networks.appearance import NOTHING_SHOWN, Appearance
from bayou.schema import Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Remarks:
    """Additional contents of a network file: its name, free text by variable (None: the network), its looks.

    ``appearance`` is what it shows (titles, positions, …). ``unread`` says in sentences what the file had
    and bayou does not keep; it is about that file only, so it is not written.
    """

    name: str = "bayou"
    properties: Mapping[Name | None, tuple[str, ...]] = field(default_factory=dict)
    appearance: Appearance = NOTHING_SHOWN
    unread: tuple[str, ...] = ()

    def state(self) -> dict[str, Any]:
        """The name, all texts and what is shown, as plain data for bayou's own file."""
        texts = [[encode_value(name), list(lines)] for name, lines in self.properties.items()]
        shown = {"appearance": self.appearance.state()} if self.appearance else {}
        return {"name": self.name, "properties": texts, **shown}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Remarks:
        """Return the remarks that :meth:`state` described; files of early versions have no appearance."""
        properties = {decode_value(name): tuple(map(str, lines)) for name, lines in state["properties"]}
        shown = state.get("appearance")
        appearance = NOTHING_SHOWN if shown is None else Appearance.from_state(shown)
        return cls(str(state["name"]), properties, appearance)


@dataclass(frozen=True, eq=False)
class NetworkDraft:
    """A network of probability tables, which the foreign formats read and write.

    A table has one axis per parent, in the order of ``parents``, then the axis of the variable itself;
    every row sums to 1. ``properties`` keeps free text, so that it is written again: under a variable's
    name the text about that variable, under ``None`` the text about the network. ``appearance`` is what the
    network shows, ``unread`` what the file had and the draft has not.

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
    appearance: Appearance = NOTHING_SHOWN
    unread: tuple[str, ...] = ()

    @property
    def arcs(self) -> tuple[tuple[Name, Name], ...]:
        """Every (parent, child), children in the order of the variables."""
        return tuple(
            (parent, variable.name) for variable in self.variables for parent in self.parents[variable.name]
        )
