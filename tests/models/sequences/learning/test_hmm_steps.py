"""Twenty steps of Baum–Welch against the numpy oracle: all covariances, mixtures, counts, gaps, labels,
weights.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.models.sequences.chain_oracle import Oracle

import bayou

STEPS = 20


def sequences(chance, lengths, *, columns, gaps, labels):
    made = []
    for length in lengths:
        states = np.cumsum(chance.random(length) < 0.3) % 3
        one = {
            "symbol": chance.integers(0, 4, length) * (states > 0) + states % 2,
            "count": chance.poisson(1 + 3.0 * states).astype(float),
            "x": chance.normal(2.0 * states[:, None], 1.0, (length, 2)) @ np.array([[1.0, 0.4], [0.0, 0.8]]),
        }
        if gaps:
            one["symbol"][chance.random(length) < 0.1] = -1
            one["count"][chance.random(length) < 0.1] = np.nan
            one["x"][chance.random((length, 2)) < 0.15] = np.nan
        if labels:
            one["labels"] = np.where(chance.random(length) < 0.3, states, -1)
        made.append({name: one[name] for name in (*columns, *(["labels"] if labels else []))})
    return made


def as_table(sequence):
    table = {}
    for name in sequence:
        if name == "x":
            table["x0"], table["x1"] = sequence["x"][:, 0], sequence["x"][:, 1]
        elif name == "symbol":
            table["symbol"] = [None if code < 0 else int(code) for code in sequence["symbol"]]
        elif name == "labels":
            table["state"] = [None if code < 0 else int(code) for code in sequence["labels"]]
        else:
            table[name] = sequence[name]
    return table


def models(chance, columns, shape, components, prior):
    states = 3
    oracle = Oracle(
        chance.dirichlet(np.ones(states) * 5), chance.dirichlet(np.ones(states) * 5, states), shape=shape
    )
    oracle.prior = prior
    spec = {}
    if "symbol" in columns:
        spec["symbol"] = [0, 1, 2, 3, 4]
        oracle.tables["symbol"] = chance.dirichlet(np.ones(5) * 5, states)
    if "count" in columns:
        spec["count"] = "poisson"
        oracle.rates["count"] = np.array([1.0, 3.0, 6.0])
    if "x" in columns:
        spec["x0"] = spec["x1"] = "gaussian"
        oracle.shares = chance.dirichlet(np.ones(components) * 5, states)
        oracle.means = chance.normal(np.arange(3)[:, None, None] * 2.0, 0.7, (states, components, 2))
        oracle.covariances = np.tile(np.eye(2) * 1.5, (states, components, 1, 1))
    hmm = bayou.HMM(states, spec, covariance=shape, components=components)
    hmm.set_start(oracle.start).set_transition(oracle.transition)
    if "symbol" in columns:
        hmm.set_emission("symbol", oracle.tables["symbol"])
    if "count" in columns:
        hmm.set_emission("count", {"rate": oracle.rates["count"]})
    if "x" in columns:
        hmm.set_gaussian(oracle.means, oracle.covariances)
        if components > 1:
            hmm.set_components(oracle.shares)
    return oracle, hmm


CASES = [
    (("symbol",), "full", 1, 0.0),
    (("symbol",), "full", 1, 0.5),
    (("x",), "full", 1, 0.0),
    (("x",), "diagonal", 1, 0.0),
    (("x",), "spherical", 1, 0.0),
    (("x",), "shared", 1, 0.0),
    (("x",), "shared diagonal", 1, 0.0),
    (("x",), "full", 2, 0.0),
    (("x",), "diagonal", 3, 0.0),
    (("count",), "full", 1, 0.0),
    (("symbol", "count", "x"), "full", 1, 0.0),
    (("symbol", "x"), "diagonal", 2, 0.0),
]


@pytest.mark.parametrize(("gaps", "labels"), [(False, False), (True, True)])
@pytest.mark.parametrize(("columns", "shape", "components", "prior"), CASES)
def test_twenty_steps(columns, shape, components, prior, gaps, labels):
    chance = np.random.default_rng([len(columns), components, gaps, labels])
    data = sequences(chance, [30, 1, 25, 40], columns=columns, gaps=gaps, labels=labels)
    weights = [1.0, 2.0, 0.5, 1.0]
    oracle, hmm = models(chance, columns, shape, components, prior)
    logs = []
    for _ in range(STEPS):
        log, oracle = oracle.step(data, weights)
        logs.append(log)
    logs.append(oracle.step(data, weights)[0])
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", bayou.BayouWarning
        )  # it stops before it converges, unless nothing is left
        hmm.fit(
            [as_table(one) for one in data],
            weights=weights,
            prior=prior,
            method="baum-welch",
            start="present",
            tolerance=0,
            max_iterations=STEPS,
        )
    found = hmm.learning.log_likelihoods
    assert len(found) == STEPS + 1 or hmm.learning.converged
    np.testing.assert_allclose(found, logs[: len(found)], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(hmm.start, oracle.start, atol=1e-8)
    np.testing.assert_allclose(hmm.transition, oracle.transition, atol=1e-8)
    if "x" in columns:
        np.testing.assert_allclose(hmm.means.reshape(oracle.means.shape), oracle.means, rtol=1e-7, atol=1e-7)
        found = hmm.covariances.reshape(oracle.covariances.shape)
        np.testing.assert_allclose(found, oracle.covariances, rtol=1e-6, atol=1e-7)
    if prior == 0:
        assert np.all(np.diff(hmm.learning.log_likelihoods) >= -1e-9 * np.abs(logs[0]))
