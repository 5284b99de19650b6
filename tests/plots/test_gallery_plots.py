"""Heat maps, densities by class, the steps of a tree, what findings are worth; and the gallery itself."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, UnknownVariable
from bayou.plots import density_curves, information_bars, state_bars, table_heat_map, tree_steps_plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
DOCS = Path(__file__).parents[2] / "docs"


def test_a_heat_map_has_the_cells_of_the_table_and_writes_them() -> None:
    table = bayou.examples.storm().cpt("Campfire")
    axes = table_heat_map(table)
    (mesh,) = axes.collections
    cells = np.asarray(table.to_array(), dtype=float).reshape(4, 2)
    np.testing.assert_array_equal(np.ma.getdata(mesh.get_array()).reshape(4, 2), cells)
    assert [float(text.get_text()) for text in axes.texts] == cells.ravel().round(3).tolist()
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        "no, no",
        "no, yes",
        "yes, no",
        "yes, yes",
    ]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["no", "yes"]
    assert axes.get_ylabel() == "Storm, BusTourGroup"


def test_a_long_title_of_a_heat_map_is_not_cut_off() -> None:
    axes = table_heat_map(bayou.examples.storm().cpt("ForestFire"))
    axes.figure.canvas.draw()
    frame = axes.title.get_window_extent()
    assert frame.x0 >= 0
    assert frame.x1 <= axes.figure.bbox.width


def test_a_table_that_nobody_could_read_is_refused() -> None:
    net = bayou.Network("A -> B", states={"A": range(70), "B": [0, 1]}, tables={"A": [1 / 70] * 70})
    net = net.set_cpt("B", [[0.5, 0.5]] * 70)
    with pytest.raises(BadQuestion, match="70 rows and 2 columns"):
        table_heat_map(net.cpt("B"))


def test_the_density_of_a_number_is_that_of_its_class() -> None:
    chance = np.random.default_rng(0)
    ill = np.array(["no", "yes"] * 100)
    age = np.where(ill == "yes", 60, 40) + chance.normal(size=200) * np.where(ill == "yes", 8, 4)
    axes = bayou.NaiveBayes("gaussian").fit({"age": age}, ill).plot_density("age")
    for line, state in zip(axes.lines, ("no", "yes"), strict=True):
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        mean, spread = age[ill == state].mean(), age[ill == state].std()
        expected = np.exp(-0.5 * ((x - mean) / spread) ** 2) / (spread * np.sqrt(2 * np.pi))
        np.testing.assert_allclose(y, expected, rtol=1e-6)
        assert np.trapezoid(y, x) == pytest.approx(1, abs=2e-3)
    styles = [line.get_linestyle() for line in axes.lines]
    assert len({*styles}) == 2  # told apart in grey, too


def test_states_and_counts_by_class() -> None:
    table = {"wind": ["weak", "weak", "strong", "weak"], "calls": [0, 2, 1, 3]}
    model = bayou.NaiveBayes({"wind": "table", "calls": "poisson"}, prior=0).fit(table, ["a", "a", "b", "b"])
    axes = model.plot_density("wind")
    heights = [[bar.get_height() for bar in bars] for bars in axes.containers]
    assert heights == [[0.0, 1.0], [0.5, 0.5]]
    counts = model.plot_density("calls")
    assert counts.get_ylabel() == "probability given the class"
    assert np.asarray(counts.lines[0].get_xdata()).tolist()[:3] == [0, 1, 2]
    with pytest.raises(UnknownVariable, match="Did you mean 'wind'"):
        model.plot_density("wnd")
    with pytest.raises(BadQuestion, match="20 classes"):
        state_bars([str(k) for k in range(20)], ["x"], np.ones((1, 20)), "x")
    with pytest.raises(BadQuestion, match="20 classes"):
        density_curves([str(k) for k in range(20)], np.arange(3.0), np.ones((3, 20)), "x")


def test_each_step_of_the_tree_adds_its_arc() -> None:
    rows = bayou.examples.storm().sample(2000, seed=7).to_pandas()
    report = bayou.learn_structure(rows, method="chow-liu", root="Storm").learned_structure
    axes = tree_steps_plot(report.steps)
    arcs = [text for text in axes.texts if text.get_gid() == "arc"]
    assert len(arcs) == 1 + 2 + 3 + 4 + 5
    told = [text.get_text() for text in axes.texts if "weight" in text.get_text()]
    assert told == [
        f"{k}. weight {step.weight:.3f}" + (f", next best {step.runner_up:.3f}" if step.runner_up else "")
        for k, step in enumerate(report.steps, 1)
    ]
    with pytest.raises(BadQuestion, match="chow-liu"):
        tree_steps_plot(bayou.learn_structure(rows, method="hill-climbing").learned_structure.steps)
    with pytest.raises(BadQuestion, match="chow-liu"):
        tree_steps_plot([])


def test_bars_of_findings_are_bits_bits_for_their_cost_or_gains() -> None:
    asia, known = bayou.examples.asia(), {"smoke": "yes"}
    among = ["xray", "dysp", "bronc"]
    plain = asia.what_to_ask("lung", known, among=among)
    assert [bar.get_width() for bar in plain.plot().patches] == [one.bits for one in plain]
    assert len(plain.plot(most=1).patches) == 1
    priced = asia.what_to_ask("lung", known, among=among, costs={"xray": 30})
    axes = priced.plot()
    assert [bar.get_width() for bar in axes.patches] == [one.bits_per_cost for one in priced]
    assert axes.get_xlabel() == "bits for each unit of cost"
    worth = {"treat": {"yes": 90, "no": 40}, "wait": {"yes": 0, "no": 100}}
    acted = asia.what_to_ask("lung", known, among=among, utilities=worth, costs={"xray": 1})
    gains, left = acted.plot().containers
    assert [bar.get_width() for bar in gains] == [one.gain for one in acted]
    assert [bar.get_width() for bar in left] == [one.net for one in acted]
    assert information_bars(acted, "x $").get_title() == r"x \$"


def test_every_picture_of_the_gallery_is_shown_once_and_made_by_a_call() -> None:
    page = (DOCS / "lookup" / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"\.\./pictures/gallery/([\w-]+\.svg)", page)
    assert sorted(shown) == sorted(path.name for path in (DOCS / "pictures" / "gallery").iterdir())
    assert page.count(">>> picture = ") == len(shown) == page.count("\n### ")
