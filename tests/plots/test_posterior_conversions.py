"""A posterior as a Series and as a picture."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadQuestion, MissingPackage


def test_a_series_has_the_states_as_its_index() -> None:
    net = bayou.examples.storm()
    series = net.query("Storm", {"Thunder": "yes"}).to_series()
    assert series.name == "P(Storm | Thunder=yes)"
    assert series.index.name == "Storm"
    assert series["yes"] == net.query("Storm", {"Thunder": "yes"})["yes"]
    joint = net.query(["Storm", "Campfire"])
    pairs = joint.to_series()
    assert pairs.index.names == ["Storm", "Campfire"]
    assert pairs["yes", "no"] == joint["yes", "no"]
    assert isinstance(pairs, pandas.Series)


def test_states_of_any_type_stay_what_they_are() -> None:
    states = [1, "1", True, ("a", 1)]
    net = bayou.Network("x", states={"x": states}, tables={"x": [0.1, 0.2, 0.3, 0.4]})
    series = net.query("x").to_series()
    assert [type(state) for state in series.index] == [int, str, bool, tuple]
    twice = bayou.Network(
        "x; y", states={"x": states, "y": [0, 1]}, tables={"x": [0.25] * 4, "y": [0.5, 0.5]}
    )
    with pytest.raises(BadQuestion, match="cannot tell apart"):
        twice.query(["x", "y"]).to_series()


def test_a_plot_has_a_bar_for_each_state_and_whiskers_for_intervals() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    net = bayou.Network("preis in $").fit({"preis in $": ["hoch", "tief", "tief", "$5"]})
    posterior = net.query("preis in $", interval=0.95)
    axes = posterior.plot()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(posterior.to_array().tolist())
    assert axes.get_xlim() == (0, 1)
    assert len(axes.containers) == 2
    axes.figure.canvas.draw()
    _, own = pyplot.subplots()
    assert bayou.examples.storm().query("Storm").plot(ax=own) is own
    assert len(own.containers) == 1
    assert own.get_title() == "P(Storm)"
    assert np.all(np.diff(own.get_yticks()) > 0)
    pyplot.close("all")


def test_only_one_target_is_plotted() -> None:
    with pytest.raises(BadQuestion, match="several targets"):
        bayou.examples.storm().query(["Storm", "Thunder"]).plot()


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackage, match=r"pip install 'bayou\[plot\]'"):
        bayou.examples.storm().query("Storm").plot()
