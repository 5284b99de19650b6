"""The threads of BLAS, which numpy uses for products, change no bit of a classifier's answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import bayou


def makers() -> list[Any]:
    naive = [pytest.param(lambda kind=kind: bayou.NaiveBayes(kind), id=kind) for kind in ("auto", "kernel")]
    gaussian = [
        pytest.param(lambda kind=kind: bayou.GaussianBayes(kind), id=f"Gaussian {kind}")
        for kind in ("auto", "full")
    ]
    shrunk = pytest.param(lambda: bayou.GaussianBayes("full", shrinkage="ledoit-wolf"), id="ledoit-wolf")
    return [*naive, *gaussian, shrunk]


@pytest.mark.parametrize("make", makers())
@pytest.mark.parametrize("seed", [0, 1])
def test_threads_change_no_bit(make: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, 30_000)
    X = random.gamma(2.0 + y[:, None], 1.0, (30_000, 4))
    X[:, 3] = np.log(X[:, 3]) * X[:, 0]
    answers = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads, user_api="blas"):
            answers.append(make().fit(X, y).predict_proba(X[:500]))
    for answer in answers[1:]:
        assert (answer == answers[0]).all()


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_threads_change_no_bit_of_wide_rows_with_gaps(covariance: str) -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 600)
    X = random.normal(size=(600, 120)) + y[:, None] * 0.1 + random.normal(size=(600, 1))
    X[random.random(X.shape) < 0.01] = np.nan
    answers = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads, user_api="blas"):
            model = bayou.GaussianBayes(covariance).fit(X, y)
            answers.append((model.means_, model.covariances_))
    for means, covariances in answers[1:]:
        assert (means == answers[0][0]).all()
        assert (covariances == answers[0][1]).all()
