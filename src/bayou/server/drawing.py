"""A network as the page draws it, as an operation of the worker processes."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from bayou.models.network import Network
from bayou.pages.drawn_network import drawn_network
from bayou.server.messages import Message, Value, decoded
from bayou.server.operations.operation import Operation

Coordinate = Annotated[float, Meta(ge=-1e7, le=1e7)]


class Place(Message):
    """The middle of a variable's box in the drawing before; y grows downwards."""

    variable: Value
    position: tuple[Coordinate, Coordinate]


class DrawingRequest(Message):
    """Where boxes stood before, so that only what must move moves; without places all are laid out.

    Boxes of ``loose`` variables move if an arc would point up or boxes would overlap, the others never. A
    position in the network itself counts more. Places of variables that are not there are ignored.
    """

    places: list[Place] = field(default_factory=list)
    loose: list[Value] = field(default_factory=list)


class Drawing(Message):
    """The document of ``GET /v1/models/{model}`` but for its revision and remarks."""

    title: str
    description: str
    variables: list[Any]
    arcs: list[Any]
    left: float
    top: float
    width: float
    height: float


def draw(net: Network, request: DrawingRequest) -> Drawing:
    """Lay out a network; positions that its file has are kept."""
    places = {decoded(place.variable): place.position for place in request.places}
    return Drawing(**drawn_network(net, places, {decoded(name) for name in request.loose}))


DRAWING = Operation("drawing", "A network and its drawing", DrawingRequest, Drawing, draw)
"""An operation for worker processes: ``GET /v1/models/{model}`` and ``POST …/drawing`` are its addresses."""
