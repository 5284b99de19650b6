"""What is decided by costs, and how surely one classifier is better than another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion

COSTS = {"check": {"fraud": 1, "ok": 1}, "pass": {"fraud": 20, "ok": 0}}


def _rows() -> dict[str, Any]:
    random = np.random.default_rng(5)
    fraud = random.random(600) < 0.1
    night = np.where(random.random(600) < np.where(fraud, 0.8, 0.2), "night", "day")
    far = np.where(random.random(600) < np.where(fraud, 0.7, 0.3), "far", "near")
    return {"when": night, "where": far, "y": np.where(fraud, "fraud", "ok")}


@pytest.fixture(scope="module")
def judged() -> Any:
    return bayou.evaluate(["nb", "tan"], _rows(), "y", folds=5, costs=COSTS)


def test_the_cheapest_decisions_are_counted_by_class(judged: Any) -> None:
    nb = judged["nb"]
    decisions = nb.scores.decisions
    expected = nb.probabilities @ np.array([[1, 20], [1, 0]])
    chosen = expected.argmin(axis=1)
    truth = judged.judged.truth
    counts = [[int(((truth == c) & (chosen == a)).sum()) for a in (0, 1)] for c in (0, 1)]
    assert decisions.counts.tolist() == counts
    assert decisions["fraud", "check"] == counts[0][0] > nb.confusion["fraud", "fraud"]
    assert (decisions.counts * np.array([[1, 20], [1, 0]])).sum() / 600 == pytest.approx(nb.cost)
    printed = str(judged)
    assert f"Decisions of {judged.cheapest.name}, of least expected cost" in printed
    assert "true \\ decided" in printed
    assert judged.to_dict()["models"][0]["decisions"]["actions"] == ["check", "pass"]


def test_decisions_of_folds_add_up_and_weights_count(judged: Any) -> None:
    nb = judged["nb"]
    assert (sum(fold.scores.decisions.counts for fold in nb.folds) == nb.scores.decisions.counts).all()
    weighted = bayou.evaluate("nb", _rows(), "y", folds=5, costs=COSTS, weights=np.full(600, 2.0))
    assert weighted["nb"].scores.decisions.counts.sum() == 1200


@pytest.mark.parametrize("measure", ["log_loss", "cost"])
def test_differences_are_paired_on_the_same_rows(judged: Any, measure: str) -> None:
    found = judged.differences(measure)
    scores = {model.name: getattr(model, measure) for model in judged.models}
    best = min(scores, key=scores.__getitem__)
    for name, one in found.items():
        assert one.mean == pytest.approx(scores[name] - scores[best], abs=1e-12)
    other = next(name for name in scores if name != best)
    assert 0 <= found[other].error < 0.5  # both may decide alike
    assert judged.differences()[next(n for n in scores if judged.best.name != n)].error > 0
    assert "Behind the best on the same rows, ± one standard error" in str(judged)
    told = judged.to_dict()["behind_the_best"][measure][other]
    assert told == {"difference": found[other].mean, "standard_error": found[other].error}


def test_differences_that_cannot_be_told() -> None:
    alone = bayou.evaluate("nb", _rows(), "y", folds=5)
    assert "Behind the best" not in str(alone)
    assert alone.cheapest is alone.best
    assert "decisions" not in alone.to_dict()["models"][0]
    with pytest.raises(BadQuestion, match="There are no costs to compare"):
        alone.differences("cost")
    with pytest.raises(BadQuestion, match="measure"):
        alone.differences("auc")


def test_costs_are_no_setting_of_a_classifier_and_the_error_says_what_to_do() -> None:
    for name, told in (
        ("costs", r"bayou\.decide\(model\.predict_proba\(rows\), costs=….*bayou\.evaluate.*prefer=\"best\""),
        ("class_weight", r"bayou\.decide.*with_class_prior"),
        ("colour", "leave it out"),
    ):
        with pytest.raises(BadQuestion, match=told):
            bayou.fit(_rows(), "y", **{name: COSTS})
    rows = _rows()
    model = bayou.fit(rows, "y", models=["nb"])
    best = bayou.decide(model.predict_proba(rows), costs=COSTS, classes=model.classes_).best
    assert {*best} == {"check", "pass"}
