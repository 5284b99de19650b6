"""Hidden states over time: bands of probabilities, states behind a series, and the trellis of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, LINES, axes_for, plain_text
from bayou.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST_TRELLIS = 40
MOST_STATES = 12
_INK = "#202020"
_BESIDE: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "frameon": False}
"""A legend to the right of the plot."""


def belief_bands(labels: Sequence[str], shares: FloatArray, title: str, ax: Axes | None = None) -> Axes:
    """Draw P(state) of each step as bands on top of each other; ``shares`` is [step, state].

    Raises ``BadQuestion`` for a sequence without steps, and ``MissingPackage`` without matplotlib.

    >>> belief_bands(["fair", "loaded"], np.array([[0.5, 0.5], [0.2, 0.8]]), "P(state)").get_ylabel()
    'probability'
    """
    _some_steps(len(shares))
    ax = axes_for(ax, (8, 3))
    # Each step is as wide as the others, so the last one is drawn, too.
    edges = np.arange(len(shares) + 1) - 0.5
    tops = np.cumsum(shares, axis=1)
    bottom = np.zeros(len(shares))
    colours = band_colours(len(labels), 0.0)
    for k, name in enumerate(labels):
        ax.stairs(
            tops[:, k],
            edges,
            baseline=bottom,
            fill=True,
            color=colours[k],
            label=plain_text(name),
            linewidth=0,
        )
        ax.stairs(tops[:, k], edges, baseline=None, color=_INK, linewidth=0.4)
        bottom = tops[:, k]
    ax.set_ylim(0, 1)
    ax.set_ylabel("probability")
    ax.set_title(plain_text(title), fontsize="medium")
    _timed(ax, len(shares))
    ax.legend(*(part[::-1] for part in ax.get_legend_handles_labels()), **_BESIDE)
    return ax


def state_series(
    labels: Sequence[str],
    codes: IntArray,
    series: Sequence[tuple[str, FloatArray]] = (),
    symbols: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw series of numbers over bands that show the state of each step.

    ``series`` are names and values, [step]; ``symbols`` are the words of values that are codes.

    ``codes`` are the states by number, one for each step.

    Raises ``BadQuestion`` for a sequence without steps, and ``MissingPackage`` without matplotlib.

    >>> state_series(["fair", "loaded"], np.array([0, 0, 1]), [("x", np.array([1.0, 2.0, 9.0]))]).get_ylabel()
    'x'
    """
    _some_steps(len(codes))
    ax = axes_for(ax, (8, 3 if series else 1.2))
    bounds = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    colours = band_colours(len(labels), 0.45)
    bands = {}
    for first, last in pairwise(bounds):
        code = int(codes[first])
        bands[code] = ax.axvspan(first - 0.5, last - 0.5, facecolor=colours[code], linewidth=0)
    for code in sorted(bands):
        bands[code].set_label(plain_text(labels[code]))
    steps = np.arange(len(codes))
    for k, (name, values) in enumerate(series):
        _line(ax, steps, values, k, name if len(series) > 1 else "", marked=symbols is not None)
    if symbols is not None:
        ax.set_yticks(np.arange(len(symbols)), [plain_text(symbol) for symbol in symbols])
    if len(series) == 1:
        ax.set_ylabel(plain_text(series[0][0]))
    elif not series:
        ax.set_yticks([])
    _timed(ax, len(codes))
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    ax.legend(handles=[*(bands[code] for code in sorted(bands)), *lines], **_BESIDE)
    return ax


def _line(ax: Axes, steps: IntArray, values: FloatArray, k: int, name: str, *, marked: bool) -> None:
    style: dict[str, Any] = {"color": _INK, "linewidth": 1, "linestyle": LINES[k % len(LINES)]}
    if marked:  # a line between symbols would show values that there are not
        style = {"color": _INK, "linestyle": "", "marker": "o", "markersize": 3.5}
    elif len(steps) <= LONGEST_TRELLIS:
        style |= {"marker": "o", "markersize": 3}
    ax.plot(steps, values, label=plain_text(name) or None, **style)


