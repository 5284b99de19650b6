"""A network as the page draws it: variables with their boxes, arcs with their curves and strengths."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from bayou.distributions import FunctionOfParents, Table
from bayou.errors import BayouError
from bayou.plots.curves import curves
from bayou.plots.graph_layout.layered_layout import Layout, LayoutOptions, Point, layout
from bayou.plots.text_widths import text_width
from bayou.schema import Variable, label
from bayou.schema.json_values import encode_value
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network

_HEAD, _ROW, _FOOT, _CURVE = 28.0, 24.0, 6.0, 64.0
"""Heights inside a box: the name, a state, the rest, the density of a number (geometry.js has the same)."""
_LEAST, _MOST, _SIZE, _BESIDE = 150.0, 280.0, 13.0, 64.0
_MOST_STATES = 8


def drawn_network(
    net: Network, places: Mapping[Name, Point] | None = None, loose: Collection[Name] = ()
) -> dict[str, Any]:
    """Lay out a network, as a document of JSON values; positions that its file has are kept.

    ``places`` are the middles of boxes in a drawing before: they stay there, those of ``loose`` ones only
    as far as arcs point down and nothing overlaps. Places of other variables are ignored.

    >>> from bayou.models.network import Network
    >>> drawn = drawn_network(Network("Rain -> Wet", states={"Rain": ["no", "yes"], "Wet": ["no", "yes"]}))
    >>> [variable["label"] for variable in drawn["variables"]], len(drawn["arcs"])
    (['Rain', 'Wet'], 1)
    """
    shown = net.appearance
    own = {name: shown.node(name).position for name in net.names}
    before = dict(places or {})
    fixed = {name: place for name, place in before.items() if name not in loose}
    fixed |= {name: place for name, place in own.items() if place is not None}
    sizes = {name: box_size(net.variables[name], shown.node(name).title) for name in net.names}
    found = layout(sizes, net.arcs, LayoutOptions(layer_gap=54.0), previous=before, fixed=fixed)
    left, top, width, height = found.frame
    strengths = _strengths(net)
    arcs = [
        {
            "parent": encode_value(arc[0]),
            "child": encode_value(arc[1]),
            "points": _bezier(route, left, top),
            "bits": strengths.get(arc),
            "note": shown.arcs.get(arc, ""),
        }
        for arc, route in found.routes.items()
    ]
    return {
        "title": shown.title,
        "description": shown.description,
        "variables": [_variable(net, name, _box(found, name, left, top)) for name in net.names],
        "arcs": arcs,
        "left": left,
        "top": top,
        "width": width,
        "height": height,
    }


def box_size(variable: Variable, title: str = "") -> tuple[float, float]:
    """The width and the height of the box of a variable: a row for each state, up to eight."""
    if variable.is_continuous:
        width, height = 0.0, _CURVE
    else:
        texts = [label(state) for state in variable.states[:_MOST_STATES]]
        width = max(text_width(text, _SIZE) + _BESIDE for text in texts)
        height = _ROW * (len(texts) + (len(variable.states) > _MOST_STATES))
    width = max(width, text_width(title or label(variable.name), _SIZE, bold=True) + 48, _LEAST)
    return min(width, _MOST), _HEAD + height + _FOOT


def _bezier(route: tuple[tuple[float, float], ...], left: float, top: float) -> list[list[float]]:
    points = [route[0]]
    for _, one, other, end in curves(route):
        points += [one, other, end]
    return [[x - left, y - top] for x, y in points]


def _box(found: Layout, name: Name, left: float, top: float) -> dict[str, float]:
    (x, y), (width, height) = found.positions[name], found.sizes[name]
    return {"x": x - width / 2 - left, "y": y - height / 2 - top, "width": width, "height": height}


def _strengths(net: Network) -> dict[tuple[Name, Name], float]:
    """The bits that parent and child of each arc tell about each other, where they can be computed."""
    try:
        return {(one.parent, one.child): one.alone for one in net.arc_information().arcs}
    except BayouError:  # too wide, or some tables are missing
        return {}


def _variable(net: Network, name: Name, box: dict[str, float]) -> dict[str, Any]:
    variable, shown = net.variables[name], net.appearance.node(name)
    states = () if variable.is_continuous else variable.states
    slot = net.frozen.slots[name]
    return {
        "name": encode_value(name),
        "label": label(name),
        "title": shown.title,
        "description": shown.description,
        "table_note": shown.table_note,
        "kind": "text" if variable.is_text else "continuous" if variable.is_continuous else "discrete",
        "states": [encode_value(state) for state in states],
        "labels": [label(state) for state in states],
        "parents": [encode_value(parent) for parent in net.parents(name)],
        "distribution": net.frozen.blocks[slot].title if slot in net.frozen.blocks else None,
        "deterministic": _follows_from_parents(net, name),
        "box": box,
    }


def _follows_from_parents(net: Network, name: Name) -> bool:
    """Whether the states of the parents decide this variable: nobody would ask for it beside them."""
    block = net.frozen.blocks.get(net.frozen.slots[name])
    if not net.parents(name) or not isinstance(block, Table | FunctionOfParents):
        return False
    if isinstance(block, FunctionOfParents):
        return True
    values = block.values
    return bool(((values == 0) | (values == 1)).all())
