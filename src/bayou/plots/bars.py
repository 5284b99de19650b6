"""Horizontal bars: the states of one variable, what findings are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.schema import label
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def probability_bars(
    labels: Sequence[str],
    values: FloatArray,
    title: str,
    ends: tuple[FloatArray, FloatArray] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per state, the first on top; ``ends`` (lower, upper) of intervals become whiskers.

    ``labels`` are the states and ``values`` their probabilities; ``title`` stands above, ``ax`` are axes to
    draw on.

    Raises ``MissingPackage`` without matplotlib.

    >>> probability_bars(["no", "yes"], np.array([0.8, 0.2]), "P(Rain)").get_title()
    'P(Rain)'
    """
    ax = axes_for(ax, (6, 0.8 + 0.4 * len(labels)))
    places = np.arange(len(labels))
    whiskers = None
    if ends is not None:
        # An interval may lie to one side of the value, but a whisker must not have negative length.
        whiskers = np.maximum([values - ends[0], ends[1] - values], 0.0)
    ax.barh(places, values, xerr=whiskers, color=COLOURS[0], capsize=3)
    ax.set_yticks(places, [plain_text(text) for text in labels])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability")
    ax.set_title(plain_text(title), fontsize="medium")
    return ax


class NextFindingData(Protocol):
    """One variable that could be asked for (one of a :class:`bayou.results.NextFindings`)."""

    @property
    def name(self) -> Name: ...
    @property
    def bits(self) -> float: ...
    @property
    def bits_per_cost(self) -> float | None: ...
    @property
    def gain(self) -> float | None: ...
    @property
    def net(self) -> float | None: ...


def information_bars(ranked: Sequence[NextFindingData], title: str, ax: Axes | None = None) -> Axes:
    """Draw what each finding of ``ranked`` is worth, the first on top; returns the axes.

    With utilities a bar is the expected gain, its filled part what is left after the cost; with costs only it
    is the bits for each unit of cost, else the bits. ``title`` stands above, ``ax`` are axes to draw on.

    Raises ``MissingPackage`` without matplotlib.

    >>> import bayou
    >>> asked = bayou.examples.rain_and_wet_grass().what_to_ask("Rain")
    >>> information_bars(asked, "What to ask").get_xlabel()
    'bits of information'
    """
    ax = axes_for(ax, (6.5, 1.2 + 0.4 * len(ranked)))
    places = np.arange(len(ranked))
    if any(one.gain is not None for one in ranked):
        gains = [one.gain or 0.0 for one in ranked]
        style: dict[str, Any] = {"color": "white", "edgecolor": COLOURS[0], "hatch": "///"}
        ax.barh(places, gains, label="expected gain in utility", **style)
        ax.barh(places, [one.net or 0.0 for one in ranked], color=COLOURS[0], label="left after its cost")
        ax.axvline(0, color="#444444", linewidth=1)
        ax.set_xlabel("expected gain in utility")
        ax.legend(loc="lower right")
    else:
        by_cost = any(one.bits_per_cost is not None for one in ranked)
        worth = [(one.bits_per_cost if by_cost else one.bits) or 0.0 for one in ranked]
        ax.barh(places, worth, color=COLOURS[0])
        ax.set_xlabel("bits for each unit of cost" if by_cost else "bits of information")
    ax.set_yticks(places, [plain_text(label(one.name)) for one in ranked])
    ax.invert_yaxis()
    ax.set_title(plain_text(title), fontsize="medium")
    return ax
