"""The progress of an iterative learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from bayou.plots.canvas import COLOURS, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class TraceData(Protocol):
    """The data of a trace plot (a :class:`bayou.fitting.learning_trace.LearningTrace`)."""

    @property
    def objectives(self) -> Sequence[float]: ...
    @property
    def log_likelihoods(self) -> Sequence[float]: ...
    @property
    def summary(self) -> str: ...


def learning_trace_plot(trace: TraceData, ax: Axes | None = None) -> Axes:
    """Draw the objective and the log-likelihood after each iteration.

    Raises ``MissingPackage`` without matplotlib.

    >>> import bayou
    >>> net = bayou.Network("A -> B").fit({"A": ["x", "x", "y", None], "B": [0, 1, 1, 1]})
    >>> learning_trace_plot(net.learning).get_xlabel()
    'iteration'
    """
    ax = axes_for(ax, (6, 4))
    steps = range(len(trace.objectives))
    ax.plot(steps, trace.log_likelihoods, color=COLOURS[0], marker=".", label="log-likelihood")
    if tuple(trace.objectives) != tuple(trace.log_likelihoods):
        ax.plot(steps, trace.objectives, color=COLOURS[1], marker=".", linestyle="--", label="with the prior")
    ax.set_xlabel("iteration")
    ax.set_ylabel("log-likelihood")
    # Two lines, because one would be wider than the plot.
    ax.set_title(trace.summary.rstrip(".").replace(", ", "\n", 1), fontsize="medium")
    ax.legend()
    return ax
