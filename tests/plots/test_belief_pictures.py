"""Pictures with belief bars: the numbers are those of queries, findings are marked, names are only text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, UnknownVariable
from bayou.plots.node_boxes import BeliefBox, DensityCurve, StateBar, percent_text

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", 'say "hi" & go', "]]>", "two\nlines", "'; drop"]


def boxes(svg: str) -> dict[str, Any]:
    """The element of each node by its title."""
    root = ElementTree.fromstring(svg)
    found = {}
    for group in root.findall(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        assert title is not None
        found[str(title.text)] = group
    return found


def texts(element: Any) -> list[str]:
    return [str(text.text) for text in element.iter(f"{SVG}text")]


def test_every_percentage_is_that_of_a_query() -> None:
    net = bayou.examples.asia()
    given = {"xray": "yes", "smoke": "yes"}
    found = boxes(net.to_svg(given=given))
    for name in net.names:
        shown = texts(found[name])
        if name in given:
            assert "observed" in shown
            assert "100 %" in shown
            continue
        posterior = net.query(name, given)
        for state, probability in posterior.to_dict().items():
            place = shown.index(state)
            assert shown[place + 1] == percent_text(probability)


def test_bars_are_as_long_as_probabilities_and_ghosts_as_priors() -> None:
    net = bayou.examples.rain_and_wet_grass()
    group = boxes(net.to_svg(given={"WetGrass": "yes"}))["Rain"]
    rows = group.findall(f"{SVG}g")
    now, before = net.query("Rain", {"WetGrass": "yes"}), net.query("Rain")
    assert len(rows) == 2
    for row, state in zip(rows, ("no", "yes"), strict=True):
        track, ghost, bar = (float(box.attrib["width"]) for box in row.findall(f"{SVG}rect"))
        assert ghost / track == pytest.approx(before[state], abs=0.002)
        assert bar / track == pytest.approx(now[state], abs=0.002)


def test_findings_are_marked_by_words_and_signs_not_by_colour_alone() -> None:
    net = bayou.examples.asia()
    svg = net.to_svg(given={"xray": "yes"}, do={"smoke": "no"}, likelihood={"asia": {"yes": 3, "no": 1}})
    found = boxes(svg)
    for name, mark in {"xray": "observed", "smoke": "do", "asia": "likelihood"}.items():
        assert mark in texts(found[name])
    for name, dots, arrows in (("xray", 1, 0), ("smoke", 0, 1), ("asia", 0, 0), ("lung", 0, 0)):
        assert len(found[name].findall(f"{SVG}g/{SVG}circle")) == dots
        assert len(found[name].findall(f"{SVG}g/{SVG}path")) == arrows
    assert "given xray=yes, do(smoke=no)" in svg


def test_arcs_into_what_is_set_are_dashed() -> None:
    """do() cuts a variable off from its causes."""
    net = bayou.examples.asia()
    root = ElementTree.fromstring(net.to_svg(do={"either": "yes"}))
    dashed = []
    for path in root.findall(f"{SVG}path"):
        title = path.find(f"{SVG}title")
        if title is not None and "stroke-dasharray" in path.attrib:
            dashed.append(title.text)
    assert sorted(map(str, dashed)) == [f"{parent} → either" for parent in sorted(net.parents("either"))]


def test_without_findings_there_is_no_ghost_and_no_caption() -> None:
    svg = bayou.examples.asia().to_svg(beliefs=True)
    row = boxes(svg)["lung"].find(f"{SVG}g")
    assert len(row.findall(f"{SVG}rect")) == 2  # the track and the bar
    assert "given" not in svg
    assert "%" not in bayou.examples.asia().to_svg()


def test_many_states_are_shortened() -> None:
    table = {f"state {k}": (k + 1) / 210 for k in range(20)}
    net = bayou.Network("many -> x", tables={"many": table, "x": {s: {0: 0.5, 1: 0.5} for s in table}})
    shown = texts(boxes(net.to_svg(beliefs=True))["many"])
    assert "… 13 more: 43.3 %" in shown
    assert "state 19" in shown
    assert "state 3" not in shown
    found = texts(boxes(net.to_svg(given={"many": "state 3"}))["many"])
    assert "state 3" in found


def test_numbers_are_drawn_as_densities() -> None:
    rows = {"kind": ["a", "b"] * 30, "height": [float(k % 7) + 10 * (k % 2) for k in range(60)]}
    net = bayou.Network("kind -> height").fit(rows)
    group = boxes(net.to_svg(given={"kind": "a"}))["height"]
    posterior = net.query("height", {"kind": "a"})
    assert [text for text in texts(group) if text.startswith(f"mean {posterior.mean:.4g}")]
    assert len(group.findall(f"{SVG}path")) == 4  # header, base line, density, density before
    observed = boxes(net.to_svg(given={"height": 3.5}))["height"]
    assert "= 3.5" in texts(observed)
    assert "observed" in texts(observed)


def test_cut_variables_show_their_intervals_and_mean() -> None:
    cuts = bayou.Cuts(18, 65, low=0, high=100)
    net = bayou.Network("age -> ill", states={"age": cuts}).fit(
        {"age": [5, 30, 70, 40], "ill": ["n", "n", "y", "y"]}
    )
    shown = texts(boxes(net.to_svg(beliefs=True))["age"])
    assert any(text.startswith("mean ") for text in shown)
    assert sum("18" in text for text in shown) >= 2


def test_hostile_names_and_states_are_text() -> None:
    names = {f"{word}{k}": [f"{other}" for other in HOSTILE] for k, word in enumerate(HOSTILE)}
    first, *rest = names
    table = dict.fromkeys(HOSTILE, 0.2)
    net = bayou.Network(
        {first: [], **{name: [first] for name in rest}},
        tables={first: table, **{name: dict.fromkeys(HOSTILE, table) for name in rest}},
    )
    for svg in (net.to_svg(given={first: HOSTILE[0]}), net.to_svg(), net.to_svg(do={rest[0]: HOSTILE[2]})):
        root = ElementTree.fromstring(svg)
        assert not [tag for tag in root.iter() if "script" in tag.tag]
        assert "<script" not in svg
        assert "]]>" not in svg
        assert not [key for tag in root.iter() for key in tag.attrib if key.startswith("on")]


def test_what_cannot_be_drawn_is_told() -> None:
    net = bayou.examples.asia()
    with pytest.raises(BadQuestion, match="beliefs=False"):
        net.to_svg(given={"xray": "yes"}, beliefs=False)
    with pytest.raises(UnknownVariable):
        net.to_svg(given={"x-ray": "yes"})
    with pytest.raises(ImpossibleEvidence):
        net.to_svg(given={"either": "no", "lung": "yes"})
    with pytest.raises(UnknownVariable):
        net.to_svg(positions={"x-ray": (0, 0)})


def test_given_positions_are_kept() -> None:
    net = bayou.examples.rain_and_wet_grass()
    svg = net.to_svg(positions={"Rain": (300, 50), "WetGrass": (100, 400)})
    (x, y, width, height) = (
        float(re.search(rf'{key}="([\d.]+)"', svg.split("<title>Rain</title>")[1])[1])
        for key in ("x", "y", "width", "height")
    )
    assert (x + width / 2, y + height / 2) == pytest.approx((300, 50), abs=0.1)


@pytest.mark.parametrize("mark", ["", "observed", "do", "likelihood"])
def test_everything_in_a_box_is_inside_it(mark: str) -> None:
    bars = tuple(StateBar(f"a rather long state {k}" * 2, 0.5, 0.25, k == 1) for k in range(2))
    curve = DensityCurve([0.0, 1.0, 0.0], [0.5, 0.5, 0.5], 0.5)
    for box in (
        BeliefBox("name " * 20, bars, mark=mark, notes=("… 3 more: 1.0 %",)),
        BeliefBox("x", curve=curve, notes=("mean 3 ± 1",), mark=mark),
        BeliefBox("x", mark=mark),
    ):
        width, height = box.size
        root = ElementTree.fromstring(f'<svg xmlns="http://www.w3.org/2000/svg">{box.svg(10, 20)}</svg>')
        for rect in root.iter(f"{SVG}rect"):
            x, y, wide, high = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
            assert 10 <= x <= x + wide <= 10.1 + width
            assert 20 <= y <= y + high <= 20.1 + height
        for text in root.iter(f"{SVG}text"):
            assert 10 <= float(text.attrib["x"]) <= 10 + width
            assert 20 <= float(text.attrib["y"]) <= 20 + height


def test_signs_are_those_of_the_page_and_grey_bars_are_explained() -> None:
    """A dot for what was observed, an arrow for what was set; a legend where there are bars of before."""
    net = bayou.examples.asia()
    observed, done = net.to_svg(given={"xray": "yes"}), net.to_svg(do={"xray": "yes"})
    assert ("<circle" in observed, "<circle" in done) == (True, False)
    assert "v8l8 -4z" in done
    assert "belief before the findings" in observed
    assert "belief before the findings" not in net.to_svg()
