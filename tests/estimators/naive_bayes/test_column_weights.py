"""A weight for each column of naive Bayes: found by Newton as by scipy, and used by all that explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from scipy.optimize import minimize

import bayou
from bayou.estimators.naive_bayes.column_weights import WeighedRows


def patients(n: int = 700, seed: int = 0) -> tuple[pandas.DataFrame, np.ndarray]:
    """A column of use, its copies, noise, and a number; some gaps."""
    random = np.random.default_rng(seed)
    y = random.choice(["no", "yes"], n, p=[0.6, 0.4])
    fever = np.where(random.random(n) < 0.8, y, random.choice(["no", "yes"], n))
    frame = pandas.DataFrame(
        {
            "fever": fever,
            "same": fever,
            "noise": random.choice(list("abc"), n),
            "age": random.normal(size=n) + (y == "yes"),
        }
    )
    return frame.mask(random.random(frame.shape) < 0.05), y


@pytest.mark.parametrize("ridge", [0.5, 5.0])
def test_newton_finds_the_weights_that_a_general_optimiser_finds(ridge: float) -> None:
    random = np.random.default_rng(1)
    terms = random.normal(size=(200, 3, 4))
    own = (terms @ np.array([1.0, 0.5, 0.0, -1.0]) + random.gumbel(size=(200, 3))).argmax(axis=1)
    rows = WeighedRows(random.normal(size=(200, 3)), terms, own, random.random(200) + 0.5)
    found = rows.fitted(0.7, ridge)

    def objective(weights: Any) -> float:
        scores = rows.rest + terms @ weights
        losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(200), own]
        return float(rows.weights @ losses + 0.5 * ridge * ((weights - 0.7) ** 2).sum())

    expected = minimize(objective, np.full(4, 0.7), bounds=[(0, None)] * 4, options={"ftol": 1e-14}).x
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert found[3] == 0


def test_weights_help_and_tell_useful_columns_from_noise() -> None:
    X, y = patients()
    new, truth = patients(seed=5)
    model, plain = bayou.NaiveBayes().fit(X, y), bayou.NaiveBayes(evidence_weight=1).fit(X, y)
    weights = model.column_weights_
    assert weights["fever"] + weights["same"] < 1.5
    assert plain.column_weights_ == {}
    own = (truth == "yes").astype(int), np.arange(len(truth))
    losses = [-np.log(m.predict_proba(new)[own[1], own[0]]).mean() for m in (model, plain)]
    assert losses[0] < losses[1] - 0.01
    assert bayou.NaiveBayes().fit(X[:49], y[:49]).column_weights_ == {}


def test_all_that_explains_uses_the_weights(tmp_path: Path) -> None:
    X, y = patients()
    model = bayou.NaiveBayes({"age": "gaussian"}, evidence_weight="auto").fit(X, y)
    assert model.column_weights_ == {}  # only where all is chosen automatically
    model = bayou.NaiveBayes().fit(X, y)
    row = {"fever": "yes", "same": "no", "noise": None, "age": 0.4}
    ledger = model.explain(row)
    assert ledger.prior + sum(entry.log_odds for entry in ledger.entries) == pytest.approx(
        ledger.total, abs=1e-9
    )
    joint = model.predict_joint_log_proba([row])[0]
    entry = next(entry for entry in ledger.entries if entry.name == "fever")
    single = bayou.NaiveBayes(evidence_weight=1).fit(X, y).explain(row, ledger.of, ledger.against)
    evidence = next(other for other in single.entries if other.name == "fever").log_odds
    assert entry.log_odds == pytest.approx(model.column_weights_["fever"] * evidence, rel=1e-9)
    assert abs(ledger.total) == pytest.approx(abs(joint[1] - joint[0]), rel=1e-9)
    working = model.working(row)
    assert f"^{model.column_weights_['fever']:.4g}" in working.text
    assert f"^{{{model.column_weights_['fever']:.4g}}}" in working.latex
    product = working.priors[0].log + sum(
        power * factor.log for power, factor in zip(working.powers, working.factors[0], strict=True)
    )
    assert product == pytest.approx(working.joint_log[0], rel=1e-9)
    change = model.smallest_change(row)
    assert change is not None
    model.save(tmp_path / "m.bayou")
    np.testing.assert_allclose(
        bayou.load(tmp_path / "m.bayou").predict_proba(X), model.predict_proba(X), rtol=1e-9
    )
    assert "Evidence weight of each column" in str(model.summary())


def test_tables_only_are_linear_and_a_query() -> None:
    duckdb = pytest.importorskip("duckdb")
    X, y = patients()
    X = X.drop(columns="age").fillna("no")
    cough = np.where(np.random.default_rng(3).random(len(y)) < 0.8, y, "no")
    X["cough"] = cough  # useful and alone, so that the weights differ by more than chance
    model = bayou.NaiveBayes().fit(X, y)
    assert model.column_weights_
    weights = model.linear_weights("yes", "no")
    row = {"fever": "yes", "same": "no", "noise": "b", "cough": "yes"}
    logs = dict(zip(model.classes_, model.predict_joint_log_proba([row])[0], strict=True))
    assert weights.log_odds(row) == pytest.approx(logs["yes"] - logs["no"], rel=1e-9)
    connection = duckdb.connect()
    connection.register("X", X)
    found = connection.execute(model.to_sql("X", dialect="duckdb")).fetchnumpy()
    np.testing.assert_allclose(found["probability_yes"], model.predict_proba(X)[:, 1], rtol=1e-7)
    lower, upper = model.predict_interval(X[:5])
    assert (lower <= model.predict_proba(X[:5]) + 0.02).all()
    assert (upper >= model.predict_proba(X[:5]) - 0.02).all()
    one_by_one = np.concatenate([model.predict_proba(X.iloc[[k]]) for k in range(5)])
    np.testing.assert_allclose(one_by_one, model.predict_proba(X[:5]), rtol=1e-12)


def test_the_derivatives_are_those_of_differences() -> None:
    random = np.random.default_rng(0)
    rows = WeighedRows(
        random.normal(size=(60, 3)),
        random.normal(size=(60, 3, 2)),
        random.integers(0, 3, 60),
        random.random(60),
    )

    def loss(*columns: float) -> float:
        return float(rows.weights @ rows.losses(np.array(columns)))

    slope, bend = rows._derivatives(np.array([0.7, 0.4]))
    h = 1e-4
    assert slope[0] == pytest.approx((loss(0.7 + h, 0.4) - loss(0.7 - h, 0.4)) / (2 * h), abs=1e-6)
    twice = loss(0.7 + h, 0.4) - 2 * loss(0.7, 0.4) + loss(0.7 - h, 0.4)
    assert bend[0, 0] == pytest.approx(twice / h**2, abs=1e-5)
    crossed = (
        loss(0.7 + h, 0.4 + h) - loss(0.7 + h, 0.4 - h) - loss(0.7 - h, 0.4 + h) + loss(0.7 - h, 0.4 - h)
    )
    assert bend[0, 1] == pytest.approx(crossed / (4 * h**2), abs=1e-5)
