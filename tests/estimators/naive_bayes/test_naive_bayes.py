"""Naive Bayes on tables as they are: against scikit-learn, against counting by hand, in any split."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bayou
from bayou.errors import BadData, BadPrior, BadQuestion, BayouWarning, UnknownState
from bayou.estimators.naive_bayes.smoothing_choice import best_strength, left_out_likelihood


def table(rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Every kind of column, with gaps, more or less telling."""
    random = np.random.default_rng(seed)
    y = random.choice(["ja", "nein", "wer weiß"], rows, p=[0.5, 0.3, 0.2])
    codes = np.searchsorted(["ja", "nein", "wer weiß"], y)
    words = [["sonne", "warm", "meer"], ["regen", "kalt", "tee"], ["nebel", "grau", "bett"]]
    frame = pd.DataFrame(
        {
            "größe in cm": random.normal(160 + 8 * codes, 6),
            "Kinder": random.poisson(1 + codes),
            "Farbe": random.choice(np.array(["rot", "grün", "blau"], dtype=object), rows),
            "raucht": random.random(rows) < 0.2 + 0.2 * codes,
            "am": [
                datetime.date(2024, 1, 1) + datetime.timedelta(days=int(d))
                for d in random.integers(0, 300, rows)
            ],
            "sagt": [" ".join(random.choice(words[c], 4)) + f" nr {k}" for k, c in enumerate(codes)],
        }
    )
    for column in frame.columns[:4]:
        frame[column] = frame[column].astype(object).where(random.random(rows) > 0.1, None)
    frame["größe in cm"] = frame["größe in cm"].astype(float)
    return frame, y


def test_tables_equal_scikit_learns() -> None:
    random = np.random.default_rng(1)
    X, y = random.integers(0, 5, (200, 4)), random.integers(0, 3, 200)
    theirs = CategoricalNB(alpha=0.5).fit(X, y)
    mine = bayou.NaiveBayes("table", prior=0.5, class_prior=np.exp(theirs.class_log_prior_)).fit(X, y)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    frame = pd.DataFrame(X, columns=list("abcd"))  # not by the matrix's way
    again = bayou.NaiveBayes("table", prior=0.5, class_prior=np.exp(theirs.class_log_prior_)).fit(frame, y)
    np.testing.assert_allclose(again.predict_proba(frame), theirs.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_gaussians_equal_scikit_learns(kind: Any) -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(150, 5)).astype(kind) * [1, 10, 100, 0.1, 1]
    y = random.integers(0, 3, 150)
    theirs = GaussianNB().fit(X, y)
    mine = bayou.NaiveBayes("gaussian", class_prior=theirs.class_prior_).fit(X, y)
    np.testing.assert_allclose(
        mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-6 if kind is np.float32 else 1e-9
    )


def test_a_table_of_everything_is_learned_and_saved(tmp_path: Any) -> None:
    X, y = table()
    model = bayou.NaiveBayes().fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.feature_kinds_["sagt"].word == "words"
    assert set(model.choices_) == {"größe in cm", "Kinder", "am"}
    model.save(tmp_path / "alles.bayou")
    np.testing.assert_array_equal(
        bayou.load(tmp_path / "alles.bayou").predict_proba(X), model.predict_proba(X)
    )
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_any_split_and_order_ends_where_fit_does(data: Any) -> None:
    X, y = table(240)
    order = np.array(data.draw(st.permutations(range(240))))
    cuts = sorted(data.draw(st.lists(st.integers(20, 220), max_size=3, unique=True)))
    whole = bayou.NaiveBayes().fit(X, y)
    parts = bayou.NaiveBayes()
    for rows in np.split(order, cuts):
        parts.partial_fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-12)
    assert parts.evidence_weight_ == pytest.approx(whole.evidence_weight_, rel=1e-9)


