"""Categorical naive Bayes on a matrix of whole numbers in memory, beside scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work

ROWS, COLUMNS, STATES, CLASSES = 1_000_000, 50, 10, 5


def _data(scale: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(6)
    rows = int(ROWS * scale)
    return chance.integers(0, STATES, (rows, COLUMNS)), chance.integers(0, CLASSES, rows)


def _bayou(y: np.ndarray) -> Any:
    import bayou

    return bayou.NaiveBayes("table", class_prior=np.bincount(y) / len(y))


def _squares_of_logs(model: Any) -> float:
    network = model.network_
    tables = [network.cpt(name).to_array() for name in network.names if network.parents(name)]
    return float(sum(np.square(np.log(table)).sum() for table in tables))


def bayou_fit(scale: float) -> Work:
    """From the matrix to tables."""
    X, y = _data(scale)
    return Work(lambda: _bayou(y).fit(X, y), _squares_of_logs, X.nbytes)


def bayou_predict(scale: float) -> Work:
    """From the matrix to posteriors."""
    X, y = _data(scale)
    model = _bayou(y).fit(X, y)
    return Work(lambda: model.predict_proba(X), lambda p: float(np.square(p).sum()), X.nbytes)


def _peer() -> Any:
    from sklearn.naive_bayes import CategoricalNB

    return CategoricalNB()


def sklearn_fit(scale: float) -> Work:
    """scikit-learn's CategoricalNB."""
    X, y = _data(scale)
    return Work(
        lambda: _peer().fit(X, y),
        lambda model: float(sum(np.square(t).sum() for t in model.feature_log_prob_)),
        X.nbytes,
    )


def sklearn_predict(scale: float) -> Work:
    """scikit-learn's CategoricalNB."""
    X, y = _data(scale)
    model = _peer().fit(X, y)
    return Work(lambda: model.predict_proba(X), lambda p: float(np.square(p).sum()), X.nbytes)


CATEGORICAL = (
    Case(
        "categorical-fit",
        "categorical naive Bayes, 1,000,000 × 50 whole numbers, 10 states: fit",
        {"bayou": bayou_fit, "scikit-learn": sklearn_fit},
        {"scikit-learn": 20},
    ),
    Case(
        "categorical-predict",
        "categorical naive Bayes, 1,000,000 × 50 whole numbers, 10 states: predict_proba",
        {"bayou": bayou_predict, "scikit-learn": sklearn_predict},
        {"scikit-learn": 8},
    ),
)
