"""Many columns at once: the same choices and posteriors as column by column, and as scikit-learn's."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB

import bayou
from bayou.distributions import MEstimate
from bayou.estimators.naive_bayes import auto_feature
from bayou.statistics import SampledRows


def numbers(rows: int = 150, classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(rows)
    y = random.integers(0, classes, rows)
    parts = [
        random.normal(size=(rows, 4)) + y[:, None] * random.normal(size=4),
        random.exponential(size=(rows, 3)) * (1 + y[:, None]),
        np.round(random.normal(size=(rows, 2)), 1),
        np.full((rows, 1), 2.5),
    ]
    X = np.hstack(parts)
    X[random.random(X.shape) < 0.1] = np.nan
    return X, y


def counts(rows: int = 150) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(rows)
    y = random.integers(0, 2, rows)
    parts = [
        random.integers(0, 2, (rows, 4)),
        random.poisson(2 + y[:, None], (rows, 4)),
        random.integers(-9, 40, (rows, 3)),
        np.full((rows, 1), 7),
    ]
    return np.hstack(parts), y


@pytest.mark.parametrize("prior", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("table", [numbers(), counts(), numbers(12, 2), counts(8), numbers(6000, 2)])
def test_kinds_are_chosen_as_column_by_column(table, prior, monkeypatch) -> None:
    X, y = table
    weights = np.random.default_rng(0).integers(1, 4, len(y)) if prior == 0.5 else None
    together = bayou.NaiveBayes(prior=prior).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(auto_feature, "decisions", lambda *_: {})
    alone = bayou.NaiveBayes(prior=prior).fit(X, y, sample_weight=weights)
    assert list(together.choices_) == list(alone.choices_)
    for name, choice in together.choices_.items():
        assert choice.kind == alone.choices_[name].kind
        assert list(choice.losses) == list(alone.choices_[name].losses)
        assert choice.losses == pytest.approx(alone.choices_[name].losses, rel=1e-9, abs=1e-9)
    np.testing.assert_array_equal(together.predict_joint_log_proba(X), alone.predict_joint_log_proba(X))


def test_other_priors_and_frames_choose_too() -> None:
    X, y = counts()
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])
    by_matrix, by_frame = bayou.NaiveBayes().fit(X, y), bayou.NaiveBayes().fit(frame, y)
    assert [c.kind for c in by_matrix.choices_.values()] == [c.kind for c in by_frame.choices_.values()]
    np.testing.assert_allclose(by_matrix.predict_proba(X), by_frame.predict_proba(frame), rtol=1e-12)
    mixed = bayou.NaiveBayes(prior={"c0": MEstimate(2.0)}).fit(frame, y)
    assert set(mixed.choices_) == set(by_frame.choices_)
    assert mixed.choices_["c5"] == by_frame.choices_["c5"]


def test_a_matrix_and_a_frame_give_the_same_statistics_and_scores() -> None:
    X, y = numbers(300)
    whole, labels = counts(300)
    tables = [(X, y), (X.astype(np.float32), y), (whole, labels), (whole.astype(np.int16), labels)]
    for values, classes in tables:
        frame = pd.DataFrame(values, columns=[f"x{k}" for k in range(values.shape[1])])
        one, two = bayou.NaiveBayes().fit(values, classes), bayou.NaiveBayes().fit(frame, classes)
        for request, answer in one.statistics_.items():
            other = two.statistics_[request]
            if isinstance(answer, SampledRows):
                assert answer.values == other.values
                np.testing.assert_array_equal(answer.hashes, other.hashes)
            else:
                assert answer == other
        shifted = np.roll(values, 1, axis=1)[:40]
        columns = pd.DataFrame(shifted, columns=frame.columns)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found, expected = one.predict_joint_log_proba(shifted), two.predict_joint_log_proba(columns)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_infinite_cells_of_new_rows_are_refused_beside_missing_ones() -> None:
    X, y = numbers()
    model = bayou.NaiveBayes().fit(X, y)
    X[0], X[1] = np.nan, np.inf
    with pytest.raises(bayou.errors.BadData, match="infinity in row 1"):
        model.predict_proba(X)


def test_numbers_too_close_for_a_bandwidth_are_refused_by_name() -> None:
    X = np.r_[np.zeros(6), 1e-310 * np.arange(1, 7)][:, None]
    with pytest.raises(bayou.errors.BadData, match="'x0' lie too far apart or too close together"):
        bayou.NaiveBayes("kernel").fit(X, np.tile([0, 1], 6))
    with pytest.warns(bayou.errors.BayouWarning, match="'x0' has numbers that differ by less than 1e-145"):
        bayou.NaiveBayes().fit(X, np.tile([0, 1], 6))


def presence(form: str) -> tuple[sparse.spmatrix, np.ndarray]:
    matrix = sparse.random(80, 50, density=0.2, format=form, random_state=4)
    return matrix, np.random.default_rng(4).integers(0, 3, 80)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_presence_in_a_sparse_matrix_is_that_of_the_dense_one(form) -> None:
    X, y = presence(form)
    weights = np.random.default_rng(5).random(80)
    for own in (None, weights, np.round(weights * 4)):
        thin = bayou.NaiveBayes("bernoulli").fit(X, y, sample_weight=own)
        full = bayou.NaiveBayes("bernoulli").fit(X.toarray(), y, sample_weight=own)
        expected = full.predict_joint_log_proba(X.toarray())
        np.testing.assert_allclose(thin.predict_joint_log_proba(X), expected, rtol=1e-12)
        np.testing.assert_allclose(thin.predict_joint_log_proba(X.toarray()), expected, rtol=1e-12)
        assert dict(thin.statistics_) == dict(full.statistics_)
    theirs = BernoulliNB(class_prior=np.exp(thin._model.log_prior)).fit(X, y, np.round(weights * 4))
    np.testing.assert_allclose(thin.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


def test_presence_is_above_the_threshold_and_cells_may_be_missing() -> None:
    X, y = presence("csr")
    for features in (bayou.features.BernoulliFeature(0.5), bayou.features.BernoulliFeature(-1.0)):
        kinds = {f"x{k}": features for k in range(50)}
        thin, full = bayou.NaiveBayes(kinds).fit(X, y), bayou.NaiveBayes(kinds).fit(X.toarray(), y)
        np.testing.assert_allclose(thin.predict_proba(X), full.predict_proba(X.toarray()), rtol=1e-12)
    raw = bayou.NaiveBayes("bernoulli", prior=0).fit(X, y), bayou.NaiveBayes("bernoulli", prior=0)
    expected = raw[1].fit(X.toarray(), y).predict_joint_log_proba(X.toarray())
    np.testing.assert_array_equal(raw[0].predict_joint_log_proba(X), expected)
    model = bayou.NaiveBayes("bernoulli").fit(X, y)
    gaps = X.copy()
    gaps.data[::7] = np.nan
    np.testing.assert_allclose(model.predict_proba(gaps), model.predict_proba(gaps.toarray()), rtol=1e-12)
    again = bayou.NaiveBayes("bernoulli").fit(gaps, y), bayou.NaiveBayes("bernoulli").fit(gaps.toarray(), y)
    np.testing.assert_allclose(again[0].predict_proba(X), again[1].predict_proba(X), rtol=1e-12)


def test_a_sparse_model_can_be_saved_pickled_continued_and_explained(tmp_path) -> None:
    X, y = presence("csr")
    thin, full = bayou.NaiveBayes("bernoulli").fit(X, y), bayou.NaiveBayes("bernoulli").fit(X.toarray(), y)
    X.data[:] = 0  # the arrays belong to the caller
    X, _ = presence("csr")
    expected = full.predict_proba(X.toarray())
    thin.save(tmp_path / "model.bayou")
    for twin in (pickle.loads(pickle.dumps(thin)), bayou.load(tmp_path / "model.bayou")):
        np.testing.assert_allclose(twin.predict_proba(X), expected, rtol=1e-12)
    row = X[[3]].toarray()
    assert str(thin.explain(row)) == str(full.explain(row))
    thin.partial_fit(X[:40], y[:40], classes=[7])
    full.partial_fit(X[:40].toarray(), y[:40], classes=[7])
    np.testing.assert_allclose(thin.predict_proba(X), full.predict_proba(X.toarray()), rtol=1e-12)
