from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from bayou.plots.layers import layered
from bayou.plots.network_picture import Line, network_picture
from bayou.plots.node_positions import horizontal_positions

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>", 'say "hi"', "a & b", "Größe", "年齢", "two\nlines", "\x00", "x" * 200, 7, ("a", 1)]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Any directed graph, circles included, no pair joined twice."""
    size = draw(st.integers(1, 12))
    pairs = [pair for pair in itertools.combinations(range(size), 2) if draw(st.integers(0, 3)) == 0]
    return size, [pair if draw(st.booleans()) else pair[::-1] for pair in pairs]


@given(graphs())
def test_layers_hold_every_node_once_and_every_way_goes_down_layer_by_layer(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    size, arcs = graph
    layers = layered(size, arcs)
    assert sorted(node for row in layers.rows for node in row) == list(range(layers.size))
    assert {frozenset(arc) for arc in layers.ways} == {frozenset(arc) for arc in arcs}
    for (start, end), way in layers.ways.items():
        assert (way[0], way[-1]) == (start, end)
        depths = [layers.layer[node] for node in way]
        assert depths == list(range(depths[0], depths[0] + len(way)))


@given(graphs())
def test_arcs_without_circles_all_point_down(graph: tuple[int, list[tuple[int, int]]]) -> None:
    size, arcs = graph
    forward = [(min(arc), max(arc)) for arc in arcs]
    assert set(layered(size, forward).ways) == set(forward)


@given(graphs(), st.data())
def test_boxes_of_a_layer_do_not_overlap(
    graph: tuple[int, list[tuple[int, int]]], data: st.DataObject
) -> None:
    size, arcs = graph
    widths = data.draw(st.lists(st.floats(10, 200), min_size=size, max_size=size))
    layers = layered(size, arcs)
    middle = horizontal_positions(layers, widths, gap=20.0)
    for row in layers.rows:
        boxes = [node for node in row if node < size]
        for one, other in itertools.pairwise(boxes):
            assert middle[other] - middle[one] >= (widths[one] + widths[other]) / 2 + 20.0 - 1e-6
    assert min(middle[node] - widths[node] / 2 for node in range(size)) >= -1e-6


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
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for box in root.findall(f"{SVG}g/{SVG}rect"):
        assert 0 <= float(box.attrib["x"]) <= float(box.attrib["x"]) + float(box.attrib["width"]) <= width
        assert 0 <= float(box.attrib["y"]) <= height - 30


def test_two_triangles_that_can_be_drawn_without_crossings_are() -> None:
    """Parents in the wrong order are sorted out by the sweeps."""
    layers = layered(6, [(0, 5), (1, 4), (2, 3)])
    place = {node: k for row in layers.rows for k, node in enumerate(row)}
    assert [place[0], place[1], place[2]] == [place[5], place[4], place[3]]


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