def test_weights_are_repeats() -> None:
    X, y = table(220)
    times = np.random.default_rng(3).integers(0, 3, len(y))
    weighed = bayou.NaiveBayes().fit(X, y, sample_weight=times)
    rows = np.repeat(np.arange(len(y)), times)
    repeated = bayou.NaiveBayes().fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


def test_values_never_seen_follow_the_policy() -> None:
    X, y = {"f": ["a", "b", "a"]}, [0, 1, 0]
    new = {"f": ["z", None]}
    with pytest.warns(BayouWarning, match="1 in 'f'"):
        missing = bayou.NaiveBayes().fit(X, y).predict_proba(new)
    np.testing.assert_array_equal(missing[0], missing[1])
    with pytest.raises(UnknownState, match=r"'z' in row 0 .counting from 0. is not a state of 'f'"):
        bayou.NaiveBayes(unknown="error").fit(X, y).predict_proba(new)
    smooth = bayou.NaiveBayes(unknown="smooth").fit(X, y).predict_proba(new)[0]
    by_hand = np.array([3 / 5 * 1 / (2 + 3), 2 / 5 * 1 / (1 + 3)])
    np.testing.assert_allclose(smooth, by_hand / by_hand.sum(), rtol=1e-12)


def test_classes_and_values_may_appear_in_mid_stream() -> None:
    model = bayou.NaiveBayes().partial_fit({"f": ["a", "a"]}, ["x", "x"])
    model.partial_fit({"f": ["b", "c"]}, ["y", "z"])
    assert model.classes_.tolist() == ["x", "y", "z"]
    whole = bayou.NaiveBayes().fit({"f": ["a", "a", "b", "c"]}, ["x", "x", "y", "z"])
    np.testing.assert_array_equal(
        model.predict_proba({"f": list("abc")}), whole.predict_proba({"f": list("abc")})
    )


def test_smoothing_by_left_out_records_is_brute_force() -> None:
    counts = np.array([[7.0, 1.0, 0.0], [2.0, 3.0, 9.0]])

    def slowly(strength: float) -> float:
        total = 0.0
        for k, j in np.argwhere(counts > 0):
            rest = counts.copy()
            rest[k, j] -= 1
            total += counts[k, j] * np.log((rest[k, j] + strength) / (rest[k].sum() + 3 * strength))
        return total

    for strength in (0.01, 0.5, 3.0):
        assert left_out_likelihood(counts, strength) == pytest.approx(slowly(strength))
    best = best_strength([counts])
    assert all(slowly(best) >= slowly(other) for other in np.geomspace(1e-3, 50, 60))
    X, y = table()
    model = bayou.NaiveBayes("table", prior="cv").fit(X[["Farbe", "raucht"]], y)
    assert model.smoothing_ > 0


def test_kinds_by_name_and_by_type() -> None:
    X, y = table()
    model = bayou.NaiveBayes({"float": "kernel", "Kinder": "poisson", "sagt": "words"}).fit(X, y)
    kinds = {name: kind.word for name, kind in model.feature_kinds_.items()}
    assert kinds["größe in cm"] == kinds["am"] == "kernel"
    assert kinds["Kinder"] == "poisson"
    assert kinds["Farbe"] == "table"
    assert model.evidence_weight_ == 1.0
    with pytest.raises(BadQuestion, match="there is no feature kind 'gaußisch'"):
        bayou.NaiveBayes("gaußisch").fit(X, y)
    with pytest.raises(KeyError, match="Farben"):
        bayou.NaiveBayes({"Farben": "table"}).fit(X, y)


def test_class_priors_are_stated_left_out_and_shifted() -> None:
    X, y = {"f": ["a", "a", "b"]}, ["m", "m", "w"]
    plain = bayou.NaiveBayes().fit(X, y)
    uniform = bayou.NaiveBayes(class_prior="uniform").fit(X, y).predict_proba({"f": ["b"]})
    np.testing.assert_allclose(bayou.NaiveBayes(rule="ml").fit(X, y).predict_proba({"f": ["b"]}), uniform)
    np.testing.assert_allclose(plain.with_class_prior("uniform").predict_proba({"f": ["b"]}), uniform)
    stated = bayou.NaiveBayes(class_prior={"w": 0.9, "m": 0.1}).fit(X, y)
    np.testing.assert_allclose(
        plain.with_class_prior([0.1, 0.9]).predict_proba({"f": ["b"]}), stated.predict_proba({"f": ["b"]})
    )
    with pytest.raises(BadPrior, match="has no number for 'w'"):
        bayou.NaiveBayes(class_prior={"m": 1.0}).fit(X, y)


