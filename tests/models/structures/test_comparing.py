from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import BadFile, BadGraph, BadQuestion, UnknownVariable
from bayou.graphs import equivalent, structural_hamming_distance

TRUE = "Storm -> Lightning -> Thunder; Storm, Bus -> Campfire"


def test_every_arc_is_common_extra_missing_or_turned() -> None:
    found = bayou.Network("Lightning -> Storm; Lightning -> Thunder; Bus -> Campfire; Bus -> Thunder")
    seen = found.compare(TRUE)
    assert seen.common == (("Lightning", "Thunder"), ("Bus", "Campfire"))
    assert seen.turned == (("Lightning", "Storm"),)
    assert seen.missing == (("Storm", "Campfire"),)
    assert seen.extra == (("Bus", "Thunder"),)
    assert seen.arc_distance == 3
    assert seen.kl is None
    assert seen.skeleton == (0.75, 0.75, 0.75)
    for line in ("extra: Bus -> Thunder", "missing: Storm -> Campfire", "turned: Lightning -> Storm"):
        assert line in str(seen)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_comparison_agrees_with_the_graphs_and_with_the_divergence(a: int, b: int) -> None:
    found, true = (bayou.random_network(6, seed=seed) for seed in (a, b))
    seen = found.compare(true)
    assert seen.kl == true.kl_divergence(found)
    assert seen.distance == structural_hamming_distance(found.dag, true.dag)
    assert seen.arc_distance == structural_hamming_distance(found.dag, true.dag, as_classes=False)
    assert seen.equivalent == equivalent(found.dag, true.dag)
    assert len(seen.common) + len(seen.turned) + len(seen.extra) == len(found.arcs)
    assert len(seen.common) + len(seen.turned) + len(seen.missing) == len(true.arcs)
    assert "KL(true" in str(seen)
    ElementTree.fromstring(seen.to_svg())


def test_other_states_leave_the_divergence_out() -> None:
    one = bayou.Network("A", tables={"A": {"no": 0.5, "yes": 0.5}})
    two = bayou.Network("A", tables={"A": {0: 0.5, 1: 0.5}})
    assert one.compare(two).kl is None
    assert "KL" not in str(one.compare(two))


def test_other_nodes_are_refused() -> None:
    with pytest.raises(BadGraph, match="only one of the two has 'Bus'"):
        bayou.Network("Storm").compare("Storm; Bus")


def test_the_picture_of_a_comparison_names_what_it_shows() -> None:
    svg = bayou.Network("A -> B -> C; D").compare("A <- B; A -> C; D").to_svg()
    assert ">turned (1)<" in svg
    assert ">extra (1)<" in svg
    assert ">missing (1)<" in svg
    assert "in both" not in svg
    assert svg.count("stroke-dasharray") == 2  # the arc and its line in the legend


def test_a_picture_is_written_whole(tmp_path: Path) -> None:
    text = bayou.examples.storm().to_svg(tmp_path / "Wald brand.svg")
    assert (tmp_path / "Wald brand.svg").read_text(encoding="utf-8") == text
    with pytest.raises(BadFile, match="cannot be written"):
        bayou.examples.storm().to_svg(tmp_path / "no folder" / "a.svg")


def test_a_picture_is_not_written_under_a_wrong_ending(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"name that ends in \.svg"):
        bayou.examples.storm().to_svg(tmp_path / "storm.png")


def test_strengths_and_colours_are_drawn_and_checked() -> None:
    net = bayou.Network("Storm -> Thunder <- 'a <b>'")
    svg = net.to_svg(strengths={("Storm", "Thunder"): 0.999}, colours={"Storm": "#ffd9b3"})
    assert ">0.99<" in svg  # not rounded up to certainty
    assert 'fill="#ffd9b3"' in svg
    assert "a &lt;b&gt;" in svg
    with pytest.raises(BadGraph, match="not an arc"):
        net.to_svg(strengths={("Thunder", "Storm"): 0.5})
    with pytest.raises(BadQuestion, match="between 0 and 1"):
        net.to_svg(strengths={("Storm", "Thunder"): 5})
    with pytest.raises(UnknownVariable):
        net.to_svg(colours={"Stor": "red"})
