"""``states=`` of classifiers made of tables: states, ranges and classes that no training row needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import bayou
from bayou.errors import BadQuestion, BayouWarning, UnknownState, UnknownVariable, without_warnings

RANDOM = np.random.default_rng(2)
ILL = RANDOM.random(80) < 0.4
ROWS = {
    "size": np.where(RANDOM.random(80) < 0.6, np.where(ILL, "large", "small"), "small").tolist(),
    "age": (50 + 10 * ILL + 8 * RANDOM.normal(size=80)).round(1).tolist(),
    "n": RANDOM.integers(0, 3, 80).tolist(),
}
Y = np.where(ILL, "yes", "no").tolist()
STATES = {
    "size": ["small", "medium", "large"],
    "age": bayou.Cuts([50, 60], low=0, high=120),
    "n": [0, 1, 2, 3],
    "class": ["no", "perhaps", "yes"],
}
CLASSIFIERS = (
    bayou.TAN,
    bayou.AODE,
    bayou.KDependence,
    bayou.ChowLiuClassifier,
    bayou.NetworkClassifier,
    bayou.BayesOptimal,
)


def with_categories() -> pandas.DataFrame:
    """The same rows with the states declared by their types."""
    ranges = pandas.cut(ROWS["age"], [0, 50, 60, 120], labels=["up to 50", "50 to 60", "60 to 120"])
    return pandas.DataFrame({
        "size": pandas.Categorical(ROWS["size"], STATES["size"]),
        "age": ranges,
        "n": pandas.Categorical(ROWS["n"], STATES["n"]),
    })  # fmt: skip


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_declared_states_are_those_of_a_categorical_type(kind: Any, tmp_path: Path) -> None:
    states = {name: given for name, given in STATES.items() if name != "class"}
    model = kind(states=states).fit(ROWS, Y)
    if kind is bayou.BayesOptimal:
        by_type = kind([bayou.NaiveBayes("table"), bayou.TAN()]).fit(with_categories(), Y)
        model = kind([bayou.NaiveBayes("table"), bayou.TAN()], states=states).fit(ROWS, Y)
    else:
        by_type = kind().fit(with_categories(), Y)
    asked = {"size": ["medium", "large", None], "age": [70.0, 55.0, 20.0], "n": [3, 1, 0]}
    words = {**asked, "age": ["60 to 120", "50 to 60", "up to 50"]}
    if kind is bayou.BayesOptimal:  # the votes' weights are of folds by content, which differs
        pairs = list(zip(model.hypotheses_.values(), by_type.hypotheses_.values(), strict=True))
    else:
        pairs = [(model, by_type)]
    for one, other in pairs:
        np.testing.assert_allclose(one.predict_proba(asked), other.predict_proba(words), rtol=1e-9)
    path = tmp_path / "model.bayou"
    model.save(path)
    again: Any = bayou.load(path)
    np.testing.assert_array_equal(again.predict_proba(asked), model.predict_proba(asked))


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classes_may_be_declared(kind: Any) -> None:
    model = kind(states={"ill": ["no", "perhaps", "yes"]}).fit({**ROWS, "ill": Y}, "ill")
    assert model.classes_.tolist() == ["no", "perhaps", "yes"]
    assert (model.predict_proba(ROWS)[:, 1] > 0).all()


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    ("states", "error", "message"),
    [
        ({"size": ["small"]}, UnknownState, "'large' in row"),
        ({"age": bayou.Cuts([50], low=0, high=60)}, UnknownState, "in row"),
        ({"class": ["no", "perhaps"]}, UnknownState, "'yes' in row"),
        ({"sise": ["small", "large"]}, UnknownVariable, "size"),
    ],
)
def test_other_values_in_training_rows_are_refused(kind: Any, states: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        kind(states=states).fit(ROWS, Y)


@pytest.mark.parametrize("kind", [bayou.NaiveBayes, *CLASSIFIERS[:-1]])
def test_other_values_in_new_rows_are_decided_by_unknown(kind: Any) -> None:
    states = {"size": ["small", "large"], "age": bayou.Cuts([50, 60], low=0, high=120)}
    odd = {"size": ["huge", "large"], "age": [55.0, 500.0], "n": [1, 1]}
    gaps = {"size": [None, "large"], "age": [55.0, None], "n": [1, 1]}
    lenient = kind(states=states).fit(ROWS, Y)
    with pytest.warns(BayouWarning, match="1 in 'size', 1 in 'age'"):
        found = lenient.predict_proba(odd)
    np.testing.assert_allclose(found, lenient.predict_proba(gaps), rtol=1e-12)
    strict = kind(states=states, unknown="error").fit(ROWS, Y)
    with pytest.raises(UnknownState, match="'huge' in row 0"):
        strict.predict_proba(odd)


def test_more_rows_keep_the_declaration() -> None:
    model = bayou.TAN(states={"size": STATES["size"]}, evidence_weight=1)
    halves = [{name: values[part] for name, values in ROWS.items()} for part in (slice(40), slice(40, None))]
    model.partial_fit(halves[0], Y[:40]).partial_fit(halves[1], Y[40:])
    assert model.network_.frozen.schema["size"].states == ("small", "medium", "large")
    with pytest.raises(UnknownState, match="'tiny' in row 0"):
        model.partial_fit({"size": ["tiny"], "age": [50.0], "n": [1]}, ["no"])


def test_a_vote_needs_hypotheses_that_take_states() -> None:
    with pytest.raises(BadQuestion, match="none of them takes states"):
        bayou.BayesOptimal([bayou.GaussianBayes()], states={"n": [0, 1, 2]}).fit({"n": ROWS["n"]}, Y)
    with without_warnings():
        fitted = bayou.NaiveBayes().fit(ROWS, Y)
    with pytest.raises(BadQuestion, match="prefit"):
        bayou.BayesOptimal([fitted], prefit=True, states={"n": [0, 1, 2]}).fit(ROWS, Y)


def test_a_declared_column_may_be_empty() -> None:
    rows = {"size": [None] * 80, "n": ROWS["n"]}
    for kind in (bayou.NaiveBayes, bayou.TAN, bayou.AODE):
        model = kind(states={"size": STATES["size"]}).fit(rows, Y)
        found = model.predict_proba({"size": ["medium", None], "n": [1, 1]})
        assert np.isfinite(found).all()
