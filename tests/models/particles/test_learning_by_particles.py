"""Particle marginal Metropolis–Hastings has the posterior that the exact likelihood has."""

from __future__ import annotations

import numpy as np
from tests.models.particles.exact_answers import kalman

import bayou


def series(pull: float) -> bayou.LinearSeries:
    return bayou.LinearSeries(pull, 0.5, 1, 0.4, start_mean=0, start_covariance=1)


def test_the_chain_of_estimates_has_the_exact_posterior() -> None:
    chance = np.random.default_rng(2)
    hidden = [0.5]
    for _ in range(19):
        hidden.append(0.7 * hidden[-1] + chance.normal(0, 0.7))
    seen = (np.array(hidden) + chance.normal(0, 0.6, 20)).tolist()
    pulls = np.linspace(0.005, 0.995, 100)  # an even prior
    logs = np.array([kalman(series(pull), seen)[2] for pull in pulls])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    mean = shares @ pulls
    spread = np.sqrt(shares @ (pulls - mean) ** 2)

    at, here, chain = 0.5, -np.inf, []
    for step in range(3000):
        there = at + chance.normal(0, 0.4)
        proposed = -np.inf
        if 0 < there < 1:
            pf = bayou.ParticleFilter(series(there), 30, seed=step)  # few: the estimates are rough
            proposed = pf.log_likelihood(seen)
        if np.log(chance.random()) < proposed - here:
            at, here = there, proposed
        chain.append(at)
    assert abs(np.mean(chain) - mean) < 0.25 * spread
    assert 0.75 < np.std(chain) / spread < 1.3
