"""Pictures of hidden states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion
from bayou.plots.state_plots import band_colours

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
ROLLS = [1, 4, 2, 6, 6, 6, 6, 6, 6, 2, 1, 5, 3, 4, 1]


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def legend_of(axes: object) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]  # type: ignore[attr-defined]


def test_beliefs_are_bands_that_add_up_to_one() -> None:
    beliefs = bayou.examples.casino().smooth(ROLLS)
    axes = beliefs.plot()
    filled = [patch for patch in axes.patches if patch.get_fill()]
    assert filled[0].get_data().values.tolist() == beliefs.probabilities[:, 0].tolist()
    assert np.allclose(filled[-1].get_data().values, 1)
    assert filled[1].get_data().baseline.tolist() == filled[0].get_data().values.tolist()
    assert legend_of(axes) == ["loaded", "fair"]  # as the bands lie
    axes.figure.canvas.draw()


def test_a_series_lies_over_the_bands_of_its_states() -> None:
    casino = bayou.examples.casino()
    path = casino.decode(ROLLS)
    axes = casino.plot(ROLLS)
    widths = [band.get_width() for band in axes.patches]
    assert widths == [steps for _, steps in path.stretches]
    assert axes.lines[0].get_ydata().tolist() == [roll - 1 for roll in ROLLS]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == list("123456")
    assert legend_of(axes) == [str(state) for state in casino.states if state in set(path)]
    axes.figure.canvas.draw()
    again = path.plot({"$": ROLLS, "half": np.array(ROLLS) / 2})
    assert legend_of(again)[-2:] == [r"\$", "half"]
    again.figure.canvas.draw()
    assert len(path.plot().lines) == 0
    words = path.plot(["low" if roll < 4 else "high" for roll in ROLLS])
    assert [tick.get_text() for tick in words.get_yticklabels()] == ["high", "low"]


def test_gaps_leave_a_gap() -> None:
    axes = bayou.examples.casino().plot([1, None, 6])
    assert np.isnan(axes.lines[0].get_ydata()).tolist() == [False, True, False]


def test_columns_of_numbers_are_drawn_and_others_can_be_chosen() -> None:
    table = {"x": [0.1, 0.2, 5.1, 4.9], "y": [1.0, 2.0, 1.0, 3.5], "kind": ["a", "a", "b", "b"]}
    model = bayou.HMM(2).fit(table)
    assert legend_of(model.plot(table))[-2:] == ["x", "y"]
    assert model.plot(table, show="kind").get_ylabel() == "kind"
    with pytest.raises(BadQuestion, match="draw it by itself"):
        model.plot(table, show=["x", "kind"])
    with pytest.raises(BadQuestion, match="show='z'"):
        model.plot(table, show="z")


def test_a_trellis_draws_the_best_path() -> None:
    casino = bayou.examples.casino()
    axes = casino.trellis(ROLLS)
    (best,) = [line for line in axes.lines if line.get_label() == "most probable path"]
    assert best.get_ydata().tolist() == casino.decode(ROLLS).codes.tolist()
    shown = [float(text.get_text()) for text in axes.texts]
    assert np.allclose(shown, np.asarray(casino.smooth(ROLLS)).ravel(), atol=0.0051)
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [str(roll) for roll in ROLLS]
    axes.figure.canvas.draw()


def test_a_trellis_has_no_line_for_an_impossible_move() -> None:
    model = bayou.HMM(["a", "b"], {"x": [0, 1]}).set_start([1, 0]).set_transition([[0.5, 0.5], [0, 1]])
    model.set_emission("x", [[0.5, 0.5], [0.5, 0.5]])
    assert len(model.trellis([0, 1]).lines) == 3 + 1  # three moves, and the path


def test_what_cannot_be_drawn_is_said() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadQuestion, match="at most 40 steps"):
        casino.trellis([1] * 41)
    with pytest.raises(BadQuestion, match="there are 2"):
        casino.plot([[1], [2]])
    with pytest.raises(BadData, match="'value' has 2 values"):
        casino.decode(ROLLS).plot([1, 2])


def test_the_colours_of_states_differ_without_colour() -> None:
    for count in (2, 3, 6, 12):
        for whiter in (0.0, 0.45):
            light = [
                0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue in band_colours(count, whiter)
            ]
            assert min(np.diff(light)) > 0 or count > 6
            assert max(map(max, band_colours(count, whiter))) <= 1
