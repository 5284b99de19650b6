"""Categorical naive Bayes on a matrix of whole numbers in memory, by the kernels, beside scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work

ROWS, COLUMNS, STATES, CLASSES = 1_000_000, 50, 10, 5


def _data(scale: float) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(6)
    rows = int(ROWS * scale)
    return chance.integers(0, STATES, (rows, COLUMNS)), chance.integers(0, CLASSES, rows)


def _kernel_fit(X: np.ndarray, y: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """Values, log tables [state, class] with add-one smoothing, and the log prior."""
    from bayou._native import count_families, encode_integer_matrix

    codes, values = encode_integer_matrix(X)
    labels, classes = encode_integer_matrix(y[:, None])
    cards = [*(len(known) for known in values), len(classes[0])]
    counts = count_families([*codes, *labels], cards, [(j, COLUMNS) for j in range(COLUMNS)])
    tables = [np.log(table + 1.0) - np.log((table + 1.0).sum(axis=0)) for table in counts]
    prior = counts[0].sum(axis=0)
    return values, tables, np.log(prior / prior.sum())


def bayou_fit(scale: float) -> Work:
    """From the matrix to log tables."""
    X, y = _data(scale)
    return Work(
        lambda: _kernel_fit(X, y), lambda model: float(sum(np.square(t).sum() for t in model[1])), X.nbytes
    )


def bayou_predict(scale: float) -> Work:
    """From the matrix to posteriors."""
    from bayou._native import encode_integer_matrix, table_class_scores

    X, y = _data(scale)
    values, tables, prior = _kernel_fit(X, y)

    def predict() -> np.ndarray:
        codes, _ = encode_integer_matrix(X, values)
        return table_class_scores(codes, tables, prior, len(X), True)

    return Work(predict, lambda posterior: float(np.square(posterior).sum()), X.nbytes)


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
        note="bayou's kernels; the matrix is coded and counted.",
    ),
    Case(
        "categorical-predict",
        "categorical naive Bayes, 1,000,000 × 50 whole numbers, 10 states: predict_proba",
        {"bayou": bayou_predict, "scikit-learn": sklearn_predict},
        {"scikit-learn": 8},
        note="bayou's kernels; the matrix is coded by the known values and scored.",
    ),
)
