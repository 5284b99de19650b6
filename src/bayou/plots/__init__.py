"""Floor 8: plots. The only room that imports matplotlib, and only when a plot is made."""

from __future__ import annotations

from bayou.plots.bars import probability_bars
from bayou.plots.curve_plots import cost_curve_plot, learning_curve_plot, reliability_diagram
from bayou.plots.traces import learning_trace_plot

__all__ = [
    "cost_curve_plot",
    "learning_curve_plot",
    "learning_trace_plot",
    "probability_bars",
    "reliability_diagram",
]
