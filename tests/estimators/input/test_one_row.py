"""A single row, in any form that users hold, is answered as it is among others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import bayou
from bayou.sources import read_columns

RANDOM = np.random.default_rng(7)
TABLE = pandas.DataFrame(
    {
        "Farbe": RANDOM.choice(["rot", "grün", "blau"], 300),
        "Länge": RANDOM.normal(size=300).round(2),
        "n": RANDOM.integers(0, 4, 300),
        "ja": RANDOM.random(300) > 0.4,
        "viele": RANDOM.integers(0, 200, 300),
    }
)
CLASSES = np.where((TABLE["Länge"] > 0) ^ (TABLE["Farbe"] == "rot"), "p", "q")
MODELS = [
    bayou.NaiveBayes(),
    bayou.NaiveBayes({"Länge": "kernel", "viele": "poisson", "n": "gaussian"}),
    bayou.NaiveBayes({"Länge": "discretised", "viele": "discretised"}, unknown="smooth"),
    bayou.TAN(),
    bayou.AODE(),
    bayou.ChowLiuClassifier(),
]


def odd_rows() -> list[dict[str, Any]]:
    """Rows with gaps, values never seen, other types and numbers far away."""
    row = {"Farbe": "rot", "Länge": 0.5, "n": 2, "ja": True, "viele": 10}
    changes: list[dict[str, Any]] = [
        {},
        {"Farbe": None, "Länge": None},
        {"Länge": float("nan"), "ja": None},
        {"Farbe": "lila"},
        {"n": 9, "viele": 1000},
        {"n": 2.0, "Länge": 3},
        {"n": True},
        {"ja": 1},
        {"viele": 0, "Länge": -4.25},
        {"Farbe": 3},
    ]
    return [{**row, **change} for change in changes]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_one_row_is_answered_as_among_others(model: Any) -> None:
    model = model.fit(TABLE, CLASSES)
    for row in odd_rows():
        as_columns = _told(model, read_columns([row]))  # the way of larger tables
        for form in ([row], {name: [value] for name, value in row.items()}):
            answer = _told(model, form)
            assert answer[1:] == as_columns[1:]
            np.testing.assert_allclose(answer[0], as_columns[0], rtol=1e-12, atol=1e-15)


def _told(model: Any, rows: Any) -> tuple[Any, ...]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = model.predict_proba(rows)
        except bayou.BayouError as error:
            return np.zeros(0), str(error), []
    return answer, "", [str(each.message) for each in caught]


@pytest.mark.parametrize("model", MODELS[:4], ids=str)
@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_a_frame_of_one_row_is_its_part_of_the_frame(model: Any, form: str) -> None:
    frame: Any = TABLE if form == "pandas" else polars.DataFrame(TABLE)
    model = model.fit(frame, CLASSES)
    whole = model.predict_proba(frame)
    for k in range(0, 300, 37):
        one = frame.iloc[k : k + 1] if form == "pandas" else frame[k : k + 1]
        np.testing.assert_allclose(model.predict_proba(one)[0], whole[k], rtol=1e-9)


@pytest.mark.parametrize("model", [bayou.NaiveBayes(), bayou.NaiveBayes("gaussian"), bayou.TAN()], ids=str)
@pytest.mark.parametrize("kind", [np.int64, np.float64, np.uint8, np.float32])
def test_a_row_of_an_array_is_its_part_of_the_array(model: Any, kind: type) -> None:
    X = RANDOM.integers(0, 5, (200, 6)).astype(kind)
    model = model.fit(X, X[:, 0] + X[:, 1] > 4)
    whole = model.predict_proba(X)
    for k in range(0, 200, 23):
        np.testing.assert_allclose(model.predict_proba(X[k : k + 1])[0], whole[k], rtol=1e-9, atol=1e-15)


def test_arrays_of_other_widths_and_infinite_ones_are_refused_as_before() -> None:
    X = RANDOM.normal(size=(50, 3))
    model = bayou.NaiveBayes("gaussian").fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="X has 2 features, but NaiveBayes is expecting 3 features"):
        model.predict_proba(X[:1, :2])
    with pytest.raises(ValueError, match="infinity"):
        model.predict_proba(np.array([[np.inf, 0.0, 0.0]]))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        model.predict_proba(X[:0])
    named = bayou.NaiveBayes().fit(TABLE, CLASSES)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        bayou.NaiveBayes("gaussian").fit(pandas.DataFrame(X, columns=list("abc")), X[:, 0] > 0).predict(X[:1])
    with pytest.raises(ValueError, match="feature names"):
        named.predict_proba(TABLE.iloc[:1].rename(columns={"n": "m"}))
