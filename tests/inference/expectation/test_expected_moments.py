"""Expected counts and moments of rows with gaps equal brute force over states and Gaussians by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.inference.expectation import expected_answers as answered
from tests.inference.expectation.expected_by_hand import (
    ROWS,
    assert_equals_hand,
    batch_with_gaps,
    few,
    same,
    without,
    write_out_at_most,
)
from tests.inference.mixed.mixed_networks import mixed_networks
from tests.laws.strategies import law, seeds

from bayou._native import combine_codes, group_moments
from bayou.distributions import LinearGaussian, Table
from bayou.inference import Expectation, log_probability
from bayou.inference.expectation import expanded_rows, wide_rows
from bayou.inference.expectation import expected_moments as e_step
from bayou.inference.expectation.expected_moments import expected_moments
from bayou.networks import FrozenNetwork
from bayou.statistics import Batch

SMALL = [(512, 2**23), (512, 200), (0, 2**23), (3, 500)]
"""All rows written out; in small chunks; none written out; some."""


@pytest.mark.parametrize(("most", "chunk"), SMALL)
@given(
    network=mixed_networks(), random=seeds(), share=st.sampled_from([0.1, 0.4, 1.0]), weighted=st.booleans()
)
@few
def test_expected_counts_and_moments_equal_those_by_hand(
    most: int, chunk: int, network: FrozenNetwork, random: np.random.Generator, share: float, weighted: bool
) -> None:
    batch = batch_with_gaps(network, random, share, weighted=weighted)
    with pytest.MonkeyPatch.context() as patch:
        write_out_at_most(most, patch)
        patch.setattr(expanded_rows, "_CHUNK_NUMBERS", chunk)
        patch.setattr(wide_rows, "_BLOCK_ENTRIES", chunk // 8)
        found = expected_moments(network, batch)
    assert_equals_hand(network, batch, found)
    if not weighted:
        logs = log_probability(network, batch.codes, batch.numbers, batch.rows)
        np.testing.assert_allclose(found.log_likelihood, logs.sum(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("most", [512, 0])
@given(network=mixed_networks(), random=seeds(), share=st.sampled_from([0.0, 0.2]))
@few
def test_hidden_columns_equal_those_by_hand(
    most: int, network: FrozenNetwork, random: np.random.Generator, share: float
) -> None:
    """A class that is never seen, then a number that is never measured, then both."""
    batch = batch_with_gaps(network, random, share, rows=3, weighted=share == 0)
    state, number = random.choice(len(batch.codes)), random.choice(len(batch.numbers))
    hidden = [list(batch.codes)[state], list(batch.numbers)[number]]
    with pytest.MonkeyPatch.context() as patch:
        write_out_at_most(most, patch)
        patch.setattr(e_step, "_LATENT_NUMBERS", 5)
        for gone in (hidden[:1], hidden[1:], hidden):
            part = without(batch, *gone)
            assert_equals_hand(network, part, expected_moments(network, part))


@given(network=mixed_networks(), random=seeds(), weighted=st.booleans())
@law
def test_complete_rows_give_the_plain_moments_and_counts(
    network: FrozenNetwork, random: np.random.Generator, weighted: bool
) -> None:
    batch = batch_with_gaps(network, random, 0.0, rows=40, weighted=weighted)
    assume(batch.total > 0)
    found = expected_moments(network, batch)
    used = None if batch.weights is None else batch.weights.astype(np.float64)
    for name, moments in answered.moments(found).items():
        parents = network.discrete_parents(name)
        cards = [parent.cardinality for parent in parents]
        groups = combine_codes([batch.codes[p.name] for p in parents], cards) if parents else None
        columns = [batch.numbers[variable] for variable in moments.variables]
        n, mean, scatter = group_moments(columns, groups, int(np.prod(cards, dtype=int)), used)
        assert np.array_equal(moments.n.ravel(), n)
        np.testing.assert_allclose(moments.mean.ravel(), mean.ravel(), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(moments.scatter.ravel(), scatter.ravel(), rtol=1e-12, atol=1e-12)
    for name, table in answered.tables(found).items():
        scope = [batch.codes[p] for p in (*network.dag.parents(name), name)]
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(column.astype(int) for column in scope), 1.0 if used is None else used)
        assert np.array_equal(table, counts)


@given(network=mixed_networks(), random=seeds())
@law
def test_batches_add_and_do_not_depend_on_the_order_of_rows(
    network: FrozenNetwork, random: np.random.Generator
) -> None:
    whole = batch_with_gaps(network, random, 0.3, rows=30, weighted=True)
    assert whole.weights is not None
    order = random.permutation(30)
    parts = []
    for rows in (order[:7], order[7:]):
        codes = {name: column[rows] for name, column in whole.codes.items()}
        numbers = {name: column[rows] for name, column in whole.numbers.items()}
        parts.append(expected_moments(network, Batch(len(rows), codes, numbers, whole.weights[rows])))
    same(parts[0] + parts[1], expected_moments(network, whole))


def moved(network: FrozenNetwork, name: Any, part: str, index: tuple[int, ...], by: float) -> FrozenNetwork:
    node = network.gaussian(name)
    values = np.array(getattr(node, part))
    values[index] += by
    return network.with_blocks({network.slots[name]: replace(node, **{part: values})})


@given(network=mixed_networks(), random=seeds())
@few
def test_the_slope_of_the_likelihood_is_that_of_the_expected_moments(
    network: FrozenNetwork, random: np.random.Generator
) -> None:
    """Fisher: d log-likelihood / d parameter = expected d log density / d parameter."""
    batch = batch_with_gaps(network, random, 0.3)
    found = expected_moments(network, batch)
    for name in list(answered.moments(found))[-2:]:
        moments, node = answered.moments(found)[name], network.gaussian(name)
        index = tuple(int(random.integers(size)) for size in node.intercept.shape)
        away = np.append(-node.coefficients[index], 1.0)
        n, variance = moments.n[index], node.variance[index]
        gap = away @ moments.mean[index] - node.intercept[index]
        squares = away @ moments.scatter[index] @ away + n * gap**2
        slopes = {"intercept": n * gap / variance, "variance": (squares / variance - n) / (2 * variance)}
        for part, slope in slopes.items():
            step = 1e-5 * min(1.0, float(variance))
            ends = [
                log_probability(moved(network, name, part, index, by), batch.codes, batch.numbers, ROWS).sum()
                for by in (-step, step)
            ]
            np.testing.assert_allclose((ends[1] - ends[0]) / (2 * step), slope, rtol=1e-4, atol=1e-3)


@given(network=mixed_networks(), random=seeds(), share=st.sampled_from([0.1, 0.5]))
@few
def test_a_step_of_expectation_and_maximisation_never_lowers_the_likelihood(
    network: FrozenNetwork, random: np.random.Generator, share: float
) -> None:
    batch = batch_with_gaps(network, random, share, rows=60)
    before = -np.inf
    for _ in range(4):
        found = expected_moments(network, batch)
        assert found.log_likelihood >= before - 1e-7 * abs(found.log_likelihood)
        before = found.log_likelihood
        network = network.with_blocks(maximised(network, found))


def maximised(network: FrozenNetwork, found: Expectation) -> dict[Any, Any]:
    """Each group on its own, by least squares; too few rows leave a group as it is."""
    blocks: dict[Any, Any] = {}
    for name, table in answered.tables(found).items():
        total = table.sum(axis=-1, keepdims=True)
        old = network.table(name)
        blocks[network.slots[name]] = Table(np.where(total > 0, table / np.where(total > 0, total, 1), old))
    for name, moments in answered.moments(found).items():
        node = network.gaussian(name)
        parts = [np.array(getattr(node, part)) for part in ("intercept", "coefficients", "variance")]
        for index in np.ndindex(node.intercept.shape):
            n, mean, scatter = moments.n[index], moments.mean[index], moments.scatter[index]
            if n < 3 * len(mean) + 3:
                continue
            slopes = np.linalg.solve(scatter[:-1, :-1], scatter[:-1, -1])
            parts[0][index] = mean[-1] - slopes @ mean[:-1]
            parts[1][index] = slopes
            parts[2][index] = (scatter[-1, -1] - slopes @ scatter[:-1, -1]) / n
        blocks[network.slots[name]] = LinearGaussian(*parts)
    return blocks
