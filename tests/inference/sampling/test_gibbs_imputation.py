"""Gibbs sampling of gaps against exact posteriors."""

from __future__ import annotations

import numpy as np

import bayou
from bayou.inference.sampling.gibbs_imputation import gibbs_completed
from bayou.statistics import Batch


def test_draws_have_the_posterior_distribution() -> None:
    net = bayou.random_network(5, states=(2, 3), arcs=6, seed=3)
    rows, given = 6000, net.names[1]
    codes = {name: np.full(rows, 255, dtype=np.uint8) for name in net.names}
    codes[given][:] = 1
    done = gibbs_completed(net.frozen, Batch(rows, codes, {}), seed=1, sweeps=60)
    assert (done.codes[given] == 1).all()
    for name in net.names:
        if name == given:
            continue
        posterior = net.query(name, given={given: net.states(given)[1]})
        wanted = np.array([posterior[state] for state in net.states(name)])
        share = np.bincount(done.codes[name], minlength=len(wanted)) / rows
        np.testing.assert_allclose(share, wanted, atol=0.04)


def test_observed_cells_and_the_callers_arrays_are_left_alone() -> None:
    net = bayou.random_network(6, arcs=7, seed=4)
    random = np.random.default_rng(0)
    codes = {name: random.choice([0, 1, 255], 200).astype(np.uint8) for name in net.names}
    before = {name: column.copy() for name, column in codes.items()}
    done = gibbs_completed(net.frozen, Batch(200, codes, {}), seed=5)
    again = gibbs_completed(net.frozen, Batch(200, codes, {}), seed=5)
    for name, column in before.items():
        np.testing.assert_array_equal(codes[name], column)
        np.testing.assert_array_equal(done.codes[name][column < 255], column[column < 255])
        assert done.codes[name].max() < 2
        np.testing.assert_array_equal(done.codes[name], again.codes[name])
