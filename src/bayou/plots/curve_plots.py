"""Reliability diagrams, ROC, precision-recall, cost and learning curves of results of `bayou.decisions`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bayou.errors import BadQuestion
from bayou.plots.canvas import COLOURS, LINES, axes_for, plain_text
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


class RocData(Protocol):
    """The data of an ROC curve (a :class:`bayou.decisions.RocCurve`)."""

    @property
    def false_positive_rate(self) -> FloatArray: ...
    @property
    def true_positive_rate(self) -> FloatArray: ...
    @property
    def area(self) -> float: ...


class PrecisionRecallData(Protocol):
    """Precision and recall at every threshold (a :class:`bayou.decisions.PrecisionRecallCurve`)."""

    @property
    def precision(self) -> FloatArray: ...
    @property
    def recall(self) -> FloatArray: ...
    @property
    def share(self) -> float: ...
    @property
    def average_precision(self) -> float: ...


def reliability_diagram(
    data: ReliabilityData | Mapping[str, ReliabilityData], ax: Axes | None = None
) -> Axes:
    """Draw observed frequencies against predicted probabilities, one curve or several by name.

    The size of a dot shows the number of rows.

    Raises ``BadQuestion`` for an empty mapping, and ``MissingPackage`` without matplotlib.

    >>> from bayou.decisions import reliability
    >>> reliability_diagram(reliability([0, 1], [0.2, 0.9])).get_xlabel()
    'said'
    """
    ax = axes_for(ax, (5, 5))
    ax.plot([0, 1], [0, 1], **_REFERENCE)
    for name, one, line in _each(data):
        filled = np.asarray(one.counts) > 0
        said, true = one.mean_probability[filled], one.frequency[filled]
        sizes = 15 + 120 * one.counts[filled] / one.counts.max()
        text = f"{name or one.about} (calibration error {one.ece:.3f})"
        ax.plot(said, true, label=plain_text(text), **line)
        ax.scatter(said, true, s=sizes, color=line["color"], alpha=0.6, linewidths=0)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return _labelled(ax, "said", "came true")


def roc_plot(data: RocData | Mapping[str, RocData], ax: Axes | None = None) -> Axes:
    """Draw ROC curves, one or several by name; the dashed line is guessing.

    Raises ``BadQuestion`` for an empty mapping, and ``MissingPackage`` without matplotlib.

    >>> from bayou.decisions import roc_curve
    >>> roc_plot(roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).get_ylabel()
    'share of the class that is found'
    """
    ax = axes_for(ax, (5, 5))
    ax.plot([0, 1], [0, 1], **_REFERENCE)
    for name, one, line in _each(data):
        text = f"{name} (AUC {one.area:.3f})".strip()
        ax.plot(one.false_positive_rate, one.true_positive_rate, label=plain_text(text), **line)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    return _labelled(ax, "share of the others that is called so", "share of the class that is found")


def precision_recall_plot(
    data: PrecisionRecallData | Mapping[str, PrecisionRecallData], ax: Axes | None = None
) -> Axes:
    """Draw precision against recall, one curve or several by name; the dashed line is guessing.

    The curve is a staircase: its area is the average precision.

    Raises ``BadQuestion`` for an empty mapping, and ``MissingPackage`` without matplotlib.

    >>> from bayou.decisions import precision_recall_curve
    >>> precision_recall_plot(precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).get_xlabel()
    'recall'
    """
    ax = axes_for(ax, (5, 5))
    for number, (name, one, line) in enumerate(_each(data)):
        if not number:
            ax.plot([0, 1], [one.share, one.share], **_REFERENCE)
        text = f"{name} (average precision {one.average_precision:.3f})".strip()
        recall, precision = np.append(0.0, one.recall), np.append(one.precision[:1], one.precision)
        ax.step(recall, precision, where="pre", label=plain_text(text), **line)
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    return _labelled(ax, "recall", "precision")


def cost_curve_plot(data: CostCurveData | Mapping[str, CostCurveData], ax: Axes | None = None) -> Axes:
    """Draw the least expected cost for every probability cost; dashed: always predicting one class.

    Raises ``BadQuestion`` for an empty mapping, and ``MissingPackage`` without matplotlib.

    >>> from bayou.decisions import cost_curve
    >>> cost_curve_plot(cost_curve([0, 1], [0.2, 0.9])).get_ylabel()
    'normalised expected cost'
    """
    ax = axes_for(ax, (6, 4))
    ax.plot([0, 0.5, 1], [0, 0.5, 0], label="always one class", **_REFERENCE)
    for name, one, line in _each(data):
        ax.plot(one.probability_cost, one.expected_cost, label=plain_text(name) or None, **line)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 0.52)
    return _labelled(ax, "probability cost of the positive class", "normalised expected cost")


def learning_curve_plot(
    data: LearningCurveData | Mapping[str, LearningCurveData], ax: Axes | None = None
) -> Axes:
    """Draw the mean score by the number of training rows, with a band of one standard deviation.

    Raises ``BadQuestion`` for an empty mapping, and ``MissingPackage`` without matplotlib.

    >>> from bayou.decisions import learning_curve
    >>> learning_curve_plot(learning_curve(lambda train, test: 1.0, 30)).get_xlabel()
    'training rows'
    """
    ax = axes_for(ax, (6, 4))
    for name, one, line in _each(data):
        ax.plot(one.sizes, one.mean, marker="o", label=plain_text(name) or None, **line)
        ax.fill_between(
            one.sizes,
            one.mean - one.spread,
            one.mean + one.spread,
            color=line["color"],
            alpha=0.2,
            linewidth=0,
        )
    ax.set_xscale("log")
    _plain_numbers(ax)
    return _labelled(ax, "training rows", "score")


def _plain_numbers(ax: Axes) -> None:
    """Numbers of rows as numbers, not as powers of ten."""
    from matplotlib.ticker import FuncFormatter

    for which in (ax.xaxis.set_major_formatter, ax.xaxis.set_minor_formatter):
        which(FuncFormatter(lambda rows, _: f"{rows:,.0f}" if f"{rows:.0e}"[0] in "125" else ""))


def _each(data: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield each curve with its name, and the colour and the kind of its line."""
    named = data if isinstance(data, Mapping) else {"": data}
    if not named:
        raise BadQuestion("There is nothing to draw: the mapping of curves is empty.")
    for number, (name, one) in enumerate(named.items()):
        line = {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}
        yield str(name), one, line


def _labelled(ax: Axes, x: str, y: str) -> Axes:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if ax.get_legend_handles_labels()[1]:
        ax.legend()
    return ax
