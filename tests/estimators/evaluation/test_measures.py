"""The measures of an evaluation against scikit-learn's, with weights, costs and tiny classes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import bayou
from bayou import decisions
from bayou.decisions.scoring_rules import scores_of
from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable
from bayou.sources import open_source

RANDOM = np.random.default_rng


def predictions(seed: int, rows: int, classes: int) -> tuple[Any, Any, Any]:
    """True classes, probabilities with ties, and whole weights, some of them 0."""
    random = RANDOM(seed)
    truth = random.integers(0, classes, rows)
    truth[:classes] = range(classes)
    proba = random.integers(1, 5, (rows, classes)).astype(float)
    proba[np.arange(rows), truth] += random.integers(0, 3, rows)
    weights = random.integers(0, 4, rows).astype(float)
    weights[:classes] = 1
    return truth, proba / proba.sum(axis=1, keepdims=True), weights


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 60), st.integers(2, 4), st.booleans())
def test_scores_are_those_of_scikit_learn(seed: int, rows: int, classes: int, weighed: bool) -> None:
    truth, proba, weights = predictions(seed, rows, classes)
    given_weights = weights if weighed else None
    names = tuple("abcd"[:classes])
    scores = scores_of(truth, proba, names, given_weights)
    guess, share = proba.argmax(axis=1), {"sample_weight": given_weights}
    each = {"average": None, "labels": range(classes), "zero_division": 0, **share}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert scores.accuracy == pytest.approx(metrics.accuracy_score(truth, guess, **share))
        assert scores.balanced_accuracy == pytest.approx(
            metrics.balanced_accuracy_score(truth, guess, **share)
        )
        for ours, theirs in (
            ("precision", metrics.precision_score(truth, guess, **each)),
            ("recall", metrics.recall_score(truth, guess, **each)),
            ("f1", metrics.f1_score(truth, guess, **each)),
        ):
            assert [getattr(one, ours) for one in scores.by_class] == pytest.approx(list(theirs))
        assert scores.f1 == pytest.approx(metrics.f1_score(truth, guess, average="macro", **share))
    assert scores.log_loss == pytest.approx(metrics.log_loss(truth, proba, **share))
    assert scores.confusion.counts == pytest.approx(metrics.confusion_matrix(truth, guess, **share))
    for place, one in enumerate(scores.by_class):
        own = truth == place
        assert one.auc == pytest.approx(metrics.roc_auc_score(own, proba[:, place], **share))
        expected = metrics.average_precision_score(own, proba[:, place], **share)
        assert one.average_precision == pytest.approx(expected)
    assert scores.auc == pytest.approx(np.mean([one.auc for one in scores.by_class]))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 40), st.booleans())
def test_curves_are_those_of_scikit_learn(seed: int, rows: int, weighed: bool) -> None:
    truth, proba, weights = predictions(seed, rows, 2)
    given_weights = np.maximum(weights, 1) if weighed else None
    ours = decisions.roc_curve(truth, proba[:, 1], weights=given_weights)
    false, true, limits = metrics.roc_curve(
        truth, proba[:, 1], sample_weight=given_weights, drop_intermediate=False
    )
    assert ours.false_positive_rate == pytest.approx(false)
    assert ours.true_positive_rate == pytest.approx(true)
    assert ours.thresholds[1:] == pytest.approx(limits[1:])
    assert ours.area == pytest.approx(metrics.auc(false, true))
    mine = decisions.precision_recall_curve(truth, proba, weights=given_weights)
    precision, recall, at = metrics.precision_recall_curve(truth, proba[:, 1], sample_weight=given_weights)
    assert mine.precision == pytest.approx(precision[:-1][::-1])
    assert mine.recall == pytest.approx(recall[:-1][::-1])
    assert mine.thresholds == pytest.approx(at[::-1])
    expected = metrics.average_precision_score(truth, proba[:, 1], sample_weight=given_weights)
    assert mine.average_precision == pytest.approx(expected)


def test_whole_weights_are_repeated_rows_in_every_score() -> None:
    truth, proba, weights = predictions(3, 50, 3)
    times = weights.astype(int)
    weighed = scores_of(truth, proba, ("a", "b", "c"), weights)
    repeated = scores_of(truth.repeat(times), proba.repeat(times, axis=0), ("a", "b", "c"))
    for measure in ("accuracy", "balanced_accuracy", "auc", "f1", "log_loss", "brier", "ece"):
        assert getattr(weighed, measure) == pytest.approx(getattr(repeated, measure)), measure
    usual, heavy = (
        decisions.brier(truth.repeat(times), proba.repeat(times, axis=0), bins=5),
        decisions.brier(truth, proba, bins=5, weights=weights),
    )
    assert vars(heavy) == pytest.approx(vars(usual))
    bins = decisions.reliability(truth, proba, weights=weights)
    assert (
        bins.counts.tolist()
        == decisions.reliability(truth.repeat(times), proba.repeat(times, axis=0)).counts.tolist()
    )
    assert decisions.log_loss(truth, proba, weights=weights) == pytest.approx(repeated.log_loss)


def patients(rows: int = 120, seed: int = 0) -> dict[str, list[Any]]:
    random = RANDOM(seed)
    ill = random.random(rows) < 0.3
    return {
        "age": (50 + 12 * ill + 8 * random.normal(size=rows)).round(1).tolist(),
        "smoker": np.where(random.random(rows) < 0.75, ill, ~ill).tolist(),
        "times": random.integers(0, 4, rows).tolist(),
        "ill": np.where(ill, "yes", "no").tolist(),
    }


@pytest.mark.parametrize("model", ["nb", "tan", LogisticRegression()])
def test_an_evaluation_with_weights_is_that_of_repeated_rows(model: Any) -> None:
    data = patients()
    folds = [row % 4 for row in range(120)]
    times = np.array(data["times"])
    repeated = {name: np.array(values, dtype=object).repeat(times).tolist() for name, values in data.items()}
    del repeated["times"]
    usual = bayou.evaluate(model, repeated, "ill", fold_of_row=np.repeat(folds, times)).best
    by_name = bayou.evaluate(model, data, "ill", fold_of_row=folds, weights="times")
    bare = {name: values for name, values in data.items() if name != "times"}
    beside = bayou.evaluate(model, bare, "ill", fold_of_row=folds, weights=data["times"])
    source = bayou.evaluate(model, open_source(bare, weights=data["times"]), "ill", fold_of_row=folds)
    for result in (by_name, beside, source):
        for measure in ("accuracy", "balanced_accuracy", "auc", "average_precision", "f1", "log_loss", "ece"):
            expected = pytest.approx(getattr(usual, measure), abs=1e-6)
            assert getattr(result.best, measure) == expected, measure
        assert result.best.confusion["yes", "yes"] == usual.confusion["yes", "yes"]
        assert result.left_out == int((times == 0).sum())
        assert f"of weight {times.sum()}" in str(result)


def test_weights_that_can_not_be_used_are_explained() -> None:
    data = patients()
    with pytest.raises(BadQuestion, match="KNeighborsClassifier does not take weights"):
        bayou.evaluate(KNeighborsClassifier(), data, "ill", weights="times")
    with pytest.raises(BadQuestion, match="Pipeline does not take weights"):
        bayou.evaluate(make_pipeline(LogisticRegression()), data, "ill", weights="times")
    with pytest.raises(UnknownVariable, match="Did you mean 'times'"):
        bayou.evaluate("nb", data, "ill", weights="time")
    with pytest.raises(BadData, match="row 2"):
        bayou.evaluate("nb", data, "ill", weights=[1, 1, -1] + [1] * 117)
    with pytest.raises(BadData, match="All weights are 0"):
        bayou.evaluate("nb", data, "ill", weights=[0] * 120)


def test_rows_of_different_folds_are_not_compared() -> None:
    """Stratified folds make constant predictions look worse than chance, if folds are pooled."""
    truth = np.zeros(1000, dtype=int)
    truth[[3, 400, 801]] = 1
    folds = np.arange(1000) % 5
    proba = np.empty((1000, 2))
    for fold in range(5):
        share = truth[folds != fold].mean()
        proba[folds == fold] = [1 - share, share]
    assert metrics.roc_auc_score(truth, proba[:, 1]) < 0.4
    assert scores_of(truth, proba, ("no", "yes"), folds=folds).auc == 0.5
    random = RANDOM(0)
    scores = random.random(1000)
    both = np.column_stack([1 - scores, scores])
    truth = (random.random(1000) < scores).astype(int)
    inside = [(truth == 1) & (folds == fold) for fold in range(5)]
    pairs = [one.sum() * ((folds == fold).sum() - one.sum()) for fold, one in enumerate(inside)]
    parts = [metrics.roc_auc_score(truth[folds == f], scores[folds == f]) for f in range(5)]
    judged = scores_of(truth, both, ("no", "yes"), folds=folds)
    assert judged.by_class[1].auc == pytest.approx(np.average(parts, weights=pairs))
    parts = [metrics.average_precision_score(truth[folds == f], scores[folds == f]) for f in range(5)]
    members = [one.sum() for one in inside]
    assert judged.by_class[1].average_precision == pytest.approx(np.average(parts, weights=members))


def test_a_cost_is_that_of_the_cheapest_action_in_each_row() -> None:
    data = patients()
    costs = {"treat": {"yes": 1, "no": 3}, "wait": {"yes": 20, "no": 0}}
    result = bayou.evaluate(["nb", "tan"], data, "ill", folds=4, costs=costs)
    for model in result.models:
        expected = model.probabilities @ np.array([[3, 0], [1, 20]])  # classes are no, yes
        chosen = expected.argmin(axis=1)
        truth = np.array([label == "yes" for label in data["ill"]]).astype(int)
        assert model.cost == pytest.approx(np.array([[3, 0], [1, 20]])[truth, chosen].mean())
    assert "cost" in str(result).splitlines()[1]
    assert result.to_frame()["cost"].notna().all()
    assert bayou.evaluate("nb", data, "ill", folds=4).best.cost is None


def rare(rows: int, positives: int) -> dict[str, list[Any]]:
    random = RANDOM(5)
    ill = np.zeros(rows, dtype=int)
    ill[random.permutation(rows)[:positives]] = 1
    return {
        "a": random.integers(0, 5, rows).tolist(),
        "b": random.integers(0, 2, rows).tolist(),
        "ill": ill.tolist(),
    }


def test_a_tiny_class_is_named_and_takes_the_stars() -> None:
    with pytest.warns(BayouWarning, match=r"Only 4 of 2,000 rows have 1 in ill.*0\.9980 already"):
        result = bayou.evaluate(["nb", "tan"], rare(2000, 4), "ill", folds=5)
    assert result.tiny_classes == {1: 4}
    printed = str(result)
    assert "*" not in printed
    assert result.note in printed
    assert result.to_dict()["note"] == result.note
    assert result["nb"].accuracy == pytest.approx(0.998)
    assert result["nb"].balanced_accuracy == pytest.approx(0.5)
    assert result.baseline.auc == 0.5
    assert result.baseline.balanced_accuracy == 0.5


def test_what_is_no_better_than_the_class_shares_has_no_star() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", BayouWarning)
        result = bayou.evaluate(["nb", "tan"], rare(400, 60), "ill", folds=5)
    line = next(line for line in str(result).splitlines() if line.startswith("nb"))
    accuracy = line.split()[1]
    assert float(accuracy) <= round(result.baseline.accuracy, 4)
    assert not accuracy.endswith("*")


def test_one_classifier_prints_briefly_and_in_full() -> None:
    best = bayou.evaluate("nb", patients(), "ill", folds=3).best
    assert len(repr(best)) < 1500
    assert "average precision" in repr(best)
    assert "array" not in repr(best)
    assert len(repr(best.scores)) < 200
    assert best._repr_html_().count("<table>") == 3
    with pytest.raises(BadQuestion, match="'maybe' is not one of the classes: 'no', 'yes'"):
        best.roc("maybe")
