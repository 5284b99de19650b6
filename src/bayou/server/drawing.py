"""A network as the page draws it: variables with their boxes, arcs with their curves and strengths."""

from __future__ import annotations

from typing import Any

from bayou.errors import BayouError
from bayou.models.network import Network
from bayou.plots.curves import curves
from bayou.plots.graph_layout.layered_layout import Layout, LayoutOptions, layout
from bayou.plots.text_widths import text_width
from bayou.schema import Variable, label
from bayou.server.messages import Message, encoded, labels_of
from bayou.server.operations.operation import Operation
from bayou.typing import Name

_HEAD, _ROW, _FOOT, _CURVE = 28.0, 24.0, 6.0, 64.0
"""Heights inside a box: the name, a state, the rest, the density of a number (geometry.js has the same)."""
_LEAST, _MOST, _SIZE, _BESIDE = 150.0, 280.0, 13.0, 64.0
_MOST_STATES = 8


class DrawingRequest(Message):
    """Nothing: a drawing depends on the network alone."""


class Drawing(Message):
    """The document of ``GET /v1/models/{model}`` but for its revision and remarks."""

    title: str
    description: str
    variables: list[Any]
    arcs: list[Any]
    width: float
    height: float


def draw(net: Network, request: DrawingRequest) -> Drawing:
    """Lay out a network; positions that its file has are kept."""
    shown = net.appearance
    places = {name: shown.node(name).position for name in net.names}
    fixed = {name: place for name, place in places.items() if place is not None}
    sizes = {name: box_size(net.variables[name], shown.node(name).title) for name in net.names}
    found = layout(sizes, net.arcs, LayoutOptions(layer_gap=54.0), fixed=fixed or None)
    left, top, width, height = found.frame
    strengths = _strengths(net)
    arcs = [
        {
            "parent": encoded(arc[0]),
            "child": encoded(arc[1]),
            "points": _bezier(route, left, top),
            "bits": strengths.get(arc),
        }
        for arc, route in found.routes.items()
    ]
    variables = [_variable(net, name, _box(found, name, left, top)) for name in net.names]
    return Drawing(shown.title, shown.description, variables, arcs, width, height)


def box_size(variable: Variable, title: str = "") -> tuple[float, float]:
    """The width and the height of the box of a variable: a row for each state, up to eight."""
    if variable.is_continuous:
        width, height = 0.0, _CURVE
    else:
        texts = labels_of(variable.states[:_MOST_STATES])
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
        "name": encoded(name),
        "label": label(name),
        "title": shown.title,
        "description": shown.description,
        "kind": "text" if variable.is_text else "continuous" if variable.is_continuous else "discrete",
        "states": [encoded(state) for state in states],
        "labels": labels_of(states),
        "parents": [encoded(parent) for parent in net.parents(name)],
        "distribution": net.frozen.blocks[slot].title if slot in net.frozen.blocks else None,
        "box": box,
    }


DRAWING = Operation("drawing", "A network and its drawing", DrawingRequest, Drawing, draw)
"""An operation for worker processes only: ``GET /v1/models/{model}`` is its address."""
