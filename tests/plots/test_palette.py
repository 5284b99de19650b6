"""Colours can be told apart: the ratios of WCAG 2.2, level AA."""

from __future__ import annotations

import pytest

from bayou.plots import palette
from bayou.plots.palette import contrast

TEXT, SHAPE = 4.5, 3.0


@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        (palette.INK, palette.BOX),
        (palette.INK, palette.PAPER),
        (palette.INK, palette.WHITE),
        (palette.QUIET, palette.WHITE),
        *((palette.INK, paper) for _, paper in palette.MARKS.values()),
        *((palette.WHITE, ink) for ink, _ in palette.MARKS.values()),
    ],
)
def test_texts_can_be_read(ink: str, paper: str) -> None:
    assert contrast(ink, paper) >= TEXT


@pytest.mark.parametrize("ink", [palette.BELIEF, *(ink for ink, _ in palette.MARKS.values())])
def test_a_bar_differs_from_its_ghost_and_both_from_the_ground(ink: str) -> None:
    """Contrast is a matter of luminance, so this holds in grey, too."""
    assert contrast(palette.PRIOR, palette.TRACK) >= SHAPE
    assert contrast(ink, palette.TRACK) >= SHAPE


def test_the_bar_of_a_belief_differs_from_the_ghost_behind_it() -> None:
    assert contrast(palette.BELIEF, palette.PRIOR) >= SHAPE


@pytest.mark.parametrize("line", [palette.PLAIN, palette.MISSING, palette.EXTRA, palette.TURNED])
@pytest.mark.parametrize("page", ["#ffffff", "#000000"])
def test_lines_are_seen_on_light_and_dark_pages(line: str, page: str) -> None:
    assert contrast(line, page) >= SHAPE


def test_ratios_of_known_pairs() -> None:
    """The examples of the WebAIM contrast checker."""
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert contrast("#0000ff", "#ffffff") == pytest.approx(8.59, abs=0.005)
