"""Particles over time beside exact answers, and beliefs about a place on a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK = "#202020"


def particle_band(
    mean: FloatArray,
    low: FloatArray,
    high: FloatArray,
    band: str,
    *,
    paths: FloatArray | None = None,
    observations: Any = None,
    exact: tuple[FloatArray, FloatArray] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean of particles over time within a band; ``band`` says what that is.

    ``paths``, [path, step], are thin lines, ``observations`` points. ``exact`` is a mean and a spread of each
    step: dashed lines at the mean and at two spreads either side.

    ``mean``, ``low`` and ``high`` have one number for each step.

    Raises ``BadQuestion`` for a series without steps, or observations of another length, and
    ``MissingPackage`` without matplotlib.

    >>> steps = np.arange(3.0)
    >>> particle_band(steps, steps - 1, steps + 1, "particles", exact=(steps, steps)).get_xlabel()
    'step'
    """
    if not len(mean):
        raise BadQuestion("There is nothing to draw: the sequence has no steps.")
    ax = axes_for(ax, (8, 3.5))
    steps = np.arange(len(mean))
    ax.fill_between(steps, low, high, color=COLOURS[0], alpha=0.3, linewidth=0, label=plain_text(band))
    if paths is not None:
        ax.plot(steps, paths.T, color=COLOURS[0], linewidth=0.4, alpha=0.35)
    ax.plot(steps, mean, color=COLOURS[0], linewidth=2, label="particles: mean")
    if exact is not None:
        middle, spread = (np.asarray(part, dtype=np.float64).reshape(len(mean)) for part in exact)
        ax.plot(steps, middle, color=_INK, linewidth=1, linestyle="--", label="exact: mean ± 2 spreads")
        for edge in (middle - 2 * spread, middle + 2 * spread):
            ax.plot(steps, edge, color=_INK, linewidth=0.7, linestyle=":")
    if observations is not None:
        seen = np.array([np.nan if one is None else one for one in observations], dtype=np.float64)
        if seen.shape != steps.shape:
            raise BadQuestion(
                f"observations has the shape {seen.shape}; draw one number (or None) for each of the "
                f"{len(steps)} steps."
            )
        ax.plot(steps, seen, color=_INK, marker="o", markersize=3, linestyle="", label="observed")
    ax.set_xlim(-0.5, len(mean) - 0.5)
    ax.set_xlabel("step")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return ax


def grid_beliefs(
    shares: FloatArray,
    title: str,
    *,
    place: tuple[float, float] | None = None,
    seen: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw P(place) on a grid, [row, column]: the darker, the more probable.

    ``place`` is the true (row, column), drawn as a cross, ``seen`` an observed one, drawn as a ring.

    ``shares`` has the probability of each place of the grid.

    Raises ``MissingPackage`` without matplotlib.

    >>> grid_beliefs(np.eye(3) / 3, "exact", place=(0, 0)).get_title()
    'exact'
    """
    ax = axes_for(ax, (3, 3))
    most = float(np.max(shares)) or 1.0
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=most, interpolation="nearest")
    if seen is not None:
        ax.plot(seen[1], seen[0], marker="o", markersize=11, fillstyle="none", color=COLOURS[1], linestyle="")
    if place is not None:
        ax.plot(place[1], place[0], marker="x", markersize=8, color=_INK, linestyle="")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title(plain_text(title), fontsize="medium")
    return ax
