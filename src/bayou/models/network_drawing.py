"""Pictures of networks, with strengths of arcs and colours of boxes given by the user."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from bayou.arguments import real_number
from bayou.errors import BadFile, BadGraph
from bayou.formats.file_content import FilePath, write_bytes
from bayou.graphs import Dag
from bayou.networks.declarations import mapping_given
from bayou.plots.network_picture import Line, Picture, network_picture
from bayou.typing import Name


def picture_of(
    dag: Dag, strengths: Mapping[Any, float] | None, colours: Mapping[Name, str] | None
) -> Picture:
    """Draw a graph; the width of an arc grows with its strength (0 to 1), and boxes get the given colours."""
    strong = mapping_given("strengths", strengths, "{('Storm', 'Thunder'): 0.9}")
    marks = mapping_given("colours", colours, "{'Storm': '#ffd9b3'}")
    for arc, value in strong.items():
        if arc not in dag.arcs:
            raise BadGraph(f"strengths names {arc!r}, which is not an arc (parent, child) of this network.")
        real_number(f"strengths[{arc!r}]", value, 0, 1, expected="a strength lies between 0 and 1")
    for name in marks:
        dag.only(name)
    lines = [strength_line(*arc, float(strong[arc])) if arc in strong else Line(*arc) for arc in dag.arcs]
    return network_picture(dag.nodes, lines, {name: str(colour) for name, colour in marks.items()})


def strength_line(start: Name, end: Name, strength: float, directed: bool = True) -> Line:
    """A line whose width and opacity grow with its strength; its label is the strength."""
    shown = f"{math.floor(strength * 100) / 100:.2f}"
    return Line(start, end, directed, width=0.8 + 2.4 * strength, opacity=0.35 + 0.65 * strength, label=shown)


def save_picture(picture: Picture, path: FilePath | None) -> str:
    """Return the picture as SVG text, and write it to a file if a path is given."""
    if path is not None:
        if not os.fspath(path).lower().endswith(".svg"):
            raise BadFile.at(path, "the picture is an SVG; give the file a name that ends in .svg.")
        write_bytes(path, picture.svg.encode())
    return picture.svg
