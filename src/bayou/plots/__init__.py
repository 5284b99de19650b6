"""Floor 8: pictures. The only room that imports matplotlib, and only when a picture is asked for."""

from __future__ import annotations

from bayou.plots.bars import probability_bars
from bayou.plots.curves import cost_curve_plot, learning_curve_plot, reliability_diagram

__all__ = ["cost_curve_plot", "learning_curve_plot", "probability_bars", "reliability_diagram"]
