"""Discriminant functions and boundaries of two classes (lecture 003 with its corrections)."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_iris

from bayou import GaussianBayes
from bayou.errors import BadQuestion, UnknownState

mpl.use("Agg")


def two_points(prior: float) -> GaussianBayes:
    """Means 0 and 2, variance 1."""
    model = GaussianBayes("spherical", class_prior={"low": 1 - prior, "high": prior})
    return model.fit([[-1.0], [1.0], [1.0], [3.0]], ["low", "low", "high", "high"])


def test_the_boundary_of_the_lecture_is_at_307_thousandths() -> None:
    model = two_points(0.8)
    cut = model.discriminant("high", "low").x0
    np.testing.assert_allclose(cut, 1 - np.log(4) / 2)
    assert round(float(cut[0]), 3) == 0.307
    np.testing.assert_allclose(model.predict_proba([cut]), [[0.5, 0.5]])


def test_equal_priors_cut_midway() -> None:
    assert two_points(0.5).discriminant("low", "high").x0.tolist() == [1.0]


def test_the_spherical_boundary_is_the_corrected_equation() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianBayes("spherical", class_prior=[0.5, 0.2, 0.3]).fit(X, y)
    g, (m0, m1) = model.discriminant(1, 0), model.means_[:2]
    variance = float(model.covariances_)
    flat = X @ (m1 - m0) - 0.5 * (m1 @ m1 - m0 @ m0) + variance * np.log(0.2 / 0.5)
    np.testing.assert_allclose(g(X) * variance, flat, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(g.w * variance, m1 - m0)


@pytest.mark.parametrize("covariance", ["full", "shared", "spherical", "diagonal"])
def test_a_discriminant_is_the_log_odds_of_its_classes(covariance: str) -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianBayes(covariance, class_prior=[0.5, 0.2, 0.3]).fit(X, y)
    joint = model.predict_joint_log_proba(X)
    for a in range(3):
        for b in range(3):
            g = model.discriminant(a, b)
            np.testing.assert_allclose(g(X), joint[:, a] - joint[:, b], rtol=1e-7, atol=1e-7)
            if a != b and covariance in ("shared", "spherical"):
                assert abs(g([g.x0])[0]) < 1e-9
                np.testing.assert_allclose(g(X), (X - g.x0) @ g.w, rtol=1e-7, atol=1e-7)


def test_what_has_no_flat_boundary_says_so() -> None:
    X, y = load_iris(return_X_y=True)
    model = GaussianBayes("full").fit(X, y)
    with pytest.raises(BadQuestion, match="curved"):
        _ = model.discriminant(0, 1).x0
    with pytest.raises(BadQuestion, match="same mean"):
        _ = model.discriminant(1, 1).x0
    assert not hasattr(model, "coef_")
    with pytest.raises(UnknownState, match="setosa"):
        model.discriminant("setosa", 1)


@pytest.mark.parametrize("covariance", ["full", "shared", "spherical", "diagonal"])
def test_the_boundary_is_drawn_where_the_classes_tie(covariance: str) -> None:
    import matplotlib.pyplot as pyplot

    X, y = load_iris(return_X_y=True)
    model = GaussianBayes(covariance).fit(X[:, 2:], y)
    ax = model.plot_boundary(X=X[:, 2:], y=y)
    lines = [path for group in ax.collections for path in group.get_paths() if not group.get_facecolor().size]
    points = np.concatenate([path.vertices for path in lines if len(path.vertices)])
    best = np.sort(model.predict_proba(points), axis=1)
    assert np.median(best[:, -1] - best[:, -2]) < 0.05
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]
    pyplot.close(ax.figure)


def test_a_picture_needs_two_features() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(BadQuestion, match="two features only; this model has 4"):
        GaussianBayes().fit(X, y).plot_boundary()


def test_names_with_dollars_and_one_class_are_drawn() -> None:
    import matplotlib.pyplot as pyplot

    data: dict[str, Any] = {"$a": [1.0, 2.0, 4.0], "b$": [2.0, 1.0, 5.0]}
    ax = GaussianBayes("diagonal").fit(data, ["$x$"] * 3).plot_boundary()
    ax.figure.canvas.draw()
    pyplot.close(ax.figure)
