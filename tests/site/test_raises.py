"""Errors that docstrings name are those that the calls raise."""

from __future__ import annotations

import builtins
import doctest
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from docs.builder.reference.completeness import errors_named
from docs.builder.reference.public_names import public_names
from sklearn import exceptions

import bayou
from bayou import decisions, errors, plots, spark, testing
from bayou.statistics import CountTable
from tests.site.raising import (
    classifiers,
    dynamic,
    graphs_and_decisions,
    hidden_markov,
    network_edits,
    network_questions,
    network_tables,
    results,
)

TABLE = {"a": [0, 1, 0, 1] * 9, "b": [1, 1, 0, 0] * 9}
HALVES = [[0.5, 0.5]] * 4
NOWHERE = Path("nowhere") / "nothing.bif"

SUBJECTS = (
    classifiers, dynamic, graphs_and_decisions, hidden_markov, network_edits, network_questions,
    network_tables, results,
)  # fmt: skip
CALLS: dict[tuple[str, str], Callable[[], Any]] = {
    **{key: call for subject in SUBJECTS for key, call in subject.CALLS.items()},
    ("load", "BadFile"): lambda: bayou.load(NOWHERE),
    ("random_network", "BadQuestion"): lambda: bayou.random_network(-1),
    ("limits", "BadQuestion"): lambda: bayou.limits(memory=-1).__enter__(),
    ("threads", "BadQuestion"): lambda: bayou.threads(0),
    ("read_cases", "BadFile"): lambda: bayou.read_cases(NOWHERE, asia()),
    ("write_cases", "BadFile"): lambda: bayou.write_cases(NOWHERE, [], asia()),
    ("learn_structure", "BadData"): lambda: bayou.learn_structure({}),
    ("learn_structure", "BadQuestion"): lambda: bayou.learn_structure(TABLE, method="magic"),
    ("learn_structure", "BadPrior"): lambda: bayou.learn_structure(TABLE, score="magic"),
    ("learn_structure", "BadGraph"): lambda: bayou.learn_structure(
        TABLE, require="a -> b", tiers=[["b"], ["a"]]
    ),
    ("arc_strength", "BadData"): lambda: bayou.arc_strength({}),
    ("arc_strength", "BadQuestion"): lambda: bayou.arc_strength(TABLE, method="magic"),
    ("cross_validate", "BadData"): lambda: bayou.cross_validate(asia(), TABLE),
    ("cross_validate", "BadQuestion"): lambda: bayou.cross_validate(bayou.Network("a -> b"), TABLE, folds=1),
    ("independence_test", "UnknownVariable"): lambda: bayou.independence_test(TABLE, "a", "c"),
    ("count", "BadQuestion"): lambda: bayou.count(TABLE, 3),
    ("bayes_rule", "BadTable"): lambda: bayou.bayes_rule({"a": 0.5, "b": 0.6}, {"a": 0.1, "b": 0.2}),
    ("fit", "UnknownVariable"): lambda: bayou.fit(TABLE, "c"),
    ("fit", "BadData"): lambda: bayou.fit({"a": [1]}, "a"),
    ("evaluate", "BadQuestion"): lambda: bayou.evaluate("magic", TABLE, "a"),
    ("evaluate", "UnknownVariable"): lambda: bayou.evaluate("nb", TABLE, "c"),
    ("check", "UnknownVariable"): lambda: bayou.check(TABLE, "c"),
    ("from_file", "BadFile"): lambda: bayou.from_file(NOWHERE.with_suffix(".csv")),
    ("from_sql", "BadData"): lambda: bayou.from_sql("select 1", NOWHERE.with_suffix(".db")),
    ("from_batches", "BadData"): lambda: bayou.from_batches(3),
    ("decide", "BadTable"): lambda: bayou.decide(asia().query("lung"), {"treat": {"yes": 1}}),
    ("decisions.threshold_for", "BadQuestion"): lambda: decisions.threshold_for(-1, 2),
    ("decisions.brier", "BadData"): lambda: decisions.brier(HALVES, [0, 1]),
    ("decisions.log_loss", "BadData"): lambda: decisions.log_loss(HALVES, [0, 1]),
    ("decisions.reliability", "BadData"): lambda: decisions.reliability(HALVES, [0, 1]),
    ("decisions.expected_calibration_error", "BadData"): lambda: decisions.expected_calibration_error(
        HALVES, [0, 1]
    ),
    ("decisions.best_threshold", "BadData"): lambda: decisions.best_threshold(
        [0, 1], [0.1], false_positive=1, false_negative=1
    ),
    ("decisions.confusion", "BadData"): lambda: decisions.confusion([0, 1], [0.1], 0.5),
    ("decisions.cost_curve", "BadData"): lambda: decisions.cost_curve([0, 1], [0.1]),
    ("decisions.roc_curve", "BadData"): lambda: decisions.roc_curve([0, 1], [0.1]),
    ("decisions.precision_recall_curve", "BadData"): lambda: decisions.precision_recall_curve([0, 1], [0.1]),
    ("decisions.recalibrate", "BadData"): lambda: decisions.recalibrate(HALVES, [0, 1]),
    ("decisions.shift_priors", "BadTable"): lambda: decisions.shift_priors(HALVES, [0.5, 0.6], [0.5, 0.5]),
    ("decisions.estimate_priors", "BadTable"): lambda: decisions.estimate_priors(HALVES, [0.5, 0.6]),
    ("decisions.learning_curve", "BadQuestion"): lambda: decisions.learning_curve(
        lambda train, test: 1.0, 10, sizes=[100]
    ),
    ("decisions.GaussianClasses", "BadTable"): lambda: decisions.GaussianClasses([0], [1], [0.5, 0.5]),
    ("decisions.BayesError", "BadTable"): lambda: decisions.BayesError(1),
    ("choose_states", "BadQuestion"): lambda: bayou.choose_states([1, 2, 3], [0]),
    ("learn_dynamic_structure", "BadData"): lambda: bayou.learn_dynamic_structure({}),
    ("Network", "BadGraph"): lambda: bayou.Network("a -> b -> a"),
    ("Network", "BadTable"): lambda: bayou.Network("a", tables={"a": {"x": 0.5, "y": 0.6}}),
    ("Network.fit", "BadData"): lambda: bayou.Network("a -> b").fit(3),
    ("Network.fit", "UnknownVariable"): lambda: bayou.Network("a -> c").fit(TABLE),
    ("Network.fit", "BadPrior"): lambda: bayou.Network("a -> b").fit(TABLE, prior=-1),
    ("Network.query", "UnknownVariable"): lambda: asia().query("lungs"),
    ("Network.query", "UnknownState"): lambda: asia().query("lung", given={"xray": "Yes"}),
    ("Network.query", "BadQuestion"): lambda: asia().query("lung", engine="magic"),
    ("Network.query", "ImpossibleEvidence"): lambda: asia().query(
        "smoke", given={"either": "no", "lung": "yes"}
    ),
    ("Network.query", "NotFitted"): lambda: bayou.Network("a -> b").query("a"),
    ("Network.query", "TooWide"): lambda: too_wide(),
    ("NaiveBayes.fit", "UnknownVariable"): lambda: bayou.NaiveBayes().fit(TABLE, "c"),
    ("NaiveBayes.fit", "BadData"): lambda: bayou.NaiveBayes().fit(3, "a"),
    ("NaiveBayes.fit", "BadPrior"): lambda: bayou.NaiveBayes(prior=-1).fit(TABLE, "a"),
    ("NaiveBayes.predict_proba", "BadData"): lambda: (
        bayou.NaiveBayes().fit(TABLE, "a").predict_proba({"z": [1]})
    ),
    ("HMM", "BadQuestion"): lambda: bayou.HMM(0),
    ("HMM.fit", "BadData"): lambda: bayou.HMM(2).fit([]),
    ("HMM.decode", "NotFitted"): lambda: bayou.HMM(2).decode([1, 2]),
    ("KalmanModel.fit", "BadData"): lambda: bayou.KalmanModel.local_level(0.1, 0.1).fit([]),
    ("ParticleFilter", "BadQuestion"): lambda: bayou.ParticleFilter(bayou.examples.casino(), particles=0),
    ("DynamicNetwork.fit", "BadData"): lambda: bayou.DynamicNetwork("a[t-1] -> a[t]").fit({}),
    ("ProbabilityTable", "BadTable"): lambda: bayou.ProbabilityTable({"x": ["a", "b"]}, [0.5, 0.9]),
    ("Variable", "BadVariable"): lambda: bayou.Variable("a", ["x", "x"]),
    ("Schema", "BadVariable"): lambda: bayou.Schema([bayou.Variable("a", ["x"]), bayou.Variable("a", ["x"])]),
    ("Cuts", "BadVariable"): lambda: bayou.Cuts(3, 1),
    ("Interval", "BadVariable"): lambda: bayou.Interval(3, 1),
    ("Dag.from_text", "BadGraph"): lambda: bayou.Dag.from_text("a -> a"),
    ("Not", "BadQuestion"): lambda: bayou.Not(),
    ("Laplace", "BadPrior"): lambda: bayou.Laplace(-1),
    ("MEstimate", "BadPrior"): lambda: bayou.MEstimate(-1),
    ("Dirichlet", "BadPrior"): lambda: bayou.Dirichlet([-1]),
    ("BDeu", "BadPrior"): lambda: bayou.BDeu(-1),
    ("BDs", "BadPrior"): lambda: bayou.BDs(-1),
    ("bandwidths.Fixed", "BadPrior"): lambda: bayou.bandwidths.Fixed(-1),
    ("LinearSeries", "BadTable"): lambda: bayou.LinearSeries([[1]], [[1, 2]], [[1]], [[1]]),
    ("StochasticVolatility", "BadQuestion"): lambda: bayou.StochasticVolatility(0, 2, 0.1),
    ("BayesOptimal.fit", "BadQuestion"): lambda: bayou.BayesOptimal([]).fit(TABLE, "a"),
    ("SequenceClassifier.fit", "BadData"): lambda: bayou.SequenceClassifier(2).fit([[1]], []),
    ("features.KernelFeature", "BadData"): lambda: naive("kernel", ["x", "y"]),
    ("features.GaussianFeature", "BadData"): lambda: naive("gaussian", ["x", "y"]),
    ("features.DiscretisedFeature", "BadData"): lambda: naive("discretised", ["x", "y"]),
    ("features.PoissonFeature", "BadData"): lambda: naive("poisson", [-1, 2]),
    ("features.WordsFeature", "BadData"): lambda: naive("words", [1, 2]),
    ("features.BernoulliFeature", "BadData"): lambda: naive("bernoulli", ["x", "y"]),
    ("BackOff", "BadPrior"): lambda: bayou.BackOff(-1),
    ("Case", "BadQuestion"): lambda: bayou.Case("Ann", {"smoke": "yes"}, weight=-1),
    ("NoisyOr", "BadTable"): lambda: caused_by(bayou.NoisyOr({"flu": 1.5})),
    ("NoisyAnd", "BadTable"): lambda: caused_by(bayou.NoisyAnd({"flu": 1.5})),
    ("NoisyMax", "UnknownState"): lambda: caused_by(bayou.NoisyMax({"flu": {"yes": {"high": 1}}})),
    ("Deterministic", "BadTable"): lambda: caused_by(bayou.Deterministic({"no": "no"})),
    ("ParticleModel", "BadQuestion"): lambda: bayou.ParticleModel(1, 2, 3),  # type: ignore[arg-type]
    ("PartlyDirected", "BadGraph"): lambda: bayou.PartlyDirected(["a"], arcs=[("a", "b")]),
    ("decisions.Isotonic", "BadTable"): lambda: decisions.Isotonic.fit([0, 1], [0.1, 0.9])(HALVES),
    ("decisions.Temperature", "BadQuestion"): lambda: decisions.Temperature(0),
    ("decisions.Temperature", "BadTable"): lambda: decisions.Temperature(2)([[1.5, -0.5]]),
    ("show_progress", "BadQuestion"): lambda: bayou.show_progress(3).__enter__(),  # type: ignore[arg-type]
    ("testing.example_table", "BadQuestion"): lambda: testing.example_table(-1),
    ("testing.check_source", "AssertionError"): lambda: testing.check_source(lambda table: {"age": [1]}),
    ("testing.require_same", "AssertionError"): lambda: testing.require_same(
        1, 2, CountTable(()), exact=True
    ),
    ("spark.BayouClassifier", "BadQuestion"): lambda: spark.BayouClassifier(3),  # type: ignore[arg-type]
    ("spark.BayouClassifier.setParams", "BadQuestion"): lambda: spark.BayouClassifier().setParams(colour=1),
}
"""By the name and the error: a call that raises it."""
UNTRIED: set[str] = set()
"""Errors of methods that no call here raises, because that takes too long or an own process."""


