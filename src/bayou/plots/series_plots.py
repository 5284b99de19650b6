"""Series over time with bands around them, and tracks in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Band = tuple[str, FloatArray, FloatArray, FloatArray]
_INK = "#202020"
_MOST_ELLIPSES = 25


def series_bands(
    bands: Sequence[Band],
    points: Sequence[tuple[str, FloatArray]] = (),
    title: str = "",
    ahead: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw lines in bands over time (name, middle, low, high), and observed values as points.

    The last ``ahead`` steps are a forecast: their lines are dashed.

    ``points`` are the observations, ``bands`` the lower and upper ends.

    Raises ``BadQuestion`` for a series without steps, and ``MissingPackage`` without matplotlib.

    >>> line = np.array([1.0, 2.0, 3.0])
    >>> series_bands([("level", line, line - 1, line + 1)], [("y", line)], ahead=1).get_xlabel()
    'step'
    """
    if not bands or not len(bands[0][1]):
        raise BadQuestion("There is nothing to draw: the series has no steps.")
    ax = axes_for(ax, (8, 3))
    steps = np.arange(len(bands[0][1]))
    past = len(steps) - ahead
    for k, (name, middle, low, high) in enumerate(bands):
        colour = COLOURS[k % len(COLOURS)]
        ax.fill_between(steps, low, high, color=colour, alpha=0.25, linewidth=0)
        ax.plot(steps[:past], middle[:past], color=colour, linewidth=1.5, label=plain_text(name))
        if ahead:
            first = max(past - 1, 0)
            ax.plot(steps[first:], middle[first:], color=colour, linewidth=1.5, linestyle="--")
    markers: dict[str, Any] = {"linestyle": "", "markersize": 3, "color": _INK}
    for k, (name, values) in enumerate(points):
        ax.plot(
            np.arange(len(values)),
            values,
            marker="ox^sd"[k % 5],
            label=f"{plain_text(name)} (observed)",
            **markers,
        )
    if ahead:
        ax.axvline(past - 0.5, color=_INK, linewidth=0.6, linestyle=":")
    ax.set_xlim(-0.5, len(steps) - 0.5)
    ax.set_xlabel("step")
    if title:
        ax.set_title(plain_text(title), fontsize="medium")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return ax


def track_plot(
    names: tuple[str, str],
    path: FloatArray,
    covariances: FloatArray,
    points: FloatArray | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a path in the plane, [step, 2], with the ellipse of a covariance at some steps, and observed
    points.

    ``points`` are the places, ``covariances`` their uncertainty.

    Raises ``BadQuestion`` for a path without steps, and ``MissingPackage`` without matplotlib.

    >>> track_plot(("x", "y"), np.zeros((3, 2)), np.tile(np.eye(2), (3, 1, 1))).get_ylabel()
    'y'
    """
    if not len(path):
        raise BadQuestion("There is nothing to draw: the series has no steps.")
    ax = axes_for(ax, (5, 5))
    round_trip = np.linspace(0, 2 * np.pi, 60)
    circle = np.stack([np.cos(round_trip), np.sin(round_trip)])
    for step in np.unique(np.linspace(0, len(path) - 1, min(len(path), _MOST_ELLIPSES)).astype(int)):
        values, vectors = np.linalg.eigh(covariances[step])
        across, up = path[step][:, None] + (vectors * np.sqrt(np.maximum(values, 0.0))) @ circle
        ax.fill(across, up, color=COLOURS[0], alpha=0.2, linewidth=0)
    if points is not None:
        ax.plot(points[:, 0], points[:, 1], "o", color=_INK, markersize=3, label="observed")
    ax.plot(path[:, 0], path[:, 1], color=COLOURS[0], linewidth=2, label="estimated")
    ax.plot(*path[0], marker="s", color=COLOURS[0], markersize=6, linestyle="", label="start")
    ax.set_xlabel(plain_text(names[0]))
    ax.set_ylabel(plain_text(names[1]))
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(frameon=False)
    return ax
