"""Generative and Bayes optimal classifiers in files: the same predictions, and learning on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile, BadQuestion

ROWS = {"Alter": [0, 0, 1, 1] * 30, "Farbe": list("uvwuvv" * 20), "x y": np.linspace(-1, 2, 120).tolist()}
LABELS = ["ja", "nein", "ja", "nein", "nein"] * 24
GRAPH = bayou.Network("Alter -> Farbe; x y", states={"Farbe": ["u", "v", "w", "z"]}, share={})


@pytest.mark.parametrize(
    "model",
    [
        bayou.GenerativeClassifier(),
        bayou.GenerativeClassifier(GRAPH),
        bayou.GenerativeClassifier({"ja": GRAPH, "nein": bayou.Network("Farbe -> Alter; x y")}),
        bayou.GaussianBayes(),
        bayou.BayesOptimal({"naiv": bayou.NaiveBayes(), "Baum": bayou.TAN()}),
        bayou.BayesOptimal(rule="map"),
    ],
    ids=["independent", "one graph", "a graph a class", "Gaussian", "two hypotheses", "default hypotheses"],
)
def test_a_file_gives_back_what_was_saved(model: Any, tmp_path: Path) -> None:
    rows = {"x": ROWS["x y"], "z": ROWS["Alter"]} if isinstance(model, bayou.GaussianBayes) else ROWS
    model.fit(rows, LABELS).save(tmp_path / "modell.bayou")
    again = bayou.load(tmp_path / "modell.bayou")
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    if hasattr(model, "partial_fit"):
        np.testing.assert_array_equal(
            again.partial_fit(rows, LABELS).predict_proba(rows),
            model.partial_fit(rows, LABELS).predict_proba(rows),
        )


def test_objects_that_are_not_bayous_are_refused(tmp_path: Path) -> None:
    class Own:
        def fit(self, rows: Any) -> Own:
            return self

        def score_samples(self, rows: Any) -> Any:
            return np.zeros(len(rows))

    model = bayou.GenerativeClassifier(Own()).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(BadQuestion, match="models"):
        model.save(tmp_path / "m.bayou")
    with pytest.raises(BadFile, match="must end in"):
        bayou.BayesOptimal().fit(ROWS, LABELS).save(tmp_path / "m.pkl")
