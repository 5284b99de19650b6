"""Covariances between LDA and QDA, and the choice among them by rows held out."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import multigammaln
from scipy.stats import multivariate_normal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss

from bayou import GaussianBayes
from bayou.errors import BadData, BadQuestion, BayouWarning
from bayou.estimators.gaussian.covariance_choice import FOLDS, _fold_weights
from bayou.estimators.gaussian.regularised_covariance import Regulariser


def curved(rows: int, seed: int = 1, columns: int = 3) -> tuple[Any, Any]:
    """Three classes whose covariances differ."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    mixing = random.normal(size=(3, columns, columns))
    X = np.einsum("ni,nij->nj", random.normal(size=(rows, columns)), mixing[y]) + 0.4 * y[:, None]
    return X, np.array(["Ärger", "b c", "7"])[y]


def flat(rows: int, seed: int = 1, columns: int = 3) -> tuple[Any, Any]:
    """Three classes with one covariance."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, rows)
    return random.normal(size=(rows, columns)) + random.normal(size=(3, columns))[y], y


# Regularised covariances


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("shrinkage", [0.0, 0.05])
def test_the_strength_is_where_the_marginal_likelihood_is_greatest(load: Any, shrinkage: float) -> None:
    X, y = load(return_X_y=True)
    moments = GaussianBayes("regularised").fit(X, y).statistics_
    found = Regulariser.of(moments, shrinkage, 0.0)
    d, added = X.shape[1], np.diag(shrinkage * found.variances + found.ridge)
    centre = (1 - shrinkage) * moments.scatter.sum(axis=0) / len(X) + added

    def evidence(strength: float) -> float:
        total, nu = 0.0, strength + d + 1
        for n, scatter in zip(moments.n[:, 0] - 1, moments.scatter, strict=True):
            own = (1 - shrinkage) * scatter + n * added
            total += multigammaln((nu + n) / 2, d) - multigammaln(nu / 2, d)
            total += nu / 2 * np.linalg.slogdet(strength * centre)[1]
            total -= (nu + n) / 2 * np.linalg.slogdet(strength * centre + own)[1]
        return float(total)

    best = evidence(found.strength)
    grid = np.exp(np.linspace(-2, 13, 40))
    assert all(evidence(strength) <= best for strength in grid)
    assert evidence(found.strength * 1.01) < best > evidence(found.strength / 1.01)


def test_regularised_covariances_are_a_mean_of_own_and_pooled_ones() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianBayes("regularised").fit(X, y)
    full, shared = (GaussianBayes(kind).fit(X, y).covariances_ for kind in ("full", "shared"))
    strength = Regulariser.of(model.statistics_, 0.0, 0.0).strength
    share = strength / (50 + strength)
    np.testing.assert_allclose(model.covariances_, (1 - share) * full + share * shared, rtol=1e-4, atol=1e-6)
    assert model.covariance_ == "regularised"
    assert model.evidence_weight_ == 1.0
    assert model.choice_ is None


def test_alike_classes_are_pooled_and_different_ones_are_not() -> None:
    alike = GaussianBayes("regularised").fit(*flat(3000)).statistics_
    different = GaussianBayes("regularised").fit(*curved(3000)).statistics_
    assert Regulariser.of(alike, 0.0, 0.0).strength > 3000
    assert Regulariser.of(different, 0.0, 0.0).strength < 30


@pytest.mark.parametrize("shrinkage", [None, 0.1])
def test_units_do_not_matter_to_regularised_covariances(shrinkage: Any) -> None:
    X, y = curved(300)
    units = np.array([1e9, 1e-9, 1e3])
    plain = GaussianBayes("regularised", shrinkage=shrinkage).fit(X, y)
    other = GaussianBayes("regularised", shrinkage=shrinkage).fit(X * units, y)
    np.testing.assert_allclose(plain.predict_proba(X), other.predict_proba(X * units), rtol=1e-6, atol=1e-9)


def test_a_constant_column_says_nothing_even_where_it_changes_later() -> None:
    X, y = curved(300)
    plain = GaussianBayes("regularised").fit(X, y)
    wider = GaussianBayes("regularised", var_smoothing=0).fit(np.insert(X, 1, 0.1, axis=1), y)
    for value in (0.1, 0.3):
        rows = np.insert(X, 1, value, axis=1)
        np.testing.assert_allclose(plain.predict_proba(X), wider.predict_proba(rows), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("rows", [2, 3, 7])
def test_a_handful_of_rows_is_enough_for_regularised_covariances(rows: int) -> None:
    X, y = curved(40, columns=8)
    model = GaussianBayes("regularised").fit(X[:rows], y[:rows])
    assert np.isfinite(model.predict_proba(X)).all()


# The choice


def test_the_choice_follows_the_data() -> None:
    chosen = GaussianBayes().fit(*curved(1500))
    assert chosen.covariance_ == "regularised"
    assert chosen.choice_ is not None
    losses = [each.loss for each in chosen.choice_.candidates]
    assert losses == sorted(losses)
    assert chosen.choice_.candidates[0].evidence_weight == chosen.evidence_weight_
    assert "shared: " in str(chosen.choice_)
    assert str(chosen.choice_).count("\n") == 3
    assert GaussianBayes().fit(*flat(1500)).covariance_ == "shared"


def test_few_rows_get_one_covariance_and_no_exponent() -> None:
    X, y = curved(49)
    few, shared = GaussianBayes().fit(X, y), GaussianBayes("shared").fit(X, y)
    assert (few.covariance_, few.evidence_weight_) == ("shared", 1.0)
    assert "fewer than 50" in str(few.choice_)
    np.testing.assert_allclose(few.predict_proba(X), shared.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(few.coef_, shared.coef_, rtol=1e-9)


@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
def test_held_out_rows_are_predicted_better_than_by_lda(load: Any) -> None:
    X, y = load(return_X_y=True)
    test = np.arange(len(X)) % 3 == 0
    auto = GaussianBayes().fit(X[~test], y[~test])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)  # some pixels of the digits never change
        shared = GaussianBayes("shared").fit(X[~test], y[~test])
    assert auto.covariance_ == "regularised"
    assert log_loss(y[test], auto.predict_proba(X[test])) < log_loss(y[test], shared.predict_proba(X[test]))
    assert auto.score(X[test], y[test]) >= shared.score(X[test], y[test])


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([flat, curved]), st.integers(0, 9), st.integers(2, 5), st.sampled_from([300, 9000]))
def test_learning_in_parts_is_learning_at_once(make: Any, seed: int, parts: int, rows: int) -> None:
    X, y = make(rows, seed)
    X[:, 0] = X[:, 0].round(1) + 1e4
    random = np.random.default_rng(seed)
    whole, model = GaussianBayes().fit(X, y), GaussianBayes()
    for part in np.array_split(random.permutation(rows), parts):
        model.partial_fit(X[part], y[part])
    assert model.covariance_ == whole.covariance_
    np.testing.assert_allclose(model.evidence_weight_, whole.evidence_weight_, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("make", [flat, curved])
def test_weights_are_repeats(make: Any) -> None:
    X, y = make(300)
    weights = np.arange(300) % 7
    weighted = GaussianBayes().fit(X, y, sample_weight=weights)
    repeated = GaussianBayes().fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert weighted.covariance_ == repeated.covariance_
    np.testing.assert_allclose(weighted.evidence_weight_, repeated.evidence_weight_, rtol=1e-6)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6, atol=1e-9)


def test_a_pickle_predicts_the_same_and_learns_on() -> None:
    X, y = curved(600)
    model = GaussianBayes().fit(X[:400], y[:400])
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    copy.partial_fit(X[400:], y[400:])
    np.testing.assert_allclose(copy.predict_proba(X), GaussianBayes().fit(X, y).predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("make", [flat, curved])
def test_the_exponent_is_that_of_the_densities_also_where_there_are_gaps(make: Any) -> None:
    X, y = make(250, columns=6)
    model = GaussianBayes(class_prior=[0.5, 0.2, 0.3]).fit(X, y)
    assert model.evidence_weight_ != 1.0
    rows = X[:40].copy()
    rows[np.random.default_rng(2).random(rows.shape) < 0.3] = np.nan
    for row, joint, chances in zip(
        rows, model.predict_joint_log_proba(rows), model.predict_proba(rows), strict=True
    ):
        seen = ~np.isnan(row)
        expected = np.log([0.5, 0.2, 0.3])
        for k in range(3) if seen.any() else ():
            matrix = model._model.covariance(k)[np.ix_(seen, seen)]
            density = multivariate_normal(model.means_[k, seen], matrix).logpdf(row[seen])
            expected[k] += model.evidence_weight_ * density
        np.testing.assert_allclose(joint, expected, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(chances, np.exp(expected) / np.exp(expected).sum(), rtol=1e-7)


@pytest.mark.parametrize("make", [flat, curved])
def test_a_discriminant_is_the_log_odds_of_its_classes(make: Any) -> None:
    X, y = make(400)
    model = GaussianBayes().fit(X, y)
    logs = model.predict_log_proba(X)
    first, second = model.classes_[[0, 2]]
    odds = model.discriminant(first, second)(X)
    np.testing.assert_allclose(odds, logs[:, 0] - logs[:, 2], rtol=1e-7, atol=1e-7)


def test_coefficients_carry_the_exponent_or_are_refused() -> None:
    X, y = flat(400)
    model = GaussianBayes().fit(X, y)
    assert model.covariance_ == "shared"
    scores = X @ model.coef_.T + model.intercept_
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(scores, model.predict_log_proba(X), rtol=1e-8, atol=1e-9)
    with pytest.raises(AttributeError, match=r"'regularised' \(chosen by 'auto'\) has curved boundaries"):
        _ = GaussianBayes().fit(*curved(400)).coef_


def test_a_class_with_one_row_and_one_without_any_do_no_harm() -> None:
    X, y = flat(400)
    X, y = np.vstack([X, [[9.0, 9.0, 9.0]]]), np.append(y, 3)
    model = GaussianBayes().partial_fit(X, y, classes=[0, 1, 2, 3, 4])
    chances = model.predict_proba(X)
    assert np.isfinite(chances).all()
    assert (chances[:, 4] == 0).all()


def test_rows_with_gaps_are_learned_from_but_not_compared_on() -> None:
    X, y = curved(500)
    X[::9, 1] = np.nan
    gappy = GaussianBayes().fit(X, y)
    assert gappy.choice_.candidates
    assert gappy.statistics_.sample.matrix.shape[0] == np.count_nonzero(~np.isnan(X).any(axis=1))
    X[np.arange(500) % 12 > 0, 1] = np.nan
    few = GaussianBayes().fit(X, y)
    assert not few.choice_.candidates


@pytest.mark.parametrize(
    ("covariance", "shrinkage"), [("auto", 0.1), ("auto", "oas"), ("regularised", "ledoit-wolf")]
)
def test_a_shrinkage_that_would_be_ignored_is_refused(covariance: str, shrinkage: Any) -> None:
    with pytest.raises(BadQuestion, match="determines the shrinkage itself"):
        GaussianBayes(covariance, shrinkage=shrinkage).fit([[1.0], [2.0]], [0, 1])


def test_numbers_whose_squares_are_infinite_are_named() -> None:
    X, y = flat(300)
    with pytest.raises(BadData, match="squares of 'x0' are too large"):
        GaussianBayes().fit(X * 1e200, y)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.25, 1.0, 2.0, 7.5, 12.0])), min_size=1))
def test_repeats_are_dealt_out_one_by_one(rows: list[tuple[int, float]]) -> None:
    own, weights = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    dealt = _fold_weights(own, weights)
    np.testing.assert_allclose(dealt.sum(axis=0), weights)
    for code in np.unique(own):
        parts = dealt[:, own == code].sum(axis=1)
        assert parts.max() - parts.min() <= 1 + 1e-9
        assert len(parts) == FOLDS
