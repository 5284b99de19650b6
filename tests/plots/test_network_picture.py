from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from bayou.plots.network_picture import network_picture
from bayou.plots.svg_pieces import Line

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>", 'say "hi"', "a & b", "Größe", "年齢", "two\nlines", "\x00", "x" * 200, 7, ("a", 1)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Any directed graph, circles included, no pair joined twice."""
    size = draw(st.integers(1, 12))
    pairs = [pair for pair in itertools.combinations(range(size), 2) if draw(st.integers(0, 3)) == 0]
    return size, [pair if draw(st.booleans()) else pair[::-1] for pair in pairs]


@given(graphs(), st.booleans())
def test_a_picture_is_well_formed_and_holds_every_node_and_line(
    graph: tuple[int, list[tuple[int, int]]], directed: bool
) -> None:
    size, arcs = graph
    names = (HOSTILE * 2)[:size] if size <= len(HOSTILE) else list(range(size))
    lines = [Line(names[a], names[b], directed, label="0.5") for a, b in arcs]
    root = ElementTree.fromstring(network_picture(names, lines).svg)
    assert len(root.findall(f"{SVG}g")) == size
    assert len(root.findall(f"{SVG}path")) == len(arcs)
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.findall(f"{SVG}g/{SVG}rect"):
        x, y, wide, high = (float(box.attrib[key]) for key in ("x", "y", "width", "height"))
        assert left <= x <= x + wide <= left + width
        assert top <= y <= y + high <= top + height


def test_hundreds_of_nodes_are_drawn() -> None:
    names = list(range(223))
    lines = [Line(k // 2, k) for k in range(1, 223)] + [Line(k, 222 - k) for k in range(0, 60, 3)]
    assert network_picture(names, lines).svg.count("<path") >= len(lines)


def test_a_picture_of_nothing_is_a_picture() -> None:
    ElementTree.fromstring(network_picture([], []).svg)


def test_labels_of_arcs_that_cross_do_not_hide_each_other() -> None:
    """Both middles are in the same place; each label gives way along its line."""
    names = [f"variable {letter}" for letter in "abcd"]
    a, b, c, d = names
    lines = [Line(a, d, label="0.90"), Line(b, c, label="1.00"), Line(a, c), Line(b, d)]
    root = ElementTree.fromstring(network_picture(names, lines).svg)
    frames = [
        tuple(float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
        for rect in root.findall(f"{SVG}rect")
    ]
    (x, y, width, height), (u, v, broad, high) = frames
    assert x + width <= u or u + broad <= x or y + height <= v or v + high <= y
