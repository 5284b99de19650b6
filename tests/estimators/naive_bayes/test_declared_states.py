"""``NaiveBayes(states=…)``: states, ranges and classes that no training row needs to have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, UnknownState, UnknownVariable

ROWS = {"size": ["small", "large", "small", "small"], "age": [25.5, 40.0, 61.0, 33.0]}
Y = ["no", "yes", "yes", "no"]


def test_a_declared_state_without_a_row_is_smoothed_like_the_others() -> None:
    states = {"size": ["small", "medium", "large"]}
    model = bayou.NaiveBayes(states=states, class_prior="uniform").fit({"size": ROWS["size"]}, Y)
    found = model.predict_proba({"size": ["medium", "small", None]})
    # (0 + 1)/(2 + 3) in both classes; small: (2 + 1)/5 against (1 + 1)/5
    np.testing.assert_allclose(found, [[0.5, 0.5], [0.6, 0.4], [0.5, 0.5]])
    net = bayou.Network("class -> size", states={**states, "class": ["no", "yes"]})
    net.fit({"size": ROWS["size"], "class": Y})
    np.testing.assert_allclose(model.network_.frozen.table("size"), net.frozen.table("size"))


def test_numbers_may_be_states_or_ranges(tmp_path: Any) -> None:
    states = {"age": bayou.Cuts([30, 50]), "n": [0, 1, 2, 3]}
    rows = {**ROWS, "n": [1, 2, 2, 0]}
    model = bayou.NaiveBayes(states=states).fit(rows, Y)
    age, n = (next(d for d in model._model.densities if d.variable.name == name) for name in ("age", "n"))
    shares = np.exp(age.distribution.log_density_by_group(np.arange(3)))
    np.testing.assert_allclose(shares.T, [[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert n.variable.states == (0, 1, 2, 3)
    asked = {"size": ["large"], "age": [77.0], "n": [3]}
    path = tmp_path / "model.bayou"
    model.save(path)
    again: Any = bayou.load(path)
    assert (again.predict_proba(asked) == model.predict_proba(asked)).all()
    assert again.partial_fit(rows, Y).predict_proba(asked).shape == (1, 2)


def test_classes_may_be_declared() -> None:
    table = {**ROWS, "ill": Y}
    model = bayou.NaiveBayes(states={"ill": ["no", "perhaps", "yes"]}).fit(table, "ill")
    assert model.classes_.tolist() == ["no", "perhaps", "yes"]
    np.testing.assert_allclose(model.predict_proba({"size": [None], "age": [None]}), [[3 / 7, 1 / 7, 3 / 7]])


@pytest.mark.parametrize(
    ("states", "features", "error", "message"),
    [
        ({"size": ["small"]}, "auto", UnknownState, "'large' in row 1"),
        ({"age": bayou.Cuts([30, 50], low=20, high=60)}, "auto", UnknownState, "61.0 in row 2"),
        ({"class": ["no", "perhaps"]}, "auto", UnknownState, "'yes' in row 1"),
        ({"sise": ["small", "large"]}, "auto", UnknownVariable, "size"),
        ({"age": bayou.Cuts([30])}, {"age": "gaussian"}, BadQuestion, "Leave it out of one"),
    ],
)
def test_what_does_not_fit_is_refused(states: Any, features: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        bayou.NaiveBayes(features, states=states).fit(ROWS, Y)
