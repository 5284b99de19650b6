"""bayou.evaluate: cross-validation of classifiers on the same folds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.metrics import confusion_matrix
from sklearn.metrics import log_loss as sklearn_log_loss
from sklearn.model_selection import StratifiedKFold
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.decisions.scoring_rules import scores_of
from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable
from bayou.estimators.classifier_names import CLASSIFIERS
from bayou.estimators.evaluation.folds import folds_of
from bayou.estimators.input.labelled_input import read_labelled


def weather(rows: int = 60, seed: int = 0) -> dict[str, list[Any]]:
    """Columns with awkward names: the wind tells the class mostly, the number a little."""
    random = np.random.default_rng(seed)
    play = random.integers(0, 2, rows)
    wind = np.where(random.random(rows) < 0.8, play, 1 - play)
    return {
        "größe, cm": (play + random.normal(size=rows)).round(3).tolist(),
        "wind": ["weak" if w else "strong" for w in wind],
        "play?": ["yes" if p else "no" for p in play],
    }


def test_the_scores_are_those_of_predictions_made_without_the_fold() -> None:
    data = weather()
    table = pd.DataFrame(data)
    result = bayou.evaluate("nb", data, "play?", folds=4, seed=3)
    x, y = table.drop(columns="play?"), table["play?"]
    expected = np.zeros((len(y), 2))
    for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(x, y):
        model = bayou.NaiveBayes().fit(x.iloc[train], y.iloc[train])
        expected[test] = model.predict_proba(x.iloc[test])
    scores = result["nb"]
    assert scores.probabilities == pytest.approx(expected, abs=1e-12)
    assert scores.log_loss == pytest.approx(sklearn_log_loss(y, expected))
    guessed = np.array(["no", "yes"])[expected.argmax(axis=1)]
    assert scores.accuracy == (guessed == y).mean()
    assert scores.confusion.counts.tolist() == confusion_matrix(y, guessed).tolist()
    assert scores.brier == pytest.approx(((expected - pd.get_dummies(y).to_numpy()) ** 2).sum(axis=1).mean())


def test_the_whole_is_the_mean_of_the_folds_by_their_rows() -> None:
    scores = bayou.evaluate("tan", weather(), "play?", folds=5).best
    rows = np.array([fold.scores.rows for fold in scores.folds])
    assert len(rows) == 5
    assert rows.sum() == 60
    for measure in ("accuracy", "log_loss", "brier"):
        parts = np.array([getattr(fold.scores, measure) for fold in scores.folds])
        assert (parts * rows).sum() / 60 == pytest.approx(getattr(scores, measure))


def test_all_models_see_the_same_folds_and_the_best_of_each_column_has_a_star() -> None:
    result = bayou.evaluate({"mine": bayou.NaiveBayes(), "none": DummyClassifier()}, weather(), "play?")
    assert result.best.name == "mine"
    lines = str(result).splitlines()
    assert lines[0] == "Predicting play?: 60 rows, 10 folds"
    assert lines[2].startswith("mine")
    assert lines[2].count("*") >= 3
    assert "Confusion of mine" in lines
    frame = result.to_frame()
    assert len(frame) == 20
    assert set(frame["model"]) == {"mine", "none"}
    assert result.to_dict()["models"][1]["name"] == "none"
    assert "<table>" in result._repr_html_()


def test_with_few_rows_each_row_is_left_out_once() -> None:
    result = bayou.evaluate("nb", weather(49), "play?")
    assert sorted(result.fold_of_row) == list(range(49))
    assert "each row left out once" in str(result)
    assert bayou.evaluate("nb", weather(49), "play?", folds=5).fold_of_row.max() == 4


def test_a_class_that_a_training_fold_lacks_has_probability_0_clipped() -> None:
    data = {"a": ["x", "y"] * 25 + ["z"], "c": ["p", "q"] * 25 + ["rare"]}
    with pytest.warns(BayouWarning, match="Only 1 of 51 rows has 'rare' in c"):
        result = bayou.evaluate("nb", data, "c", folds=5)
    assert result.classes == ("p", "q", "rare")
    rare = result.best.probabilities[-1]
    assert rare[2] == 0
    assert math.isfinite(result.best.log_loss)
    assert result.best.log_loss > -math.log(1e-15) / 51


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    data = weather()
    data["play?"][7] = data["play?"][8] = None
    result = bayou.evaluate("nb", data, "play?", fold_of_row=[row % 3 for row in range(60)])
    assert result.left_out == 2
    assert len(result.fold_of_row) == 58
    assert "2 without a label left out" in str(result)


def test_whole_numbers_and_truth_values_are_classes_too() -> None:
    data = weather()
    for labels in ([1, 2] * 30, [True, False] * 30, [1.0, 2.0] * 30):
        result = bayou.evaluate("nb", {**data, "play?": labels}, "play?", folds=3)
        assert len(result.classes) == 2
        model = bayou.NaiveBayes().fit({**data, "play?": labels}, "play?")
        assert sorted(model.classes_.tolist()) == sorted(set(labels))


def test_labels_may_stand_beside_the_table() -> None:
    data = weather()
    labels = pd.Series(data.pop("play?"), name="wind")
    result = bayou.evaluate("nb", data, labels, folds=3)
    assert result.target == "wind'"
    array = np.random.default_rng(0).normal(size=(60, 2))
    assert bayou.evaluate("nb", array, labels, folds=3).models[0].name == "nb"


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("play", "Did you mean 'play?'?"),
        ("größe, cm", "a quantity, not classes"),
        ("id", "different whole numbers: a quantity"),
        ("one", "only one class, 'a'"),
        ("nothing", "No row has a value"),
        (None, "Name the column that holds the class"),
        ([1, 2], "60 rows, but the target has 2 labels"),
    ],
)
def test_a_column_that_can_not_be_a_class_is_explained(target: Any, told: str) -> None:
    data = {**weather(), "id": list(range(60)), "one": ["a"] * 60, "nothing": [None] * 60}
    with pytest.raises((BadData, UnknownVariable)) as raised:
        bayou.evaluate("nb", data, target)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"folds": 1}, "2 or more"),
        ({"folds": 2.5}, "2 or more"),
        ({"models": "bn"}, "There is no classifier 'bn'"),
        ({"models": []}, "There is no classifier to evaluate"),
        ({"models": 3}, "3 is not a classifier"),
        ({"fold_of_row": [0, 1]}, "one fold for each of the 60 rows"),
        ({"fold_of_row": [4] * 60}, "at least two are needed"),
    ],
)
def test_settings_that_make_no_sense_are_explained(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadQuestion) as raised:
        bayou.evaluate(**{"models": "nb", "data": weather(), "target": "play?", **settings})
    assert told in str(raised.value)


def test_more_folds_than_rows_of_any_class_are_refused_with_the_number() -> None:
    with pytest.raises(BadQuestion, match="the largest class has 2 rows"):
        folds_of([k // 2 for k in range(60)], 10, 0)


def test_an_error_inside_a_fold_says_where() -> None:
    data = {"a": ["x"] * 59 + ["y"], "c": ["p", "q"] * 30}
    with pytest.raises(ValueError, match=r"strict, fold \d+: 'y'"):
        bayou.evaluate({"strict": bayou.NaiveBayes(unknown="error")}, data, "c", folds=5)


@given(st.integers(2, 6), st.integers(0, 2**32 - 1), st.integers(30, 80))
def test_folds_are_stratified_and_depend_on_the_seed_only(folds: int, seed: int, rows: int) -> None:
    labels = ["a"] * (rows // 2) + ["b"] * (rows - rows // 2)
    chosen = folds_of(labels, folds, seed)
    assert (chosen == folds_of(labels, folds, seed)).all()
    for state in ("a", "b"):
        counts = np.bincount(chosen[np.array(labels) == state], minlength=folds)
        assert counts.max() - counts.min() <= 1


def test_every_short_name_is_a_classifier_that_can_be_evaluated() -> None:
    data = weather()
    for name in CLASSIFIERS:
        if name == "text":
            continue
        chosen = {key: data[key] for key in ("größe, cm", "play?")} if name == "gaussian" else data
        assert bayou.evaluate(name, chosen, "play?", folds=2)[name].accuracy > 0.5


def test_scores_of_perfect_and_of_wrong_predictions() -> None:
    perfect = scores_of(np.array([0, 1]), np.eye(2), ("a", "b"))
    assert (perfect.accuracy, perfect.log_loss, perfect.brier, perfect.ece) == (1, 0, 0, 0)
    wrong = scores_of(np.array([1, 0]), np.eye(2), ("a", "b"))
    assert wrong.log_loss == pytest.approx(-math.log(1e-15))
    assert (wrong.accuracy, wrong.brier, wrong.ece) == (0, 2, 1)


def test_confusion_shows_true_classes_in_rows() -> None:
    confusion = scores_of(np.array([0, 0, 1]), np.array([[1, 0], [0, 1], [0, 1]]), ("a", "b")).confusion
    assert confusion["a", "b"] == 1
    assert confusion["b", "a"] == 0
    assert confusion.to_frame().loc["a", "b"] == 1
    assert str(confusion).splitlines()[2].split() == ["a", "1", "1", "0.5000"]


def test_ignored_columns_are_no_features_and_must_exist() -> None:
    rows = read_labelled(weather(), "play?", ["wind"])
    assert rows.features.names == ("größe, cm",)
    with pytest.raises(UnknownVariable, match="'wind'"):
        read_labelled(weather(), "play?", ["wint"])
    with pytest.raises(BadData, match="no column besides the target"):
        read_labelled(weather(), "play?", ["wind", "größe, cm"])


FLOORS = {
    ("house_votes", "tan"): (0.94, 0.20),
    ("house_votes", "aode"): (0.93, 0.25),
    ("car", "tan"): (0.93, 0.20),
    ("car", "kdb"): (0.95, 0.15),
    ("titanic", "nb"): (0.77, 0.50),
    ("titanic", "aode"): (0.79, 0.47),
    ("galton_heights", "nb"): (0.84, 0.36),
}
"""By table and classifier: the accuracy to keep, and the log-loss not to exceed."""


@needs_shared_data
@pytest.mark.parametrize(("table", "name"), FLOORS)
def test_accuracy_on_known_tables_and_folds_does_not_get_worse(table: str, name: str) -> None:
    frame = pd.read_csv(
        SHARED / "tables" / f"{table}.csv.gz",
        dtype=str if table in ("house_votes", "car") else None,
        keep_default_na=False,
        na_values=[""],
    )
    folds = shared_json("reference/folds.json.gz")[table]
    result = bayou.evaluate(name, frame.iloc[:, :-1], frame.iloc[:, -1].astype(str), fold_of_row=folds).best
    accuracy, loss = FLOORS[table, name]
    assert result.accuracy >= accuracy
    assert result.log_loss <= loss


@needs_shared_data
def test_our_own_folds_are_those_of_the_reference() -> None:
    frame = pd.read_csv(SHARED / "tables" / "iris.csv.gz")
    folds = shared_json("reference/folds.json.gz")["iris"]
    assert folds_of(frame.iloc[:, -1].tolist(), 10, 0).tolist() == folds
