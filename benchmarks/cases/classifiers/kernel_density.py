"""Kernel density naive Bayes: from arrays to the joint log density of every test row and class."""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work

ROWS, COLUMNS, CLASSES = 20_000, 10, 2


def _tables(scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = np.random.default_rng(12)
    rows = int(ROWS * scale**0.5)
    labels = chance.integers(0, CLASSES, rows)
    train = chance.normal(size=(rows, COLUMNS)) + labels[:, None] * 0.5
    return train, labels, chance.normal(size=(rows, COLUMNS))


def _widths(train: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Silverman's, by column and class, as bayou chooses them."""
    import bayou

    rule = bayou.bandwidths.Silverman()
    return np.array(
        [
            [
                rule.width(np.sort(column[labels == k]), np.ones(np.sum(labels == k)), 1.0)
                for k in range(CLASSES)
            ]
            for column in train.T
        ]
    )


def _bayou(scale: float, relative_error: float) -> Work:
    """``fit`` and ``predict_joint_log_proba`` of arrays."""
    import bayou

    train, labels, test = _tables(scale)
    kernel = bayou.features.KernelFeature("silverman", relative_error)
    model = bayou.NaiveBayes(kernel, class_prior=np.full(CLASSES, 1 / CLASSES))
    return Work(lambda: model.fit(train, labels).predict_joint_log_proba(test), _check, train.nbytes * 2)


def _check(total: np.ndarray) -> float:
    return float(total.sum())


def bayou_bounded(scale: float) -> Work:
    """Densities within a relative error of 1e-6."""
    return _bayou(scale, 1e-6)


def bayou_exact(scale: float) -> Work:
    """Every term added directly."""
    return _bayou(scale, 0.0)


def _scikit_learn(scale: float, rtol: float) -> Work:
    from sklearn.neighbors import KernelDensity

    train, labels, test = _tables(scale)
    widths = _widths(train, labels)

    def densities() -> Any:
        total = np.full((len(test), CLASSES), np.log(1 / CLASSES))
        for j in range(COLUMNS):
            for k in range(CLASSES):
                model = KernelDensity(bandwidth=widths[j, k], rtol=rtol)
                model.fit(train[labels == k, j : j + 1])
                total[:, k] += model.score_samples(test[:, j : j + 1])
        return total

    return Work(densities, _check, train.nbytes * 2)


def scikit_learn_exact(scale: float) -> Work:
    """KernelDensity per column and class, rtol=0."""
    return _scikit_learn(scale, 0.0)


def scikit_learn_rough(scale: float) -> Work:
    """KernelDensity per column and class, rtol=1e-2."""
    return _scikit_learn(scale, 1e-2)


CASE = Case(
    "kernel_density",
    "kernel density naive Bayes, 20,000 × 10 train and test, 2 classes",
    {
        "bayou": bayou_bounded,
        "bayou, exact": bayou_exact,
        "scikit-learn, exact": scikit_learn_exact,
        "scikit-learn, rtol 1e-2": scikit_learn_rough,
    },
    targets={"scikit-learn, exact": 500},
    other_targets={("bayou, exact", "scikit-learn, exact"): 50},
    tolerance=2e-2,
    note="bayou: relative error at most 1e-6. scikit-learn's rtol 1e-2 decides how close the checks must be.",
)
