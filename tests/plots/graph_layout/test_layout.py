"""The whole layout: nothing overlaps, arcs point down, edits move little, given places are kept."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.shared_data import needs_shared_data, shared_files

import bayou
from bayou.errors import BadGraph, BadQuestion
from bayou.plots.curves import along, curves
from bayou.plots.graph_layout.detours import crossed, detour
from bayou.plots.graph_layout.layered_layout import Layout, LayoutOptions, layout
from bayou.plots.node_boxes import NameBox

Point = tuple[float, float]


@st.composite
def drawn(draw: st.DrawFn) -> tuple[dict[int, Point], list[tuple[int, int]]]:
    """Boxes of any size, and arcs from smaller to larger numbers."""
    size = draw(st.integers(1, 12))
    side = st.floats(10, 200)
    boxes = {k: (draw(side), draw(side)) for k in range(size)}
    return boxes, [pair for pair in itertools.combinations(range(size), 2) if draw(st.integers(0, 3)) == 0]


def edges(found: Layout, name: object) -> tuple[float, float, float, float]:
    (x, y), (width, height) = found.positions[name], found.sizes[name]
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def overlaps(found: Layout) -> list[tuple[object, object]]:
    frames = {name: edges(found, name) for name in found.positions}
    names = sorted(frames, key=lambda name: frames[name][1])
    pairs = []
    for k, one in enumerate(names):
        left, _, right, bottom = frames[one]
        for other in itertools.islice(names, k + 1, None):
            if frames[other][1] >= bottom - 1e-6:
                break
            if frames[other][0] < right - 1e-6 and left < frames[other][2] - 1e-6:
                pairs.append((one, other))
    return pairs


def check(found: Layout, arcs: list[tuple[int, int]]) -> None:
    assert not overlaps(found)
    for start, end in arcs:
        assert edges(found, end)[1] > edges(found, start)[3]  # the child is below
        route = found.routes[start, end]
        for point, name, border in ((route[0], start, 3), (route[-1], end, 1)):
            left, _, right, _ = edges(found, name)
            assert left <= point[0] <= right
            assert point[1] == pytest.approx(edges(found, name)[border])


@given(drawn())
def test_boxes_do_not_overlap_and_arcs_go_down_from_edge_to_edge(
    graph: tuple[dict[int, Point], list[tuple[int, int]]],
) -> None:
    found = layout(*graph)
    check(found, graph[1])
    left, top, _, _ = found.frame
    assert (left, top) == pytest.approx((0, 0), abs=1e-6)


@given(drawn())
def test_curves_of_arcs_go_through_no_box_where_boxes_are_high(
    graph: tuple[dict[int, Point], list[tuple[int, int]]],
) -> None:
    boxes = {name: (width, 60.0 + height) for name, (width, height) in graph[0].items()}
    found = layout(boxes, graph[1])
    frames = np.array([edges(found, name) for name in boxes]) + np.array([1.0, 1.0, -1.0, -1.0])
    for arc, route in found.routes.items():
        others = np.delete(frames, list(arc), axis=0)
        points = [along(curve, k / 12) for curve in curves(route) for k in range(13)]
        assert not any(crossed(one, other, others).any() for one, other in itertools.pairwise(points))


@given(drawn())
def test_without_an_edit_nothing_moves(graph: tuple[dict[int, Point], list[tuple[int, int]]]) -> None:
    before = layout(*graph)
    after = layout(*graph, previous=before.positions)
    assert after.positions == before.positions


@given(drawn(), st.data())
def test_after_an_edit_arcs_point_down_and_what_is_not_below_it_stays(
    graph: tuple[dict[int, Point], list[tuple[int, int]]], data: st.DataObject
) -> None:
    boxes, arcs = graph
    before = layout(boxes, arcs)
    new = len(boxes)
    parents = data.draw(st.sets(st.integers(0, new - 1), max_size=2)) if boxes else set()
    more = [*arcs, *((parent, new) for parent in parents)]
    after = layout({**boxes, new: (70.0, 30.0)}, more, previous=before.positions)
    assert not overlaps(after)
    assert all(edges(after, end)[1] > edges(after, start)[3] for start, end in more)
    assert {name: after.positions[name] for name in boxes} == before.positions  # a new leaf moves nothing


def test_an_arc_that_would_point_up_moves_the_child_and_what_is_below_it_only() -> None:
    boxes = dict.fromkeys("abcdef", (60.0, 30.0))
    arcs = [("a", "b"), ("b", "c"), ("d", "e"), ("e", "f")]
    before = layout(boxes, arcs)
    after = layout(boxes, [*arcs, ("c", "e")], previous=before.positions)
    moved = {name for name in boxes if after.positions[name] != before.positions[name]}
    assert moved == {"e", "f"}
    assert not overlaps(after)
    assert edges(after, "e")[1] > edges(after, "c")[3]


@given(drawn(), st.data())
def test_given_places_are_kept_exactly(
    graph: tuple[dict[int, Point], list[tuple[int, int]]], data: st.DataObject
) -> None:
    boxes, arcs = graph
    spot = st.tuples(st.floats(-1000, 1000), st.floats(-1000, 1000))
    fixed = {name: data.draw(spot) for name in boxes if data.draw(st.booleans())}
    found = layout(boxes, arcs, fixed=fixed)
    assert all(found.positions[name] == place for name, place in fixed.items())
    assert set(found.positions) == set(boxes)
    assert set(found.routes) == set(arcs)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), unique=True, max_size=12))
def test_detours_around_boxes_of_a_grid_cut_none(cells: list[tuple[int, int]]) -> None:
    """There is always a way between the boxes; it is at least as long as the straight line."""
    boxes = np.array([[100 * i, 60 * j, 100 * i + 80, 60 * j + 40] for i, j in cells], dtype=float).reshape(
        -1, 4
    )
    path = detour((440.0, 10.0), (450.0, 600.0), boxes)
    assert not any(crossed(one, other, boxes).any() for one, other in itertools.pairwise(path))
    length = sum(math.dist(one, other) for one, other in itertools.pairwise(path))
    assert length >= math.dist(path[0], path[-1]) - 1e-9


def test_the_layout_is_plain_data() -> None:
    found = layout({"a": (60, 30), "b": (60, 90)}, [("a", "b")])
    document = json.loads(json.dumps(found.to_dict()))
    assert document["nodes"][1] == {"name": "b", "x": 30, "y": 121, "width": 60, "height": 90, "layer": 1}
    assert document["height"] == 166
    assert layout({}, []).to_dict()["nodes"] == []


def test_what_cannot_be_laid_out_is_told() -> None:
    with pytest.raises(BadGraph, match="names 'c', which is not a node"):
        layout({"a": (60, 30)}, [("a", "c")])
    with pytest.raises(BadGraph, match="from 'a' to itself"):
        layout({"a": (60, 30)}, [("a", "a")])
    with pytest.raises(BadQuestion, match="width and a height"):
        layout({"a": (60, float("nan"))}, [])
    with pytest.raises(BadQuestion, match="two numbers x and y"):
        layout({"a": (60, 30)}, [], fixed={"a": (1, math.inf)})


def test_wide_graphs_are_not_much_wider_than_high() -> None:
    fan = dict.fromkeys(range(150), (90.0, 30.0))
    found = layout(fan, [(0, k) for k in range(1, 150)])
    _, _, width, height = found.frame
    assert 0.5 <= width / height <= 3.0
    alone = layout(dict.fromkeys(range(100), (90.0, 30.0)), [])
    _, _, width, height = alone.frame
    assert 0.5 <= width / height <= 3.0


def test_narrow_options_are_used() -> None:
    sizes = dict.fromkeys(range(8), (90.0, 30.0))
    tight = layout(sizes, [], LayoutOptions(gap=10.0, widest=100.0))
    assert tight.frame[2] == pytest.approx(8 * 90 + 7 * 10)


EXAMPLES = ["asia", "alarm", "cancer", "child", "earthquake", "insurance", "sachs", "survey", "storm"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_overlaps_in_the_bundled_networks(name: str) -> None:
    net = getattr(bayou.examples, name)()
    sizes = {node: NameBox(str(node)).size for node in net.names}
    check(layout(sizes, net.arcs), list(net.arcs))


@needs_shared_data
@pytest.mark.parametrize("path", shared_files("networks/*.bif.gz"), ids=lambda path: path.name.split(".")[0])
def test_nothing_overlaps_in_the_classic_networks(path: object) -> None:
    """Also the shape: at most three times as wide as high."""
    net = bayou.load(path)
    sizes = {node: NameBox(str(node)).size for node in net.names}
    found = layout(sizes, net.arcs)
    check(found, list(net.arcs))
    _, _, width, height = found.frame
    assert width <= 3 * height


MOST = {"alarm": 9, "insurance": 25, "hailfinder": 4, "munin1": 612}


@needs_shared_data
def test_classic_networks_keep_their_few_crossings() -> None:
    """At most 1.15 times those of graphviz' dot, which benchmarks/layout.py counts in the same way."""
    from bayou.plots.graph_layout.acyclic_arcs import acyclic_arcs
    from bayou.plots.graph_layout.layer_assignment import assign_layers
    from bayou.plots.graph_layout.layer_order import ordered
    from bayou.plots.graph_layout.layers import with_bends

    for name, most in MOST.items():
        (path,) = shared_files(f"networks/{name}.bif.gz")
        net = bayou.load(path)
        place = {node: k for k, node in enumerate(net.names)}
        downward = acyclic_arcs(len(place), [(place[a], place[b]) for a, b in net.arcs])
        layers = with_bends(len(place), downward, assign_layers(len(place), downward))
        assert ordered(layers).crossings() <= most
