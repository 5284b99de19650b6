"""Reliability diagrams, cost curves and learning curves, drawn from results of `bayou.decisions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, axes_for, plain_text
from bayou.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REFERENCE: dict[str, Any] = {"color": "#9a9a9a", "linestyle": "--", "linewidth": 1}


class ReliabilityData(Protocol):
    """The data of a reliability diagram (a :class:`bayou.decisions.Reliability`)."""

    @property
    def counts(self) -> IntArray: ...
    @property
    def mean_probability(self) -> FloatArray: ...
    @property
    def frequency(self) -> FloatArray: ...
    @property
    def about(self) -> str: ...
    @property
    def ece(self) -> float: ...


class CostCurveData(Protocol):
    """The data of a cost curve (a :class:`bayou.decisions.CostCurve`)."""

    @property
    def probability_cost(self) -> FloatArray: ...
    @property
    def expected_cost(self) -> FloatArray: ...


class LearningCurveData(Protocol):
    """The data of a learning curve (a :class:`bayou.decisions.LearningCurve`)."""

    @property
    def sizes(self) -> IntArray: ...
    @property
    def mean(self) -> FloatArray: ...
    @property
    def spread(self) -> FloatArray: ...


def reliability_diagram(
    data: ReliabilityData | Mapping[str, ReliabilityData], ax: Axes | None = None
) -> Axes:
    """Draw observed frequencies against predicted probabilities, one curve or several by name.

    The size of a dot shows the number of rows.

    >>> from bayou.decisions import reliability
    >>> reliability_diagram(reliability([0, 1], [0.2, 0.9])).get_xlabel()
    'said'
    """
    ax = axes_for(ax, (5, 5))
    ax.plot([0, 1], [0, 1], **_REFERENCE)
    for name, one, colour in _each(data):
        filled = np.asarray(one.counts) > 0
        said, true = one.mean_probability[filled], one.frequency[filled]
        sizes = 15 + 120 * one.counts[filled] / one.counts.max()
        text = f"{name or one.about} (calibration error {one.ece:.3f})"
        ax.plot(said, true, color=colour, label=plain_text(text))
        ax.scatter(said, true, s=sizes, color=colour, alpha=0.6, linewidths=0)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return _labelled(ax, "said", "came true")


def cost_curve_plot(data: CostCurveData | Mapping[str, CostCurveData], ax: Axes | None = None) -> Axes:
    """Draw the least expected cost for every probability cost; dashed: always predicting one class.

    >>> from bayou.decisions import cost_curve
    >>> cost_curve_plot(cost_curve([0, 1], [0.2, 0.9])).get_ylabel()
    'normalised expected cost'
    """
    ax = axes_for(ax, (6, 4))
    ax.plot([0, 0.5, 1], [0, 0.5, 0], label="always one class", **_REFERENCE)
    for name, one, colour in _each(data):
        ax.plot(one.probability_cost, one.expected_cost, color=colour, label=plain_text(name) or None)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 0.52)
    return _labelled(ax, "probability cost of the positive class", "normalised expected cost")


def learning_curve_plot(
    data: LearningCurveData | Mapping[str, LearningCurveData], ax: Axes | None = None
) -> Axes:
    """Draw the mean score by the number of training rows, with a band of one standard deviation.

    >>> from bayou.decisions import learning_curve
    >>> learning_curve_plot(learning_curve(lambda train, test: 1.0, 30)).get_xlabel()
    'training rows'
    """
    ax = axes_for(ax, (6, 4))
    for name, one, colour in _each(data):
        ax.plot(one.sizes, one.mean, marker="o", color=colour, label=plain_text(name) or None)
        ax.fill_between(
            one.sizes, one.mean - one.spread, one.mean + one.spread, color=colour, alpha=0.2, linewidth=0
        )
    ax.set_xscale("log")
    return _labelled(ax, "training rows", "score")


def _each(data: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield each curve with its name and colour."""
    named = data if isinstance(data, Mapping) else {"": data}
    if not named:
        raise BadQuestion("There is nothing to draw: the mapping of curves is empty.")
    for number, (name, one) in enumerate(named.items()):
        yield str(name), one, COLOURS[number % len(COLOURS)]


def _labelled(ax: Axes, x: str, y: str) -> Axes:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    return ax
