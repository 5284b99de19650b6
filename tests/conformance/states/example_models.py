"""An example of each kind of model, and rows to ask it about (None: it says whether it is the same)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import bayou
from bayou.distributions import MEstimate
from bayou.estimators.pooled import bayes_ensemble

ROWS = {"a": [0, 0, 1, 1] * 6, "b": ["u", "v", "v"] * 8, "x": [0.5 * k for k in range(24)]}
LABELS = ["ja", "nein", "nein"] * 8
NUMBERS = {"x": ROWS["x"], "z": [k % 5 for k in range(24)]}
TEXTS = ["buy now", "see you", "now ü"] * 8
DISCRETE = {"a": ROWS["a"], "b": ROWS["b"]}


def ensemble_of_many_rows() -> bayou.BayesEnsemble:
    """An ensemble whose cuts and trees stay, because it keeps very few rows."""
    columns = {name: column * 5 for name, column in ROWS.items()}
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(bayes_ensemble, "MOST_ROWS", 64)
        return bayou.BayesEnsemble("small").fit({**columns, "z": list(range(120))}, LABELS * 5)


MODELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "network": (
        lambda: bayou.Network("a -> b; a -> x", continuous=["x"]).fit(ROWS, prior={"b": MEstimate(2)}),
        None,
    ),
    "statistics": (lambda: bayou.count(ROWS, bayou.Network("a -> b; a -> x", continuous=["x"])), None),
    "statistics of a classifier": (
        lambda: bayou.count({**DISCRETE, "y": LABELS}, bayou.TAN(), target="y"),
        None,
    ),
    "stated network": (lambda: bayou.Network("a", tables={"a": {0: 0.5, 1: 0.5}}), None),
    "NaiveBayes": (lambda: bayou.NaiveBayes().fit(ROWS, LABELS), ROWS),
    "SequenceClassifier": (
        lambda: bayou.SequenceClassifier(1, {"x": [0, 1]}).fit([[0, 1], [1, 1, 0], [0]], ["p", "q", "p"]),
        [[0, 1, 1], [1]],
    ),
    "TAN": (lambda: bayou.TAN().fit(DISCRETE, LABELS), DISCRETE),
    "ChowLiuClassifier": (lambda: bayou.ChowLiuClassifier().fit(DISCRETE, LABELS), DISCRETE),
    "KDependence": (lambda: bayou.KDependence(1).fit(DISCRETE, LABELS), DISCRETE),
    "AODE": (lambda: bayou.AODE().fit(DISCRETE, LABELS), DISCRETE),
    "BayesEnsemble": (
        lambda: bayou.BayesEnsemble("small").fit(
            {**{name: column * 5 for name, column in ROWS.items()}, "z": list(range(120))}, LABELS * 5
        ),
        {**ROWS, "z": list(range(24))},
    ),
    "BayesEnsemble of many rows": (ensemble_of_many_rows, {**ROWS, "z": list(range(24))}),
    "GaussianBayes": (lambda: bayou.GaussianBayes().fit(NUMBERS, LABELS), NUMBERS),
    "GenerativeClassifier": (lambda: bayou.GenerativeClassifier().fit(ROWS, LABELS), ROWS),
    "NetworkClassifier": (
        lambda: bayou.NetworkClassifier("class -> a, b; a -> x").fit(ROWS, LABELS),
        ROWS,
    ),
    "TextNaiveBayes": (lambda: bayou.TextNaiveBayes().fit(TEXTS, LABELS), TEXTS),
    "words in a column": (
        lambda: bayou.NaiveBayes({"t": "words"}).fit({"t": TEXTS, "x": ROWS["x"]}, LABELS),
        {"t": TEXTS, "x": ROWS["x"]},
    ),
    "dynamic network": (
        lambda: bayou.DynamicNetwork(
            "Age -> Rain; Rain -> Rain'; Rain -> Rain''; Rain -> Wet; Wet -> End",
            constant=["Age"],
            last=["End"],
        ).fit(
            [
                {"Rain": [0, 1, 1, 0], "Wet": ["a", "b", "b", "a"], "Age": [1, 1, 1, 1], "End": [0, 0, 0, 0]},
                {"Rain": [1, 1, 0], "Wet": ["b", "b", "a"], "Age": [2, 2, 2], "End": [1, 1, 1]},
            ],
            prior={"Rain": 2},
        ),
        None,
    ),
    "dynamic network with numbers": (
        lambda: bayou.DynamicNetwork(
            "Mode -> Mode'; Mode, Speed -> Speed'; Speed -> Place'; Place -> Place'; Size -> Speed",
            constant=["Size"],
        ).fit(
            [
                {
                    "Mode": ["go", "go", "turn", "turn", "go", "go"] * 2,
                    "Speed": [start, 1.25, 0.5, 0.25, 0.75, 1.5, 1.25, 1.0, 0.0, 0.5, 1.0, 1.75],
                    "Place": [2 * start, 1.5, 2.0, 3.5, 3.0, 4.5, 5.0, 6.75, 7.0, 7.5, 8.0, 9.5],
                    "Size": [size] * 12,
                }
                for size, start in ((1.5, 0.0), (2.5, 1.25), (3.25, 0.5), (4.5, 1.5))
            ]
        ),
        None,
    ),
    "hmm": (
        lambda: bayou.HMM(
            ["calm", "wild"], {"x": "gaussian", "y": ["a", "b"], "n": "poisson"}, ends=True
        ).fit(
            [{"x": [0.1, 0.4, 3.0, 3.5], "y": ["a", "b", "b", "a"], "n": [0, 1, 5, 4]}],
            states=[["calm", "calm", "wild", "wild"]],
        ),
        None,
    ),
    "kalman": (
        lambda: bayou.KalmanModel(
            [[0.9, 0.1], [0.0, 1.0]],
            [[1.0, 0.0]],
            transition_noise=[[1.0, 0.3], [0.3, 0.5]],
            control=[0.0, 1.0],
            states=["Größe", ("x", 1)],
            columns=["Wert"],
            fixed={"transition": [[False, True], [True, True]], "observation_noise": True},
            shapes={"transition_noise": "scaled"},
        ),
        None,
    ),
    "hmm with kernels and durations": (
        lambda: bayou.HMM(["calm", 2], {"x": "kernel"}, duration={2: (1, 3), "calm": 2}).fit(
            [0.1, 0.4, 3.0, 3.5, 0.2, 0.3, 0.5, 2.9]
        ),
        None,
    ),
    "hypotheses": (
        lambda: bayou.BayesOptimal({"naiv": bayou.NaiveBayes(), "Baum": bayou.TAN()}).fit(ROWS, LABELS),
        ROWS,
    ),
}
