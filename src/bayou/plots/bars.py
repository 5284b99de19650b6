"""Horizontal bars for the states of one variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import MissingPackage
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOUR = "#4a7fb5"


def probability_bars(
    labels: Sequence[str],
    values: FloatArray,
    title: str,
    ends: tuple[FloatArray, FloatArray] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A bar for each state, first on top, with whiskers where the ends of intervals are known."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise MissingPackage.needed("matplotlib", "A plot") from None
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 0.8 + 0.4 * len(labels)), layout="constrained")
    places = np.arange(len(labels))
    whiskers = None
    if ends is not None:
        # An interval may lie to one side of the value; a whisker has no negative length.
        whiskers = np.maximum([values - ends[0], ends[1] - values], 0.0)
    ax.barh(places, values, xerr=whiskers, color=_COLOUR, capsize=3)
    ax.set_yticks(places, [_plain(text) for text in labels])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability")
    ax.set_title(_plain(title))
    return ax


def _plain(text: str) -> str:
    """A dollar sign in a name is no formula."""
    return text.replace("$", r"\$")
