"""The class as a column of the table, called by its name."""

from __future__ import annotations

from typing import Any

import pytest

import bayou

KINDS = [bayou.NaiveBayes, bayou.TAN, bayou.GenerativeClassifier, bayou.BayesOptimal]


@pytest.mark.parametrize("labels", [[1, 0, 1, 0], [True, False, True, False], ["ja", "nein", "ja", "nein"]])
@pytest.mark.parametrize("kind", KINDS)
def test_classes_of_any_kind_are_found_by_the_name_of_their_column(kind: Any, labels: list[Any]) -> None:
    rows = {"größe 1": ["s", "l", "s", "l"] * 3, "y": labels * 3}
    model = kind().fit(rows, "y")
    assert model.predict({"größe 1": ["l", "s"]}).tolist() == [labels[1], labels[0]]
    assert model.classes_.tolist() == sorted(set(labels))
