"""GaussianBayes: equal to scikit-learn where it has the same model, and the laws of what it learned."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.covariance import OAS
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as QDA
from sklearn.naive_bayes import GaussianNB

from bayou import GaussianBayes
from bayou.errors import BadData, BadQuestion, BayouWarning

COVARIANCES = ("full", "shared", "spherical", "diagonal")
SHRINKAGES = (None, 0.3, "ledoit-wolf", "oas")
PEERS: dict[str, tuple[GaussianBayes, Any]] = {
    "naive": (GaussianBayes("diagonal"), GaussianNB()),
    "naive, stated prior": (
        GaussianBayes("diagonal", class_prior=[0.2, 0.3, 0.5]),
        GaussianNB(priors=[0.2, 0.3, 0.5]),
    ),
    "LDA": (GaussianBayes("shared"), LDA(solver="lsqr")),
    "LDA by SVD": (GaussianBayes("shared"), LDA()),
    "LDA, fixed shrinkage": (GaussianBayes("shared", shrinkage=0.3), LDA(solver="lsqr", shrinkage=0.3)),
    "LDA, Ledoit-Wolf": (
        GaussianBayes("shared", shrinkage="ledoit-wolf"),
        LDA(solver="lsqr", shrinkage="auto"),
    ),
    "LDA, OAS": (GaussianBayes("shared", shrinkage="oas"), LDA(solver="lsqr", covariance_estimator=OAS())),
    "QDA": (GaussianBayes("full"), QDA()),
    "QDA, uniform prior": (GaussianBayes("arbitrary", class_prior="uniform"), QDA(priors=np.full(3, 1 / 3))),
    "QDA, fixed shrinkage": (GaussianBayes("full", shrinkage=0.3), QDA(solver="eigen", shrinkage=0.3)),
    "QDA, Ledoit-Wolf": (
        GaussianBayes("full", shrinkage="ledoit-wolf"),
        QDA(solver="eigen", shrinkage="auto"),
    ),
    "QDA, OAS": (GaussianBayes("full", shrinkage="oas"), QDA(solver="eigen", covariance_estimator=OAS())),
}


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("peer", PEERS)
def test_posteriors_are_those_of_scikit_learn(peer: str, load: Any) -> None:
    X, y = load(return_X_y=True)
    mine, theirs = (model.fit(X, y) for model in PEERS[peer])
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))


def test_coefficients_are_those_of_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    for kept in (y >= 0, y > 0):
        mine = GaussianBayes("shared").fit(X[kept], y[kept])
        theirs = LDA(solver="lsqr").fit(X[kept], y[kept])
        np.testing.assert_allclose(mine.coef_, theirs.coef_, rtol=1e-9)
        np.testing.assert_allclose(mine.intercept_, theirs.intercept_, rtol=1e-9)
        np.testing.assert_allclose(mine.covariances_, theirs.covariance_, rtol=1e-11)


@pytest.mark.parametrize("ddof", [0, 1])
def test_joint_log_probabilities_are_densities_times_priors(ddof: int) -> None:
    X, y = load_iris(return_X_y=True)
    for covariance in COVARIANCES:
        model = GaussianBayes(covariance, ddof=ddof, var_smoothing=0).fit(X, y)
        matrices = {
            "full": [np.cov(X[y == k].T, ddof=ddof) for k in range(3)],
            "shared": [_pooled(X, y, ddof)] * 3,
            "spherical": [np.eye(4) * np.trace(_pooled(X, y, ddof)) / 4] * 3,
            "diagonal": [np.diag(X[y == k].var(axis=0, ddof=ddof)) for k in range(3)],
        }[covariance]
        for k, matrix in enumerate(matrices):
            expected = np.log(1 / 3) + multivariate_normal(X[y == k].mean(axis=0), matrix).logpdf(X)
            np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, k], expected, rtol=1e-9, atol=1e-9)


def _pooled(X: Any, y: Any, ddof: int) -> Any:
    parts = [(X[y == k] - X[y == k].mean(axis=0)) for k in range(3)]
    return sum(part.T @ part for part in parts) / (len(X) - 3 * ddof)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(COVARIANCES),
    st.sampled_from(SHRINKAGES),
    st.integers(0, 9),
    st.integers(1, 6),
    st.booleans(),
)
def test_learning_in_parts_is_learning_at_once(
    covariance: str, shrinkage: Any, seed: int, parts: int, weighted: bool
) -> None:
    random = np.random.default_rng(seed)
    X, y = load_wine(return_X_y=True)
    X[:, 0] += 1e4  # a mean far from 0 must not cost digits
    weights = random.integers(0, 3, len(X)) if weighted else None
    whole = GaussianBayes(covariance, shrinkage=shrinkage).fit(X, y, sample_weight=weights)
    model = GaussianBayes(covariance, shrinkage=shrinkage)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayouWarning)  # the first parts alone may well be singular
        for rows in np.array_split(random.permutation(len(X)), parts):
            model.partial_fit(X[rows], y[rows], sample_weight=None if weights is None else weights[rows])
    for part in ("n", "mean"):
        np.testing.assert_allclose(
            getattr(model.statistics_, part), getattr(whole.statistics_, part), rtol=1e-12
        )
    scale = np.sqrt(whole.statistics_.total_variance)
    unit = scale if whole.statistics_.form == "columns" else np.outer(scale, scale)
    unit = unit**2 if whole.statistics_.form == "columns" else unit
    difference = (model.statistics_.scatter - whole.statistics_.scatter) / unit / len(X)
    assert np.abs(difference).max() < 1e-12
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("shrinkage", SHRINKAGES)
def test_weights_are_repeats(covariance: str, shrinkage: Any) -> None:
    X, y = load_iris(return_X_y=True)
    weights = np.arange(len(X)) % 4
    weighted = GaussianBayes(covariance, shrinkage=shrinkage).fit(X, y, sample_weight=weights)
    repeated = GaussianBayes(covariance, shrinkage=shrinkage).fit(
        X.repeat(weights, axis=0), y.repeat(weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_gaps_in_rows_that_are_predicted_are_integrated_out(covariance: str) -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianBayes(covariance, shrinkage=0.1, var_smoothing=0).fit(X, y)
    random = np.random.default_rng(3)
    rows = X.copy()
    rows[random.random(X.shape) < 0.4] = np.nan
    joint = model.predict_joint_log_proba(rows)
    posterior = model.predict_proba(rows)
    covariances = [model._model.covariance(k) for k in range(3)]
    for row, log, chance in zip(rows, joint, posterior, strict=True):
        seen = ~np.isnan(row)
        expected = np.log(model.priors_)
        if seen.any():
            for k in range(3):
                matrix = covariances[k][np.ix_(seen, seen)]
                expected[k] += multivariate_normal(model.means_[k, seen], matrix).logpdf(row[seen])
        np.testing.assert_allclose(log, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(chance, np.exp(expected) / np.exp(expected).sum(), rtol=1e-8)


def test_gaps_in_training_are_used_by_column() -> None:
    X, y = load_iris(return_X_y=True)
    X[7, 2] = np.nan
    model = GaussianBayes("diagonal", var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(model.means_[0, 2], np.nanmean(X[:50, 2]))
    np.testing.assert_allclose(model.covariances_[0, 2], np.nanvar(X[:50, 2]))


def test_a_class_without_any_value_in_a_column_has_the_overall_mean_there() -> None:
    X = np.array([[1.0, np.nan], [2.0, np.nan], [5.0, 3.0], [6.0, 5.0]])
    model = GaussianBayes("diagonal").fit(X, [0, 0, 1, 1])
    assert model.means_[0].tolist() == [1.5, 4.0]
    assert np.isfinite(model.predict_log_proba(X)).all()


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_a_constant_column_is_no_obstacle(covariance: str) -> None:
    X, y = load_iris(return_X_y=True)
    X[:, 1] = 7.5
    model = GaussianBayes(covariance)
    if covariance in ("full", "shared"):
        with pytest.warns(BayouWarning, match="'x1' is constant or a linear combination of other columns"):
            model.fit(X, y)
        without = GaussianBayes(covariance).fit(np.delete(X, 1, axis=1), y)
        np.testing.assert_allclose(
            model.predict_proba(X), without.predict_proba(np.delete(X, 1, axis=1)), atol=1e-5
        )
        with pytest.raises(BadData, match="'x1' is constant"):
            GaussianBayes(covariance, var_smoothing=0).fit(X, y)
    else:
        model.fit(X, y)
    assert model.score(X, y) > 0.85


def test_names_of_columns_and_classes_may_be_anything() -> None:
    import pandas as pd

    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["sépale, longueur", "$x_1$", "a b", "Ω"])
    labels = np.array(["Blüte eins", "z", "7"], dtype=object)[y]
    model = GaussianBayes("shared").fit(frame, labels)
    assert model.classes_.tolist() == ["7", "Blüte eins", "z"]
    np.testing.assert_allclose(
        model.predict_proba(frame), GaussianBayes("shared").fit(X, labels).predict_proba(X)
    )
    with pytest.warns(BayouWarning, match="'Ω=text' is constant"):
        GaussianBayes().fit(frame.assign(Ω="text"), labels)


def test_a_class_that_is_announced_but_never_seen_gets_no_probability() -> None:
    X, y = load_iris(return_X_y=True)
    for covariance in COVARIANCES:
        model = GaussianBayes(covariance).partial_fit(X, y, classes=[0, 1, 2, 3])
        chances = model.predict_proba(X)
        assert chances.shape == (150, 4)
        assert (chances[:, 3] == 0).all()
        np.testing.assert_allclose(
            chances[:, :3], GaussianBayes(covariance).fit(X, y).predict_proba(X), rtol=1e-9
        )


@pytest.mark.parametrize(
    "wrong", [{"covariance": "round"}, {"shrinkage": 2}, {"shrinkage": "some"}, {"shrinkage": True}]
)
def test_unknown_choices_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadQuestion, match=next(iter(wrong))):
        GaussianBayes(**wrong).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("covariance", ["auto", "shared", "full", "diagonal", "spherical", "regularised"])
def test_a_ddof_that_no_class_has_rows_for_is_refused(covariance: str) -> None:
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) % 2
    for ddof in (50, 1000):
        with pytest.raises(BadQuestion, match=rf"ddof={ddof}: .* the largest class has 50 rows"):
            GaussianBayes(covariance, ddof=ddof).fit(X, y)
    with pytest.raises(BadQuestion, match="ddof=-1"):
        GaussianBayes(covariance, ddof=-1).fit(X, y)
