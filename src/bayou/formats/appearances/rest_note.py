"""What a format has no place for, in a note: other programs skip it, bayou's reader puts it back.

A format says which parts it writes in its own way. All others are one note of the network,
``bayou_appearance``, that holds their JSON in characters that are safe in every format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from bayou.errors import BadFile
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance
from bayou.schema import Variable
from bayou.typing import Name

APPEARANCE_NOTE = "bayou_appearance"
_STATE = ("title", "description", "value")
_NODE = ("title", "description", "position", "size", "colour", "outline", "text_colour", "font", "table_note")
T = TypeVar("T", NodeAppearance, StateAppearance)


@dataclass(frozen=True)
class NativeParts:
    """The parts that a format writes in its own way, by the names of fields; ``fits`` says of which texts."""

    network: Collection[str]
    node: Collection[str]
    state: Collection[str]
    fits: Callable[[str], bool]

    def rest(self, shown: Appearance) -> Appearance:
        """What is left for the note."""
        left = {
            name: replace(self._left(one, self.node, _NODE), states=self._states(one), identifier="")
            for name, one in shown.nodes.items()
        }
        texts = {
            key: "" if self._native(getattr(shown, key), key, self.network) else getattr(shown, key)
            for key in ("title", "description")
        }
        return Appearance(
            **texts,
            nodes=left,
            arcs={} if "arcs" in self.network else shown.arcs,
            submodels=() if "submodels" in self.network else shown.submodels,
            texts=() if "texts" in self.network else shown.texts,
        )

    def _states(self, shown: NodeAppearance) -> tuple[StateAppearance, ...]:
        return tuple(replace(self._left(one, self.state, _STATE), identifier="") for one in shown.states)

    def _left(self, shown: T, native: Collection[str], names: Collection[str]) -> T:
        gone = {name for name in names if self._native(getattr(shown, name), name, native)}
        blank: dict[str, Any] = {name: None if name in ("position", "size", "value") else "" for name in gone}
        return replace(shown, **blank)

    def _native(self, value: Any, name: str, native: Collection[str]) -> bool:
        return name in native and (not isinstance(value, str) or self.fits(value))


def rest_notes(shown: Appearance, native: NativeParts) -> list[tuple[str, str]]:
    """The note of what the format does not write itself; none if nothing is left."""
    rest = native.rest(shown)
    if not rest:
        return []
    return [(APPEARANCE_NOTE, quote(json.dumps(rest.state(), separators=(",", ":")), safe=""))]


def noted_appearance(notes: Mapping[str, str], source: object) -> Appearance | None:
    """What :func:`rest_notes` wrote; None if there is no note."""
    if APPEARANCE_NOTE not in notes:
        return None
    try:
        return Appearance.from_state(json.loads(unquote(notes[APPEARANCE_NOTE], errors="strict")))
    except (ValueError, RecursionError) as error:
        problem = f"the property {APPEARANCE_NOTE} cannot be read: {error}"
        raise BadFile.at(source, problem.rstrip(".") + ".") from None


def merged(drawn: Appearance, noted: Appearance, variables: Mapping[Name, Variable]) -> Appearance:
    """The drawing with what the note adds; what it says of nodes and states that are gone is left out."""
    noted = noted.mapped(lambda name: name if name in variables else None)
    nodes = {
        name: _with_noted(drawn.node(name), noted.node(name), variable)
        for name, variable in variables.items()
    }
    return Appearance(
        noted.title or drawn.title,
        noted.description or drawn.description,
        nodes,
        {**drawn.arcs, **noted.arcs},
        noted.submodels or drawn.submodels,
        noted.texts or drawn.texts,
    )


def _with_noted(drawn: NodeAppearance, noted: NodeAppearance, variable: Variable) -> NodeAppearance:
    """A node with what the note adds to it; its states in the order of the variable's."""
    states = tuple(
        _over(drawn.of_state(state), noted.of_state(state), _STATE)
        for state in (variable.states if drawn.states or noted.states else ())
    )
    return replace(_over(drawn, noted, _NODE), states=states)


def _over(shown: T, extra: T, names: Collection[str]) -> T:
    values = {name: getattr(extra, name) for name in names}
    return replace(shown, **{name: value for name, value in values.items() if value not in (None, "")})