def asia() -> bayou.Network:
    return bayou.examples.asia()


def naive(kind: str, column: list[Any]) -> bayou.NaiveBayes:
    return bayou.NaiveBayes(features=kind).fit({"column": column}, ["no", "yes"])


def caused_by(node: Any) -> bayou.Network:
    """A network in which the flu causes a fever as the node says."""
    both = {"flu": ["no", "yes"], "fever": ["no", "yes"]}
    return bayou.Network("flu -> fever", states=both, tables={"flu": [0.5, 0.5], "fever": node})


def too_wide() -> Any:
    with bayou.limits(memory=1000):
        return bayou.examples.alarm().query("HYPOVOLEMIA", engine="enumeration")


def docstring(name: str) -> str:
    known = public_names()
    if name in known:
        return known[name].doc
    members = known[name.rpartition(".")[0]].members
    return next(member.doc for member in members if member.name == name)


@pytest.mark.parametrize(("name", "error"), CALLS)
def test_a_call_raises_what_its_docstring_names(
    name: str, error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # nothing is written, not even by a call that should fail and does not
    kind = next(found for of in (errors, builtins, exceptions) if (found := getattr(of, error, None)))
    with pytest.raises(kind) as raised:
        CALLS[name, error]()
    assert type(raised.value) is kind
    assert error in errors_named(docstring(name)), "the paragraph of the docstring that begins with Raises"


def test_each_error_that_a_method_names_is_raised_by_a_call_here() -> None:
    tried: dict[str, set[str]] = {}
    for name, error in CALLS:
        tried.setdefault(docstring(name), set()).add(error)
    untried = {
        f"{member.name}: {error}"
        for public in public_names().values()
        for member in public.members
        for error in errors_named(member.doc) - tried.get(member.doc, set())
    }
    assert untried == UNTRIED


DRAWING = [name for name in plots.__all__ if name not in ("Layout", "LayoutOptions", "layout")]


@pytest.mark.parametrize("name", DRAWING)
def test_pictures_name_the_package_that_they_need(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of each raises what it names where matplotlib cannot be imported."""
    draw = getattr(plots, name)
    assert "MissingPackage" in errors_named(docstring(f"plots.{name}"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(errors.MissingPackage, match="matplotlib"):
        run_example_of(draw)


def run_example_of(function: Any) -> None:
    around = dict(vars(sys.modules[function.__module__]))
    for step in doctest.DocTestParser().get_examples(function.__doc__):
        exec(step.source, around)
