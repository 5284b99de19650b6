"""What a network shows as JSON-ready values, and back; only what is set is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from bayou.errors import BadFile, BadVariable
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance, Submodel, TextBox
from bayou.schema.json_values import decode_value, encode_value

State = dict[str, Any]
T = TypeVar("T")

_NODE = (
    "title",
    "description",
    "position",
    "size",
    "colour",
    "outline",
    "text_colour",
    "font",
    "table_note",
    "identifier",
)
_STATE = ("title", "description", "value", "identifier")
_DEEPEST = 100


def appearance_state(shown: Appearance) -> State:
    """All parts that are not empty."""
    return {
        **_set_fields(shown, ("title", "description")),
        **_listed("nodes", ({"node": encode_value(n), **_node_state(one)} for n, one in shown.nodes.items())),
        **_listed(
            "arcs",
            (
                {"parent": encode_value(parent), "child": encode_value(child), "note": text}
                for (parent, child), text in shown.arcs.items()
            ),
        ),
        **_listed("submodels", map(_submodel_state, shown.submodels)),
        **_listed("texts", (_set_fields(one, ("text", "position", "size")) for one in shown.texts)),
    }


def _set_fields(owner: object, names: Iterable[str]) -> State:
    values = {name: getattr(owner, name) for name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None and value != ""
    }


def _listed(key: str, entries: Iterable[State]) -> State:
    found = list(entries)
    return {key: found} if found else {}


def _node_state(shown: NodeAppearance) -> State:
    states = ({"state": encode_value(one.state), **_set_fields(one, _STATE)} for one in shown.states)
    return {**_set_fields(shown, _NODE), **_listed("states", states)}


def _submodel_state(one: Submodel) -> State:
    return {
        "name": one.name,
        "nodes": [encode_value(name) for name in one.nodes],
        **_listed("submodels", map(_submodel_state, one.submodels)),
        **_node_state(one.shown),
    }


def appearance_from_state(state: Any) -> Appearance:
    """The appearance that :func:`appearance_state` wrote; any other values are a BadFile."""
    try:
        return _appearance(state)
    except (KeyError, TypeError, AttributeError, BadVariable) as error:
        raise BadFile(f"what the network shows (titles, positions, …) cannot be read: {error}") from None


def _appearance(state: Any) -> Appearance:
    _only(state, {"title", "description", "nodes", "arcs", "submodels", "texts"})
    nodes = {decode_value(entry["node"]): _node(entry, {"node"}) for entry in _entries(state, "nodes")}
    arcs = {
        (decode_value(entry["parent"]), decode_value(entry["child"])): _text(entry["note"])
        for entry in _entries(state, "arcs")
    }
    return Appearance(
        state.get("title", ""),
        state.get("description", ""),
        nodes,
        arcs,
        tuple(_submodel(entry, 0) for entry in _entries(state, "submodels")),
        _each(state, "texts", lambda entry: TextBox(**_only(entry, {"text", "position", "size"}))),
    )


def _node(entry: Mapping[str, Any], others: set[str]) -> NodeAppearance:
    _only(entry, {*_NODE, "states", *others})
    fields = {key: entry[key] for key in _NODE if key in entry}
    return NodeAppearance(**fields, states=_each(entry, "states", _state))


def _state(entry: Mapping[str, Any]) -> StateAppearance:
    _only(entry, {"state", *_STATE})
    return StateAppearance(**{**entry, "state": decode_value(entry["state"])})


def _submodel(entry: Mapping[str, Any], depth: int) -> Submodel:
    if depth > _DEEPEST:
        raise BadFile(f"submodels are nested more than {_DEEPEST} deep.")
    inner = tuple(_submodel(one, depth + 1) for one in _entries(entry, "submodels"))
    nodes = _each(entry, "nodes", decode_value)
    return Submodel(_text(entry["name"]), nodes, inner, _node(entry, {"name", "nodes", "submodels"}))


def _each(entry: Mapping[str, Any], key: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    return tuple(read(one) for one in _entries(entry, key))


def _entries(entry: Mapping[str, Any], key: str) -> list[Any]:
    found = entry.get(key, [])
    if not isinstance(found, list):
        raise BadFile(f"{key} is a {type(found).__name__}, not a list.")
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadFile(f"expected a text, found {value!r}.")
    return value


def _only(entry: Any, known: set[str]) -> dict[str, Any]:
    if not isinstance(entry, dict) or not known.issuperset(entry):
        raise BadFile(f"expected only {', '.join(sorted(known))}, found {str(entry)[:80]}.")
    return entry
