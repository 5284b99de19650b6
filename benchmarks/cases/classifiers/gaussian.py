"""Gaussian classifiers on matrices in memory: fit and predict_proba, beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from case import Case, Work

CLASSES = 5


@dataclass(frozen=True)
class Size:
    """Rows and columns of a full run."""

    rows: int
    columns: int


WIDE, SQUARE = Size(1_000_000, 100), Size(300_000, 60)


def _data(size: Size, scale: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(5)
    rows = int(size.rows * scale)
    y = chance.integers(0, CLASSES, rows)
    X = chance.normal(size=(rows, size.columns))
    X += chance.normal(0, 0.3, (CLASSES, size.columns))[y]
    return X, y


def _squares_of_means(name: str) -> Callable[[Any], float]:
    return lambda model: float(np.square(getattr(model, name)).sum())


def _squares(posterior: np.ndarray) -> float:
    return float(np.square(posterior).sum())


def _fit(make: Callable[[], Any], size: Size, means: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        X, y = _data(size, scale)
        return Work(lambda: make().fit(X, y), _squares_of_means(means), X.nbytes)

    return prepare


def _predict(make: Callable[[], Any], size: Size) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        X, y = _data(size, scale)
        model = make().fit(X, y)
        return Work(lambda: model.predict_proba(X), _squares, X.nbytes)

    return prepare


def _bayou(covariance: str) -> Callable[[], Any]:
    def make() -> Any:
        import bayou

        return bayou.GaussianBayes(covariance)

    return make


def naive() -> Any:
    """scikit-learn's naive one."""
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def linear() -> Any:
    """Its linear one, with the solver that is the fastest of the three."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver="lsqr")


def quadratic() -> Any:
    """Its quadratic one."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    return QuadraticDiscriminantAnalysis()


@dataclass(frozen=True)
class Kind:
    """One model that both libraries have."""

    name: str
    title: str
    covariance: str
    peer: Callable[[], Any]
    means: str
    size: Size
    fit_target: float
    predict_target: float


KINDS = (
    Kind("gaussian-naive", "Gaussian naive Bayes, 1,000,000 × 100", "diagonal", naive, "theta_", WIDE, 5, 8),
    Kind("lda", "LDA, 300,000 × 60", "shared", linear, "means_", SQUARE, 3, 1),
    Kind("qda", "QDA, 300,000 × 60", "full", quadratic, "means_", SQUARE, 5, 4),
)


def _cases(kind: Kind) -> tuple[Case, Case]:
    make = _bayou(kind.covariance)
    fit = {
        "bayou": _fit(make, kind.size, "means_"),
        "scikit-learn": _fit(kind.peer, kind.size, kind.means),
    }
    predict = {"bayou": _predict(make, kind.size), "scikit-learn": _predict(kind.peer, kind.size)}
    return (
        Case(f"{kind.name}-fit", f"{kind.title}: fit", fit, {"scikit-learn": kind.fit_target}),
        Case(
            f"{kind.name}-predict",
            f"{kind.title}: predict_proba",
            predict,
            {"scikit-learn": kind.predict_target},
        ),
    )


GAUSSIAN = tuple(case for kind in KINDS for case in _cases(kind))
