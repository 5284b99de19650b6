"""Pictures of what the room of decisions computes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

import bayou
from bayou.decisions import (
    cost_curve,
    learning_curve,
    precision_recall_curve,
    reliability,
    roc_curve,
)
from bayou.errors import BadQuestion, BayouWarning, MissingPackage
from bayou.plots import (
    cost_curve_plot,
    learning_curve_plot,
    precision_recall_plot,
    reliability_diagram,
    roc_plot,
)

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
LABELS = [0, 0, 1, 1, 1]
SCORES = [0.1, 0.6, 0.4, 0.9, 0.95]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_a_reliability_diagram_shows_the_filled_bins_only() -> None:
    data = reliability(LABELS, SCORES, bins=5)
    axes = reliability_diagram({"price in $": data, "again": data})
    _diagonal, first, _second = axes.lines
    assert first.get_xdata().tolist() == data.mean_probability[data.counts > 0].tolist()
    assert first.get_ydata().tolist() == data.frequency[data.counts > 0].tolist()
    assert axes.get_legend().get_texts()[0].get_text().startswith(r"price in \$ (calibration error")
    axes.figure.canvas.draw()


def test_a_cost_curve_stays_below_the_trivial_classifiers() -> None:
    data = cost_curve(LABELS, SCORES)
    axes = cost_curve_plot(data)
    trivial, curve = axes.lines
    assert curve.get_xdata().tolist() == data.probability_cost.tolist()
    bound = np.interp(data.probability_cost, trivial.get_xdata(), trivial.get_ydata())
    assert (np.asarray(curve.get_ydata()) <= bound + 1e-12).all()
    axes.figure.canvas.draw()


def test_learning_curves_share_axes() -> None:
    plain = learning_curve(lambda train, test: len(train) / 100, 90)
    axes = learning_curve_plot({"without": plain, "with a prior": plain})
    assert learning_curve_plot(plain, ax=axes) is axes
    assert len(axes.lines) == 3
    assert axes.lines[0].get_ydata().tolist() == plain.mean.tolist()
    axes.figure.canvas.draw()
    with pytest.raises(BadQuestion, match="nothing to draw"):
        learning_curve_plot({})


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackage, match=r"pip install 'bayou\[plot\]'"):
        cost_curve_plot(cost_curve(LABELS, SCORES))


def test_the_title_of_a_trace_fits_its_picture() -> None:
    """A long verdict and a long number in one line ran over the edge."""
    table = {"A": ["x", "y", None] * 40_000, "B": [0, 1, 1] * 40_000}
    with pytest.warns(BayouWarning, match="stopped"):
        trace = bayou.Network("A -> B").fit(table, max_iterations=1, tolerance=0).learning
    assert trace is not None
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # whatever the pictures are drawn by

    ax = trace.plot()
    edges = ax.title.get_window_extent(FigureCanvasAgg(ax.figure).get_renderer())
    assert 0 <= edges.x0 <= edges.x1 <= ax.figure.bbox.width
    assert "after 1 iteration\n" in ax.get_title()


def test_roc_and_precision_recall_are_drawn_as_they_were_counted() -> None:
    roc, curve = roc_curve(LABELS, SCORES), precision_recall_curve(LABELS, SCORES)
    axes = roc_plot({"a $": roc, "b": roc})
    _guess, first, _second = axes.lines
    assert first.get_xdata().tolist() == roc.false_positive_rate.tolist()
    assert first.get_ydata().tolist() == roc.true_positive_rate.tolist()
    assert axes.get_legend().get_texts()[0].get_text() == rf"a \$ (AUC {roc.area:.3f})"
    axes = precision_recall_plot(curve)
    guess, first = axes.lines
    assert list(guess.get_ydata()) == [curve.share, curve.share]
    assert first.get_xdata()[1:].tolist() == curve.recall.tolist()
    assert first.get_ydata()[1:].tolist() == curve.precision.tolist()
    axes.figure.canvas.draw()
