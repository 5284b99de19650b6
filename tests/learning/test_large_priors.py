"""Scores under priors of any size, and priors that are too large for sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bayou
from bayou.learning.scores.marginal_likelihood import log_marginal_likelihood
from bayou.special_functions import log_rising

ROWS = {"a": [0, 1] * 5, "b": [0, 0, 1, 1, 0, 1, 0, 1, 0, 1]}
MANY = {"a": [0, 1] * 500, "b": [0, 0, 1, 1, 0, 1, 0, 1, 0, 1] * 100}


@pytest.mark.parametrize("size", [1e6, 1e10, 1e13, 1e15, 1e16, 1e18, 1e100, 1e300])
@pytest.mark.parametrize("rows", [ROWS, MANY])
def test_the_score_tends_to_that_of_even_tables(size, rows):
    net = bayou.Network("a->b").fit(rows)
    even = -2 * len(rows["a"]) * math.log(2)
    tolerance = 1e-9 * abs(even) + len(rows["a"]) ** 2 / size
    assert net.score(rows, bayou.BDeu(size)) == pytest.approx(even, abs=tolerance)
    assert bayou.learn_structure(rows, score=bayou.BDeu(size)) is not None


@pytest.mark.parametrize("start", [0.5, 3.0, 9999.0, 10001.0, 1e6, 1e12, 1e18, 1e300])
@pytest.mark.parametrize("steps", [1, 5, 40])
def test_rising_factorials_are_sums_of_logs(start, steps):
    exact = math.fsum(math.log(start + k) for k in range(steps))
    assert float(log_rising(start, steps)) == pytest.approx(exact, rel=1e-10, abs=1e-10)


def test_the_likelihood_of_counts_under_a_large_prior():
    counts, prior = np.array([[7, 3], [0, 20]]), np.full((2, 2), 1e17)
    assert log_marginal_likelihood(counts, prior) == pytest.approx(-30 * math.log(2))


@pytest.mark.parametrize("prior", [1e308, bayou.Laplace, bayou.BDeu, bayou.MEstimate])
def test_priors_whose_sums_overflow_are_refused(prior):
    with pytest.raises(bayou.errors.BadPrior, match="at most 1e"):
        bayou.Network("a").fit({"a": [1, 2]}, prior=prior if isinstance(prior, float) else prior(1e308))
