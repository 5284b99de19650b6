"""Kernel density naive Bayes: log densities of every test row by column and class."""

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
    """Silverman's, by column and class; every system gets the same."""
    from bayou.distributions import Silverman

    rule = Silverman()
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
    """The distribution object, from raw columns: values are counted and sorted in the timed part."""
    from bayou.distributions import Family, Fixed, KernelDensity, Laplace
    from bayou.schema import Variable
    from bayou.statistics import ValueCounts

    train, labels, test = _tables(scale)
    widths = _widths(train, labels)
    target = Variable("class", list(range(CLASSES)))

    def densities() -> np.ndarray:
        total = np.zeros((len(test), CLASSES))
        for j in range(COLUMNS):
            counted = ValueCounts.of(j, (target,), train[:, j], labels)
            family = Family(Variable(j), (target,))
            fitted = KernelDensity.estimate(counted, family, Laplace(0), Fixed(1.0), relative_error)
            own = KernelDensity(fitted.points, fitted.weights, widths[j], relative_error)
            total += own.log_density_by_group(test[:, j])
        return total

    return Work(densities, lambda total: float(total.sum()), train.nbytes + test.nbytes)


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
        total = np.zeros((len(test), CLASSES))
        for j in range(COLUMNS):
            for k in range(CLASSES):
                model = KernelDensity(bandwidth=widths[j, k], rtol=rtol)
                model.fit(train[labels == k, j : j + 1])
                total[:, k] += model.score_samples(test[:, j : j + 1])
        return total

    return Work(densities, lambda total: float(total.sum()), train.nbytes + test.nbytes)


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
