"""The mean of the likelihood estimates is exact: 1,000 seeds of short series with few particles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.particles.exact_answers import (
    MARKET,
    RETURNS,
    SEEN,
    SEEN_VECTORS,
    SERIES,
    VECTORS,
    ar_functions,
    kalman,
    volatility_on_a_grid,
)

import bayou

ROLLS = [1, 6, 6, None, 6, 2, 6]
METHODS = ("bootstrap", "guided", "auxiliary")
RESAMPLING = ("systematic", "stratified", "residual", "multinomial")
RUNS = 1000


def gaussian_chain() -> bayou.HMM:
    chain = bayou.HMM(["low", "mid", "high"], {"x": "gaussian"})
    chain = chain.set_start([0.2, 0.5, 0.3]).set_transition([[0.7, 0.3, 0], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    return chain.set_gaussian([[-1.0], [0.3], [2.0]], [[[0.5]], [[0.3]], [[1.0]]])


def cases() -> dict[str, tuple[Any, Any, float]]:
    chain, casino = gaussian_chain(), bayou.examples.casino()
    readings = [0.2, -0.6, 0.9, 1.8]
    exact = kalman(SERIES, SEEN)[2]
    return {
        "AR(1)": (SERIES, SEEN, exact),
        "functions": (ar_functions(SERIES), SEEN, exact),
        "vectors": (VECTORS, SEEN_VECTORS, kalman(VECTORS, SEEN_VECTORS)[2]),
        "casino": (casino, ROLLS, casino.log_likelihood(ROLLS)),
        "gaussian chain": (chain, readings, chain.log_likelihood(readings)),
        "volatility": (MARKET, RETURNS, volatility_on_a_grid(MARKET, RETURNS)[1]),
    }


CASES = cases()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CASES)
def test_the_mean_of_the_likelihood_is_exact_and_the_log_is_a_little_low(name: str, method: str) -> None:
    model, seen, exact = CASES[name]
    logs = bayou.ParticleFilter(model, 40, method=method).log_likelihoods(seen, RUNS) - exact
    ratio = np.exp(logs)
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(RUNS) + 1e-9
    # The log of an estimate that is right on average is low by half of its variance, if that is small.
    assert abs(logs.mean() + logs.var() / 2) < 4 * logs.std() / np.sqrt(RUNS) + logs.var()
    assert logs.std() < 1


@pytest.mark.parametrize("below", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", RESAMPLING)
@pytest.mark.parametrize("name", ["AR(1)", "functions", "casino"])
def test_the_mean_is_exact_whenever_and_however_particles_are_resampled(
    name: str, kind: str, below: float
) -> None:
    model, seen, exact = CASES[name]
    how: dict[str, Any] = {"resampling": kind, "resample_below": below}
    ratio = np.exp(bayou.ParticleFilter(model, 40, **how).log_likelihoods(seen, RUNS) - exact)
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(RUNS)


def test_a_look_at_the_observation_makes_the_estimates_better() -> None:
    spread = {
        method: bayou.ParticleFilter(SERIES, 100, method=method).log_likelihoods(SEEN, 300).std()
        for method in METHODS
    }
    assert spread["auxiliary"] < spread["bootstrap"]
    assert spread["guided"] < 0.6 * spread["bootstrap"]


def test_functions_and_the_core_have_the_same_spread() -> None:
    """The same model in both forms: two samples of estimates that no test tells apart."""
    from scipy.stats import ks_2samp

    both = [bayou.ParticleFilter(model, 60) for model in (SERIES, ar_functions(SERIES))]
    one, two = (pf.log_likelihoods(SEEN, RUNS) for pf in both)
    assert ks_2samp(one, two).pvalue > 0.001
    assert 0.85 < one.std() / two.std() < 1.18
