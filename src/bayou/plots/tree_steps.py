"""The steps of Prim's algorithm: how a Chow–Liu or TAN tree grew, arc by arc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.plots.graph_layout.layered_layout import layout
from bayou.plots.palette import BOX, EDGE, INK, PLAIN, QUIET, WHITE
from bayou.plots.text_widths import text_width
from bayou.typing import Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_STEPS = 24
_ACROSS, _GAP, _HEAD = 3, 50.0, 56.0
_UNITS = 104.0
"""Units of the layout in an inch: a text of 9 points is as wide there as boxes are made for."""
_NEW = COLOURS[1]


class TreeStepData(Protocol):
    """One step of Prim's algorithm: the arc, its weight, and that of the next best arc."""

    @property
    def parent(self) -> Name: ...
    @property
    def child(self) -> Name: ...
    @property
    def weight(self) -> float: ...
    @property
    def runner_up(self) -> float: ...


def tree_steps_plot(steps: Sequence[TreeStepData], ax: Axes | None = None) -> Axes:
    """Draw the tree after each step: the new arc in bold, variables that are still waiting in dashed boxes.

    ``steps`` are those of a tree: ``net.learned_structure.steps`` after ``method="chow-liu"`` or ``"tan"``.
    ``ax`` are axes to draw on. Returns the axes.

    Raises ``BadQuestion`` for steps of another search, or too many to be read, and ``MissingPackage`` without
    matplotlib.

    >>> import bayou
    >>> net = bayou.learn_structure({"a": [0, 0, 1, 1] * 9, "b": [0, 0, 1, 1] * 9}, method="chow-liu")
    >>> tree_steps_plot(net.learned_structure.steps).texts[-1].get_text()
    '1. weight 0.679'
    """
    _check(steps)
    names = list(dict.fromkeys(name for step in steps for name in (step.parent, step.child)))
    sizes = {name: (text_width(str(name), 13) + 20, 28.0) for name in names}
    found = layout(sizes, [(step.parent, step.child) for step in steps])
    left, top, width, height = found.frame
    width = max(width, 230.0)
    across = min(_ACROSS, len(steps))
    down = -(-len(steps) // across)
    ax = axes_for(ax, (across * (width + _GAP) / _UNITS, down * (height + _GAP + _HEAD) / _UNITS))
    for k in range(len(steps)):
        x = k % across * (width + _GAP) - left
        y = k // across * (height + _GAP + _HEAD) - top
        _panel(ax, steps[: k + 1], {name: (x + a, y + b) for name, (a, b) in found.positions.items()})
        _headline(ax, k + 1, steps[k], x + left, y + top - 22)
    ax.set_xlim(-14, across * (width + _GAP) - _GAP + 14)
    ax.set_ylim(down * (height + _GAP + _HEAD) - _GAP - _HEAD + 14, -_HEAD)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def _check(steps: Sequence[Any]) -> None:
    if not steps or not all(hasattr(step, "runner_up") for step in steps):
        raise BadQuestion(
            "There are no steps of a tree to draw: learn the structure with method='chow-liu' or 'tan', and "
            "give net.learned_structure.steps."
        )
    if len(steps) > MOST_STEPS:
        raise BadQuestion(f"{len(steps)} steps cannot be read in one picture: give at most {MOST_STEPS}.")


def _panel(ax: Axes, steps: Sequence[TreeStepData], places: dict[Name, tuple[float, float]]) -> None:
    """The tree after the last of these steps."""
    joined = {name for step in steps for name in (step.parent, step.child)}
    for step in steps:
        new = step is steps[-1]
        style = {"arrowstyle": "-|>", "color": _NEW if new else PLAIN, "linewidth": 3.2 if new else 1.4}
        ax.annotate(
            "",
            places[step.child],
            places[step.parent],
            arrowprops=style | {"shrinkA": 12, "shrinkB": 12, "mutation_scale": 14},
            zorder=1,
        ).set_gid("arc")
    for name, (x, y) in places.items():
        box = {
            "boxstyle": "round,pad=0.45",
            "facecolor": BOX if name in joined else WHITE,
            "edgecolor": EDGE if name in joined else PLAIN,
            "linestyle": "-" if name in joined else (0, (4, 3)),
        }
        ink = INK if name in joined else QUIET
        ax.text(
            x, y, plain_text(str(name)), ha="center", va="center", fontsize=9, color=ink, bbox=box, zorder=2
        )


def _headline(ax: Axes, number: int, step: TreeStepData, x: float, y: float) -> None:
    next_best = f", next best {step.runner_up:.3f}" if step.runner_up > 0 else ""
    told = f"{number}. weight {step.weight:.3f}{next_best}"
    ax.text(x, y, told, ha="left", va="bottom", fontsize=9, color=INK)
