"""Floor 8: pictures of answers, for which matplotlib is imported when one is made; networks as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.plots.bars import information_bars as information_bars
    from bayou.plots.bars import probability_bars as probability_bars
    from bayou.plots.curve_plots import cost_curve_plot as cost_curve_plot
    from bayou.plots.curve_plots import learning_curve_plot as learning_curve_plot
    from bayou.plots.curve_plots import precision_recall_plot as precision_recall_plot
    from bayou.plots.curve_plots import reliability_diagram as reliability_diagram
    from bayou.plots.curve_plots import roc_plot as roc_plot
    from bayou.plots.density_plots import density_curves as density_curves
    from bayou.plots.density_plots import state_bars as state_bars
    from bayou.plots.graph_layout.layered_layout import Layout as Layout
    from bayou.plots.graph_layout.layered_layout import LayoutOptions as LayoutOptions
    from bayou.plots.graph_layout.layered_layout import layout as layout
    from bayou.plots.heat_map import table_heat_map as table_heat_map
    from bayou.plots.particle_plots import grid_beliefs as grid_beliefs
    from bayou.plots.particle_plots import particle_band as particle_band
    from bayou.plots.series_plots import series_bands as series_bands
    from bayou.plots.series_plots import track_plot as track_plot
    from bayou.plots.state_plots import belief_bands as belief_bands
    from bayou.plots.state_plots import state_series as state_series
    from bayou.plots.state_plots import trellis as trellis
    from bayou.plots.tornado_bars import tornado_plot as tornado_plot
    from bayou.plots.traces import learning_trace_plot as learning_trace_plot
    from bayou.plots.tree_steps import tree_steps_plot as tree_steps_plot

_WHERE = {
    "Layout": "bayou.plots.graph_layout.layered_layout",
    "LayoutOptions": "bayou.plots.graph_layout.layered_layout",
    "belief_bands": "bayou.plots.state_plots",
    "cost_curve_plot": "bayou.plots.curve_plots",
    "density_curves": "bayou.plots.density_plots",
    "grid_beliefs": "bayou.plots.particle_plots",
    "information_bars": "bayou.plots.bars",
    "layout": "bayou.plots.graph_layout.layered_layout",
    "learning_curve_plot": "bayou.plots.curve_plots",
    "learning_trace_plot": "bayou.plots.traces",
    "particle_band": "bayou.plots.particle_plots",
    "precision_recall_plot": "bayou.plots.curve_plots",
    "probability_bars": "bayou.plots.bars",
    "reliability_diagram": "bayou.plots.curve_plots",
    "roc_plot": "bayou.plots.curve_plots",
    "series_bands": "bayou.plots.series_plots",
    "state_bars": "bayou.plots.density_plots",
    "state_series": "bayou.plots.state_plots",
    "table_heat_map": "bayou.plots.heat_map",
    "tornado_plot": "bayou.plots.tornado_bars",
    "track_plot": "bayou.plots.series_plots",
    "tree_steps_plot": "bayou.plots.tree_steps",
    "trellis": "bayou.plots.state_plots",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
