"""What calls of results, tables and pictures raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import bayou
from tests.site.raising.models import (
    asia,
    bare,
    both,
    dicing,
    evaluated,
    learned,
    never,
    particles,
    rain,
    tall,
    two,
    unkept,
)

CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    ("Posterior.plot", "BadQuestion"): lambda: asia().query(["lung", "bronc"]).plot(),
    ("ProbabilityTable.argmax", "BadQuestion"): lambda: two().given("a").argmax(),
    ("ProbabilityTable.conditional", "BadTable"): lambda: bayou.ProbabilityTable.conditional(
        "b", {0: {0: 0.5, 1: 0.6}}, given="a"
    ),
    ("ProbabilityTable.condition", "ImpossibleEvidence"): lambda: bayou.ProbabilityTable(
        {"a": [0, 1], "b": [0, 1]}, [[1, 0], [0, 0]]
    ).condition({"a": 1}),
    ("ProbabilityTable.condition", "UnknownState"): lambda: two().condition({"a": 2}),
    ("ProbabilityTable.condition", "UnknownVariable"): lambda: two().condition({"c": 0}),
    ("ProbabilityTable.distribution", "BadTable"): lambda: bayou.ProbabilityTable.distribution(
        "coin", {"heads": 0.5, "tails": 0.6}
    ),
    ("ProbabilityTable.entropy", "BadQuestion"): lambda: two().entropy(base=-1),
    ("ProbabilityTable.given", "UnknownVariable"): lambda: two().given("c"),
    ("ProbabilityTable.in_fractions", "BadQuestion"): lambda: two().in_fractions(0),
    ("ProbabilityTable.independent", "BadQuestion"): lambda: two().independent("a", "a"),
    ("ProbabilityTable.independent", "UnknownVariable"): lambda: two().independent("a", "c"),
    ("ProbabilityTable.marginal", "UnknownVariable"): lambda: two().marginal("c"),
    ("ProbabilityTable.mutual_information", "BadQuestion"): lambda: two().mutual_information(
        "a", "b", base=-1
    ),
    ("ProbabilityTable.mutual_information", "UnknownVariable"): lambda: two().mutual_information("a", "c"),
    ("ProbabilityTable.probability_of_any", "UnknownState"): lambda: two().probability_of_any([{"a": 2}]),
    ("ProbabilityTable.probability_of_any", "UnknownVariable"): lambda: two().probability_of_any([{"c": 0}]),
    ("ProbabilityTable.probability", "ImpossibleEvidence"): lambda: bayou.ProbabilityTable(
        {"a": [0, 1], "b": [0, 1]}, [[1, 0], [0, 0]]
    ).probability({"b": 0}, given={"a": 1}),
    ("ProbabilityTable.probability", "UnknownState"): lambda: two().probability({"a": 2}),
    ("ProbabilityTable.probability", "UnknownVariable"): lambda: two().probability({"c": 0}),
    ("ProbabilityTable.total", "UnknownVariable"): lambda: two().total("c"),
    ("plots.belief_bands", "BadQuestion"): lambda: bayou.plots.belief_bands(
        ["a", "b"], np.zeros((0, 2)), "x"
    ),
    ("plots.cost_curve_plot", "BadQuestion"): lambda: bayou.plots.cost_curve_plot({}),
    ("plots.density_curves", "BadQuestion"): lambda: bayou.plots.density_curves(
        [str(k) for k in range(13)], np.zeros(2), np.zeros((2, 13)), "x"
    ),
    ("plots.layout", "BadGraph"): lambda: bayou.plots.layout({"a": (60, 30)}, [("a", "b")]),
    ("plots.layout", "BadQuestion"): lambda: bayou.plots.layout({"a": (60, float("nan"))}, []),
    ("plots.learning_curve_plot", "BadQuestion"): lambda: bayou.plots.learning_curve_plot({}),
    ("plots.particle_band", "BadQuestion"): lambda: bayou.plots.particle_band(
        np.zeros(0), np.zeros(0), np.zeros(0), "x"
    ),
    ("plots.precision_recall_plot", "BadQuestion"): lambda: bayou.plots.precision_recall_plot({}),
    ("plots.reliability_diagram", "BadQuestion"): lambda: bayou.plots.reliability_diagram({}),
    ("plots.roc_plot", "BadQuestion"): lambda: bayou.plots.roc_plot({}),
    ("plots.series_bands", "BadQuestion"): lambda: bayou.plots.series_bands(
        [("x", np.zeros(0), np.zeros(0), np.zeros(0))]
    ),
    ("plots.state_bars", "BadQuestion"): lambda: bayou.plots.state_bars(
        [str(k) for k in range(13)], ["a"], np.zeros((1, 13)), "x"
    ),
    ("plots.state_series", "BadQuestion"): lambda: bayou.plots.state_series(
        ["a", "b"], np.zeros(0, dtype=int)
    ),
    ("plots.table_heat_map", "BadQuestion"): lambda: bayou.plots.table_heat_map(
        bayou.ProbabilityTable({"a": list(range(100))}, [0.01] * 100)
    ),
    ("plots.track_plot", "BadQuestion"): lambda: bayou.plots.track_plot(
        ("x", "y"), np.zeros((0, 2)), np.zeros((0, 2, 2))
    ),
    ("plots.tree_steps_plot", "BadQuestion"): lambda: bayou.plots.tree_steps_plot([]),
    ("plots.trellis", "BadQuestion"): lambda: bayou.plots.trellis(
        ["a", "b"], np.zeros((0, 2)), np.zeros(0, dtype=int), np.zeros((2, 2)), []
    ),
    ("results.ArcInformation.bits", "UnknownVariable"): lambda: (
        rain().arc_information().bits("WetGrass", "Rain")
    ),
    ("results.ArcStrengths.network", "BadQuestion"): lambda: bayou.arc_strength(
        {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, samples=3, seed=1
    ).network(2),
    ("results.ArcStrengths.plot", "BadQuestion"): lambda: bayou.arc_strength(
        {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, samples=3, seed=1
    ).plot(2),
    ("results.ArcStrengths.to_svg", "BadFile"): lambda: bayou.arc_strength(
        {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, samples=3, seed=1
    ).to_svg("arcs.png"),
    ("results.ArcStrengths.to_svg", "BadQuestion"): lambda: bayou.arc_strength(
        {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}, samples=3, seed=1
    ).to_svg(threshold=2),
    ("results.Comparison.to_svg", "BadFile"): lambda: bare().compare("a <- b").to_svg("difference.png"),
    ("results.ContinuousPosterior.density", "BadQuestion"): lambda: tall().density("x"),
    ("results.ContinuousPosterior.interval", "BadQuestion"): lambda: tall().interval(2),
    ("results.ContinuousPosterior.quantile", "BadQuestion"): lambda: tall().quantile(2),
    ("results.Evaluation.differences", "BadQuestion"): lambda: evaluated().differences("brier"),
    ("results.Evaluation.differences", "NotAvailable"): lambda: unkept().differences(),
    ("results.Evaluation.precision_recall_plot", "BadQuestion"): lambda: evaluated().precision_recall_plot(
        "maybe"
    ),
    ("results.Evaluation.roc_plot", "BadQuestion"): lambda: evaluated().roc_plot("maybe"),
    ("results.FilteredParticles.plot", "BadQuestion"): lambda: particles().filter([1.0]).plot([1, 2]),
    ("results.JointContinuousPosterior.marginal", "UnknownVariable"): lambda: both().marginal("z"),
    ("results.LearningTrace.plot", "BadQuestion"): lambda: learned().learning.plot(),
    ("results.NextFindings.outcomes", "UnknownVariable"): lambda: rain().what_to_ask("Rain").outcomes("Snow"),
    ("results.OnlineParticles.observe", "BadData"): lambda: particles().online().observe("x"),
    ("results.OnlineParticles.observe", "ImpossibleEvidence"): lambda: (
        bayou.ParticleFilter(never(), 100).online().observe(2)
    ),
    ("results.SmoothedPaths.plot", "BadQuestion"): lambda: particles().smooth([1.0], 5).plot([1, 2]),
    ("results.SmoothedPaths.quantiles", "BadQuestion"): lambda: particles().smooth([1.0], 5).quantiles([2]),
    ("results.SmoothedPaths.quantiles", "NotAvailable"): lambda: dicing().smooth([1], 5).quantiles([0.5]),
}
