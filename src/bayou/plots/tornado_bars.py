"""A tornado: how far each entry of a table moves an answer, as bars to both sides of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def tornado_plot(
    labels: Sequence[str],
    middle: float,
    ends: tuple[FloatArray, FloatArray],
    names: tuple[str, str],
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw one bar per label, the first on top, from ``middle`` to the answers at both ends.

    ``ends`` are the answers with the entry lowered and raised, ``names`` what the legend calls these. An end
    without an answer (NaN) has no bar.

    Raises ``MissingPackage`` without matplotlib.

    >>> tornado_plot(["a", "b"], 0.5, ([0.3, 0.4], [0.6, 0.5]), ("low", "high"), "x").get_title()
    'x'
    """
    ax = axes_for(ax, (7, 1.2 + 0.35 * len(labels)))
    places = np.arange(len(labels))
    lowered: dict[str, Any] = {
        "color": "white",
        "edgecolor": COLOURS[1],
        "hatch": "////",
    }  # differs in grey, too
    for answers, name, style in zip(ends, names, (lowered, {"color": COLOURS[0]}), strict=True):
        lengths = np.nan_to_num(np.asarray(answers) - middle)
        ax.barh(places, lengths, left=middle, label=plain_text(name), **style)
    ax.axvline(middle, color="#444444", linewidth=1)
    ax.set_yticks(places, [plain_text(text) for text in labels])
    ax.invert_yaxis()
    ax.set_xlabel("probability")
    ax.set_title(plain_text(title), fontsize="medium")
    if len(labels):
        ax.legend(loc="best", fontsize="small")
    return ax
