"""Drawn rows follow the joint table, and are the same in any number of batches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.laws.strategies import joint_by_hand, law, networks

import bayou
from bayou._native import sample_categorical, sample_normal
from bayou.inference import draw


@given(networks(most=4), st.integers(0, 2**32))
@law
def test_frequencies_follow_the_joint_table(net: bayou.Network, seed: int) -> None:
    n = 5000
    codes = draw(net.frozen, n, seed)
    shape = [len(net.states(name)) for name in net.names]
    cells = np.ravel_multi_index([codes[name].astype(np.int64) for name in net.names], shape)
    counts = np.bincount(cells, minlength=int(np.prod(shape)))
    expected = np.zeros(int(np.prod(shape)))
    for full, probability in joint_by_hand(net).items():
        expected[np.ravel_multi_index(full, shape)] = probability * n
    assert not counts[expected == 0].any()
    rare = expected < 5
    observed = np.append(counts[~rare], counts[rare].sum())
    wanted = np.append(expected[~rare], expected[rare].sum())
    used = wanted > 0
    distance = float(((observed - wanted)[used] ** 2 / wanted[used]).sum())
    assert distance <= chi2.isf(1e-9, max(1, int(used.sum()) - 1)) + 1e-9


@given(networks(), st.integers(0, 2**64 - 1), st.data())
@law
def test_batches_of_a_sample_are_its_rows(net: bayou.Network, seed: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 300))
    cuts = sorted(data.draw(st.sets(st.integers(0, n), max_size=4)))
    whole = draw(net.frozen, n, seed)
    parts = [
        draw(net.frozen, stop - start, seed, first_row=start)
        for start, stop in itertools.pairwise([0, *cuts, n])
    ]
    for name in net.names:
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), whole[name])


@given(networks(), st.integers(0, 1000))
@law
def test_the_same_seed_draws_the_same_rows_with_the_states_types(net: bayou.Network, seed: int) -> None:
    first, second = net.sample(20, seed=seed), net.sample(20, seed=seed)
    assert first.to_dicts() == second.to_dicts()
    for row in first.to_dicts():
        for name, value in row.items():
            code = net.variables[name].code(value)
            assert type(net.states(name)[code]) is type(value)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_draws_the_same(threads: int) -> None:
    n = 100_000
    cumulative = np.cumsum([[0.2, 0.3, 0.5], [0.6, 0.4, 0.0]], axis=1)
    groups = (np.arange(n) % 2).astype(np.uint32)
    np.testing.assert_array_equal(
        sample_categorical(7, 3, 0, groups, cumulative, n, threads),
        sample_categorical(7, 3, 0, groups, cumulative, n),
    )
    np.testing.assert_array_equal(sample_normal(7, 3, 0, n, threads), sample_normal(7, 3, 0, n))


def test_gaussians_are_drawn_with_their_means_slopes_and_variances() -> None:
    net = bayou.Network("g -> x; x -> y", states={"g": ["a", "b"]}, continuous=["x", "y"])
    net.set_cpt("g", [0.3, 0.7])
    net.set_gaussian("x", {"a": (0, 1), "b": (10, 4)})
    net.set_gaussian("y", {"mean": 1, "variance": 0.25, "coefficients": {"x": -2}})
    rows = net.sample(40_000, seed=11)
    x, y, of_a = rows["x"], rows["y"], rows["g"] == "a"
    assert of_a.mean() == pytest.approx(0.3, abs=0.02)
    for chosen, mean, variance in ((of_a, 0, 1), (~of_a, 10, 4)):
        assert x[chosen].mean() == pytest.approx(mean, abs=0.1)
        assert x[chosen].var() == pytest.approx(variance, rel=0.1)
    residual = y - (1 - 2 * x)
    assert residual.mean() == pytest.approx(0, abs=0.02)
    assert residual.var() == pytest.approx(0.25, rel=0.05)
