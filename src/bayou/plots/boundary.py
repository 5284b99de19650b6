"""The decision regions of classes over two features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = ("o", "s", "^", "D", "v", "P")
_STEPS = 241
_WIDTH = 3.0


@dataclass(frozen=True)
class ClassPicture:
    """The names, means and covariances of the classes over two named features."""

    classes: Sequence[str]
    features: Sequence[str]
    means: FloatArray
    covariances: FloatArray


def class_boundary(
    picture: ClassPicture,
    posterior: Callable[[FloatArray], FloatArray],
    points: tuple[FloatArray, npt.NDArray[Any]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Shade the region where each class is most probable, and draw its mean and its one-σ ellipse."""
    ax = axes_for(ax, (6, 5))
    low, high = _window(picture, points)
    x, y = np.meshgrid(np.linspace(low[0], high[0], _STEPS), np.linspace(low[1], high[1], _STEPS))
    chances = posterior(np.column_stack([x.ravel(), y.ravel()])).reshape(*x.shape, -1)
    _shade(ax, x, y, chances)
    for k, name in enumerate(picture.classes):
        colour, marker = COLOURS[k % len(COLOURS)], _MARKERS[k % len(_MARKERS)]
        if points is not None:
            mine = points[0][points[1].astype(str) == name]
            ax.plot(mine[:, 0], mine[:, 1], marker, color=colour, markersize=3.5, alpha=0.6)
        outline = _ellipse(picture.means[k], picture.covariances[k])
        ax.plot(outline[0], outline[1], color=colour)
        ax.plot(
            *picture.means[k],
            marker,
            color=colour,
            markeredgecolor="#202020",
            markersize=9,
            label=plain_text(name),
        )
    ax.set_xlabel(plain_text(picture.features[0]))
    ax.set_ylabel(plain_text(picture.features[1]))
    ax.legend()
    return ax


def _shade(ax: Axes, x: FloatArray, y: FloatArray, chances: FloatArray) -> None:
    """Draw each class's region, and the line where its lead over the best other class is 0."""
    for k in range(chances.shape[2]) if chances.shape[2] > 1 else ():
        others = np.delete(chances, k, axis=2).max(axis=2)
        lead = chances[:, :, k] - others
        if lead.max() <= 0:
            continue
        ax.contourf(x, y, lead, levels=[0, 2], colors=[COLOURS[k % len(COLOURS)]], alpha=0.15)
        if lead.min() < 0:
            ax.contour(x, y, lead, levels=[0], colors=["#444444"], linewidths=[1.0])


def _window(
    picture: ClassPicture, points: tuple[FloatArray, npt.NDArray[Any]] | None
) -> tuple[FloatArray, FloatArray]:
    spread = _WIDTH * np.sqrt(np.diagonal(picture.covariances, axis1=1, axis2=2))
    low, high = (picture.means - spread).min(axis=0), (picture.means + spread).max(axis=0)
    if points is not None:
        low, high = np.fmin(low, np.nanmin(points[0], axis=0)), np.fmax(high, np.nanmax(points[0], axis=0))
    return low, high


def _ellipse(mean: FloatArray, covariance: FloatArray) -> FloatArray:
    turn = np.linspace(0, 2 * np.pi, 181)
    values, vectors = np.linalg.eigh(covariance)
    circle = np.vstack([np.cos(turn), np.sin(turn)])
    outline: FloatArray = mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * circle)
    return outline