def test_new_class_priors_are_found_without_labels() -> None:
    random = np.random.default_rng(4)
    X, y = random.normal(size=(4000, 1)), random.integers(0, 2, 4000)
    X[:, 0] += 3 * y
    model = bayou.NaiveBayes("gaussian").fit(X[:2000], y[:2000])
    rare = np.flatnonzero((y[2000:] == 0) | (random.random(2000) < 0.1)) + 2000
    found = model.estimate_class_prior(X[rare])
    assert found.new[1] == pytest.approx(y[rare].mean(), abs=0.02)


def test_it_fits_in_with_scikit_learn() -> None:
    X, y = table()
    numbers = ["größe in cm"]
    scaled = ColumnTransformer([("s", StandardScaler(), numbers)], remainder="passthrough").set_output(
        transform="pandas"
    )
    assert cross_val_score(make_pipeline(scaled, bayou.NaiveBayes()), X, y, cv=3).mean() > 0.8
    search = GridSearchCV(bayou.NaiveBayes(), {"prior": [0.1, 1.0]}, cv=3).fit(X[["Farbe", "raucht"]], y)
    assert search.best_params_["prior"] in (0.1, 1.0)
    known = X[["größe in cm"]].fillna(160.0)
    calibrated = CalibratedClassifierCV(bayou.NaiveBayes("gaussian"), cv=3).fit(known, y)
    assert calibrated.predict_proba(known).shape == (len(y), 3)
    assert clone(bayou.NaiveBayes(prior=0.3)).prior == 0.3


def test_the_target_may_be_a_column() -> None:
    model = bayou.NaiveBayes().fit({"f": ["a", "b", "b"], "klasse": [0, 1, 1]}, "klasse")
    assert model.predict({"f": ["b"]}).tolist() == [1]
    assert model.target_ == "klasse"


@pytest.mark.parametrize("learned", [np.int8, np.uint16, ">i2", np.int64, np.uint64])
@pytest.mark.parametrize("asked", [np.uint8, np.int32, ">i4", np.int64, np.uint64])
def test_whole_numbers_are_the_same_states_whatever_their_width(learned: Any, asked: Any) -> None:
    random = np.random.default_rng(2)
    X, y = random.integers(0, 6, (60, 3)), random.integers(0, 2, 60)
    model = bayou.NaiveBayes("table").fit(X.astype(learned), y)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])  # not by the matrix's way
    expected = bayou.NaiveBayes("table").fit(frame, y).predict_proba(frame)
    np.testing.assert_allclose(model.predict_proba(X.astype(asked)), expected, rtol=1e-12)


def test_states_that_no_one_width_holds_are_found_all_the_same() -> None:
    model = bayou.NaiveBayes("table").fit(np.array([[-5], [3]]), ["a", "b"])
    model.partial_fit(np.array([[2**63 + 5], [3]], dtype=np.uint64), ["a", "b"])
    assert model.predict(np.array([[-5], [3]])).tolist() == ["a", "b"]
    assert model.predict(np.array([[2**63 + 5]], dtype=np.uint64)).tolist() == ["a"]


@pytest.mark.parametrize(
    ("y", "message"),
    [(None, "requires y"), ([0.5, 1.25, 2.0], "Unknown label type: continuous"), (["a", None, "b"], "row 1")],
)
def test_labels_that_are_none_are_refused(y: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        bayou.NaiveBayes().fit(np.array([[1.0], [2.0], [3.0]]), y)
