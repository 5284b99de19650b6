"""What a fitted classifier says about itself, in Python, in a notebook and as data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import bayou


def table(rows: int = 300) -> dict[str, list[Any]]:
    """A column of numbers, one of states that is there twice, both with gaps, and the class."""
    random = np.random.default_rng(4)
    ill = random.random(rows) < 0.35
    fever = np.where(random.random(rows) < 0.8, ill, ~ill)
    words: list[Any] = ["high" if one else "none" for one in fever]
    age: list[Any] = (50 + 10 * ill + 7 * random.normal(size=rows)).round(1).tolist()
    for row in (3, 8, 20):
        age[row] = None
    return {
        "age": age,
        "fever": [None, *words[1:]],
        "again": list(words),
        "ill": ["yes" if one else "no" for one in ill],
    }


def test_naive_bayes_tells_rows_classes_kinds_gaps_and_weight() -> None:
    data = table()
    model = bayou.NaiveBayes().fit(data, "ill")
    summary = model.summary()
    assert summary.rows == 300
    assert summary.classes == {"no": data["ill"].count("no"), "yes": data["ill"].count("yes")}
    age, fever, again = summary.features
    assert [one.missing for one in summary.features] == [3, 1, 0]
    assert age.modelled.startswith(model.choices_["age"].kind)
    assert f"{model.choices_['age'].losses[model.choices_['age'].kind]:.4f}" in age.why
    assert fever.modelled == again.modelled == "table (2 states)"
    assert any(f"Evidence weight {model.evidence_weight_:.4g} " in note for note in summary.notes)
    printed = str(summary)
    assert printed.startswith("NaiveBayes that predicts ill, learned from 300 rows\n")
    for text in ("age", "fever", "missing", "Calibration of the predicted class", "log-loss"):
        assert text in printed
    assert repr(summary) == printed
    assert summary._repr_html_().count("<table>") == 3
    assert summary.to_dict()["features"][1]["missing"] == 1


def weighed(classifier: Any, model: Any) -> Any:
    """The classifier with the weights that another has learned for its columns."""
    classifier._model = replace(classifier._model, column_weights=model._model.weights)
    return classifier


def test_calibration_is_that_of_rows_left_out_of_their_own_model() -> None:
    data = table(220)
    model = bayou.NaiveBayes().fit(data, "ill")
    held_out = model.summary().held_out
    assert held_out is not None
    assert model.choices_["age"].kind == "gaussian"
    # By hand: the model fitted again without the row, the exponent and the kinds as they are.
    # (The summary leaves the row out of its class, but not out of the pooled variance: 1e-3.)
    gaussian = bayou.features.GaussianFeature(virtual_records=2)
    kinds = {"age": gaussian, "fever": "table", "again": "table"}
    columns = {name: np.array(values, dtype=object) for name, values in data.items()}
    losses, right = [], []
    for row in range(220):
        part = {name: column[np.arange(220) != row].tolist() for name, column in columns.items()}
        other = weighed(bayou.NaiveBayes(kinds, evidence_weight=1).fit(part, "ill"), model)
        joint = other.predict_joint_log_proba({name: [data[name][row]] for name in kinds})[0]
        own = ["no", "yes"].index(data["ill"][row])
        losses.append(np.logaddexp(*joint) - joint[own])
        right.append(joint.argmax() == own)
    assert held_out.log_loss == pytest.approx(np.mean(losses), abs=1e-3)
    assert held_out.accuracy == pytest.approx(np.mean(right), abs=1e-9)
    calibration = model.summary().calibration
    assert calibration is not None
    assert calibration.ece == pytest.approx(held_out.ece)
    assert calibration.counts.sum() == pytest.approx(220)


@pytest.mark.parametrize(
    "model",
    [
        bayou.NaiveBayes("table"),
        bayou.TAN(),
        bayou.AODE(),
        bayou.KDependence(1),
        bayou.ChowLiuClassifier(),
        bayou.NetworkClassifier("ill -> fever; ill -> again", target="ill"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_classifier_has_a_summary(model: Any) -> None:
    data = table()
    with pytest.raises(NotFittedError):
        model.summary()
    assert str(model) == repr(model)
    summary = model.fit({name: data[name] for name in ("fever", "again", "ill")}, "ill").summary()
    assert sum(count or 0 for count in summary.classes.values()) == 300
    assert summary.held_out is None
    assert "bayou.evaluate measures it" in str(summary)
    assert str(model).startswith(f"{model!r}, fitted: predicts ill ('no', 'yes') from 2 features")
    if isinstance(model, bayou.TAN):
        parents = {one.name: one.modelled for one in summary.features}
        assert parents["fever"].startswith("table given ill")
        assert [one.missing for one in summary.features] == [1, 0]


def test_gaussians_texts_and_wide_tables_have_one_too() -> None:
    random = np.random.default_rng(0)
    numbers = random.normal(size=(300, 3))
    labels = (numbers[:, 0] + random.normal(size=300) > 0).astype(int)
    model = bayou.GaussianBayes().fit(numbers, labels)
    assert f"Covariance: {model.covariance_}." in model.summary().notes
    text = bayou.TextNaiveBayes().fit(["buy now", "see you"], ["spam", "ham"]).summary()
    assert text.classes == {"ham": 1, "spam": 1}
    assert text.notes[0].startswith("4 words in use")
    wide = bayou.NaiveBayes("bernoulli").fit(random.integers(0, 2, (20, 600)), [0, 1] * 10).summary()
    assert [one.name for one in wide.features] == ["600 features"]


def test_votes_and_models_by_class_have_one_too() -> None:
    data = table()
    states = {name: data[name] for name in ("again", "ill")}
    by_class = bayou.GenerativeClassifier(bayou.Network("again")).fit(states, "ill").summary()
    assert by_class.rows == 300
    vote = bayou.BayesOptimal([bayou.NaiveBayes(), bayou.TAN()]).fit(states, "ill")
    assert vote.summary().target == "ill"
    printed = str(vote.summary())
    for name, weight in vote.weights_.items():
        assert f"{name}: P(h | data) = {weight:.4f}" in printed


def test_a_saved_classifier_has_the_same_summary(tmp_path: Any) -> None:
    model = bayou.NaiveBayes().fit(table(), "ill")
    model.save(tmp_path / "ill.bayou")
    assert str(bayou.load(tmp_path / "ill.bayou").summary()) == str(model.summary())


@pytest.mark.parametrize("class_prior", [None, "empirical", "uniform"])
def test_rows_that_are_alike_are_left_out_one_at_a_time_and_all_counted(class_prior: Any) -> None:
    # 240 rows, 12 of them distinct.
    random = np.random.default_rng(9)
    ill = random.random(240) < 0.4
    data: dict[str, Any] = {
        "fever": np.where(random.random(240) < 0.7, ill, ~ill),
        "pain": random.choice(["none", "mild", "much"], 240, p=[0.5, 0.3, 0.2]),
        "ill": np.where(ill, "yes", "no"),
    }
    data = {name: values.tolist() for name, values in data.items()}
    assert len(set(zip(*data.values(), strict=True))) == 12
    model = bayou.NaiveBayes(class_prior=class_prior).fit(data, "ill")
    held_out = model.summary().held_out
    assert held_out is not None
    assert held_out.rows == held_out.to_dict()["rows"] == 240
    assert held_out.confusion.counts.sum() == 240
    losses, right = [], []
    for row in range(240):
        rest = {name: [v for place, v in enumerate(values) if place != row] for name, values in data.items()}
        other = weighed(bayou.NaiveBayes(class_prior=class_prior, evidence_weight=1).fit(rest, "ill"), model)
        proba = other.predict_proba({name: [data[name][row]] for name in ("fever", "pain")})[0]
        own = ["no", "yes"].index(data["ill"][row])
        losses.append(-np.log(proba[own]))
        right.append(proba.argmax() == own)
    assert held_out.log_loss == pytest.approx(np.mean(losses), rel=1e-9)
    assert held_out.accuracy == pytest.approx(np.mean(right), rel=1e-12)
    assert f"On {held_out.rows} sampled rows" in str(model.summary())


@pytest.mark.parametrize(
    ("model", "modelled"),
    [
        (bayou.AODE(), "table given the class and each other feature (2 ranges)"),
        (bayou.GaussianBayes("full"), "normal, jointly with the others"),
        (bayou.GaussianBayes("diagonal"), "normal, on its own"),
        (bayou.GenerativeClassifier(), "in the model of each class"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_models_that_treat_all_features_alike_list_them(model: Any, modelled: str) -> None:
    random = np.random.default_rng(1)
    ill = np.repeat(["no", "yes"], 50)
    table = {"age": (random.normal(size=100) + 4 * (ill == "yes")).tolist(), "ill": ill.tolist()}
    table["height"] = (random.normal(size=100) - 4 * (ill == "yes")).tolist()
    summary = model.fit(table, "ill").summary()
    assert [one.name for one in summary.features] == ["age", "height"]
    assert {one.modelled for one in summary.features} == {modelled}
    assert [one["name"] for one in summary.to_dict()["features"]] == ["age", "height"]
    assert "height" in str(summary)
    unnamed = model.fit(np.column_stack([table["age"], table["height"]]), ill).summary()
    assert [one.name for one in unnamed.features] == ["x0", "x1"]


def test_gaps_of_features_that_are_treated_alike_are_counted() -> None:
    table = {"a": ["x", None, "y", "x"] * 10, "b": ["u", "v", None, None] * 10, "c": ["p", "q"] * 20}
    summary = bayou.AODE().fit(table, "c").summary()
    assert {one.name: one.missing for one in summary.features} == {"a": 10, "b": 20}


def test_many_features_that_are_treated_alike_are_only_counted() -> None:
    random = np.random.default_rng(2)
    model = bayou.GaussianBayes("diagonal").fit(random.normal(size=(20, 600)), [0, 1] * 10)
    assert [one.name for one in model.summary().features] == ["600 features"]
