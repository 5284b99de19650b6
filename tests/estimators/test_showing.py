"""Fitted classifiers can be displayed, completed and put into pipelines, whatever their columns became."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import Pipeline, make_pipeline

import bayou
from bayou.errors import BadQuestion

RANDOM = np.random.default_rng(5)
ROWS = 240
CLASSES = RANDOM.choice(["ja", "nein"], ROWS)
SHIFT = (CLASSES == "ja") * 1.0
TABLE: dict[str, Any] = {
    "Länge": (RANDOM.gamma(1.0, size=ROWS) + SHIFT).tolist(),
    "twice": (RANDOM.normal(size=ROWS) + 2 * SHIFT).tolist(),
    "calls": RANDOM.poisson(3 + SHIFT).tolist(),
    "note": [f"please call back about case {k}" for k in range(ROWS)],
}
NUMBERS = {name: TABLE[name] for name in ("Länge", "twice", "calls")}
MODELS: list[tuple[Any, Any]] = [
    (bayou.NaiveBayes(), TABLE),
    (bayou.NaiveBayes({"Länge": "kernel", "calls": "poisson", "note": "words"}), TABLE),
    (bayou.NaiveBayes("gaussian"), NUMBERS),
    (bayou.NaiveBayes(evidence_weight=0.5), {"twice": TABLE["twice"]}),
    (bayou.NaiveBayes("discretised", evidence_weight=0.5), NUMBERS),
    (bayou.GaussianBayes("full"), NUMBERS),
    (bayou.GaussianBayes("shared"), NUMBERS),
    (bayou.GaussianBayes("diagonal"), NUMBERS),
    (bayou.TAN(), NUMBERS),
    (bayou.AODE(), NUMBERS),
    (bayou.NetworkClassifier(), NUMBERS),
    (bayou.GenerativeClassifier(), NUMBERS),
    (bayou.BayesOptimal(), NUMBERS),
    (bayou.TextNaiveBayes(), TABLE["note"]),
]


@pytest.mark.parametrize(("model", "rows"), MODELS, ids=lambda value: str(value)[:40])
def test_a_fitted_classifier_can_be_displayed_and_completed(model: Any, rows: Any) -> None:
    fitted = model.fit(rows, CLASSES)
    shifted = [fitted.with_class_prior("uniform")] if hasattr(fitted, "with_class_prior") else []
    for one in (fitted, *shifted):
        assert "predict" in dir(one)
        shown = one._repr_html_()
        assert type(one).__name__ in shown
        assert type(one).__name__ in repr(one)
        pipeline = Pipeline([("model", one)])
        assert "predict_proba" in dir(pipeline)
        assert type(one).__name__ in pipeline._repr_html_()
        names = {name for name, _ in inspect.getmembers(type(one)) if name[-1] == "_" and name[0] != "_"}
        assert all(isinstance(hasattr(one, name), bool) for name in names if name != "network_")


def test_a_network_that_does_not_exist_is_no_attribute() -> None:
    model = bayou.NaiveBayes("kernel").fit(NUMBERS, CLASSES)
    assert not hasattr(model, "network_")
    assert "network_" not in dir(model)
    with pytest.raises(BadQuestion, match="Fit with features='discretised'"):
        _ = model.network_
    ends_in_it = make_pipeline(bayou.NaiveBayes({"note": "words"})).fit(TABLE, CLASSES)
    assert ends_in_it.predict(TABLE).shape == (ROWS,)
    with_network = bayou.NaiveBayes("gaussian").fit(NUMBERS, CLASSES)
    assert "network_" in dir(with_network)


@pytest.mark.parametrize(("model", "rows"), MODELS[:-1], ids=lambda value: str(value)[:40])
def test_other_class_shares_are_bayes_rule_for_every_classifier(model: Any, rows: Any) -> None:
    fitted = model.fit(rows, CLASSES)
    if not hasattr(fitted, "with_class_prior"):
        return
    old = np.exp(fitted._log_class_prior())
    new = np.array([0.9, 0.1])
    odds = fitted.predict_proba(rows) * new / old
    expected = odds / odds.sum(axis=1, keepdims=True)
    shifted = fitted.with_class_prior(new)
    np.testing.assert_allclose(shifted.predict_proba(rows), expected, rtol=1e-9, atol=1e-300)
    assert np.array_equal(shifted.predict(rows), fitted.classes_[expected.argmax(axis=1)])


def test_the_network_of_other_class_shares_has_them() -> None:
    model = bayou.NaiveBayes("gaussian").fit(NUMBERS, CLASSES).with_class_prior({"ja": 0.9, "nein": 0.1})
    assert model.network_.query("class")["ja"] == pytest.approx(0.9)
    assert bayou.GaussianBayes("full").fit(NUMBERS, CLASSES).with_class_prior([0.9, 0.1]).priors_ == (
        pytest.approx([0.9, 0.1])
    )