def trellis(
    labels: Sequence[str],
    shares: FloatArray,
    path: IntArray,
    moves: FloatArray,
    cells: Sequence[str],
    ax: Axes | None = None,
) -> Axes:
    """Draw the states of each step below each other, the moves between them, and the best path in bold.

    The darker a state, the more probable it is given all observations (``shares``, [step, state]); the
    thicker a line, the more probable the move (``moves``, [from, to]).

    ``cells`` has a number for each state and step.

    Raises ``BadQuestion`` for a sequence without steps, or one that is too long to be read, and
    ``MissingPackage`` without matplotlib.

    >>> two = np.array([[0.5, 0.5], [0.5, 0.5]])
    >>> trellis(["a", "b"], two, np.array([0, 1]), two, ["x", "y"]).get_xlabel()
    'observation'
    """
    steps, states = shares.shape
    _some_steps(steps)
    if steps > LONGEST_TRELLIS or states > MOST_STATES:
        raise BadQuestion(
            f"A trellis of {steps} steps and {states} states cannot be read: draw at most {LONGEST_TRELLIS} "
            f"steps and {MOST_STATES} states, or use plot()."
        )
    ax = axes_for(ax, (max(4.0, 0.55 * steps + 1.4), 0.8 * states + 1.2))
    for step in range(steps - 1):
        for start in range(states):
            for end in range(states):
                if moves[start, end] > 0:
                    width = 0.4 + 1.6 * moves[start, end]
                    ax.plot([step, step + 1], [start, end], color="#cccccc", linewidth=width, zorder=1)
    ax.plot(np.arange(steps), path, color=COLOURS[1], linewidth=4.5, zorder=2, label="most probable path")
    across, down = np.meshgrid(np.arange(steps), np.arange(states), indexing="ij")
    ax.scatter(
        across.ravel(),
        down.ravel(),
        s=330,
        c=shares.ravel(),
        cmap="Greys",
        vmin=0,
        vmax=1,
        edgecolors=_INK,
        linewidths=np.where(path[across] == down, 2.5, 0.8).ravel().tolist(),
        zorder=3,
    )
    for step in range(steps):
        for state in range(states):
            share = float(shares[step, state])
            ink = "white" if share > 0.5 else _INK
            ax.text(
                step,
                state,
                f"{share:.2f}".lstrip("0"),
                ha="center",
                va="center",
                fontsize=7,
                color=ink,
                zorder=4,
            )
    ax.set_yticks(np.arange(states), [plain_text(name) for name in labels])
    ax.set_xticks(np.arange(steps), [plain_text(cell) for cell in cells])
    ax.set_xlim(-0.6, steps - 0.4)
    ax.set_ylim(states - 0.4, -0.6)
    ax.set_xlabel("observation")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False, fontsize="small")
    for side in ("top", "right", "left", "bottom"):
        ax.spines[side].set_visible(False)
    ax.tick_params(length=0)
    return ax


def band_colours(count: int, whiter: float) -> list[tuple[float, float, float]]:
    """A colour for each state, from dark to light, so that they differ in print without colours, too.

    >>> [round(sum(colour) / 3, 1) for colour in band_colours(3, 0.0)]
    [0.5, 0.6, 0.8]
    """
    found = []
    for k in range(count):
        own = [int(COLOURS[k % len(COLOURS)][place : place + 2], 16) / 255 for place in (1, 3, 5)]
        white = whiter + (0.92 - whiter) * k / max(count - 1, 1) * (0.8 if whiter else 0.7)
        red, green, blue = (part + (1 - part) * white for part in own)
        found.append((red, green, blue))
    return found


def _timed(ax: Axes, steps: int) -> None:
    ax.set_xlim(-0.5, steps - 0.5)
    ax.set_xlabel("step")


def _some_steps(steps: int) -> None:
    if not steps:
        raise BadQuestion("There is nothing to draw: the sequence has no steps.")
