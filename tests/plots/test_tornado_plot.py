"""The tornado as a picture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import bayou

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_bars_go_from_the_answer_to_both_ends() -> None:
    found = bayou.examples.storm().tornado("Storm", "yes", {"Thunder": "yes"})
    axes = found.plot(most=3)
    lowered, raised = axes.containers
    for bars, ends in ((lowered, [one.at_low for one in found]), (raised, [one.at_high for one in found])):
        assert len(bars) == 3
        for bar, end in zip(bars, ends[:3], strict=True):
            edges = {bar.get_x(), bar.get_x() + bar.get_width()}
            assert min(abs(edge - end) for edge in edges) < 1e-12
            assert min(abs(edge - found.probability) for edge in edges) < 1e-12
    assert [text.get_text() for text in axes.get_yticklabels()] == [one.text for one in found[:3]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        "entry 10 % lower",
        "entry 10 % higher",
    ]
    axes.figure.canvas.draw()


def test_nothing_to_draw_is_an_empty_picture() -> None:
    found = bayou.examples.storm().tornado("Storm", "yes", tables="Thunder")
    assert len(found) == 0
    found.plot().figure.canvas.draw()
    assert "No entry of these tables can move the answer." in str(found)
