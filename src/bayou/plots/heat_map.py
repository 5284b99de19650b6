"""A table of probabilities as a heat map: a row for each combination of the first variables."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import axes_for, plain_text
from bayou.plots.palette import BELIEF, INK, WHITE
from bayou.plots.text_widths import text_width
from bayou.schema import Variable, state_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS, MOST_COLUMNS = 64, 24
_NUMBERED = 12
"""Up to so many columns each cell shows its number."""


class TableData(Protocol):
    """A table of probabilities (a :class:`bayou.ProbabilityTable`, as of ``net.cpt``)."""

    @property
    def variables(self) -> tuple[Variable, ...]: ...
    @property
    def title(self) -> str: ...
    def to_array(self) -> Any: ...


def table_heat_map(table: TableData, ax: Axes | None = None) -> Axes:
    """Draw a table of probabilities, the darker the more probable.

    The states of the last variable of ``table`` are the columns, those of the others (of ``net.cpt(name)``:
    the parents) the rows. ``ax`` are axes to draw on; without it there is a new figure. Returns the axes.

    Raises ``BadQuestion`` for a table that is too large to be read, and ``MissingPackage`` without
    matplotlib.

    >>> import bayou
    >>> table_heat_map(bayou.examples.rain_and_wet_grass().cpt("WetGrass")).get_ylabel()
    'Rain'
    """
    *given, last = table.variables
    names = state_labels(last.states)
    rows = [", ".join(states) for states in product(*(state_labels(one.states) for one in given))]
    if len(rows) > MOST_ROWS or len(names) > MOST_COLUMNS:
        raise BadQuestion(
            f"A heat map of {len(rows)} rows and {len(names)} columns cannot be read: draw at most "
            f"{MOST_ROWS} rows and {MOST_COLUMNS} columns, or read table.to_frame()."
        )
    cells_wide = max(0.75 * len(names), text_width(table.title, 13) / 72)
    ax = axes_for(
        ax, (0.8 + max(text_width(row, 11) for row in rows) / 72 + cells_wide, 1.3 + 0.34 * len(rows))
    )
    from matplotlib.colors import LinearSegmentedColormap

    cells = np.asarray(table.to_array(), dtype=np.float64).reshape(len(rows), len(names))
    shades = LinearSegmentedColormap.from_list("bayou", [WHITE, BELIEF])
    ax.pcolormesh(cells, cmap=shades, vmin=0, vmax=1, edgecolors="#d0d7de", linewidth=0.8)
    ax.invert_yaxis()
    if len(names) <= _NUMBERED:
        _write_numbers(ax, cells)
    ax.set_xticks(np.arange(len(names)) + 0.5, [plain_text(name) for name in names])
    ax.set_yticks(np.arange(len(rows)) + 0.5, [plain_text(row) for row in rows])
    ax.tick_params(length=0)
    ax.set_xlabel(plain_text(str(last.name)))
    ax.set_ylabel(plain_text(", ".join(str(one.name) for one in given)))
    ax.set_title(plain_text(table.title), fontsize="medium")
    return ax


def _write_numbers(ax: Axes, cells: Any) -> None:
    for row, column in np.ndindex(cells.shape):
        share = float(cells[row, column])
        ink = WHITE if share > 0.5 else INK
        ax.text(
            column + 0.5, row + 0.5, f"{share:.3g}", ha="center", va="center", color=ink, fontsize="small"
        )
