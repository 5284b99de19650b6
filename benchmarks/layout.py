"""Crossings, size and time of bayou's layout of networks beside those of graphviz' ``dot``.

``python benchmarks/layout.py [network …]`` reads the networks in ``../shared/data/networks`` beside the
repository and needs the program ``dot``. Crossings of both are counted in the same way (inside: by the class
of the layout itself): pairs of arcs that cross between adjacent layers. The layers of dot are the heights of
its nodes, the places of its arcs in the layers between are where its curves pass these heights.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

import bayou
from bayou.plots.graph_layout.acyclic_arcs import acyclic_arcs
from bayou.plots.graph_layout.layer_assignment import assign_layers
from bayou.plots.graph_layout.layer_order import ordered
from bayou.plots.graph_layout.layered_layout import layout
from bayou.plots.graph_layout.layers import Layers, with_bends
from bayou.plots.node_boxes import NameBox

NETWORKS = Path(__file__).resolve().parents[2] / "shared" / "data" / "networks"
NAMES = ("asia", "alarm", "insurance", "hailfinder", "munin1", "pigs", "link")
Arc = tuple[int, int]
Point = tuple[float, float]


def our_layers(count: int, arcs: list[Arc]) -> Layers:
    """The layers of bayou's layout, before wide ones are folded (which makes no new crossings)."""
    downward = acyclic_arcs(count, arcs)
    return ordered(with_bends(count, downward, assign_layers(count, downward)))


def layers_of_dot(sizes: list[Point], arcs: list[Arc]) -> Layers:
    """The layers of dot, read from the positions that it prints."""
    nodes = "".join(
        f"{k} [width={width / 72:.3f},height={height / 72:.3f},fixedsize=true,shape=box];"
        for k, (width, height) in enumerate(sizes)
    )
    graph = f"digraph {{{nodes}{''.join(f'{a}->{b};' for a, b in arcs)}}}"
    printed = subprocess.run(
        ["dot", "-Tplain"], input=graph, capture_output=True, text=True, check=True
    ).stdout
    middles: dict[int, Point] = {}
    curves: dict[Arc, list[Point]] = {}
    for line in printed.splitlines():
        kind, *words = shlex.split(line)
        if kind == "node":
            middles[int(words[0])] = float(words[1]), float(words[2])
        elif kind == "edge":
            numbers = [float(word) for word in words[3 : 3 + 2 * int(words[2])]]
            curves[int(words[0]), int(words[1])] = list(zip(numbers[::2], numbers[1::2], strict=True))
    return _layers(middles, curves)


def _layers(middles: dict[int, Point], curves: dict[Arc, list[Point]]) -> Layers:
    heights = sorted({round(y, 2) for _, y in middles.values()}, reverse=True)
    layer = [heights.index(round(middles[k][1], 2)) for k in range(len(middles))]
    x = [middles[k][0] for k in range(len(middles))]
    ways: dict[Arc, list[int]] = {}
    for (start, end), curve in curves.items():
        bends = range(len(x), len(x) + layer[end] - layer[start] - 1)
        for depth in range(layer[start] + 1, layer[end]):
            x.append(_place(curve, heights[depth]))
            layer.append(depth)
        ways[start, end] = [start, *bends, end]
    rows: list[list[int]] = [[] for _ in heights]
    for item, depth in enumerate(layer):
        rows[depth].append(item)
    return Layers([sorted(row, key=x.__getitem__) for row in rows], ways, layer, len(middles))


def _place(curve: list[Point], height: float) -> float:
    """Where a chain of Bézier curves that goes down passes a height."""
    steps = []
    for k in range(0, len(curve) - 3, 3):
        for part in range(33):
            t = part / 32
            shares = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
            steps.append([sum(s * curve[k + j][axis] for j, s in enumerate(shares)) for axis in (0, 1)])
    return min(steps, key=lambda point: abs(point[1] - height))[0]


def measured(name: str) -> str:
    """A line of the table for one network."""
    net = bayou.load(NETWORKS / f"{name}.bif.gz")
    place = {node: k for k, node in enumerate(net.names)}
    arcs = [(place[a], place[b]) for a, b in net.arcs]
    sizes = {node: NameBox(str(node)).size for node in net.names}
    start = time.perf_counter()
    found = layout(sizes, net.arcs)
    seconds = time.perf_counter() - start
    ours, theirs = our_layers(len(place), arcs), layers_of_dot(list(sizes.values()), arcs)
    crossings, others = ours.crossings(), theirs.crossings()
    _, _, width, height = found.frame
    ratio = crossings / others if others else float(crossings > 0)
    return (
        f"{name:12}{len(place):7}{len(arcs):7}{len(ours.rows):8}{crossings:11}{others:8}{ratio:8.2f}"
        f"{width:9.0f} x {height:<6.0f}{width / height:6.2f}{seconds:9.2f} s"
    )


def main() -> None:
    print("network       nodes   arcs  layers  crossings     dot   ratio     width x height  w : h     time")
    for name in sys.argv[1:] or NAMES:
        print(measured(name), flush=True)


if __name__ == "__main__":
    main()
