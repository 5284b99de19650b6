"""More rows than an ensemble keeps, with texts, weights of a survey, a time budget, or nothing to learn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.estimators.pooled.test_bayes_ensemble import table
from tests.estimators.pooled.test_text_member import loss, reviews

import bayou
from bayou import BayesEnsemble
from bayou.estimators.pooled import bayes_ensemble


@pytest.fixture(autouse=True)
def few_kept_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", 256)


def test_texts_beside_other_columns(tmp_path: Path) -> None:
    (rows, y), (new, truth) = reviews(900, 1), reviews(400, 2)
    model = BayesEnsemble("small").fit(rows, y)
    assert model.structure_.kinds.keys() == {"price"}
    assert loss(model, new, truth) < loss(
        BayesEnsemble("small").fit(rows[["price"]], y), new[["price"]], truth
    )
    ledger = model.explain(new.iloc[[3]])
    odds = np.diff(model.predict_log_proba(new.iloc[[3]])[0])[0]
    assert abs(ledger.prior + sum(entry.log_odds for entry in ledger.entries)) == pytest.approx(abs(odds))
    parts = BayesEnsemble("small").partial_fit(rows[:500], y[:500]).partial_fit(rows[500:], y[500:])
    assert loss(parts, new, truth) == pytest.approx(loss(model, new, truth), rel=0.1)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_texts_alone_are_learned_from_the_sample() -> None:
    (rows, y), (new, truth) = reviews(900, 1), reviews(400, 2)
    rows, new = rows[["text"]], new[["text"]]
    model = BayesEnsemble("small").fit(rows, y)
    assert not hasattr(model, "structure_")
    half = BayesEnsemble("small").partial_fit(rows[:400], y[:400])
    half.partial_fit(rows[400:], y[400:])
    np.testing.assert_array_equal(half.predict_proba(new), model.predict_proba(new))
    shares = np.array([(y == name).mean() for name in model.classes_])
    own = np.searchsorted(model.classes_, truth)
    assert loss(model, new, truth) < -np.log(shares[own]).mean()


def test_weights_of_a_survey_are_read_from_the_sample() -> None:
    (rows, y), (new, _) = table(900), table(50, seed=2)
    people = np.random.default_rng(0).uniform(1e4, 9e4, 900)
    model = BayesEnsemble("small", weights_are="survey").fit(rows, y, sample_weight=people)
    assert not hasattr(model, "structure_")
    other = BayesEnsemble("small", weights_are="survey").fit(rows, y, sample_weight=people / 1000)
    np.testing.assert_allclose(model.predict_proba(new), other.predict_proba(new), rtol=1e-6)


def test_a_time_budget_chooses_the_size_of_the_structure() -> None:
    rows, y = table(600)
    model = BayesEnsemble(seconds=1e-9).fit(rows, y)
    assert model.size_ == "small"
    assert model.structure_.parents.shape[0] == 4
    np.testing.assert_array_equal(
        model.predict_proba(rows), BayesEnsemble("small").fit(rows, y).predict_proba(rows)
    )
    model.set_params(seconds=1e9)  # the structure stays, and so does its size
    assert model.partial_fit(rows[:50], y[:50]).size_ == "small"


def test_a_column_without_a_value_in_the_sample_is_not_used_later() -> None:
    (rows, y), (more, labels) = table(600), table(100, seed=5)
    model = BayesEnsemble("small").fit(rows.assign(empty=None), y)
    assert "empty" not in model.structure_.kinds
    later = BayesEnsemble("small").fit(rows, y).partial_fit(more, labels)
    model.partial_fit(more.assign(empty=more["x"] > 0), labels)
    np.testing.assert_allclose(
        model.predict_proba(more.assign(empty=True)), model.predict_proba(more.assign(empty=False))
    )
    assert model.statistics_.rows == later.statistics_.rows


def test_columns_that_tell_no_rows_apart_have_no_structure() -> None:
    y = np.array(["no", "yes"] * 300)
    model = BayesEnsemble("small").fit({"same": ["a"] * 600, "id": np.zeros(600)}, y)
    np.testing.assert_allclose(model.predict_proba({"same": ["a"], "id": [0.0]}), 0.5, atol=1e-3)
