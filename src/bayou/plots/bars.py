"""Horizontal bars for the states of one variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def probability_bars(
    labels: Sequence[str],
    values: FloatArray,
    title: str,
    ends: tuple[FloatArray, FloatArray] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per state, the first on top; ``ends`` (lower, upper) of intervals become whiskers."""
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
    ax.set_title(plain_text(title))
    return ax
