"""How a column is distributed in each class: curves over numbers, bars over states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, LINES, axes_for, plain_text
from bayou.plots.state_plots import band_colours
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_CLASSES, MOST_STATES = 12, 40


def density_curves(
    classes: Sequence[str], values: FloatArray, densities: FloatArray, name: str, ax: Axes | None = None
) -> Axes:
    """Draw p(``name`` | class) over numbers, a curve for each class; returns the axes.

    ``densities`` is [value, class], with a row for each of ``values`` and a column for each of ``classes``.
    Whole ``values`` one apart are counts, and get dots. ``ax`` are axes to draw on.

    Raises ``BadQuestion`` for more than 12 classes, and ``MissingPackage`` without matplotlib.

    >>> density_curves(["a", "b"], np.array([0.0, 0.5]), np.array([[1.0, 2.0], [2.0, 1.0]]), "x").get_xlabel()
    'x'
    """
    _readable(len(classes), 0)
    ax = axes_for(ax, (6, 4))
    marker = "o" if len(values) > 1 and np.allclose(np.diff(values), 1) else ""
    for k, label in enumerate(classes):
        colour, line = COLOURS[k % len(COLOURS)], LINES[k % len(LINES)]
        ax.plot(values, densities[:, k], color=colour, linestyle=line, marker=marker, label=plain_text(label))
        ax.fill_between(values, densities[:, k], color=colour, alpha=0.12, linewidth=0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel(plain_text(name))
    ax.set_ylabel("probability given the class" if marker else "density given the class")
    ax.legend()
    return ax


def state_bars(
    classes: Sequence[str], states: Sequence[str], shares: FloatArray, name: str, ax: Axes | None = None
) -> Axes:
    """Draw P(``name`` | class) over states, a bar for each class at each state; returns the axes.

    ``shares`` is [state, class], with a row for each of ``states`` and a column for each of ``classes``.
    ``ax`` are axes to draw on.

    Raises ``BadQuestion`` for more than 12 classes or 40 states, and ``MissingPackage`` without matplotlib.

    >>> state_bars(["a", "b"], ["no", "yes"], np.array([[0.2, 0.5], [0.8, 0.5]]), "x").get_xlabel()
    'x'
    """
    _readable(len(classes), len(states))
    ax = axes_for(ax, (max(6.0, 1 + 0.25 * len(states) * len(classes)), 4))
    places, width = np.arange(len(states)), 0.8 / len(classes)
    for k, (label, colour) in enumerate(zip(classes, band_colours(len(classes), 0.0), strict=True)):
        left = places - 0.4 + k * width
        ax.bar(
            left, shares[:, k], width, align="edge", color=colour, edgecolor="#202020", linewidth=0.4
        ).set_label(plain_text(label))
    ax.set_xticks(places, [plain_text(state) for state in states])
    ax.set_ylim(0, 1)
    ax.set_xlabel(plain_text(name))
    ax.set_ylabel("probability given the class")
    ax.legend()
    return ax


def _readable(classes: int, states: int) -> None:
    if classes > MOST_CLASSES or states > MOST_STATES:
        raise BadQuestion(
            f"{classes} classes and {states} states cannot be told apart in one picture: draw at most "
            f"{MOST_CLASSES} classes and {MOST_STATES} states."
        )
