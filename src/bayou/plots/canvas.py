"""Axes to draw on, the caller's or new ones, and text that matplotlib does not read as a formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bayou.errors import MissingPackage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#4a7fb5", "#c8703a", "#4f9a67", "#8a6bb0", "#b0505f", "#6d6d6d")
LINES = ("-", "--", ":", "-.")
"""Curves differ by their lines, too, so that they can be told apart in grey."""


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the caller's axes, or those of a new figure of this size."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise MissingPackage.needed("matplotlib", "A plot") from None
    if ax is not None:
        return ax
    _, new = pyplot.subplots(figsize=size, layout="constrained")
    return new


def side_by_side(count: int, size: tuple[float, float]) -> tuple[Figure, Sequence[Axes]]:
    """Return a new figure of this size for a file, and its axes in one row."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPackage.needed("matplotlib", "A plot") from None
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(1, count, squeeze=False)[0]


def plain_text(text: str) -> str:
    """Escape dollar signs, so that matplotlib does not read the text as a formula."""
    return text.replace("$", r"\$")
