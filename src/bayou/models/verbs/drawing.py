"""Pictures of networks: arcs with strengths, boxes with colours or with what the network believes."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bayou.arguments import real_number
from bayou.errors import BadFile, BadGraph, BayouError
from bayou.formats.file_content import FilePath, write_bytes
from bayou.graphs import Dag
from bayou.networks.declarations import mapping_given
from bayou.plots.network_picture import Picture, network_picture
from bayou.plots.palette import PRIOR
from bayou.plots.svg_pieces import Line
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.models.verbs.beliefs import Beliefs

SHOWN_NODES = 40
"""A notebook shows the drawing of a network of at most this many variables."""
_SHOWN_ENTRIES = 2_000_000
"""A notebook computes the beliefs of a network whose cliques have at most this many entries."""


LEGEND = {"belief before the findings": Line("", "", directed=False, colour=PRIOR, width=8)}
"""What the grey bars behind the others are, in a picture with findings."""


def picture_of(
    dag: Dag,
    strengths: Mapping[Any, float] | None,
    colours: Mapping[Name, str] | None,
    beliefs: Beliefs | None = None,
    positions: Mapping[Name, tuple[float, float]] | None = None,
) -> Picture:
    """Draw a graph; the width of an arc grows with its strength (0 to 1), and boxes get the given colours.

    With beliefs, boxes have bars, and arcs into variables that are set by do() are dashed: they do not act.
    """
    strong = mapping_given("strengths", strengths, "{('Storm', 'Thunder'): 0.9}")
    marks = mapping_given("colours", colours, "{'Storm': '#ffd9b3'}")
    places = mapping_given("positions", positions, "{'Storm': (120, 40)}")
    for arc, value in strong.items():
        if arc not in dag.arcs:
            raise BadGraph(f"strengths names {arc!r}, which is not an arc (parent, child) of this network.")
        real_number(f"strengths[{arc!r}]", value, 0, 1, expected="a strength lies between 0 and 1")
    for name in (*marks, *places):
        dag.only(name)
    lines = [strength_line(*arc, float(strong[arc])) if arc in strong else Line(*arc) for arc in dag.arcs]
    fills = {name: str(colour) for name, colour in marks.items()}
    if beliefs is None:
        return network_picture(dag.nodes, lines, fills, positions=places)
    lines = [
        replace(line, dashed=True, opacity=0.6) if line.end in beliefs.set_by_do else line for line in lines
    ]
    boxes = {name: replace(box, colour=fills.get(name)) for name, box in beliefs.boxes.items()}
    legend = LEGEND if beliefs.caption else None
    return network_picture(
        dag.nodes, lines, legend=legend, boxes=boxes, caption=beliefs.caption, positions=places
    )


def strength_line(start: Name, end: Name, strength: float, directed: bool = True) -> Line:
    """A line whose width and opacity grow with its strength; its label is the strength."""
    shown = f"{math.floor(strength * 100) / 100:.2f}"
    return Line(start, end, directed, width=0.8 + 2.4 * strength, opacity=0.35 + 0.65 * strength, label=shown)


def notebook_drawing(net: Network) -> str:
    """The picture that a notebook shows, with beliefs where they are known and cheap.

    Empty if there are no arcs, or too many variables to be seen.
    """
    if not net.arcs or len(net.names) > SHOWN_NODES:
        return ""
    return f"<div>{picture_of(net.dag, None, None, _cheap_beliefs(net)).svg}</div>"


def _cheap_beliefs(net: Network) -> Beliefs | None:
    from bayou.models.verbs.beliefs import beliefs_of

    frozen = net._frozen
    if frozen is None or any(frozen.slots[name] not in frozen.blocks for name in frozen.dag.nodes):
        return None
    try:
        entries = net.junction_tree().entries
        return beliefs_of(net, None, None, None) if entries <= _SHOWN_ENTRIES else None
    except BayouError:  # too wide, or a kind of node that has no marginal: the arcs alone are drawn
        return None


def save_picture(picture: Picture, path: FilePath | None) -> str:
    """Return the picture as SVG text, and write it to a file if a path is given."""
    if path is not None:
        if not os.fspath(path).lower().endswith(".svg"):
            raise BadFile.at(path, "the picture is an SVG; give the file a name that ends in .svg.")
        write_bytes(path, picture.svg.encode())
    return picture.svg
