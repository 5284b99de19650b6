"""Labels that differ from the classes only by their type are these classes, in scoring and in later rows."""

from __future__ import annotations

from typing import Any

import pytest

import bayou
from bayou.errors import BadData, BadQuestion

ROWS = {"v": [0.0, 0.1, 1.0, 1.1] * 20, "y": ["0", "0", "1", "1"] * 20}


@pytest.mark.parametrize("labels", [["0", "1"], [0, 1], [False, True]])
def test_the_score_knows_the_labels(labels: list[Any]) -> None:
    model = bayou.NaiveBayes().fit(ROWS, "y")
    assert model.score({"v": [0.0, 1.0], "y": labels}, "y") == 1.0
    assert model.score({"v": [0.0, 1.0], "y": labels[::-1]}, "y") == 0.0


def test_a_column_without_any_class_is_refused() -> None:
    model = bayou.NaiveBayes().fit(ROWS, "y")
    with pytest.raises(BadData, match="None of the values in the column 'town' is a class"):
        model.score({"v": [0.0], "town": ["Rome"]}, "town")
    with pytest.raises(BadData, match="one number per row"):
        model.score(ROWS, "y", sample_weight="w")


def test_later_rows_have_the_same_classes() -> None:
    later = {"v": [0.05, 1.05], "y": [0, 1]}
    model = bayou.NaiveBayes().fit(ROWS, "y").partial_fit(later, "y")
    assert model.classes_.tolist() == ["0", "1"]
    texts = bayou.NaiveBayes().fit(ROWS, "y").partial_fit({**later, "y": ["0", "1"]}, "y")
    row = {"v": [0.6]}
    assert model.predict_proba(row).tolist() == texts.predict_proba(row).tolist()


def test_later_rows_need_the_column_that_is_predicted() -> None:
    model = bayou.NaiveBayes().fit(ROWS, "y")
    with pytest.raises(BadQuestion, match="predicts 'y'"):
        model.partial_fit({"v": [0.5], "z": ["1"]}, "z")


def test_other_classifiers_are_sent_to_evaluate() -> None:
    from sklearn.naive_bayes import GaussianNB

    for model in ("nb", GaussianNB()):
        with pytest.raises(BadQuestion, match=r"bayou\.evaluate"):
            bayou.cross_validate(model, ROWS, "y")


def test_networks_can_be_summed() -> None:
    parts = [bayou.Network("R").fit({"R": rows}) for rows in ([4, 5], [5, 1], [1])]
    assert sum(parts).same_as(bayou.Network("R").fit({"R": [4, 5, 5, 1, 1]}))  # type: ignore[union-attr]
